"""Turkish. The finite verb stands last; a noun in an oblique case, a participle or a converb at the
end waits for one."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import only

LANGUAGE = Language(
    code="tr",
    name="Turkish",
    voice="tr",
    otherwise=Verdict.UNKNOWN,
    one_word_is_a_sentence=True,
    goes_on=words(
        """ve veya ya ile ama fakat ancak lakin çünkü eğer ki hem ne için gibi kadar göre
        doğru karşı rağmen dolayı beri önce sonra üzere bir bu şu o her bazı birkaç hiç çok
        daha en pek az biraz tüm bütün benim senin onun bizim sizin onların kendi ben sen biz
        siz onlar bana sana ona bize size hangi kaç nasıl_bir şey hani yani mesela örneğin ııı
        eee ya_da de da bile sadece yalnız ayrıca hatta sanki yarın bugün akşam sabah saat
        lütfen_bana acaba büyük küçük yeni iyi_bir adım önümüzdeki gelecek geçen diye artık
        adı kim_bu iptal dün evvelsi öbür"""
    ),
    ends=words(
        """var yok değil lazım gerek mi mı mu mü miyim mıyım muyum müyüm misin mısın musun
        müsün misiniz mısınız musunuz müsünüz miyiz mıyız muyuz müyüz tamam evet hayır lütfen
        bu_ne adınız_ne adın_ne o_ne ne_kadar ne_için nerede kaç_kişi saat_kaç kaç nasılsın
        nasılsınız neden niye ben_de sen_de biz_de o_kadar bu_kadar daha_iyi değil_mi ne_zaman
        hangisi kimsiniz bu_kim yeter hoşça_kal teşekkürler güzel iyi mümkün_mü var_mı yok_mu
        bundan_sonra evet_lütfen bir_daha istemem peki olur olmaz mümkün gerekli yeterli kaça
        ne_var mesela_bu iyi_akşamlar iyi_günler ne_haber pekala aynen sanırım galiba herhalde
        belki söz tabii uzak yakın kötü kapalı açık pahalı dolu hazır kapat et git bak dinle
        çal söyle aç yap ver al gel bekle anlat göster ekle kur oku ara hatırlat durdur başlat
        değiştir gönder bul çevir kaydet sil kalk ne_zaman_kalkıyor yanlış farklı hasta evli
        güzel_olur bu_adam adam_bu"""
    ),
    finished_endings=frozenset(
        """yorum yorsun yor yoruz yorsunuz yorlar dim dım dum düm tim tım tum tüm din dın dun
        dün tin tın tun tün dik dık duk dük tik tık tuk tük diniz dınız dunuz dünüz tiniz
        tınız diler dılar dular düler tiler tılar ecek acak eceğim acağım eceksin acaksın
        eceğiz acağız ecekler acaklar eceksiniz acaksınız irim ırım urum ürüm erim arım rim
        rım rsın rsin ersin arsın irsin ırsın ursun ürsün irsiniz ırsınız ursunuz ürsünüz
        ersiniz arsınız rsiniz rsınız mem mam mez maz meyiz mayız mezsin mazsın miş mış muş
        müş mişim mışım mişsiniz eyim ayım eyin ayın iniz ınız unuz ünüz yiniz yınız yin yın
        elim alım sana sene dir dır dur dür tir tır tur tür mali malı meli meliyim malıyım
        meliyiz malıyız abilir ebilir ydi ydı ydu ydü yim yım yum yüm misiniz iyor ıyor uyor
        üyor siniz sınız sunuz sünüz di dı du dü tti ttı ttu ttü çti çtı ştı şti ştu ştü stı
        sti ktı kti ktu ktü ptı pti fti iriz ırız uruz ürüz ariz arız eriz sin sın sun sün
        medi madı""".split()
    ),
    unfinished_endings=frozenset(
        """ip ıp up üp yip yıp arak erek ken ince ınca unca ünce dikçe dıkça dığı diği duğu
        düğü dığım diğim duğum düğüm dığını diğini tığı tiği an en lik lık luk lük için sa se
        sam sem sak sek sanız seniz madan meden den dan ten tan de da te ta e a ye ya i ı u ü
        yi yı yu yü ni nı nu nü in ın un ün nin nın nun nün le la yle yla ki sel sal siz sız
        meyi mayı mek mak meye maya mesi ması ler lar""".split()
    ),
    open_endings=frozenset("im ım um üm sinin yız".split()),
    either=words("""kim nasıl ne_zaman"""),
    conditionals=("eğer ",),
    whole=words(
        """evet hayır yok var tamam peki olur olmaz tabii tabi elbette kesinlikle teşekkürler
        teşekkür_ederim sağol sağ_olun merhaba selam alo dur bekle yeter imdat yardım asla hiç
        her_zaman bugün yarın şimdi sonra hiçbir_şey doğru aynen belki lütfen
        hayır_teşekkürler evet_lütfen henüz_değil günaydın iyi_günler iyi_akşamlar görüşürüz
        hoşça_kal güle_güle bilmiyorum anladım bu_kadar hepsi_bu ben_de rica_ederim güzel iyi
        iyiyim tekrar"""
    ),
    backchannels=words(
        """hı hıhı hmm mhm mm evet tamam peki tabii tabi olur doğru aynen anladım ha haa güzel
        okay ok iyi öyle"""
    ),
    stops=words("dur durun bekle bekleyin yeter bir_dakika bir_saniye"),
    conjunctions=words("ve veya ama fakat ancak çünkü eğer ya ki oysa yoksa"),
    clinging=words(
        """ve veya ama fakat çünkü eğer bir bu şu o her çok daha en hiç bazı birkaç benim
        senin onun bizim sizin ne hangi kaç"""
    ),
    leaning=words(
        """mi mı mu mü de da ile için gibi kadar göre önce sonra beri ki değil miyim misiniz
        mısınız musunuz müsünüz"""
    ),
    abbreviations=words(
        """dr prof doç yrd av sn sok cad mah apt blv no tel örn bkz yy s m.ö m.s t.c alb gen
        yzb müh öğr nr"""
    ),
    may_end=words("vb vs vd a.ş ltd şti tl"),
    ordinal_dot="before_small_letters",
    reading=Reading(
        currencies={
            "$": ("dolar",),
            "€": ("euro",),
            "£": ("sterlin",),
            "₺": ("lira",),
        },
        plural=only,
        scales=("bin", "milyon", "milyar"),
        decimal=",",
        group=".",
        and_="ve",
        number="numara",
        equals="eşittir",
        about="yaklaşık",
        at="et",
        dot="nokta",
    ),
    prompts=Prompts(
        greeting="Merhaba, size nasıl yardımcı olabilirim?",
        fillers=("Bir saniye.", "Bakıyorum."),
        listening=("Evet.",),
        silence="Hâlâ orada mısınız?",
        goodbye="Sizi duyamıyorum. Hoşça kalın.",
    ),
    capitals=str.maketrans("Iİ", "ıi"),
)
