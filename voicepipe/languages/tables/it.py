"""Italian."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words

LANGUAGE = Language(
    code="it",
    name="Italian",
    voice="it",
    otherwise=Verdict.COMPLETE,
    goes_on=words(
        """il lo la i gli le l' un uno una un' di del dello della dei degli delle dell' a al
        allo alla ai agli alle all' da dal dallo dalla dai dagli dalle dall' in nel nello
        nella nei negli nelle nell' su sul sullo sulla sui sugli sulle sull' con per tra fra
        senza sotto sopra verso contro durante dopo prima_di fino circa presso secondo e ed o
        oppure ma però né che perché se quando mentre come dove chi cui quale quali anche sia
        affinché benché poiché siccome mio mia miei mie tuo tua tuoi tue suo sua suoi sue
        nostro nostra nostri nostre vostro vostra loro questo questa questi queste quel quello
        quella quei quelle quegli ogni qualche alcuni alcune nessun nessuna tutto tutta tutti
        tutte molti molte troppo io lui lei noi mi ti ci vi si ne è sono era erano sei siamo
        ho hai ha abbiamo avete hanno aveva avevo sto sta stiamo voglio vuole vuoi vorrei
        vorrebbe vorremmo posso può puoi potrei potrebbe devo deve dovrei vado va andiamo
        cerco mi_chiamo il_mio_nome_è mi_piacerebbe ho_bisogno bisogno_di avrei molto più meno
        così un_po' po'_di prenotare comprare ehm eh cioè ad_esempio per_esempio invece_di
        al_posto_di insieme_a vicino_a davanti_a oltre_a grazie_a a_partire_da in_base_a
        abito_in prima non prossimo prossima dovremmo dovresti vogliamo possiamo dobbiamo
        potremmo ancora_un ancora_una nuovo nuova primo seguente l d dell all dall nell sull
        quest quell ad fu furono possono potevo poteva potremo potrà volevo voleva
        sarebbe sarà saranno sarebbero fosse fossero siano stanno avevano avevamo
        avrebbe avrebbero avresti abbia abbiano avesse aver devono dovrebbe dovevo
        diversi diverse tramite intorno_a nonostante purché finché qualsiasi qualunque
        parecchi tali propria la_cosa_è"""
    ),
    ends=words(
        """anche_io anch'io e_lei e_tu e_lui con_lei con_lui per_lei per_lui di_lei a_lei
        con_noi per_noi con_loro per_loro cos'è chi_è dov'è com'è che_cos'è qual_è quant'è
        va_bene come_va come_sta come_stai non_lo_so non_posso non_ci_sono ci_sono eccomi
        di_più in_più non_più mai_più più_o_meno per_lo_più è_tutto questo_è_tutto di_tutto
        tutto_qui va_bene_così e_basta così_così basta_così meglio_così non_voglio
        prendo_questo prendo_questa prendo_quello prendo_quella voglio_questo voglio_questa
        come_prima il_prima_possibile di_no di_sì come_vuole se_vuole se_può quando_vuole
        non_è quando_può sono_io non_ho fa_lo_stesso un_giorno_prima che_ore_sono quanti_sono
        dove_sono chi_sono dove_va per_tutti a_tutti per_questo e_poi oggi_no casa_mia
        casa_tua casa_sua mamma_mia colpa_mia perché_no"""
    ),
    either=words("""ancora essere viene vengono venne stato stata altri altre proprio"""),
    conditionals=("se ",),
    whole=words(
        """sì si no certo ok okay va_bene bene grazie ciao salve buongiorno buonasera
        arrivederci prego scusi scusa mai sempre oggi domani adesso ora niente nulla nessuno
        basta aspetta aspetti fermo stop aiuto ancora esatto giusto perfetto forse volentieri
        no_grazie sì_grazie per_favore non_ancora d'accordo certamente va_bene_così anch'io
        a_domani"""
    ),
    clause_openers=words("perché se quando siccome poiché benché"),
    determiners=words(
        """il lo la i gli le un una mio mia miei mie tuo tua suo sua nostro nostra vostro vostra
        questo questa"""
    ),
    backchannels=words(
        """mhm mm hmm sì si già certo ok okay bene va esatto giusto capisco ho capito ah oh
        d'accordo perfetto eh infatti chiaro"""
    ),
    stops=words("stop aspetta aspetti fermo basta un_attimo scusi un_momento"),
    conjunctions=words(
        """e ed o oppure ma però perché se quando mentre che dove quindi poiché siccome anche"""
    ),
    clinging=words(
        """il lo la i gli le l un uno una di del dello della dei degli delle a al alla ai alle
        da dal dalla in nel nella su sul sulla con per tra fra e ed o ma che mi ti ci si ne è
        sono ha ho non più molto questo questa quel quella mio mia suo sua tuo tua nostro
        nostra se come"""
    ),
    abbreviations=words(
        """sig sigg sig.ra sig.na dott dr dott.ssa prof prof.ssa ing avv arch geom rag on s ss
        p pag pagg vol es p.es art tel cap fig n.b ca gen feb apr mag giu lug ago set ott nov
        dic spett egr gent v.le c.so p.za max min"""
    ),
    may_end=words("ecc etc s.p.a s.r.l a.c d.c"),
    before_number=words("n nr"),
    reading=Reading(
        currencies={
            "$": ("dollaro", "dollari"),
            "€": ("euro", "euro"),
            "£": ("sterlina", "sterline"),
        },
        one={"$": "un dollaro", "€": "un euro", "£": "una sterlina"},
        scales=("milioni", "miliardi", "milione", "miliardo"),
        scale_link="di",
        decimal=",",
        group=".",
        and_="e",
        number="numero",
        to="a",
        equals="uguale",
        about="circa",
        at="chiocciola",
        dot="punto",
    ),
    prompts=Prompts(
        greeting="Buongiorno, come posso aiutarla?",
        fillers=("Un momento.", "Vediamo."),
        listening=("Sì.",),
        silence="È ancora lì?",
        goodbye="Non la sento. Arrivederci.",
    ),
)
