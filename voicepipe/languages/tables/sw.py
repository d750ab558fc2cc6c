"""Swahili. The verb carries its subject; the connective -a and "na" wait for a noun."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import only

LANGUAGE = Language(
    code="sw",
    name="Swahili",
    voice="sw",
    otherwise=Verdict.COMPLETE,
    unfinished_endings=frozenset({"taka", "hitaji", "omba"}),
    one_word_is_a_sentence=True,
    goes_on=words(
        """na au lakini bali kwa_sababu kwani kwamba ili kama ikiwa iwapo wakati ingawa
        ingawaje hata mpaka hadi tangu baada_ya kabla_ya juu_ya chini_ya ndani_ya nje_ya
        karibu_na mbali_na pamoja_na kuhusu kwa ya wa la cha vya za pa mwa katika kwenye bila
        kutoka kuanzia kupitia dhidi_ya kati_ya mbele_ya nyuma_ya badala_ya zaidi_ya mimi wewe
        yeye sisi ninyi wao jina_langu jina_langu_ni ninaitwa ni si nina una ana tuna wana
        kuna nilikuwa alikuwa ilikuwa nitakuwa itakuwa nataka ninataka ningependa ninahitaji
        nahitaji naomba ninaomba tafadhali_nipe natafuta ninatafuta naweza ninaweza unaweza je
        nipe niambie nikumbushe weka piga washa cheza agiza nunua nitafutie lazima sana_na
        zaidi kila baadhi_ya wengi mmoja_wa moja_ya hii_ni huyu_ni hiyo_ni kununua kuweka
        kupata kwenda kuagiza kuhifadhi kukutana_na kuzungumza_na kumpigia amba ambao ambaye
        ambayo ambacho kisha halafu eee yaani kwa_mfano mfano maana karibu_saa saa siku_ya
        tarehe nambari_yangu_ni namba_yangu_ni namba anwani_yangu_ni ninaishi naishi bei_ya
        bei gani_cha yangu_ni angalau kabla baada yenye wenye mwenye vile vyenye kutoka_kwa
        chenye lenye kiko iko yuko liko haifanyi nilinunua kati kuwa pamoja ama wala tunaweza
        anaweza inaweza wanaweza haiwezi ulikuwa walikuwa wamekuwa tulikuwa mnamo toka
        mna tatizo_ni"""
    ),
    ends=words(
        """na_wewe na_mimi na_yeye nawe nami kama_wewe kama_mimi kama_kawaida ni_mimi si_mimi
        ni_wewe ni_yeye ni_sisi mimi_pia hata_mimi sio_mimi ndiyo_nataka sitaki sihitaji
        siwezi ndiyo_naweza kuna_nini una_nini ana_nini ni_nini ni_nani ni_lini ni_wapi
        ni_ngapi ni_saa_ngapi saa_ngapi unatoka_wapi unaenda_wapi unataka_nini siku_gani
        saa_hii siku_moja unakwenda asubuhi_na_mapema zaidi_kidogo si_zaidi hakuna_zaidi
        hakuna hamna ipo hapana kwaheri kila_kitu kila_siku kila_wakati ikiwezekana
        kama_unaweza kama_inawezekana ukiweza napenda_zaidi mwezi_huu niko_karibu hapa_karibu
        karibu kukuja niko_tayari kwangu kwako kwake kwetu kwenu kwao ndivyo ndio_hivyo
        vile_vile hivyo wote_wanaweza sijui ni_kweli ni_sawa ni_hayo_tu ni_hiyo_tu basi
        nusu_saa kufika"""
    ),
    either=words("""bado sina hana hawana hatuna"""),
    conditionals=("kama ", "ikiwa ", "iwapo "),
    whole=words(
        """ndiyo ndio hapana la sawa haya ok okay vizuri nzuri asante asante_sana jambo
        hujambo habari mambo salama kwaheri simama subiri ngoja acha msaada kamwe daima leo
        kesho sasa baadaye hakuna inatosha tena kweli sahihi labda tafadhali hapana_asante
        ndiyo_tafadhali bado bado_hapana sijui mimi_pia nimeelewa naelewa pole samahani karibu
        hakika bila_shaka shikamoo marahaba halo"""
    ),
    backchannels=words(
        """mm mhm hmm ndiyo ndio sawa haya ok okay vizuri kweli naelewa nimeelewa ehe eeh aha
        oh ah hakika sawasawa"""
    ),
    stops=words("simama subiri ngoja acha"),
    conjunctions=words("na au lakini kwa_sababu kwani kwamba ili kama ikiwa ingawa halafu kisha"),
    clinging=words(
        """na au lakini kwa ya wa la cha vya za pa katika kwenye ni si kama ili kwamba kila
        bila kutoka hadi mpaka mimi wewe yeye sisi wao"""
    ),
    abbreviations=words(
        """bw bi dkt prof mhe sh tsh ksh uk s.l.p mf k.m jan feb apr ago sep okt nov des"""
    ),
    may_end=words("n.k k.k b.k"),
    reading=Reading(
        currencies={
            "$": ("dola",),
            "€": ("yuro",),
            "£": ("pauni",),
            "KSh": ("shilingi",),
        },
        plural=only,
        currency_first=True,
        scales=("elfu", "milioni", "bilioni"),
        and_="na",
        number="nambari",
        to="hadi",
        equals="sawa na",
        about="karibu",
        at="at",
        dot="nukta",
    ),
    prompts=Prompts(
        greeting="Habari, naweza kukusaidia vipi?",
        fillers=("Subiri kidogo.", "Ngoja niangalie."),
        listening=("Ehe.",),
        silence="Bado upo?",
        goodbye="Sikusikii. Kwaheri.",
    ),
)
