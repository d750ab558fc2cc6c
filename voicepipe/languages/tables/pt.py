"""Portuguese, of Brazil and of Portugal."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import below_two

LANGUAGE = Language(
    code="pt",
    name="Portuguese",
    voice="pt-br",
    otherwise=Verdict.COMPLETE,
    goes_on=words(
        """o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo
        pela pelos pelas para pra pro com sem sob sobre entre até desde contra durante após
        antes_de depois_de perto_de longe_de dentro_de através_de a_partir_de cerca_de num
        numa e ou mas porém nem que porque pois se quando enquanto como onde quem qual quais
        caso cujo meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas
        este esta estes estas esse essa esses essas aquele aquela cada qualquer algum alguma
        alguns algumas nenhum nenhuma muitos muitas outro outra todo toda todos todas eu ele
        ela nós eles elas me te lhe é são era eram sou está estão estava estou foi foram tenho
        tem têm temos tinha há hei quero quer queremos queria gostaria posso pode podemos
        podia poderia preciso precisa precisamos devo deve vou vai vamos procuro gostaria_de
        preciso_de meu_nome_é o_meu_nome_é me_chamo chamo-me eu_me_chamo em_vez_de além_de
        por_causa_de graças_a junto_a muito mais menos tão um_pouco_de hum ahn é_que ou_seja
        por_exemplo quer_dizer reservar comprar marcar tipo não próximo próxima devia deveria
        devíamos deveríamos podíamos poderíamos ainda novo nova primeiro primeira podem
        poderiam poderá podiam tinham havia haviam tenham tenha tivesse seria será
        serão seriam fosse fossem seja sejam deste desta destes destas neste nesta
        nestes nestas desse dessa desses dessas nesse nessa nesses nessas daquele
        daquela naquele naquela várias vários estavam estávamos estivesse estive tais
        pouca mediante conforme através devido irão o_problema_é"""
    ),
    either=words("""ser sido ter estar outros outras próprio própria mesmo mesma"""),
    ends=words(
        """por_quê o_quê e_você e_eu e_ele com_ele com_ela para_ele para_ela dele dela
        com_eles o_que_é quem_é qual_é como_é onde_é quanto_é como_está como_vai tudo_bem
        onde_está que_é não_posso não_quero eu_quero sim_quero é_isso isso_é_tudo é_tudo
        só_isso nada_mais algo_mais mais_uma muito_obrigado não_tem não_tenho eu_tenho
        tenho_sim não_há é_sim não_é não_sou sou_eu ainda_não eu_também nem_eu não_vou eu_vou
        já_vou se_puder se_quiser quando_puder pode_ser não_muito gosto_muito não_preciso
        eu_preciso não_pode se_pode se_quer de_tudo ao_todo para_todos a_todos que_horas_são
        quantos_são mais_ou_menos não_mais nunca_mais a_mais um_a_mais uma_a_mais prefiro_este
        prefiro_esta prefiro_esse prefiro_essa quero_este quero_esta quero_esse quero_essa
        como_foi quem_foi o_que_foi a_outra o_outro uma_outra um_outro acho_que_não hoje_não
        agora_não por_que_não claro_que_não eu_não isso_não melhor_não que_não já_não
        ir_embora vou_embora foi_embora amanhã_não"""
    ),
    conditionals=("se ",),
    whole=words(
        """sim não claro ok okay tá certo bom bem obrigado obrigada oi olá alô tchau adeus
        desculpe nunca sempre hoje amanhã agora depois nada ninguém chega espera espere pare
        para socorro ajuda exato correto perfeito talvez por_favor não_obrigado sim_por_favor
        ainda_não com_certeza de_acordo está_bem tudo_bem bom_dia boa_tarde boa_noite até_logo
        pode_ser isso isso_mesmo eu_também muito_obrigado"""
    ),
    clause_openers=words("por_que porque se quando embora enquanto"),
    determiners=words(
        """o a os as um uma meu minha meus minhas seu sua nosso nossa este esta esse essa"""
    ),
    backchannels=words(
        """mhm mm hum hmm aham uhum sim é tá ok okay certo claro isso bom bem entendi sei ah
        oh perfeito exato pois legal entendo beleza está"""
    ),
    stops=words("pare espera espere para chega um_momento desculpe um_instante"),
    conjunctions=words("e ou mas porém porque pois se quando enquanto que onde como embora então"),
    clinging=words(
        """o a os as um uma de do da dos das em no na nos nas ao à por pelo pela para pra com
        sem sobre entre até e ou mas que se me te meu minha seu sua nosso nossa este esta esse
        essa é são está não muito mais eu ele ela você como tão"""
    ),
    abbreviations=words(
        """sr sra srta srs dr dra d prof profa eng av r pág págs p tel núm ex p.ex aprox cap
        vol ed fig art v exmo exma ilmo máx mín jan fev abr mai jun jul ago set out nov a.c
        d.c e.u.a"""
    ),
    may_end=words("etc ltda cia s.a hrs dez mar"),
    before_number=words("n no nº seg ter qua qui sex sáb dom"),
    reading=Reading(
        currencies={
            "$": ("dólar", "dólares"),
            "€": ("euro", "euros"),
            "£": ("libra", "libras"),
            "R$": ("real", "reais"),
        },
        one={"$": "um dólar", "€": "um euro", "£": "uma libra", "R$": "um real"},
        plural=below_two,
        scales=("milhões", "bilhões", "milhão", "bilhão"),
        scale_link="de",
        decimal=",",
        group=".",
        and_="e",
        number="número",
        to="a",
        equals="igual a",
        about="cerca de",
        at="arroba",
        dot="ponto",
    ),
    prompts=Prompts(
        greeting="Olá, como posso ajudar?",
        fillers=("Um momento.", "Deixe-me ver."),
        listening=("Uhum.",),
        silence="Ainda está aí?",
        goodbye="Não consigo ouvir você. Até logo.",
    ),
)
