"""German. The verb of a clause may come last: "kannst du mir" waits for one, "weil ich das will"
ends in one."""

from voicepipe.languages.language import Frame, Language, Prompts, Reading, Verdict, words

LANGUAGE = Language(
    code="de",
    name="German",
    voice="de",
    otherwise=Verdict.COMPLETE,
    goes_on=words(
        """der die das den dem des ein eine einen einem einer eines kein keine keinen keiner
        keinem und oder aber denn sondern sowie weil dass ob wenn obwohl damit bevor nachdem
        während sobald falls als wie wo wer wann warum wieso welche welcher welches welchen
        mein meine meinen meinem meiner dein deine deinen deinem deiner sein seine seinen
        seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer
        eure dieser diese dieses diesen diesem jede jeder jedes jeden jedem manche einige alle
        für von mit nach bei aus zu zum zur in im ins auf an am ans um über unter vor hinter
        neben zwischen gegen ohne durch bis seit ab wegen trotz statt außer laut gegenüber ich
        er wir sehr ganz ziemlich besonders etwa ungefähr circa zirka noch_ein noch_eine
        so_ein so_eine sowohl entweder weder nicht_nur äh ähm hm also möchte möchten
        gerne_einen bitte_einen ich_hätte_gerne ich_hätte_gern hätte_gern_einen ich_heiße
        mein_name_ist suche brauche braucht buche stelle schreibe und_zwar das_heißt
        zum_beispiel nämlich je desto viertel halb haben_sie gibt_es können_sie kannst_du
        könnten_sie könntest_du wissen_sie weißt_du nächste nächsten nächstes nächster sollten
        nicht_mehr_als mehr_als glaube_wir wir_sollten falsche vom beim fürs ums durchs übers
        unterm hinterm seines ihres meines deines unseres eures aufgrund indem sodass
        pro sofern solange innerhalb außerhalb anstatt anstelle jener jene jenes
        solche solcher solchen irgendein irgendeine irgendeinen irgendwelche mehrere
        etliche inklusive mithilfe ob_man dass_man wenn_man z.b z._b das_problem_ist"""
    ),
    either=words("""viele vielen beiden meisten"""),
    ends=words(
        """das_ist_das ich_das sie_das du_das mir_das wir_das kann_ich_das ist_das war_das
        was_ist_das wie_geht_das wer_ist_das ich_auch ich_nicht weiß_ich bin_ich und_du
        und_sie wie_bitte wie_viel wie_viele ja_ich kann_ich will_ich glaube_ich hoffe_ich
        meine_ich denke_ich das_gleiche an_das für_alle sie_alle ihr_alle und_ihnen ist_es
        ist_er ist_sie sind_sie heißen_sie war_ich wann_denn wo_denn warum_denn was_denn
        wie_denn also_gut na_also gibt_es_noch_einen mit_ihr bei_ihr von_ihr zu_ihr ohne_ihr
        für_sie um_eins um_halb_zwei auf_ein geht_es_ihr geht_es_ihnen mache_ich nehme_ich
        brauche_ich suche_ich möchte_ich"""
    ),
    conditionals=("wenn ", "falls "),
    whole=words(
        """ja nein doch nö jo okay ok gut genau richtig stimmt klar gerne gern danke bitte
        hallo tschüss servus moin stopp halt warte vielleicht nie immer heute morgen
        übermorgen sofort nichts niemand alles genug hilfe nochmal weiter abbrechen ja_bitte
        nein_danke ja_gerne noch_nicht jetzt_nicht auf_keinen_fall auf_jeden_fall na_klar
        guten_tag auf_wiedersehen das_stimmt keine_ahnung das_war's ich_auch wie_bitte
        vielen_dank"""
    ),
    auxiliaries=words(
        """ist bin bist sind war waren wäre wären habe hast hat haben hatte hatten hätte
        hätten werde wirst wird werden würde würden kann kannst können könnte könnten muss
        müssen müsste soll sollen sollte will wollen wollte darf dürfen mag lässt brauchen
        wurde wurden konnte konnten musste mussten durfte durften"""
    ),
    subordinators=words("dass weil ob wenn obwohl damit bevor nachdem sobald falls"),
    relatives=words(
        """wie wo was wer wann warum wieso welche welcher welches welchen wohin woher den die
        der das"""
    ),
    particle_verbs=tuple(
        """mach schalt ruf komm hör fang leg nehm nimm stell geh fähr fahr steig zieh lad tausch
        bring sag pass hol schau sieh reg drück dreh spring meld schließ füll tret
        tritt lös fäll klapp hält""".split()
    ),
    particles=words("an auf aus ab ein mit zu vor um nach bei"),
    frames=(
        Frame(
            openers=words(
                """kannst können könnten könntest könnte würdest würden solltest könnt darf
                dürfte kann soll"""
            ),
            closers=("en", "ern", "eln", "tun", "sein", "nicht", "sehn", "das"),
            closed_by=words("wann wo wie ob dass was wer warum"),
        ),
        Frame(
            openers=words("ruf rufst schalt schalte schaltest"),
            closed_by=words("an aus ein ab um zurück auf bitte hilfe"),
        ),
        Frame(
            openers=words("dass weil ob obwohl damit"),
            closers=("t", "e", "en", "st", "n", "ss", "ll", "iß"),
        ),
    ),
    clause_openers=words(
        """dass weil ob wenn obwohl damit bevor nachdem sobald falls warum wieso wann wo"""
    ),
    determiners=words(
        """der die das ein eine mein meine dein deine sein seine ihr ihre unser unsere dieser
        diese dieses kein keine"""
    ),
    backchannels=words(
        """mhm mm hm hmm ja jaja jo genau okay ok gut richtig stimmt klar ach so aha ah oh
        schön verstehe alles toll super prima natürlich eben"""
    ),
    stops=words("stopp stop halt warte moment warten_sie"),
    conjunctions=words(
        """und aber oder denn sondern weil dass ob wenn obwohl damit bevor nachdem während
        sobald falls sodass wobei"""
    ),
    clinging=words(
        """der die das den dem des ein eine einen einem einer eines kein keine keinen mein
        meine dein deine sein seine ihr ihre ihren unser unsere dieser diese dieses und oder
        aber als wie für von mit nach bei aus zu zum zur in im ins auf an am ans um über unter
        vor durch ohne gegen bis seit ist sind war ich sie er es wir du nicht sehr so"""
    ),
    abbreviations=words(
        """z b z.b d h d.h u a u.a s o s.o i d r i.d.r v a v.a z t z.t o ä o.ä m e m.e s.u dr
        prof dipl ing hr fr frl st ca bzw bzgl evtl ggf inkl exkl zzgl vgl gem sog bspw max
        min ung tel str nr jh jan feb mär apr jun jul aug sep sept okt nov dez abs bd kap allg
        geb verh insb einschl abzgl usf mio mrd med mwst vors gegr ehem"""
    ),
    may_end=words("usw etc u.s.w co kg gmbh"),
    before_number=words("mo di mi do sa so"),
    ordinal_dot="always",
    reading=Reading(
        currencies={
            "$": ("Dollar", "Dollar"),
            "€": ("Euro", "Euro"),
            "£": ("Pfund", "Pfund"),
        },
        one={"$": "ein Dollar", "€": "ein Euro", "£": "ein Pfund"},
        scales=("Millionen", "Milliarden", "Million", "Milliarde"),
        decimal=",",
        group=".",
        and_="und",
        number="Nummer",
        to="bis",
        equals="gleich",
        about="etwa",
        at="ät",
        dot="Punkt",
    ),
    prompts=Prompts(
        greeting="Hallo, wie kann ich Ihnen helfen?",
        fillers=("Einen Moment.", "Ich sehe nach."),
        listening=("Ja.",),
        silence="Sind Sie noch da?",
        goodbye="Ich kann Sie nicht hören. Auf Wiederhören.",
    ),
)
