"""Dutch. Like German, it may keep the verb for the end."""

from voicepipe.languages.language import Frame, Language, Prompts, Reading, Verdict, words

LANGUAGE = Language(
    code="nl",
    name="Dutch",
    voice="nl",
    otherwise=Verdict.COMPLETE,
    goes_on=words(
        """de het een en of maar want dus dat die omdat als wanneer hoewel terwijl voordat
        nadat zodat tenzij totdat wie wat waar hoe welke welk waarom mijn m'n jouw je zijn
        haar ons onze jullie hun deze dit elke elk ieder iedere sommige enkele geen alle veel
        meer voor van met naar bij uit te in op aan om over onder achter naast tussen tegen
        zonder door tot sinds vanaf vanwege tijdens volgens per binnen rond ongeveer ik hij
        zij wij we ze er heel erg zo zowel te_veel uh eh ehm dus_eh zeg_maar wil graag
        zou_graag ik_heet mijn_naam_is ik_zoek ik_zou zoek bestel boek reserveer graag_een
        bijvoorbeeld namelijk dat_wil_zeggen nog_een niet_alleen zou willen_we kunt_u kun_je
        kan_ik kunnen_we wilt_u wil_je weet_u weet_je mag_ik hebt_u heeft_u heb_je is_er
        zijn_er dan volgende nieuwe eerste meer_dan nog_niet maar_niet kunt_u_dat kun_je_dat
        kan_ik_dat waar_is_het waar_is_de is_het wij_willen moeten_we na ten ter zoals boven
        toen enig enige doordat via wegens langs behalve ondanks mits indien alvorens
        diens wier mijne het_probleem_is"""
    ),
    either=words("""dezelfde hetzelfde weinig minder buiten"""),
    ends=words(
        """wat_is_dat wat_is_het wie_is_dat is_dat was_dat doe_dat ik_dat u_dat je_dat wil_dat
        weet_ik ben_ik denk_ik hoop_ik mag_ik_dat heb_ik wil_ik doe_ik ik_ook ik_niet en_jij
        en_u met_haar voor_haar van_haar bij_haar met_ons voor_ons bij_ons dat_is_het
        dit_is_het klopt_het doe_het weet_het gaat_het was_het hoe_is_het hoe_gaat_het
        hoe_laat_is_het alsjeblieft niet_meer iets_meer niets_meer geen_idee waarom_niet hoezo
        graag_gedaan heel_graag ja_graag heel_erg niet_zo zo_is_het ik_heb_het ik_wil_het
        ik_neem_deze ik_neem_die liever_die liever_deze ook_graag tot_straks nog_een_keer
        met_alle te_veel niet_veel met_jullie voor_jullie van_jullie bij_jullie zonder_haar
        een_of_twee na_twee wil_ik_graag dat_is_alles niet_alle voor_je met_je van_je bij_je
        op_je en_dan wat_dan hoe_dan nu_dan ga_je_dan tot_dan wie_is_het ja_dat_is_het
        dus_niet liever_niet nog_steeds_niet"""
    ),
    conditionals=("als ", "indien "),
    whole=words(
        """ja nee jawel oké ok okay goed precies klopt juist graag bedankt dank_je dank_u
        hallo hoi dag doei stop wacht misschien nooit altijd vandaag morgen nu straks niets
        niemand genoeg help nogmaals ja_graag nee_dank_je nee_bedankt nog_niet nu_niet zeker
        natuurlijk alstublieft alsjeblieft tot_ziens goedemorgen goedemiddag goedenavond
        geen_idee ik_ook dat_klopt dat_is_alles"""
    ),
    auxiliaries=words(
        """is ben bent was waren heb hebt heeft hebben had hadden kan kun kunt kunnen kon moet
        moeten zal zullen zult wilt willen wilde mag mogen word wordt worden werd
        werden moest moesten kon konden zou zouden"""
    ),
    subordinators=words("omdat als hoewel terwijl voordat nadat zodat of"),
    relatives=words("dat wanneer wie wat waar hoe welke welk waarom die"),
    particle_verbs=(
        "zet",
        "doe",
        "bel",
        "kom",
        "hou",
        "neem",
        "ga",
        "geef",
        "maak",
        "stop",
        "leg",
        "roep",
        "stel",
        "schrijf",
        "sluit",
        "draai",
        "haal",
        "stuur",
        "steek",
    ),
    particles=words("aan uit op af in mee toe voor om door terug bij over"),
    frames=(
        Frame(
            openers=words("kunt kun kunnen kan zou zouden wilt"),
            closers=(
                "en",
                "an",
                "aan",
                "zien",
                "doen",
                "zijn",
                "graag",
                "alstublieft",
                "niet",
                "dat",
            ),
        ),
        Frame(openers=words("omdat"), closers=("t", "d", "n", "en", "b", "m", "l", "g", "s")),
        Frame(
            openers=words("bel"),
            closed_by=words("op terug aan even bij alsjeblieft over namens voor met vanwege naar"),
        ),
    ),
    clause_openers=words("dat omdat wanneer waarom waar terwijl hoewel zodat"),
    determiners=words("de het een mijn jouw zijn haar ons onze jullie hun deze die dit dat"),
    backchannels=words(
        """mhm mm hm hmm ja jaja oké ok okay goed precies klopt juist zeker ah oh aha
        natuurlijk snap ik begrijp mooi prima fijn"""
    ),
    stops=words("stop wacht ho momentje moment"),
    conjunctions=words(
        """en of maar want dus omdat als wanneer hoewel terwijl voordat nadat zodat dat waar
        die"""
    ),
    clinging=words(
        """de het een en of maar als dat die van voor met naar bij uit te in op aan om over
        onder door tot mijn je jouw zijn haar ons onze deze dit ik hij zij wij we ze u jij is
        was niet heel erg zo geen"""
    ),
    abbreviations=words(
        """dhr mevr mw dr drs prof ir ing mr ds st bijv bv o.a m.b.t d.w.z i.p.v t.a.v n.a.v
        m.a.w z.s.m a.s j.l t/m ca nr tel blz pag str max min incl excl evt resp feb mrt apr
        jun jul aug sept okt nov dec art vgl zgn a.u.b"""
    ),
    may_end=words("a.m p.m enz etc e.d b.v n.v v.chr n.chr e.v jan"),
    before_number=words("no"),
    reading=Reading(
        currencies={
            "$": ("dollar", "dollar"),
            "€": ("euro", "euro"),
            "£": ("pond", "pond"),
        },
        one={"$": "één dollar", "€": "één euro", "£": "één pond"},
        scales=("miljoen", "miljard"),
        decimal=",",
        group=".",
        and_="en",
        number="nummer",
        to="naar",
        equals="is",
        about="ongeveer",
        at="apenstaartje",
        dot="punt",
    ),
    prompts=Prompts(
        greeting="Hallo, waarmee kan ik u helpen?",
        fillers=("Een moment.", "Even kijken."),
        listening=("Ja.",),
        silence="Bent u er nog?",
        goodbye="Ik hoor u niet. Tot ziens.",
    ),
)
