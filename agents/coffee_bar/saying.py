"""How callers say things: what their words are without the fillers, and where one part ends and the
next begins, since nobody writes commas for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from menu import MENU, number_words
from things import LOOK, NUMBER, WISH

TOLD_AGAIN: Final = "in sum "
"""Before things of which there are to be so many, and not so many more."""

_PERSON: Final = (
    r"(?:mum|mom|mam|mother|dad|father|husband|wife|partner|friend|mate|colleague|boss|son|daughter"
    r"|kids?|little one|grand(?:son|daughter)|sister|brother|girlfriend|boyfriend|gran|nan"
    r"|neighbour)"
)
_WHO: Final = rf"she|he|they|my {_PERSON}"
#: "Mary what do you want", to who is beside them.
_ASIDE: Final = (
    r"(?:what is it (?:you|he|she|they) wants?"
    r"|(?:\w+ )?what (?:do|does|would) (?:you|he|she|they|ye) (?:want|like)"
    r"|(?:\w+ )?do (?:you|ye) want (?:anything|something|one))"
)
_FILL: Final = re.compile(
    rf"\b(?:{_ASIDE}"
    r"|(?:is (?:that|this) )?the coffee (?:bar|shop)|what do you call it|what's it called"
    r"|that's alright|never mind|on second thoughts?|u+m+|u+h+|e+r+m?|a+h|o+h|ooh|hm+|mm+|please"
    r"|just|maybe|perhaps|you know(?: what)?|i think|i guess|i suppose|let's see"
    r"|let me (?:see|think)|hang on a (?:sec|second|minute)|for (?:me|him|her|us|now)"
    r"|to (?:go|take away|have in|share|start)|takeaway|as well|too|also|then|really|sort of"
    r"|kind of|no (?:worries|problem|bother|rush)|ma'?am|sir|young (?:man|lady)|miss|love|pet"
    r"|mate|pal|dear"
    r"|thanks a million|i see|i promise"
    rf"|(?:{_WHO})(?:'s| is|'re| are)? (?:says?|saying|said|telling me|asking for)"
    r"(?! (?:to|no)$| (?:yes|yeah|yep|it|it's|that|that's|ok|okay|fine)\b)"
    rf"|for my {_PERSON}"
    r"|if (?:you|that)\S* (?:\w+ ){0,4}(?:one|any|ok|okay|can)"
    r"|ordinary|normal|plain|standard|regular old|nice|proper|cheeky|quick"
    r"|(?:cup|mug|glass|bottle|slice|pot|can) of)\b"
)
_CHANGES: Final = (
    "make|change|switch|swap|turn|put|take|leave|remove|scrap|cancel|forget|drop|delete|lose|skip"
    "|get rid of"
)
_VERB: Final = (
    rf"{WISH}|{_CHANGES}|how much|how many|what|which|do you|do ye|have you|is there|are there"
    r"|read|repeat"
)
_MARK: Final = (
    r"no sorry|sorry no|no wait|wait no|no actually|actually no|actually|scratch that|or rather"
    r"|hang on|hold on|no make|sorry make|no i mean|i mean|i meant|i said|wait|sorry"
)
#: Where a part ends: at a sign, and before what begins another.
_CUT: Final = re.compile(
    r"[.!?;,]+(?: |$)"
    rf"| (?=(?:and |but )?(?:{_MARK})\b)"
    r"| (?:and )?(?=that's (?:it|all|everything|the lot|me|us)\b)"
    rf"|(?<!think)(?<!what)(?<!which) (?:and |but |so )?(?=(?:{_VERB})\b)"
    r"| (?:but|because|cause) "
    r"| (?=\w+ (?:doesn't|don't|didn't) (?:want|need)\b)"
    # "four coffees, two with milk and two black"
    r"|(?<!other)(?<!another)(?<!the)(?<!each)(?<!first)(?<!second)(?<!last) (?:and )?"
    rf"(?={NUMBER} (?:of (?:those|them) )?(?:with|without|has|wants|needs|takes"
    rf"|{LOOK}(?= and\b| please\b|$)))"
    rf"|(?<!other) (?:and )?(?={NUMBER} of (?:those|them) {LOOK})| and (?=the rest\b)"
    rf"| (?:so |and |but )?(?=only {NUMBER}\b)| (?=both (?:{LOOK}$|with\b|in\b))| (?=i'll never\b)"
    r"| or (?=(?:he|she|they|i|it)\b)"
    r"| and (?=the (?:other|second|first)\b)"
    rf"|(?<!is)(?<!it)(?<!be)(?<!as)(?<!and)(?<!would)(?<!does) (?=an? {LOOK} one\b)"
    rf"| (?=no (?:an? |{NUMBER} ))| (?=no not\b)| (?={TOLD_AGAIN})"
    rf"| and (?=no (?:more )?(?:{'|'.join(MENU)})s?\b)"
    # chatter
    r"| (?=(?:he|she|they|i|it)(?:'s| is|'m| am|'re| are) (?:got|up|always|been|allergic|trying"
    r"|a long|a big|freezing|raining)\b)| (?:and |but )?so (?=no\b)"
    r"| (?=(?:he|she|they) never\b)| (?=i (?:don't|can't) (?:like|stand|take)\b)"
    r"| (?=mind i'm\b)| (?=i've got \w+ (?:euros?|pounds?|quid)\b)"
    r"| (?:and )?(?=the same\b|same again\b)"
)
#: Not cut within: "what kinds of tea do you have", "the large one with oat milk".
_TOGETHER: Final = re.compile(
    r"\b(?:what|which)(?: \w+){0,4} (?:do|have|is|are|can) (?:you|ye|there|i)\b"
    r"|\b(?:the|that|my|his|her) (?:(?!same\b|other\b|first\b|second\b|last\b"
    r"|one\b)\w+ ){1,2}ones?\b"
)
_RIGHTS: Final = re.compile(
    r"^(?:(?:and|but|no|nope|sorry|wait|hang on|hold on|actually|scratch that|or rather|rather"
    r"|oops|well|correction|i mean|i meant|i said)\b ?)+"
)


_MEANT: Final = r"(?:oh|wait|sorry|actually|hang on|hold on)"
#: Other ways to say a thing, and how they are heard.
_WAYS: Final = [
    (re.compile(way), other)
    for way, other in (
        (r"\b(?:u+h+ huh|m+ ?hm+)\b", "yes"),
        (r"\bwi\b", "with"),
        (r"\b(ca|would|could|should|do|did|is)n(?:ae|a)\b", r"\1n't"),
        (r"\b(?:bigger|larger)\b", "large"),
        (r"\bsmaller\b", "small"),
        # "one sandwich you give"
        (
            r"(?<=.)(?<!can)(?<!could)(?<!would)(?<!will) you (?:give|bring)\b(?! (?:me|us|it)\b)",
            "",
        ),
        (r"\bis it (?:very |that |too )?(?:dear|expensive|pricey)\b", "how much is"),
        # "my name is agave", "it's not a tea it's a coffee", "make them both blueberry muffins"
        (
            r"\b((?:my|his|her|the) name)(?:'s| is) \w+|\b(you can) call (?:me|him|her) \w+",
            r"\1\2 is told",
        ),
        (
            r"^(?:(?:no|oh|sorry|wait) )*(?:it's|that's|i said) (not an? [\w ]+?) "
            r"(?:(?:it's|that's|i said) )?(?=an? )",
            r"\1 ",
        ),
        (r"\b(make|have|turn|change) (?:them|those|these) both\b", r"\1 both of them"),
        # "so the latte and two teas"
        (
            rf"^(?:(?:so|right|okay|yes|yeah) )*(?=the (?:{LOOK} )*(?:{'|'.join(MENU)})s? and "
            rf"(?:an?|{NUMBER}) (?!.*\b(?:{_CHANGES})\b))",
            TOLD_AGAIN,
        ),
        # "get that but decaf", "another flat white the same", "a tea like the first one"
        (
            r"(?:\b(?:can|could|may) (?:i|we) (?:get|have|do)|^(?:and )?) ?(?:that|it)(?: again)? "
            rf"but (?=(?:an? )?(?:{LOOK}|with|without)\b)",
            "the same but ",
        ),
        (
            r"\b(another \w+(?: \w+)?) (?:just )?like (?:the (?:\w+ )?one|that|his|hers|mine)\b",
            r"\1",
        ),
        (rf"\btoo (?:many|much) ({NUMBER}) is (?:plenty|enough)\b", r"too many, make that \1"),
        (r"\b(?:that|it|they|those)(?:'s| is|'re| are) too \w+", ","),
        # "a cookie each, so two cookies", "two muffins, not three"
        (rf"\ban? [\w ]+? each so (?={NUMBER})", TOLD_AGAIN),
        (
            rf"\b({NUMBER} [\w ]+?)(?: then)? (?:sorry )?not {NUMBER}(?= please$| thanks$|$)",
            rf"{TOLD_AGAIN}\1",
        ),
        # "a scone too the same as mine"
        (
            r"\b(?:an?|one more) (\w+(?: \w+)?) (?:too )?the same as "
            r"(?:mine|his|hers|ours|that|the other(?: one)?)\b",
            r"another \1",
        ),
        # "he likes one sugar in his coffee"
        (r"\b(?:he|she|they) (?:likes?|takes?) (?=.* in (?:his|her|their|the|it)\b)", "put "),
        # "one cookie no two", "two small ones", "one tea with lemon and the other two with milk"
        (rf"\b{NUMBER} ([a-z]+(?: [a-z]+)?) no ({NUMBER})(?=$| one each$)", r"\2 \1"),
        (rf"(?<=s )({NUMBER}) ({LOOK}) ones?\b", r"\1 of them \2"),
        (r"^((?:so |and )?one) (\w+) (with .+? and the other)", r"\1 of the \2s \3"),
        # "could the tea with lemon be a large", "did i say butter i meant jam"
        (r"\bc(?:ould|an) (the [\w ]+? with [\w ]+?) be (?:an? )?", r"\1 should be "),
        (r"\bdid i say [\w ]+? i meant (?:to say )?", "no sorry "),
        (rf"\b(swap|switch|change) ({NUMBER}) (?!of\b)", r"\1 \2 of the "),
        # "samosa you are having", "change the milk in that to oat milk", "not coconut oat milk"
        (r"^(?:and )?((?:(?!what\b)\w+ ){1,2})you are having$", r"do you have \1"),
        (
            r"\bchange the (?:milk|syrup)s? (in|on) (it|that|the [\w ]+?) (?:to|for|into)\b",
            r"\1 \2 put",
        ),
        (r"\bchange the (?:milk|syrup)s? (?:to|for|into)\b", "with"),
        (
            r"^(?:(?:no|sorry|oh|wait|and) )*not (?:the )?\w+,? (\w+ (?:milk|syrup))$",
            r"no sorry \1",
        ),
        # "the mint one would be lovely", "cookies how much are they", "no he had that yesterday"
        (
            r"\b((?:the|an?|some|two|three) [\w ]+?) (?:would be|'d be|sounds?) (?:very |really "
            r"|so )?"
            r"(?:nice|lovely|great|grand|good|perfect|ideal)\b",
            r"i'll have \1",
        ),
        (
            rf"^(?:(?:and|so|okay|oh) )*((?!.*\b(?:an?|the"
            rf"|{NUMBER})\b.* how)(?:\w+ )?\w+s) how much (?:are they|is one|are those)$",
            r"how much are \1",
        ),
        (
            r"\b(?:he|she|they|i|we) had (?:that|it|one) (?:yesterday|last time|this morning"
            r"|earlier|already)\b",
            "",
        ),
        (r"\band (?:split|share) (?:it|that|them)\b.*$", ""),
        (r"\b(that|what|it)s\b", r"\1's"),
        (r"(?<=s )(double|single|large|small|medium|regular)s\b", r"\1"),
        (r"(?:\band )?(?:u+m |e+r+m? )*\b(?:what|who) was it (?=an? )", ", "),
        (r"\banother (\w+(?: \w+)?) the same\b", r"another \1"),
        (
            r"\b(?:is|are) (the [\w ]+?) (?:very |too |that )?(?:dear|expensive|pricey)\b",
            r"how much is \1",
        ),
        # "a single, not a double"
        (
            rf"^((?!.*\b(?:another|the|more)\b).*\b{LOOK}\b.*) not (?:an? )?{LOOK}(?: one)?$",
            r"no \1",
        ),
        (rf"(.) not (?:an? |the )?{LOOK}(?: one)?$", r"\1"),
        (r"\b(?:just|only) (?:that|this)$", "that's it"),
        (r"^(?:\w+ ){0,2}(?:likes|loves) (?:it|his|hers|them) \w+ so (?=.)", ""),
        # "oh wait, a mocha as well"
        (rf"^(?:{_MEANT} )+(?!{NUMBER}|make)(?=.* (?:as well|too|also)\b)", ""),
    )
]


class Piece(NamedTuple):
    """A part of what is said. `rest`: without the words by which it puts right what was said."""

    text: str
    rest: str
    rights: bool


def plain(said: str) -> str:
    """In lower case, numbers as words, without fillers."""
    text = said.lower().replace("’", "'").replace("-", " ")
    text = re.sub(r"\b[0-9]{1,2}\b", lambda found: number_words(int(found[0])), text)
    text = re.sub(r"\b[0-9]{3,}\b", "a hundred", text)
    for way, other in _WAYS:
        text = way.sub(other, text)
    text = re.sub(r"\b(?:oz|ounces)\b", "ounce", re.sub(r"[^\w' .!?;,]", " ", text))
    text = re.sub(rf"\bjust (?:the )?(?={NUMBER} )", "only ", text)
    text = re.sub(r"\b(?:just|only) (?=the\b)", ", ", text)
    text = re.sub(r"\b(\w+) \1\b", r"\1", text)  # "a a coffee"
    text = text.replace("only want ", "want only ").replace("all right", "alright")
    text = re.sub(rf"\b{NUMBER} (?:(?:{_MEANT}|no|i mean) )+(?={NUMBER}\b)", "", text)
    text = re.sub(r"^(.+) actually$", r"actually \1", text)
    text = " ".join(_FILL.sub(" ", text).split()).strip(" ,")
    text = re.sub(r"\b(\w+) \1\b", r"\1", text)
    return re.sub(r"\b(?:what|anything) else sorry\b", "", text).strip()


def asks_another(said: str) -> bool:
    """Whether somebody else is asked what they want: such an "okay" is no yes."""
    return re.search(rf"\b{_ASIDE}\b", said.lower()) is not None


def pieces(text: str) -> Iterator[Piece]:
    """The parts of what `plain` gives. A mark that stands alone belongs to the next."""
    rights = False
    whole = _TOGETHER.sub(lambda found: found[0].replace(" ", "~"), text)
    for cut in _CUT.split(whole):
        piece = cut.replace("~", " ").strip(" ,")
        mark = _RIGHTS.match(piece)
        rest = piece[mark.end() :].strip() if mark else piece
        marks = [word for word in mark[0].split() if word != "well"] if mark else []
        rights = rights or bool(marks and marks[-1] not in ("and", "but"))
        if rest:
            yield Piece(piece, rest, rights)
            rights = False
