"""French."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import below_two

LANGUAGE = Language(
    code="fr",
    name="French",
    voice="fr-fr",
    otherwise=Verdict.COMPLETE,
    goes_on=words(
        """le la les l' un une des du de d' au aux à et ou mais donc or ni car que qu' qui
        quoique lorsque quand si parce puisque comme où dont lequel laquelle mon ma mes ton ta
        tes son sa ses notre nos votre vos leur leurs ce cet cette ces quel quelle quels
        quelles chaque plusieurs quelques tout toute toutes aucun aucune pour par avec sans
        sous sur dans en chez vers entre depuis pendant avant après contre dès jusque jusqu'à
        jusqu'au environ près selon malgré sauf je j' tu il elle on nous vous ils elles ne n'
        se s' me m' te t' y suis est sont était étaient ai as a ont avait avaient serait sera
        peux peut pouvez pourrais pourriez veux veut voulez voudrais voudrait dois doit devez
        vais va allez aimerais aimerait c'est c'était j'ai j'avais je_suis qu'est-ce_que
        est-ce_que est-ce_qu' parce_que parce_qu' afin_de afin_que à_partir_de à_cause_de
        en_train_de au_sujet_de grâce_à quant_à lors_de à_côté_de au_lieu_de beaucoup_de
        un_peu_de trop_de combien_de j'aimerais j'aimerais_bien je_voudrais je_m'appelle
        m'appelle très plus aussi moins si_tu si_vous euh heu bah ben c'est-à-dire par_exemple
        c'est_pour cherche j'habite prendre réserver il_y_a prochain prochaine devrions
        voulons pouvons devons pensons cherchons encore_un encore_une déjà_un premier première
        nouveau nouvelle l d qu j n s m t jusqu lorsqu puisqu étais étiez étions es être avais
        avez avons aviez aurais aurait auriez auraient aura auront ait aie êtes serais
        seraient quelque parmi via afin faudrait pourrait pourraient devrait devraient
        quel_est quelle_est ai_toujours_pas n'ai_pas"""
    ),
    ends=words(
        """moi_aussi toi_aussi non_plus de_plus en_plus et_vous et_toi chez_vous chez_nous
        avec_vous avec_nous pour_vous pour_nous de_vous à_vous à_nous s'il_vous_plaît vas-y
        allez-y c'est_tout après_tout malgré_tout pas_du_tout du_tout en_tout comme_ça je_vais
        ça_va comment_ça_va on_y_va où_ça et_après ou_après une_heure_après et_avant
        juste_après la_veille c'est_qui c'est_où vous_avez_quoi je_peux si_on_veut si_tu_veux
        si_vous_voulez comme_vous_voulez que_vous_voulez n'en_ai_pas tant_pis non_merci
        rien_de_plus quelque_chose_comme_ça je_ne_peux_plus je_n'en_peux_plus ne_plus
        plus_ou_moins un_de_plus comment_allez-vous je_suis_pour je_ne_suis_pas_pour
        quel_âge_il_a merci_à_vous pas_trop sais_pas_trop"""
    ),
    either=words("""trop encore toujours été devant derrière ai_pas toujours_pas"""),
    conditionals=("si ", "s'il "),
    whole=words(
        """oui non si ouais ok okay d'accord merci bonjour bonsoir salut stop attends attendez
        arrête arrêtez jamais toujours demain aujourd'hui maintenant rien personne assez
        encore exactement parfait volontiers peut-être au_revoir pas_encore bien_sûr oui_merci
        non_merci s'il_vous_plaît pas_du_tout c'est_ça c'est_tout ça_va moi_aussi à_demain
        voilà aidez-moi"""
    ),
    clause_openers=words(
        """pourquoi si lorsque puisque quand parce_que est-ce_que dès_que pendant_que"""
    ),
    determiners=words(
        """le la les un une des mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs
        ce cet cette ces"""
    ),
    backchannels=words(
        """mhm mm hum hmm oui ouais ok okay d'accord ah oh bon bien sûr voilà exactement c'est
        ça je vois très parfait super entendu tout à fait"""
    ),
    stops=words("""stop attends attendez arrête arrêtez une_seconde excusez-moi pardon"""),
    conjunctions=words(
        """et mais ou donc car parce puisque lorsque quand si comme alors tandis afin que qui
        dont où"""
    ),
    clinging=words(
        """le la les l un une des du de d au aux à et ou mais que qui ne n se s me m te t en y
        je tu il elle on nous vous ils elles ce cet cette ces mon ma mes ton ta tes son sa ses
        notre nos votre vos leur leurs pour par avec sans sur sous dans chez vers est sont
        très plus pas si"""
    ),
    abbreviations=words(
        """m mm mme mlle dr pr st ste me av bd p pp éd ex p.ex cf env tél min max janv févr
        avr juil oct nov déc c.-à-d"""
    ),
    may_end=words("etc sept cie av.j.-c"),
    space_before_marks=True,
    before_number=words("n no lun mar mer jeu ven sam dim"),
    reading=Reading(
        currencies={
            "$": ("dollar", "dollars"),
            "€": ("euro", "euros"),
            "£": ("livre", "livres"),
        },
        one={"£": "une livre"},
        plural=below_two,
        scales=("millions", "milliards", "million", "milliard"),
        scale_link="de",
        decimal=",",
        group="\u202f",
        and_="et",
        number="numéro",
        to="à",
        equals="égale",
        about="environ",
        at="arobase",
        dot="point",
    ),
    prompts=Prompts(
        greeting="Bonjour, comment puis-je vous aider ?",
        fillers=("Un instant.", "Je regarde."),
        listening=("Oui.",),
        silence="Vous êtes toujours là ?",
        goodbye="Je ne vous entends pas. Au revoir.",
    ),
)
