"""Needs that are any words: an address, what something is, what it is called."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from house import Need
from names import AROUND, EXCLAMATIONS, bare, is_name, left
from words import NUMBER

_NO_HOUSE: Final = (
    r"(?!(?:years?|months?|weeks?|days?|nights?|hours?|minutes?|people|of|euros?|pounds?|quid"
    r"|times?|o'clock|and|or|to)\b)"
)
_SURE_STREETS: Final = (
    "street|road|lane|avenue|terrace|court|crescent|gardens|grove|row|quay|mews|paddocks?|boulevard"
    "|cottages?|farm|flats?|estate"
)
STREETS: Final = (
    f"{_SURE_STREETS}|ave|close|drive|place|square|hill|park|way|view|rise|walk|green|blvd|lawn"
    f"|wharf|parade|brae"
    "|house|main"
)
_PLACE: Final = re.compile(
    rf"\b(?:{NUMBER} (?:the )?{_NO_HOUSE}[a-z][\w']{{3,}}|(?:{STREETS})\b|(?:outside|behind"
    rf"|opposite|next to|beside)\b)"
)
_OF_PLACE: Final = re.compile(r"\b(address|where|street|pick|place|yard|deliver\w*|from|site)\b")
_OF_STORY: Final = re.compile(
    r"\b(matter|wrong|problem|reason|happened|about|notes?|message|occasion|symptoms?|fault"
    r"|trouble|hurts?|hurting"
    r"|anything)\b"
)
_MAIL: Final = re.compile(
    r"(?P<rest>(?:[^\s|]+ ){1,4}at (?:[^\s|]+ ){1,3}dot [^\s|]+(?: dot [^\s|]+)?|[^\s|]+@[^\s|]+)"
)
_OF_NAME: Final = re.compile(r"\b(names?|called)\b")
#: What leads to it: surest where it was asked for.
_LEADS: Final = re.compile(
    r"^(?:(?:um|uh|er|well|so|oh|yeah|yes|and|but|ok|okay|right|ah|like|just) )*(?:it's|its|it is"
    r"|he's|she's|they're|they are|that's|this is|mine's|i've got|i have|i got|we've got|we have"
    r"|it'll be|it would be|that would be|make it|make that|put|we live|i live|she lives|he lives"
    r"|you can come|come|say|my|the|a|an|at|to|from|outside|opposite|behind|near)\b(?: (?:a|an|the"
    r"|at|in|called|to|my|just|on|from|like|outside|for)\b)*"
)
_CALLED_LAST: Final = re.compile(
    r"\b(?:it's|it is|they're|that's) (?P<rest>[^|]+?) (?:they're|he's|she's|it's|they are) called$"
)
ANOTHERS: Final = re.compile(
    r"\b(?:called|call (?:him|her|it|them)|(?:his|her|its|their|\w+'s) names?)\b"
)
_CALLED: Final = re.compile(
    r"\b(?:called|call (?:him|her|it|them)|names? (?:is|are)|name's|names|mine's|goes by"
    r"|answers to|we're|we are) (?P<rest>[^|]+)"
)
_TALK: Final = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|we|we're|we've|we'll|you|you're|you've|they|they're|he's|he'll"
    r"|she'll|got|has|before|after|anyway|while|when|until|him|her|them|put|need|want|get|make"
    r"|book|don't|doesn't|can't|won't|isn't|didn't|wasn't|please|thanks|bye|sorry|hang|hold"
    r"|wait)\b"
)
_NOUNS_END: Final = re.compile(
    r" (?:because|cause|if|so|but|that|which|who|please|thanks|then|though|now|instead|by the"
    r"|and (?:i|we|it|the|my|is|can|could|what|how))\b.*$"
)
_AT: Final = re.compile(
    r"\b(?:(?:i'm|she's|he's|we're|i live|we live|she lives|he lives|address is) (?:at|in|on)"
    r"|pick(?:ed)? (?:me |us |it )?up (?:at|from|in)|collect (?:me |us )?(?:at|from)|it's(?: (?:at"
    r"|to|for))?|(?:come|deliver|delivered|bring it) to)\b"
)
_STREET: Final = re.compile(
    rf"\b(?:{NUMBER} (?:the )?{_NO_HOUSE}[a-z][\w']{{3,}}|[a-z][\w']+ (?:{_SURE_STREETS}))\b"
)
_NAMED_STREET: Final = re.compile(rf"\b[a-z][\w']+ (?:{_SURE_STREETS})\b")
_NUMBERED: Final = re.compile(rf"\b{NUMBER} (?:the )?[a-z][\w']+ (?:[a-z][\w']+ )?(?:{STREETS})\b")
_ON_STREET: Final = re.compile(rf"\b(?:on|in|at|by|near|off) (?:the )?[a-z][\w']+ (?:{STREETS})\b")
_IS_A: Final = re.compile(
    r"^(?:(?:and|so|well|um|oh) )*(?:it's|it is|he's|she's|they're) an? (?P<rest>[^|]+)"
)


_NOT_CALLED: Final = re.compile(r"\b(?:got|have|the|an?)\b")
_MOST_WORDS: Final = 6
_NO_VERB: Final = (
    r"(?!(?:book|get|have|do|be|see|make|come|go|ask|cancel|change|know|say|move|bring|pay|find"
    r"|check|take|try|ring|phone|hire|rent|start|leave|us|you|me|him|her|them|it|that)\b)"
)
_NO_TIME: Final = (
    rf"(?!(?:{NUMBER} (?:to|till|until|o'clock)|(?:\w+day|now|then|half|quarter|today)\b))"
)
#: What leads to an address of one's own, by how it is said in the booking.
_LED_BY: Final = {
    "from {}": re.compile(
        r"\b(?<!ringing )(?<!calling )(?<!phoning )"
        r"(?:from|pick(?:ed)? ?(?:me |us |it )?up (?:at|from|in)"
        rf"|collect(?:ed)? (?:me |us )?(?:at|from)) {_NO_TIME}(?P<rest>[a-z][^|]+)"
    ),
    "to {}": re.compile(
        r"\b(?:going|travelling|travel|heading|headed|off|bus|minibus|taxi|car|coach|lift|ride"
        r"|trip|run"
        rf"|deliver(?:ed)?(?: it)?) to {_NO_VERB}{_NO_TIME}(?P<rest>[a-z][^|]+)"
    ),
    "picked up": re.compile(
        rf"\b(?:pick(?:ed)?(?: me| us| it)?[ -]up|collect(?:ed)?(?: me| us)?|get (?:me|us))"
        rf" (?:at|from|in|outside) {_NO_TIME}(?P<rest>[a-z][^|]+)"
    ),
}
_ENDS_PLACE: Final = re.compile(
    r" (?:on|for|at (?=half|quarter|\w+ o'clock)|with|and|to|from|by|oh|please)\b"
)
_CALLED_BEHIND: Final = re.compile(r" (?:they're|he's|she's|it's|they are) called$")
_NO_THING: Final = frozenset(
    "been being gone got had not very so quite really only just rolling going matted".split()
)
_YESES: Final = frozenset(
    ("yes", "yeah", "yep", "aye", "sure", "correct", "exactly", "go ahead", "book it")
)


class Words(NamedTuple):
    """They, from where to where they stood, and how surely they are meant."""

    words: str
    begin: int
    end: int
    surely: int


def sort_of(need: Need) -> str:
    """``place``, ``called``, ``mail``, ``story`` or ``thing``."""
    about = f"{need.what} {need.said} {need.question}".lower()
    if _OF_NAME.search(about):
        return "called"
    if re.search(r"\be-?mail\b", about):
        return "mail"
    if _OF_STORY.search(about):
        return "story"
    return "place" if _OF_PLACE.search(about) or need.said.strip(" ,") == "at {}" else "thing"


def read_text(need: Need, text: str, asked: bool, following: bool = False) -> Words | None:
    """What is told of it by its own name, or by what leads to such a thing; what is left where it
    was asked for. ``following``: it would be asked for next."""
    return (
        _by_its_name(need, text)
        or _by_its_lead(need, text)
        or _of_its_sort(sort_of(need), text, asked, following)
        or (_what_is_left(sort_of(need), text) if asked else None)
    )


def _by_its_name(need: Need, text: str) -> Words | None:
    """``the yard is mill lane stables``."""
    named = "|".join(map(re.escape, {need.what, need.what.split()[-1]}))
    led = re.search(rf"\b(?:the |my |our |his |her )?(?:{named})(?:'s| is|:) (?P<rest>[^|]+)", text)
    if led and not re.match(r"\w+ing\b", led["rest"]) and (words := _meant(led["rest"])):
        return Words(words, led.start("rest"), led.end(), 3)
    return None


def _by_its_lead(need: Need, text: str) -> Words | None:
    """``going to york races`` where it is said ", to {}", ``from our office`` where ", from {}"."""
    said = need.said.strip(" ,")
    leads = _LED_BY.get("picked up" if "picked up" in said or "collected" in said else said)
    led = leads.search(text) if leads else None
    words = _meant(_ENDS_PLACE.split(led["rest"])[0]) if led else ""
    if not led or not words or len(words.split()) > _MOST_WORDS or _TALK.search(words):
        return None
    return Words(words, led.start("rest"), led.start("rest") + len(words), 2)


def _of_its_sort(sort: str, text: str, asked: bool, following: bool) -> Words | None:
    """What can only be such a thing."""
    if sort == "mail" and (mail := _MAIL.search(text)):
        return Words(bare(mail["rest"]), *mail.span(), 3)
    if sort == "story" and asked and (words := _meant(text)) and words not in _YESES:
        return Words(words, 0, len(text), 1 + (len(words.split()) > 1))
    called = (_CALLED_LAST.search(text) or _CALLED.search(text)) if sort == "called" else None
    if called and (asked or ANOTHERS.search(text)) and (words := _called(called["rest"])):
        return Words(words, called.start("rest"), called.end(), 3)
    if sort == "thing" and (is_a := _IS_A.search(text)) and (words := _meant(is_a["rest"])):
        return Words(words, is_a.start("rest"), is_a.end(), 2)
    return _place(text, asked, following) if sort == "place" else None


def _place(text: str, asked: bool, following: bool) -> Words | None:
    at = max(_AT.finditer(text), key=lambda match: match.start(), default=None)
    named = _NUMBERED.search(text) or (following and _NAMED_STREET.search(text))
    expected = at or asked or named
    if not expected or not _PLACE.search(text):
        return None
    words = _meant(_LEADS.sub("", text[at.end() :] if at else text))
    surely = _STREET.search(words) or (at and _ON_STREET.search(words))
    if words and (surely or (asked and not _TALK.search(words))):
        return Words(words, 0, len(text), 3)
    return None


def _what_is_left(sort: str, text: str) -> Words | None:
    """Where it was asked for."""
    led = _LEADS.match(text)
    words = _meant(text[led.end() :] if led else text)
    if sort == "called":
        words = "" if led and _NOT_CALLED.search(led[0]) else _called(words)
    short = led or sort != "place" or len(words.split()) <= _MOST_WORDS
    numbers = re.fullmatch(rf"(?:{NUMBER} ?)+", words)
    if not words or not short or numbers or words in _YESES or _TALK.search(_LEADS.sub("", words)):
        return None
    return Words(words, 0, len(text), 2 if led else 1)


def _called(text: str) -> str:
    """Names, one or more."""
    words = _meant(text)
    parts = [
        part.split()
        for part in re.split(r" and (?:the other(?: one)?'?s? |mum's is |his is )?", words)
    ]
    return words if words and all(map(is_name, parts)) else ""


def put_right(known: str, text: str) -> str | None:
    """What is known, with the number that is told now; or what is told, where it shares a word."""
    told = " ".join(left(text))
    if re.fullmatch(NUMBER, told) and (number := re.match(NUMBER, known)):
        return told + known[number.end() :]
    words = _meant(_LEADS.sub("", text))
    if _TALK.search(_LEADS.sub("", text)):
        return None
    shared = {word for word in known.split() if len(word) > 3} & set(words.split())
    return words if shared and words != known and _PLACE.search(words) else None


def _meant(text: str) -> str:
    text = _CALLED_BEHIND.sub("", text.replace("|", " ").strip())
    words = left(_NOUNS_END.sub("", bare(text)))
    if words and (words[0] in _NO_THING or all(re.fullmatch(NUMBER, one) for one in words)):
        return ""
    if not words or (words[0] in EXCLAMATIONS and len(words) < 3) or set(words) <= AROUND:
        return ""
    return " ".join(words)
