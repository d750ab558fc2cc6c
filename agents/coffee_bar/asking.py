"""Questions of a caller's: what something costs, what is ordered, what there is."""

from __future__ import annotations

import re
from typing import Final

from part import Act, Part
from things import IN_IT, Thing, looks

DONE: Final = re.compile(
    r"\b(?:that's|that is|that'll be|that will be|that should be|it's|this is|that'd be"
    r"|that would be)"
    r"(?: (?:it|all|everything|everybody|everyone|him|her|(?:the|her|his|our|my|your|yer) lot|me"
    r"|us|done|fine|grand))+\b"
    r"|^is (?:all|everything)$|^no only one thing$"
    r"|\bnothing (?:else|more)\b|\bthat'll do\b|\bno more\b"
    r"|\b(?:i|we)(?:'m| am|'re| are) (?:good|done|all set|grand|fine|finished)\b"
    r"|\ball (?:good|done|set)\b|^no+(?:pe)?(?: (?:thanks?|thank you|cheers|ta|that's))+$"
)
"""That this is all."""

NOBODY: Final = (
    r"(?:bit|few|couple|ones?|sec|second|minute|moment|lot|order|thing|change|friend|mate"
    r"|colleague|partner|day|time|kids?|people|hurry|treat|big|nice|good|more|each|of|and|please"
    r"|with|without|for|else)"
)
"""What is asked for and is nothing of a menu's."""

_COSTS: Final = re.compile(
    r"\bhow much\b|\bprice\b|\bcost|\bwhat (?:would|will) (?:an?|the|your) .*\b(?:be|cost)$"
    r"|\bwhat did you say (?:an?|the|your|that)\b"
    r"|\bis it (?:very |that )?(?:dear|expensive)\b|\b(?:dearer|cheaper|more) than the\b"
    r"|\bwhat do (?:you|ye) charge\b"
)
_TOTAL: Final = re.compile(
    r"\b(?:total|altogether|all together|all in|in all|comes? to|owe|damage|the bill|set me back"
    r"|how much am i|what am i (?:at|up to)|do i pay|to pay|(?:everything|all of (?:it|that)"
    r"|the lot) together)\b"
    r"|\bhow much(?: (?:is|are|does|will|would|for|it|that|this|we|i|at|everything|all|the lot"
    r"|the whole (?:thing|lot|order)|them|both|(?:the|my|that) order|be|costs?|now|so far|on|up"
    r"|was|again))*$"
    r"|\bwhat(?:'s| is|'ll| does| will| do)?(?: (?:that|it|this|all|one|of|them|those|they))+"
    r" (?:cost|costing|coming)"
)
_READS: Final = re.compile(
    r"\b(?:what (?:did|have|has|was|is|do|does)|what's|what've)\b.*\b(?:i|we|my|order|ordered|again"
    r"|so far|that)\b|\bread (?:it|that|me|the|my|them)\b|\bwhere are we\b|\bwhat are we (?:at"
    r"|on|up to)$"
    r"|\b(?:repeat|go over|run through|say)\b.*\border\b|\bwhat's on (?:there|it)\b"
    r"|\bwhat(?: \w+)? (?:i|we)(?:'ve| have) (?:got|ordered)\b|\bwhat i (?:have|ordered|got)\b"
)
_PARDON: Final = re.compile(
    r"(?:.*\b)?what (?:did|was it) you (?:say|said)$|(?:oh |eh )*(?:pardon(?: me)?"
    r"|(?:can you )?say (?:that|it) again|come again"
    r"|(?:i )?(?:didn't|couldn't) (?:catch|hear) (?:that|you|it))(?: sorry)?$"
)
_FREE: Final = re.compile(r"\b(?:cost|charge|is|are|pay)\b.*\bextra$|\bextra (?:for|charge)\b")
_SAID: Final = re.compile(
    r"\bwhat (?:have|do) you (?:got|have)(?: got)? (?:down|so far|for me|written)\b|"
    r"\bwhat (?:was|did|were|have)\b.*\bi (?:say|said|order|ordered|have|asked|ask)\b"
)
_WHAT_YOU: Final = re.compile(
    r"\banything (?:without|with no) (?:coffee|caffeine)\b|"
    r"\bwhat\b.*\b(?:you|ye)\b.*\b(?:have|having|got|do|sell)\b"
    r"|\bwhat (?:\w+ ){0,3}(?:have|is|are) (?:you|ye|there)\b"
)
_MENU: Final = re.compile(
    r"\b(?:what|which)\b.*\b(?:there|menu|cakes|food|drinks|snacks|pastries|teas|coffees"
    r"|sizes|milks|syrups|eat)\b|\bthe menu\b|\banything to eat\b"
)
_MINE: Final = re.compile(
    r"\bon (?:there|it|my|that)\b|\b(?:i|we) (?:got|have|ordered|had)\b|\bdid i\b"
)
_HOUSE: Final = re.compile(
    r"\b(?:wi ?fi|password|toilet|loo|restroom|bathroom|parking|park|seats?|seating|discount"
    r"|outside|open|close|closing|hours|card|cash|gluten|vegan|nuts?|allerg\w+|caffeine|calories"
    r"|fresh|baked|delivery|deliver)\b"
)
_ASKS: Final = re.compile(
    r"^(?:(?:and|so|hi|hello|hey|ok|okay|well|right|good morning|morning|fair enough) )*"
    r"(?:how|what|which|do|does|is|are|have|has|any|got|when|where|will|can you tell"
    r"|(?:(?:can|could|would) you )?(?:read|repeat|say|run|go)"
    r"|(?:you|ye)(?: guys| folks)? (?:have|got|do|sell))\b"
)
_HAVE: Final = re.compile(
    r"(?:\bdo (?:you|ye|yous)(?: guys| folks| lot)? (?:have|do|sell|serve|got)(?: got)?"
    r"|\bhave (?:you|ye|yous)(?: guys| folks)?(?: got)?(?= any| an?| got)|\b(?:is|are) there"
    r"|^(?:and )?(?:you|ye) (?:have|got|do|sell)|\b(?:you|ye) (?:guys|folks) (?:have|got|do|sell)"
    r"|\b(?:saying|says|said|heard|told me|think|see)(?: that)? (?:you|ye) (?:have|got|do|sell)"
    r"|\bany)"
    r"(?: (?:any|an?|some|the|of (?:that|those|the))\b)* (?P<what>.+?)(?: is that right)?$"
)
_NUMBER: Final = re.compile(
    r"\b(?:what|which)(?:'s| is| was)? (?:(?:the|my|that|your) )?(?:order )?number\b"
)
_OF_IT: Final = re.compile(r"^(?:do|is|are|have|does) (?:i|it|that|they|we)\b")


def question(text: str, named: list[Thing]) -> Part | None:
    if _NUMBER.search(text):
        return Part(Act.NUMBER)
    if _SAID.search(text):
        return Part(Act.ORDER)
    if _PARDON.match(text) and not named:
        return Part(Act.AGAIN_PLEASE)
    if _ASKS.match(text) and _FREE.search(text) and IN_IT.search(text) and not named:
        return Part(Act.FREE)
    if named:
        return _about(text, named[0])
    if _WHAT_YOU.search(text):
        return Part(Act.MENU, what=text)
    if _COSTS.search(text) and (
        looks(text) or re.search(r"\b(?:each|apiece|one$)\b|\bthey$", text)
    ):
        return Part(Act.PRICE, what=text)
    if _TOTAL.search(text):
        return Part(Act.TOTAL, what=text)
    if re.match(r"(?:can|could) (?:i|we) (?:pay|park|sit)\b", text):
        return Part(Act.OURS)
    if not _ASKS.match(text):
        return None
    if _HOUSE.search(text):
        return Part(Act.OURS)
    if _MENU.search(text) and not _MINE.search(text):
        return Part(Act.MENU, what=text)
    return Part(Act.ORDER) if _READS.search(text) else _have(text, None)


def _about(text: str, thing: Thing) -> Part | None:
    """A question in which something is named."""
    if re.search(r"\bhow many\b", text):
        return Part(Act.COUNT, thing)
    if _WHAT_YOU.search(text):
        return Part(Act.MENU, what=text)
    after = re.search(r"\bwhat about the\b", text) and not thing.extras
    if after or _COSTS.search(text) or re.match(r"what(?:'s| is| are| was the| were the)\b", text):
        return Part(Act.PRICE, thing, text.partition(" if ")[2])
    if not _ASKS.match(text):
        return None
    if _HOUSE.search(text) or (thing.known and re.match(r"(?:and )?(?:is|are)\b", text)):
        return Part(Act.OURS)
    return _have(text, thing)


def _have(text: str, thing: Thing | None) -> Part | None:
    asked = _HAVE.search(text)
    if asked is None or DONE.search(text) or _OF_IT.match(text):
        return None
    if re.search(r"\bin (?:it|that|them|the)\b", asked["what"]):
        return Part(Act.OURS)
    nothing = re.match(rf"{NOBODY}\b", asked["what"])
    return None if nothing else Part(Act.HAVE, thing, asked["what"])
