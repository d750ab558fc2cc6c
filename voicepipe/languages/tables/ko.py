"""Korean. Written with spaces; endings tell: a sentence ends in 요, 다, 까 ..., a noun with a case
particle or a verb with a connective goes on."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import only

_ENDS = """
    요 죠 니다 습니다 니까 습니까 세요 해요 예요 이에요 네요 군요 까요 래요 게요 데요 나요
    가요 어요 아요 여요 지요 해줘 줘 봐 해 어줘 아줘 했어 했다 한다 이다 있다 없다 있어 없어
    됐어 싶어 좋아 싫어 맞아 몰라 알아 그래 갈래 할래 할게 갈게 볼게 하자 가자 먹자 보자 구나
    거든 잖아 네 지 야 니 냐 거야 건데요 는데요 은데요 인데요 인가요 일까요 주십시오 십시오
    어라 아라 켜줘 꺼줘 려줘 틀어줘 알려줘 뭐야 누구야 어디야 언제야 돼 돼요 안돼 어때 왔어
    갔어 먹었어 봤어 었어 았어 였어 겠어 않아 않다 않습니다 한데 다 까 라고요 다고요 라니까
""".split()

_GOES_ON = """
    을 를 은 는 이 가 에 에서 에게 한테 께 께서 으로 로 와 과 하고 랑 이랑 의 도 만 까지 부터
    보다 처럼 같이 마다 밖에 조차 이나 나 든지 라도 고 서 아서 어서 해서 여서 면 으면 려면
    으려면 지만 는데 은데 인데 니까 으니까 려고 으려고 러 으러 면서 으면서 다가 도록 게 거나
    든가 자마자 느라 던 할 하는 되는 있는 없는 라는 다는 위해 위해서 대해 대해서 관해 통해
    따라 때문에 때 전에 후에 동안 정도 쯤 씩 라면 다면 았는데 었는데 어야 아야 해야 기 기가
    기를 기는 음 것 게임을 로는 에는 에도 에서는 으로는 하려고 는지 은지 인지 을지 ㄹ지 건지
    던지 된다고 다고 라고
""".split()

LANGUAGE = Language(
    code="ko",
    name="Korean",
    voice="ko",
    otherwise=Verdict.UNKNOWN,
    one_word_is_a_sentence=True,
    goes_on=words(
        """그리고 그런데 근데 하지만 그러나 그래서 그러면 그럼 또는 혹은 왜냐하면 만약 만일 즉
        예를_들면 및 나 저 너 우리 제 내 네 저희 이 그 저 이런 그런 저런 어떤 무슨 어느 몇
        모든 각 한 두 세 네 다섯 여섯 첫 새 다른 아주 매우 정말 너무 더 가장 제일 좀 조금 많이
        꼭 아마 약 대략 안 못 잘 다시_한 혹시 제_이름은 제가 내일 오늘 어제 오전 오후 아침
        저녁 다음 다음_주 이번 지난 주말 어 음 그 저기 막 뭐랄까 근처 가까운 큰 작은 좋은 있는
        없는 수 할_수 갈_수 될 하실 개 명 장 시 예약 주문 그게 이게 제주도 두_명 세_명 일곱_시
        여덟_시 문제는"""
    ),
    ends=words(
        """네 예 아니 아니요 뭐 누구 왜 얼마 얼마나 몇_시 그래 맞아 좋아 됐어 할게 없음 있음
        그거 이거 저거 하나 둘 빨리 천천히 다시 그만 이거_줘 사람 뭐지 그렇게 이렇게"""
    ),
    finished_endings=frozenset(_ENDS),
    unfinished_endings=frozenset(e for e in _GOES_ON if not e.endswith("_")),
    conditionals=("만약 ", "만일 "),
    whole=words(
        """네 예 아니요 아니오 아니 응 어 그래 좋아 좋아요 알겠어요 알겠습니다 맞아 맞아요
        맞습니다 그럼요 당연하죠 물론이죠 고마워 고맙습니다 감사합니다 안녕 안녕하세요
        여보세요 안녕히_계세요 잠깐만요 잠시만요 멈춰 그만 도와주세요 절대 항상 오늘 내일 지금
        나중에 아무것도 충분해요 다시 정확해요 아마도 글쎄요 괜찮아요 아니요_괜찮아요
        네_부탁해요 아직요 아직이요 몰라요 모르겠어요 저도요 그게_다예요 부탁합니다 죄송합니다"""
    ),
    backchannels=words(
        """네 네네 예 응 어 음 아 오 그래 그래요 그렇군요 그렇죠 맞아 맞아요 알겠어요
        알겠습니다 좋아 좋아요 아하 그렇구나 흠 오케이 ok"""
    ),
    stops=words("잠깐 잠깐만 잠깐만요 잠시만요 멈춰 그만 스톱 저기요"),
    conjunctions=words("그리고 그런데 근데 하지만 그래서 그러면 또는 혹은 왜냐하면 만약"),
    clinging=words(
        """그리고 하지만 또는 이 그 저 제 내 우리 저희 한 두 세 모든 어떤 무슨 아주 매우 정말
        너무 더 가장 안 못 다른 새 몇"""
    ),
    leaning=words(
        "수 것 거 뿐 때문에 때 있습니다 있어요 없습니다 없어요 주세요 드립니다 합니다 드릴게요"
    ),
    ordinal_dot="dates",
    reading=Reading(
        currencies={
            "$": ("달러",),
            "€": ("유로",),
            "£": ("파운드",),
            "₩": ("원",),
        },
        plural=only,
        scales=("만", "억", "천"),
        and_="그리고",
        number="번호",
        to="에서",
        equals="는",
        about="약",
        at="골뱅이",
        dot="점",
    ),
    prompts=Prompts(
        greeting="안녕하세요, 무엇을 도와드릴까요?",
        fillers=("잠시만요.", "확인해 볼게요."),
        listening=("네.",),
        silence="아직 계신가요?",
        goodbye="목소리가 들리지 않습니다. 안녕히 계세요.",
    ),
)
