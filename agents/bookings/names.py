"""Names in what a caller says: told, spelled letter by letter, or both."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from words import NUMBER, read_letters

MOST_NAMES: Final = 4
ALIKE: Final = 0.5  # a word and its spelling

#: What people exclaim.
EXCLAMATIONS: Final = frozenset(
    """
    mighty tight ideal idea saw meant none adults quarter whenever suits baby mother checking
    driving pity dunno cause cos alrighty shame bummer shoot dang ope yo betcha right
    fair confusing
    allergic expensive certainly absolutely cheers
    pardon question owner louder urgent lad lads ah aw bear aye blimey brilliant awesome class
    cool cracking crikey dear deadly excellent exactly fab fabulous fantastic fierce flip god
    gosh grand great ha hang haha heavens hm hmm hold huh janey jaysus jeez jesus lads love
    lovely magic man mate mhm nice no okay ok oof ooh oops oh ouch perfect phew really sound
    smashing spot steep stop super sure sweet ta terrific thanks that's typical ugh wait well what
    whoa wicked wonderful wow yay yeah yep yes yikes
    """.split()
)
#: What people say around a name or an address.
AROUND: Final = frozenset(
    """
    um uh er erm em mm hm hmm mhm now ah oh ooh excuse well so okay ok yes yeah yep aye no sorry
    please thanks thank you it's its it is that's that what's would be the name name's my i'm
    this here put me us down book on under for to in make mister mr mrs miss ms with and surname
    first last full called spelled spelt i spell can have just hi hello hey could do does
    possible are
    which but then right good perfect lovely great grand actually wait sure of course write got
    very fair enough alright number number's phone telephone mobile by way like love dear again
    also
    """.split()
)
#: No name has one of these.
NO_NAME: Final = frozenset(
    """
    a about address after afternoon afraid again ago all alone already also always an and any
    anything anyway are around as ask at away back be because been before best better between
    big birthday blocked bloody book booked booking both bother boyfriend bring brother broken
    brown but bus by bye call called calling can can't cancel change cheaper check come coming
    correct cost could couple dad date daughter day days did do does doing don't done door down
    drive drop each early either else enough evening every everybody everyone far father few
    fine finish first fix for forgot forgotten found free friend from full gave get getting give
    go going gone good goodbye got had half happens happy hard has have he hear help her here
    hers hiya him his home how husband i if in inside instead into is it job just keep kids kind
    know last late later least leave left lesson let let's like little long look looking lot
    lots lunch made make many matter maybe me mean meet mess mid miscounted misheard nay nearly
    might mind mine mom moment more morning most much mum must my myself name near need needs
    never new next night no nobody nor not nothing now of off often old on once one only open or
    other others our out outside over own parking part party pay people person persons guest
    guests phone place plus possible price pricey problem put quick quite rather read ready
    really remember right ring room scrap round said same say second see seen send she short
    should sister small so some somebody someone something son soon sorry speak speaking spell
    spelled spelling start still such sure surname take tell ten than that the their them then
    there these they thing things think this those thoughts though till time to today together
    told tomorrow tonight too took top tour try two under until up upstairs us use used usual
    very wait want wants was way we weather week weekend weeks well went were what what's
    whatever when where which while who whole whose why wife will with without wish won't wonder
    work worries would write wrong year years yesterday yet you young your yours
    """.split()
)
#: But these are, where one was asked for or is told as one.
_SURNAMES: Final = frozenset(
    "best bill brown day good grand hope little long love magic may old price rich right short"
    " small"
    " street sweet will young".split()
)
_NONE: Final = re.compile(rf"'(?:d|s|ll|ve|re|t|m)\b|\b{NUMBER}\b|(?<!')\b\w\b(?!')")
_ENDS: Final = (
    r"the|my|our|on|at|for|from|it's|i(?:'\w+)?(?= \w\w)|we|we're|in|please|that's|he|she|they|you"
    r"|cause|cos|spell|spelt|spelled|with an?|like|with|as|if|but|so|is|was|to|would|there's|who"
    r"|because|no"
    r"|sure|you'll"
)
_STOP: Final = re.compile(rf" (?:and|{_ENDS})\b")
_FIRM_STOP: Final = re.compile(rf" (?:{_ENDS})\b")
_VOWEL: Final = re.compile("[aeiouy]")
_NOT_ANOTHERS: Final = r"(?<!his )(?<!her )(?<!their )(?<!its )"
_LEAD: Final = (
    r"(?:my |the |his |her )?(?:first |last |full |sur)?name(?:'s| is| would be| will be| was)?"
    r"|(?:put (?:it|me|us|that|them) )?(?:down )?(?:under|in the name of)(?: the name(?: of)?)?"
    r"|call me|the name of|name (?:should|will|would) be|(?:put|write)(?= \w+(?: \w+)? down)"
)
_IS_THE_NAME: Final = re.compile(r"(?P<rest>(?:[^\W\d_][\w-]* ){0,2}[^\W\d_][\w-]*)'s the name\b")
_ASKED: Final = r"it's|it is|this is|i'm|i am|for|it'd be|that'd be|that would be|me"
_TITLE: Final = r"(?:mister|mr|mrs|miss|ms|doctor|dr|father|sister|professor)"
_GREETED: Final = (
    r"(?:(?:hello|hi|hiya|hey|yes|yeah|um|good morning|good afternoon|good evening|morning) )*"
)
_HERE: Final = re.compile(
    rf"^{_GREETED}(?:(?:it's|this is|i'm|here is) )?(?P<rest>(?:[^\W\d_][\w'-]* ){{1,3}})"
    r"(?:here|speaking|calling)\b"
)
_TITLED: Final = re.compile(
    rf"^{_GREETED}(?:this is|it's) {_TITLE} (?P<rest>(?:[^\W\d_][\w'-]*(?: |$)){{1,2}})"
)
_GREETING: Final = re.compile(
    rf"^{_GREETED}(?:and |so |but )?(?:i'm|i am|this is) "
    r"(?P<rest>[^\W\d_][\w'-]+ [^\W\d_][\w'-]+)(?=$| from| and)"
)
_IT_IS: Final = re.compile(r"\bit's (?P<rest>[^\W\d_][\w'-]+ [^\W\d_][\w'-]+)$")


def _capital(word: str) -> str:
    """``O'Brien``, ``Ann-Marie``."""
    return re.sub(r"(?:^|(?<=-)|(?<=^[od]'))\w", lambda letter: letter[0].upper(), word)


class Name(NamedTuple):
    """A name in lower case, and from where to where it stood."""

    words: tuple[str, ...]
    begin: int
    end: int
    led: bool  # "the name is": surely one

    @property
    def said(self) -> str:
        return " ".join(_capital(word) for word in self.words)


def read_name(text: str, asked: bool, first: bool = False) -> Name | None:
    """What is told as a name; where one was asked for, what is left. ``first``: nothing has been
    told before, so somebody may say who they are."""
    mine = "" if asked else _NOT_ANOTHERS
    for match in re.finditer(rf"\b{mine}(?:{_LEAD}) (?P<rest>[^|]+)", text):
        if found := _name_in(match["rest"], firm=True):
            return _placed(found, match.start("rest"), led=True)
    for pattern in (_IS_THE_NAME, _HERE, _TITLED, _GREETING):
        led = pattern.search(text)
        found = _whole_name(led["rest"]) if led else None
        if led and found and (asked or not found.words[0].endswith(("ing", "ed"))):
            return _placed(found, led.start("rest"), led=True)
    if first and (it_is := _IT_IS.search(text)) and (found := _whole_name(it_is["rest"])):
        return _placed(found, it_is.start("rest"), led=False)
    spelled = read_letters(text)
    if spelled and _VOWEL.search(spelled[0]):  # "k w x" is of a plate
        words = left(text[: spelled[1].begin])
        words = with_spelling(words if is_name(words) else [], spelled[0])
        return Name(tuple(words), 0, spelled[1].end, led=False)
    if asked:
        for lead in (
            r"\bcalled (?P<rest>[^|]+)",
            rf"\b(?:{_ASKED}) (?P<rest>[^|]+)",
            r"(?P<rest>.+)",
        ):
            told = re.search(lead, text)
            if told and (found := _name_in(told["rest"])):
                return _placed(found, told.start("rest"), led=False)
    return None


_INTRODUCED: Final = re.compile(
    r"^(?:(?:i'm|it's|he's|she's|this is|that's|sorry|no|well|oh|um|so|wait|just) )+"
)


def _whole_name(text: str) -> Name | None:
    """A name with nothing around it: "just the road here" has none."""
    found = _name_in(text)
    return found if found and len(found.words) == len(text.split()) else None


def _placed(found: Name, at: int, led: bool) -> Name:
    return Name(found.words, at + found.begin, at + found.end, led)


def _name_in(text: str, firm: bool = False) -> Name | None:
    """The first name in it, as it is spelled. ``firm``: "Marlowe and Pike" is one."""
    if re.match(r"(?:the|an?) ", _INTRODUCED.sub("", text)):
        return None  # "the secretary", "sorry the baby is crying"
    spelled = read_letters(text)
    stop = _FIRM_STOP if firm else _STOP
    told = stop.split(bare(text[: spelled[1].begin] if spelled else text))[0]
    parts = list(map(left, re.split(r"\||\band\b", told)))
    words = next((part for part in parts if is_name(part, sure=firm or len(parts) == 1)), [])
    if firm and len(parts) > 1 and all(map(is_name, parts)):
        words = " and ".join(map(" ".join, parts)).split()
    if words.count(words[0] if words else "") > 1:
        words.pop(0)  # "okafor, harry okafor"
    end = text.find(words[-1]) + len(words[-1]) if words else 0
    if spelled:
        words = with_spelling(words, spelled[0])
        end = spelled[1].end
    return Name(tuple(words), 0, end, False) if words else None


def with_spelling(words: list[str], spelled: str) -> list[str]:
    """The name with one of its words as it is spelled; what is spelled alone is the surname."""
    nearest = max(words, key=lambda word: _likeness(word, spelled), default="")
    if words and _likeness(nearest, spelled) >= ALIKE:
        return [spelled if word == nearest else word for word in words]
    return [*words, spelled]


def _likeness(word: str, spelled: str) -> float:
    return SequenceMatcher(None, word.replace("'", ""), spelled).ratio()


def alike(word: str, spelled: str) -> bool:
    """Whether a word may be what is spelled."""
    return bool(spelled) and _likeness(word, spelled) >= ALIKE


def merged(before: str, name: Name) -> str | None:
    """Two tellings of one name: "Priyanka" and "Priyanka Rawlinson", and what is spelled after it;
    None where they are not of one."""
    known = before.lower().split()
    if len(name.words) == 1 and max(_likeness(name.words[0], word) for word in known) >= ALIKE:
        return " ".join(word.capitalize() for word in with_spelling(known, name.words[0]))
    if len(known) == 1 == len(name.words):
        return f"{before} {name.said}"  # "Deshawn, d e s h a w n, Carter"
    if len(name.words) >= len(known) and set(known) & set(name.words):
        return name.said
    return None


def is_other_name(known: Any, name: Name) -> bool:
    """Whether it stands in the place of the one that is known: of two words, or much like it."""
    before = known.said.lower().split() if known else []
    return len(name.words) > 1 or any(_likeness(name.words[0], word) >= ALIKE for word in before)


def is_name(words: list[str], sure: bool = False) -> bool:
    """Whether these can be one. ``sure``: it is told as one, so Brown and Long are."""
    initials = [word for word in words if len(word) == 1]
    if 0 < len(initials) < min(len(words), 3):
        words = [word for word in words if len(word) > 1]  # "john f kennedy"
    odd = set(words) - _SURNAMES if sure else set(words)
    return (
        0 < len(words) <= MOST_NAMES
        and not EXCLAMATIONS.issuperset(words)
        and not NO_NAME.intersection(odd)
        and not EXCLAMATIONS.intersection(odd)
        and not _NONE.search(" ".join(words))
        and (bool(odd) or sure or len(words) == 1)
        and not (len(words) == 1 and words[0].endswith("ing") and not sure)
    )


def bare(text: str) -> str:
    """The text from its first word that may be meant."""
    while (first := text.partition(" "))[0] in AROUND and first[2]:
        text = first[2]
    return text


def left(text: str) -> list[str]:
    """The words without what people say around them."""
    words = text.replace("|", " ").split()
    while words and words[0] in AROUND:
        words.pop(0)
    while words and words[-1] in AROUND:
        words.pop()
    return words
