"""Polish. No articles; prepositions and verbs that want an object tell most."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import polish

LANGUAGE = Language(
    code="pl",
    name="Polish",
    voice="pl",
    otherwise=Verdict.COMPLETE,
    one_word_is_a_sentence=True,
    finished_endings=frozenset(),
    goes_on=words(
        """i a oraz lub albo ale lecz więc że żeby aby bo ponieważ gdyż jeśli jeżeli kiedy gdy
        gdzie kto co jak jaki jaka jakie który która które którego której których którym którą
        czy czyli chociaż choć zanim dopóki niż ani w we z ze na do od ode dla po przy przez
        bez pod nad za o u między przed koło obok około wobec podczas według oprócz zamiast
        mimo dzięki wśród poza ku mój moja moje moją mojego mojej twój twoja twoje swój swoją
        swoje nasz nasza nasze wasz ten ta te tę tego tej tym tych ci każdy każda każde jakiś
        jakaś jakieś wszystkie pewien ja ty on ona my wy oni się jest są był była było będę
        będzie jestem mam ma masz macie mamy chcę chce chciałbym chciałabym chcielibyśmy mogę
        może możesz mógłbym muszę musi potrzebuję szukam proszę_o nazywam_się mam_na_imię
        chodzi_o poproszę_o proszę_mi bardzo tak_bardzo trochę więcej mniej dużo kilka parę
        nie jeszcze_jeden jeszcze_jedną tylko nawet także również też_nie bym eee yyy no_to
        to_znaczy na_przykład nie_tylko zarówno właśnie_w zarezerwować zamówić kupić
        umówić_się_na zadzwonić_do czy_może czy_możesz czy_mogę czy_jest czy_są mieszkam ponad
        w_pobliżu w_sprawie następny następna następne następną powinniśmy powinnam powinienem
        powinno chcemy możemy musimy nowy nową nowe pierwszy jeszcze pierwszą
        numer_telefonu_to pan_to pani_to jedną jeden mogę_zapłacić_tą tą jako został została
        zostało zostali zostały będą będziemy będziesz swojej swojego swoich swoim
        swoimi naszej naszego naszych naszym naszymi naszą nasi wasza wasze waszej
        waszego waszych waszym waszą moim moich moimi moi twojej twojego twoich twoim
        twoją niektóre niektórych niektórzy kilku obu pewnym pewna pewne pewnego
        pewnej wszelkich tamta tamtej tamtym pomiędzy poprzez spośród wokół przeciwko
        poniżej powyżej niedaleko wbrew natomiast gdyby jakby taki taka takie takich
        takiej takiego każdego każdej każdym jakiego jakiej jakich jakim którymi
        którzy byli były rzecz_w_tym"""
    ),
    ends=words(
        """o_co po_co za_co dlaczego co_to_jest kto_to_jest gdzie_to_jest która_jest
        która_jest_godzina jak_jest ile_jest ja_nie to_nie na_razie chyba_nie raczej_nie
        dlaczego_nie już_nie też_nie oczywiście_że_nie mam_nadzieję_że_nie tak_jest
        jak_się_masz jak_się_pan_ma nie_mam nie_ma nie_ma_go nie_chcę tak_chcę ja_też
        to_wszystko już_mam ile_ma bardzo_proszę dziękuję_bardzo nie_bardzo dla_mnie
        co_się_stało nie_wiem_kto nie_wiem_co nie_wiem_jak to_ja to_on to_ona kto_tam jak_to
        jak_wszyscy jak_zawsze za_dużo nie_dużo za_mało tego_nie nie_mogę nie_może może_być
        nie_muszę nie_musi o_tym z_tym w_tym po_tym do_tego z_tego od_tego dla_tego
        tak_właśnie nie_tak chcę_tę chcę_to wolę_ten wolę_tę biorę_ten biorę_tę co_mam
        nie_mam_co jak_chcesz jak_pan_chce co_chcę a_ty a_pan a_pani a_wy a_co sam_nie_wiem
        nie_boję_się zastanowię_się cieszę_się spieszę_się pomyliłem_się umówiliśmy_się
        coś_jeszcze to_bardzo lubię_bardzo jej_nie i_jeszcze"""
    ),
    either=words("""to coś czegoś być tym wiele wielu"""),
    conditionals=("jeśli ", "jeżeli ", "jak "),
    whole=words(
        """tak nie no dobra dobrze ok okej okay jasne pewnie oczywiście dziękuję dzięki proszę
        cześć hej halo stop stój czekaj zaczekaj poczekaj pomocy nigdy zawsze dziś dzisiaj
        jutro teraz później nic nikt dość wystarczy jeszcze_raz dokładnie zgadza_się racja
        może nie_dziękuję tak_poproszę tak_proszę jeszcze_nie dzień_dobry dobry_wieczór
        do_widzenia na_razie to_wszystko nie_wiem ja_też rozumiem dziękuję_bardzo poproszę
        przepraszam"""
    ),
    clause_openers=words("dlaczego że żeby jeśli jeżeli bo ponieważ gdyż chociaż"),
    determiners=words("mój moja moje moi nasz nasza nasze wasz wasza wasze ten ta te"),
    backchannels=words(
        """mhm mm hmm yhm aha tak no dobrze dobra ok okej okay jasne rozumiem pewnie
        oczywiście racja dokładnie właśnie ach och świetnie super"""
    ),
    stops=words("stop stój czekaj zaczekaj poczekaj chwileczkę moment momencik"),
    conjunctions=words(
        """i a oraz lub albo ale lecz więc że żeby aby bo ponieważ gdyż jeśli jeżeli kiedy gdy
        gdzie który która które chociaż choć zanim"""
    ),
    clinging=words(
        """i a oraz lub albo ale że żeby w we z ze na do od dla po przy przez bez pod nad za o
        u między przed nie się mój moja moje twój twoja nasz nasza ten ta te tę tego tej jest
        są był była bardzo jak czy ja on ona my"""
    ),
    abbreviations=words(
        """p pp np tj tzn tzw m.in m.inn dr prof mgr inż hab ks św ul al pl os nr tel godz min
        sek str s t w wg ws zob por ang gen płk kpt por mec ds kol ob red pn tys"""
    ),
    may_end=words("itd itp etc zł gr mln mld sp.z.o.o n.e p.n.e br r w"),
    before_number=words("ok pon wt śr czw pt sob niedz"),
    ordinal_dot="before_small_letters",
    reading=Reading(
        currencies={
            "$": ("dolar", "dolary", "dolarów", "dolara"),
            "€": ("euro", "euro", "euro", "euro"),
            "£": ("funt", "funty", "funtów", "funta"),
            "zł": ("złoty", "złote", "złotych", "złotego"),
        },
        one={"€": "jedno euro"},
        plural=polish,
        scales=("tysięcy", "tysiące", "milionów", "miliony", "milion", "miliardów"),
        decimal=",",
        group="\u00a0",
        and_="i",
        number="numer",
        to="do",
        equals="równa się",
        about="około",
        at="małpa",
        dot="kropka",
    ),
    prompts=Prompts(
        greeting="Dzień dobry, w czym mogę pomóc?",
        fillers=("Chwileczkę.", "Już sprawdzam."),
        listening=("Tak.",),
        silence="Czy jest pan tam jeszcze?",
        goodbye="Nic nie słyszę. Do widzenia.",
    ),
)
