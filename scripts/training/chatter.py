"""What people add to a wish without wanting more: why, for whom, what just happened; and figures."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from typing import Final

from domain import choose_branches
from open_words import with_open_words
from spoken_numbers import TENS, UNITS

_WHO: Final = (
    "my [wife|husband|son|daughter|mother|father|brother|sister|boss|friend|flatmate|neighbour|doctor|"
    "kids|aunt|uncle|girlfriend|boyfriend|colleague|mum|dad|guest|baby|{o}]"
)
_AFTER: Final = (
    f"{_WHO} [isn't coming|won't come|is here|is waiting|likes it that way|wants it so|said so|asked for it|is sleeping|insists|just called|is on the way]",
    f"[don't tell|it's for|for|i promised|because of] {_WHO}",
    "i'm [in a hurry|late|hungry|busy|stepping out|off to bed|having a nap|leaving soon|on a diet|on my way out|about to cook|half asleep|not in a rush|back now]",
    "[that's|it's] too [pricey|sweet|much|expensive|strong]",
    "i [burnt|dropped|lost|finished|don't like|forgot] it",
    "so [i know when it's ready|i don't forget|we can start|it's done|i can go|everybody is happy]",
    "[before i forget|just this once|as always|for once|no rush|why not|you never know|to be honest|to be on the safe side|like last time|if that's alright|that would be great|there's a dear|only if it's quick]",
    "[the {o} is [here|ready|broken|finished|coming]|i have to see the {o}|it's for the {o}|i've got {o} to do]",
    "[she's hungry|he's hungry|i'm cutting down|i'm starving|it's been a long day|we've walked all day|i know i know|don't judge me|it's my treat|as it's friday]",
    "[haha|you know|right|yeah|all right|okay|thanks a bunch|sorry|my mistake|silly me|never mind the {o}]",
)
_BEFORE: Final = (
    f"{_WHO} [is coming|is here|just called|rang|wants it|is asleep] [so|and|]",
    "the [doorbell|phone|{o}|{o}] [rang|is here|is coming|is ready|is on its way|stopped] [so|and|]",
    "i'm [about to [go out|cook|leave|start|do some {o}|clean the {o}]|off to bed|going out|expecting guests|done with the {o}] [so|]",
    "i [burnt|dropped|lost|forgot] the {o} [so|]",
    "[by the way|while i'm here|one thing|another thing|listen|before i forget|quick one|oh and another thing|one more question|sorry to be a pain but|if it's not too much trouble|first of all|one thing at a time]",
    "[ooh that's dear|bit steep|fair enough|no matter|no issue|please do one thing|oh go on|hmm let me see|okay okay|good good|right so|ugh okay|that's fine|sounds about right]",
    "[thanks|great|good|perfect|lovely|no worries|ok no worries|fine|brilliant|never mind that|nice|right you are|ok cool]",
)


def with_chatter(text: str, rng: random.Random) -> str:
    """Words before it or behind it that want nothing."""
    pick = rng.random()
    if pick < 0.45:
        return f"{_drawn(_BEFORE, rng)} {text}"
    return f"{text}{rng.choice((' ', ' ', ', '))}{_drawn(_AFTER, rng)}"


def _drawn(shapes: tuple[str, ...], rng: random.Random) -> str:
    return with_open_words(choose_branches(rng.choice(shapes), rng), rng)


_NUMBERS: Final = re.compile(
    rf"\b(?:(?:{'|'.join((*UNITS, *TENS[2:]))}|hundred and|hundred)\b ?)+(?<! )"
)


def figures(text: str) -> str:
    """``make it twenty two percent -> make it 22%``; what isn't one number stays as it is."""
    text = _NUMBERS.sub(lambda match: _figure(match.group(0)), text)
    text = re.sub(r"(\d) and a half degrees\b", r"\1.5 degrees", text)
    return re.sub(r"(\d) percent\b", r"\1%", text)


def _figure(words: str) -> str:
    if words in ("one", "zero"):
        return words
    head, _, tail = words.partition(" hundred")
    if tail or words.endswith(" hundred"):
        rest = _small(tail.removeprefix(" and").strip()) if tail else 0
        hundreds = _small(head)
        return words if rest is None or hundreds is None else str(100 * hundreds + rest)
    number = _small(words)
    if number is not None:
        return str(number)
    hour, _, minute = words.partition(" ")
    minutes = _small(minute)
    if minutes is not None and minutes > 9 and hour in UNITS[1:13]:
        return f"{hour and UNITS.index(hour)}:{minutes}"
    parts = words.split()
    if len(parts) > 3 and all(part in UNITS[:10] for part in parts):
        return "".join(str(UNITS.index(part)) for part in parts)
    return words


def _small(words: str) -> int | None:
    """The number below a hundred that these words are, if they are one."""
    first, _, second = words.partition(" ")
    if not second:
        if first in UNITS:
            return UNITS.index(first)
        return 10 * TENS.index(first) if first in TENS[2:] else None
    if first in TENS[2:] and second in UNITS[1:10]:
        return 10 * TENS.index(first) + UNITS.index(second)
    return None
