"""Indonesian."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import only

LANGUAGE = Language(
    code="id",
    name="Indonesian",
    voice="id",
    otherwise=Verdict.COMPLETE,
    unfinished_endings=frozenset({"kan"}),
    goes_on=words(
        """dan atau tetapi tapi namun karena sebab jika kalau bila ketika saat waktu bahwa
        agar supaya sehingga meskipun walaupun sambil sebelum sesudah setelah sejak selama
        hingga sampai yang di ke dari pada kepada untuk buat dengan tanpa oleh tentang
        mengenai antara dalam atas bawah terhadap seperti sebagai menurut bagi demi per lewat
        melalui selain sekitar dia ia mereka anda kamu para si sang nama_saya sebuah seorang
        seekor beberapa banyak semua setiap tiap suatu berbagai salah_satu ingin mau akan
        sedang telah bisa dapat harus perlu butuh boleh ada adalah ialah merupakan mencari
        pesan memesan membeli beli tolong mohon minta panggil telepon putar nyalakan matikan
        ingatkan_saya tolong_carikan carikan pasang tambahkan lebih paling sangat terlalu agak
        kurang hampir hanya cuma bukan tidak belum jangan apakah bagaimana_cara cara eh em anu
        misalnya contohnya yaitu yakni maksudnya artinya jadi soalnya tanggal jam pukul hari
        nomor alamat tinggal_di daripada serta maupun baik_itu berapa_harga harga punya
        nomor_telepon_saya nama_saya_adalah dekat di_dekat pakai masih membatalkan mengubah
        menulis mengganti dan_satu dan_saya_ingin secara seluruh seiring meski akibat lalu
        serangkaian betapa mampu perihal menuju sebagaimana sementara kecuali segala
        via maka soal sejenis seputar berkat guna antar sebenarnya_saya kalau_saya
        karena_saya bahwa_saya tetapi_saya tapi_saya jadi_saya masalahnya"""
    ),
    either=words("""sudah mungkin seharusnya masing-masing bersama kenapa mengapa"""),
    ends=words(
        """itu_saya untuk_saya buat_saya dengan_saya milik_saya dari_saya dengan_anda
        untuk_anda apa_itu siapa_dia siapa_itu siapa_kamu siapa_anda kamu_siapa dia_siapa
        saya_juga juga_saya begitu_saja itu_saja ada_apa tidak_ada sudah_ada belum_ada
        masih_ada tidak_mau tidak_perlu tidak_bisa tidak_boleh sudah_bisa apa_bisa mau_ke_mana
        ke_mana dari_mana di_mana bagaimana_anda dan_anda dan_kamu dan_saya kalau_anda
        terima_kasih masih_belum mungkin_tidak tentu_tidak kenapa_tidak mengapa_tidak
        atau_tidak atau_belum ya_tidak bisa_tidak jam_berapa hari_apa tanggal_berapa
        nomor_berapa berapa_banyak sangat_banyak terlalu_banyak lebih_banyak untuk_dua
        untuk_semua semuanya untuk_kami dengan_kami untuk_kita untuk_mereka milik_mereka
        tolong_saya ada pada_saya jam_satu jam_dua jam_tiga jam_empat jam_lima jam_enam
        jam_tujuh jam_delapan jam_sembilan jam_sepuluh pukul_satu pukul_dua pukul_tiga
        pukul_tujuh pukul_delapan setiap_hari satu_hari tiga_hari dua_hari hari_ini
        tidak_semua cukup_satu ambil_satu beli_satu minta_satu minta_dua pesan_satu pesan_dua
        dari_dalam di_dalam ke_dalam di_atas di_bawah ke_atas ke_bawah tidak_harus seperti_apa
        nyalakan_itu tunggu_saya telepon_saya hubungi_saya setelah_itu sebelum_itu semua_hari
        lagi_satu satu_lagi setengah_jam satu_jam dua_jam tiga_jam sehari makan saja ikan"""
    ),
    conditionals=("kalau ", "jika ", "bila "),
    whole=words(
        """ya iya tidak nggak enggak bukan belum sudah oke ok okay baik boleh bisa
        terima_kasih makasih halo hai selamat_pagi selamat_siang selamat_sore selamat_malam
        sampai_jumpa stop berhenti tunggu tolong mungkin selalu sekarang nanti besok cukup
        lagi benar betul tepat tentu tentu_saja tidak_ada ya_tolong tidak_terima_kasih
        belum_sekarang tidak_tahu saya_juga mengerti saya_mengerti itu_saja maaf silakan
        hari_ini permisi setuju jangan"""
    ),
    backchannels=words(
        """hm hmm mm ya iya oke ok okay baik benar betul oh ah begitu mengerti paham sip tentu
        heeh bagus lanjut"""
    ),
    stops=words("stop berhenti tunggu sebentar"),
    conjunctions=words(
        """dan atau tetapi tapi namun karena jika kalau bila ketika bahwa agar supaya sehingga
        meskipun walaupun yang"""
    ),
    clinging=words(
        """dan atau tapi tetapi di ke dari pada untuk dengan oleh yang tentang dalam sebuah
        seorang para akan sedang telah sudah tidak bukan belum sangat lebih paling saya anda
        kami kita dia setiap beberapa semua adalah bisa dapat"""
    ),
    abbreviations=words(
        """bpk bp dr drs prof ir h hj jl jln no tn ny nn sdr yth kab kec kel prov hlm tlp telp
        ttg a.n u.p s.d d.a jend kol gg rt rw tgl jan feb apr agu sep okt nov des"""
    ),
    may_end=words("dll dsb dst tbk pt s.h s.e"),
    before_number=words("rp"),
    reading=Reading(
        currencies={
            "$": ("dolar",),
            "€": ("euro",),
            "£": ("pound",),
            "Rp": ("rupiah",),
        },
        plural=only,
        scales=("ribu", "juta", "miliar", "triliun"),
        decimal=",",
        group=".",
        and_="dan",
        number="nomor",
        to="ke",
        equals="sama dengan",
        about="sekitar",
        at="at",
        dot="titik",
    ),
    prompts=Prompts(
        greeting="Halo, ada yang bisa saya bantu?",
        fillers=("Sebentar.", "Saya lihat dulu."),
        listening=("Ya.",),
        silence="Apakah Anda masih di sana?",
        goodbye="Saya tidak mendengar Anda. Sampai jumpa.",
    ),
)
