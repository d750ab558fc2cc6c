"""Spanish. A verb alone is a sentence, but "quiero" wants an object."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words

LANGUAGE = Language(
    code="es",
    name="Spanish",
    voice="es",
    otherwise=Verdict.COMPLETE,
    goes_on=words(
        """el la los las lo un una unos unas de del al a y e o u pero sino ni que porque pues
        aunque cuando si como donde quien quienes cual cuales mientras cuyo mi mis tu tus su
        sus nuestro nuestra nuestros nuestras vuestro vuestra este esta estos estas ese esa
        esos esas aquel aquella cada cualquier algún alguna algunos algunas ningún ninguna
        muchos muchas otro otra todo toda todos todas en con sin por para desde hasta sobre
        entre hacia contra según durante bajo tras ante yo él ella nosotros ellos me te se le
        les nos es son era eran soy eres está están estaba estoy estaban he has ha han había
        hay fue fueron quiero quiere quieren quisiera querría quería puedo puede puedes pueden
        podría podrías tengo tiene tienes tenemos necesito necesita busco voy va vamos debo
        debe quieres haré me_gustaría me_llamo mi_nombre_es a_partir_de en_vez_de en_lugar_de
        antes_de después_de cerca_de lejos_de junto_a gracias_a a_causa_de debido_a dentro_de
        además_de acerca_de tan más_de menos_de muy más eh este_eh pues_eh o_sea es_decir
        por_ejemplo un_poco_de por_favor_me ir_a llamar_a reservar comprar tal no siguiente
        próximo próxima deberíamos debería deberías queremos queríamos podemos deben debemos
        todavía aún nuevo nueva primer primera ya_no_me habían habíamos habías hemos habéis
        haya hayan hubo hubiera habría habrá podía podían podrían podríamos será serán
        sería serían sea sean debía debían varias varios mucha poca mediante excepto
        salvo debido frente_a junto ya_que así_como cuya cuyos cuyas si_usted
        si_ustedes que_usted que_ustedes el_problema_es deseo desearía"""
    ),
    ends=words(
        """por_qué y_yo y_tú y_él y_ella con_él con_ella para_él de_él de_ella con_ellos
        quién_es qué_es cuál_es cómo_es dónde_es cuánto_es dónde_está cómo_está cómo_estás
        qué_hay cómo_va así_es eso_es esto_es ya_está ya_voy ahí_está aquí_está no_puedo
        sí_puedo no_quiero sí_quiero eso_es_todo una_vez_más no_más uno_más es_todo de_todo
        sobre_todo en_todo todos_todas a_todos para_todos sí_tengo no_tengo no_hay sí_hay
        no_lo_necesito lo_necesito de_nada lo_que_quiero como_quiera que_quiera cuando_quiera
        cuando_pueda lo_antes_posible qué_tal para_nosotros con_nosotros lo_quiero la_quiero
        este_no está_bien cómo_se_llama qué_tiene qué_tienen quién_fue cómo_fue no_es sí_es
        no_está sí_está no_va quiero_esta quiero_este quiero_esa prefiero_este prefiero_esta
        prefiero_esa me_llevo_este si_puede si_quiere si_puedes si_quieres como_siempre soy_yo
        creo_que_no ya_no ahora_no hoy_no todavía_no aún_no por_qué_no claro_que_no mejor_no
        que_no yo_no a_mí_no eso_no esta_no mañana_no"""
    ),
    either=words("""algo_más nada_más ser sido estar otros otras"""),
    conditionals=("si ",),
    whole=words(
        """sí si no claro vale ok okay bueno bien gracias hola adiós perdón perdona nunca
        siempre jamás hoy mañana ahora luego nada nadie basta espera espere para pare alto
        ayuda otra_vez exacto correcto perfecto cierto quizás quizá tal_vez por_favor
        no_gracias sí_gracias sí_por_favor todavía_no aún_no por_supuesto de_acuerdo está_bien
        eso_es buenos_días buenas_tardes buenas_noches hasta_luego muchas_gracias desde_luego
        yo_también"""
    ),
    clause_openers=words("por_qué porque si cuando aunque mientras"),
    determiners=words(
        """el la los las un una mi mis tu tus su sus nuestro nuestra este esta estos estas ese
        esa"""
    ),
    backchannels=words(
        """mhm mm ajá eh hmm sí si ya vale ok okay claro bueno bien entiendo exacto perfecto
        cierto ah oh de acuerdo así es genial muy"""
    ),
    stops=words(
        """para pare espera espere alto basta un_momento oiga perdone perdona un_segundo"""
    ),
    conjunctions=words(
        """y e o pero sino porque pues aunque cuando si mientras que donde como quien cual"""
    ),
    clinging=words(
        """el la los las lo un una unos unas de del al a y e o u pero que en con sin por para
        desde hasta sobre entre mi mis tu tus su sus nuestro nuestra este esta estos estas ese
        esa esos esas me te se le les nos es son está están yo él ella muy más no tan como si"""
    ),
    abbreviations=words(
        """sr sra srta sres dr dra d dña prof profa ud uds vd vds avda av c pza p pág págs tel
        núm ej p.ej aprox dpto depto cap vol ed fig gral ing lic arq mons ee.uu a.c d.c máx
        mín ene feb abr jul ago sept oct nov dic cía s.a"""
    ),
    may_end=words("etc a a.m p.m hrs pta pts s.l m"),
    before_number=words("n no nº"),
    reading=Reading(
        currencies={
            "$": ("dólar", "dólares"),
            "€": ("euro", "euros"),
            "£": ("libra", "libras"),
        },
        one={"$": "un dólar", "€": "un euro", "£": "una libra"},
        scales=("millones", "millón"),
        scale_link="de",
        decimal=",",
        group=".",
        and_="y",
        number="número",
        to="a",
        equals="igual a",
        about="unos",
        at="arroba",
        dot="punto",
    ),
    prompts=Prompts(
        greeting="Hola, ¿en qué puedo ayudarle?",
        fillers=("Un momento.", "A ver."),
        listening=("Ajá.",),
        silence="¿Sigue ahí?",
        goodbye="No le oigo. Adiós.",
    ),
)
