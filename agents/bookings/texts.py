"""Needs that are any words: an address, what something is, what it is called."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from house import Need
from names import AROUND, EXCLAMATIONS, bare, is_name, left
from words import NUMBER

_NO_HOUSE: Final = (
    r"(?!(?:years?|months?|weeks?|days?|nights?|hours?|minutes?|people|of|euros?|pounds?|quid|times?|o'clock|and|or|to)\b)"
)
_SURE_STREETS: Final = (
    "street|road|lane|avenue|terrace|court|crescent|gardens|grove|row|quay|mews|paddocks?|boulevard"
    "|cottages?|farm|flats?|estate"
)
STREETS: Final = (
    f"{_SURE_STREETS}|ave|close|drive|place|square|hill|park|way|view|rise|walk|green|blvd|lawn|wharf"
    "|house|main"
)
_PLACE: Final = re.compile(
    rf"\b(?:{NUMBER} (?:the )?{_NO_HOUSE}[a-z][\w']{{3,}}|(?:{STREETS})\b|(?:outside|behind|opposite|next to|beside)\b)"
)
_OF_PLACE: Final = re.compile(r"\b(address|where|street|pick|place|yard|deliver\w*|from|site)\b")
_OF_NAME: Final = re.compile(r"\b(names?|called)\b")
#: What leads to it: surest where it was asked for.
_LEADS: Final = re.compile(
    r"^(?:(?:um|uh|er|well|so|oh|yeah|yes|and|but|ok|okay|right|ah|like|just) )*"
    r"(?:it's|its|it is|he's|she's|they're|they are|that's|this is|mine's|i've got|i have|i got"
    r"|we've got|we have|it'll be|it would be|that would be|make it|make that|put|we live|i live"
    r"|she lives|he lives|you can come|come|say|my|the|a|an|at|to|from|outside|opposite|behind|near)\b"
    r"(?: (?:a|an|the|at|in|called|to|my|just|on|from|like|outside|for)\b)*"
)
_CALLED: Final = re.compile(
    r"\b(?:called|names? (?:is|are)|name's|names|mine's|goes by|answers to) (?P<rest>[^|]+)"
)
_TALK: Final = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|we|we're|we've|we'll|you|you're|you've|they|they're|he's|he'll|she'll"
    r"|before|after|anyway|while|when|until|him|her|them|put|need|want|get|make|book|don't|doesn't|can't|won't|isn't|didn't|wasn't|please|thanks|bye|sorry|hang|hold|wait)\b"
)
_NOUNS_END: Final = re.compile(
    r" (?:because|cause|if|so|but|that|which|who|please|thanks|then|though|now|by the|and (?:i|we|it"
    r"|the|my|is|can|could|what|how)\b).*$"
)
_AT: Final = re.compile(
    r"\b(?:(?:i'm|she's|he's|we're|i live|we live|she lives|he lives|address is) (?:at|in|on)"
    r"|it's(?: (?:at|to|for))?|(?:come|deliver|delivered|bring it) to)\b"
)
_STREET: Final = re.compile(rf"\b(?:{NUMBER} (?:the )?{_NO_HOUSE}[a-z][\w']{{3,}}|[a-z][\w']+ (?:{_SURE_STREETS}))\b")
_ON_STREET: Final = re.compile(rf"\b(?:on|in|at|by|near|off) (?:the )?[a-z][\w']+ (?:{STREETS})\b")
_IS_A: Final = re.compile(r"^(?:(?:and|so|well|um|oh) )*(?:it's|it is|he's|she's|they're) an? (?P<rest>[^|]+)")


class Told(NamedTuple):
    """Words, from where to where they stood, and how surely they are meant."""

    words: str
    begin: int
    end: int
    surely: int


def sort_of(need: Need) -> str:
    """``place``, ``called`` or ``thing``."""
    about = f"{need.what} {need.said} {need.question}".lower()
    if _OF_NAME.search(about):
        return "called"
    return "place" if _OF_PLACE.search(about) or need.said.strip(" ,") == "at {}" else "thing"


def read_text(need: Need, text: str, asked: bool, following: bool = False) -> Told | None:
    """What is told of it by its own name, or by what leads to such a thing; what is left where it
    was asked for. ``following``: it would be asked for next."""
    sort = sort_of(need)
    named = "|".join(map(re.escape, {need.what, need.what.split()[-1]}))
    if sort == "called" and (called := _CALLED.search(text)) and (asked or "called" in called[0]):
        if words := _called(called["rest"]):
            return Told(words, called.start("rest"), called.end(), 3)
    lead = re.search(rf"\b(?:the |my |our |his |her )?(?:{named})(?:'s| is|:) (?P<rest>[^|]+)", text)
    if lead and not re.match(r"\w+ing\b", lead["rest"]) and (words := _meant(lead["rest"])):
        return Told(words, lead.start("rest"), lead.end(), 3)
    if sort == "thing" and (lead := _IS_A.search(text)) and (words := _meant(lead["rest"])):
        return Told(words, lead.start("rest"), lead.end(), 2)
    at = _AT.search(text)
    if sort == "place" and (at or asked or (following and _STREET.search(text))) and _PLACE.search(text):
        words = _meant(_LEADS.sub("", text[at.end() :] if at else text))
        if words and (_STREET.search(words) or (at and _ON_STREET.search(words)) or (asked and not _TALK.search(words))):
            return Told(words, 0, len(text), 3)
    if not asked or _TALK.search(_LEADS.sub("", text)):
        return None
    led = _LEADS.match(text)
    if sort == "place" and not led and len(text.split()) > 3:
        return None
    words = _meant(text[led.end() :] if led else text)
    if not words or re.fullmatch(rf"(?:{NUMBER} ?)+", words):
        return None
    if sort == "called" and not (words := _called(words)):
        return None
    return Told(words, 0, len(text), 2 if led else 1)


def _called(text: str) -> str:
    """Names, one or more."""
    words = _meant(text)
    parts = [part.split() for part in re.split(r" and (?:the other(?: one)?'?s? |mum's is |his is )?", words)]
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
    words = left(_NOUNS_END.sub("", bare(text.replace("|", " ").strip())))
    if not words or words[0] in EXCLAMATIONS and len(words) < 3 or set(words) <= AROUND:
        return ""
    return " ".join(words)
