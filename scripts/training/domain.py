"""The small world of the built-in profile: what people say to a desk and home assistant.

Both tiny built-in models are trained on this world: the recognizer on the plain sentences
(:func:`user_sentence`), the chat model on the same sentences with their meaning
(:func:`user_utterance`). Everything is written for voicepipe; nothing is downloaded.

User text is in *spoken normal form*: lower case, only ``a-z``, apostrophe and single spaces,
numbers and times in words ("half past seven", "twenty five minutes").

A *shape* is a template: ``{slot}`` is replaced by a value of that slot, ``[a|b|]`` by one of the
alternatives (which may nest and may be empty). How a shape is wrapped in "could you ... please"
depends on its :class:`Kind`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from intents import INTENTS, OUT_OF_DOMAIN, SHORT_ANSWERS, WEIGHTS
from shapes import Kind, Shape
from slots import COMPUTED_SLOTS, COMPUTED_WORDS, SLOTS
from spoken_numbers import spoken_number

#: (before, weight) by kind; an empty string means no words.
PREFIXES: Final[Mapping[Kind, Sequence[tuple[str, int]]]] = {
    Kind.PLAIN: (("", 1),),
    Kind.QUESTION: (
        ("", 60), ("hey", 4), ("excuse me", 6), ("hello", 4), ("sorry", 3), ("and", 3), ("so", 3),
        ("okay", 2), ("hi", 3), ("please tell me", 3), ("tell me", 4), ("one more question", 2),
        ("by the way", 2), ("good morning", 2), ("good evening", 1), ("um", 1), ("well", 1),
    ),
    Kind.INDIRECT: (
        ("can you tell me", 8), ("could you tell me", 8), ("do you know", 8), ("tell me", 4),
        ("i'd like to know", 4), ("i was wondering", 2), ("please tell me", 3),
        ("do you happen to know", 2),
        ("hi can you tell me", 2), ("excuse me do you know", 2), ("would you mind telling me", 1),
        ("any idea", 1), ("i need to know", 2), ("can you say", 1), ("hello could you tell me", 2),
    ),
    Kind.REQUEST: (
        ("", 40), ("please", 10), ("could you", 8), ("can you", 10), ("would you", 3), ("hey", 3),
        ("i'd like you to", 3), ("i want you to", 2), ("will you", 1), ("could you please", 4),
        ("can you please", 4), ("i need you to", 2), ("hey can you", 2), ("hello please", 2),
        ("okay now", 1), ("okay", 2), ("would you please", 1), ("go ahead and", 1), ("and", 2),
        ("hi could you", 2), ("now", 1), ("would you mind if i asked you to", 1), ("just", 1),
        ("can i ask you to", 1), ("excuse me could you", 1), ("you could", 1), ("let's", 1),
    ),
    Kind.WISH: (
        ("", 8), ("i'd like", 14), ("i would like", 6), ("can i have", 8), ("could i have", 6),
        ("could i get", 4), ("can i get", 6), ("i need", 6), ("i want", 5), ("we'd like", 4),
        ("may i have", 2), ("hello i'd like", 3), ("hi can i get", 2), ("can we have", 2),
        ("i'll have", 3), ("we need", 2), ("please get me", 2), ("i'm looking for", 1),
        ("good evening i'd like", 1), ("do you have", 2), ("is it possible to get", 1),
    ),
}  # fmt: skip
SUFFIXES: Final[Mapping[Kind, Sequence[tuple[str, int]]]] = {
    Kind.PLAIN: (("", 1),),
    Kind.QUESTION: (("", 90), ("please", 8), ("by the way", 1), ("then", 1)),
    Kind.INDIRECT: (("", 9), ("please", 2)),
    Kind.REQUEST: (
        ("", 60), ("please", 16), ("thanks", 3), ("for me", 5), ("now", 3), ("thank you", 3),
        ("for me please", 2), ("right now", 1), ("if you can", 1), ("okay", 1), ("would you", 1),
    ),
    Kind.WISH: (("", 60), ("please", 25), ("thanks", 2), ("thank you", 2), ("if possible", 1)),
}  # fmt: skip


@dataclass(frozen=True)
class Utterance:
    """One thing said by a user: its intent, its words, and the slot values in them."""

    intent: str
    text: str
    slots: Mapping[str, str] = field(default_factory=dict)


OUT_OF_DOMAIN_SHARE: Final = 0.11
SHORT_ANSWER_SHARE: Final = 0.08

_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")
#: ``{room}``, ``{room2}``.
SLOT: Final = re.compile(r"\{([a-z]+)(\d?)\}")


def slot_value(slot: str, rng: random.Random) -> str:
    """Draw one value of a slot, in spoken normal form."""
    if slot == "year":
        return spoken_number(rng.randint(10, 99))
    if slot in COMPUTED_SLOTS:
        return COMPUTED_SLOTS[slot](rng)
    return rng.choice(SLOTS[slot])


def choose_branches(template: str, rng: random.Random) -> str:
    """Resolve every ``[a|b|]``, innermost first, leaving ``{slot}`` in place."""
    while match := _CHOICE.search(template):
        choice = rng.choice(match.group(1).split("|"))
        template = template[: match.start()] + choice + template[match.end() :]
    return " ".join(template.split())


def fill(template: str, rng: random.Random, given: Mapping[str, str] | None = None) -> Utterance:
    """Expand a template; ``given`` fixes slot values. The result's intent is empty."""
    slots: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        key = match.group(1) + match.group(2)
        if given is not None and key in given:
            slots[key] = given[key]
        elif key not in slots:
            value = slot_value(match.group(1), rng)
            # A second value of the same slot must differ, or "a tea and a tea" is drawn.
            while match.group(2) and value == slots.get(match.group(1)):
                value = slot_value(match.group(1), rng)
            slots[key] = value
        return slots[key]

    text = SLOT.sub(replace, choose_branches(template, rng))
    return Utterance("", _tidy(text), slots)


_AN: Final = re.compile(r"\ba (?=(?!one\b|europe)[aeiou]|hour\b)")
#: "a soup" is fine in an order, "a water" too; these can't follow "a" at all.
_NO_ARTICLE: Final = frozenset(
    {"salmon", "porridge", "garlic bread", "water", "sparkling water", "still water", "milk"}
)
_NO_ARTICLE_RE: Final = re.compile(rf"\ban? (?=(?:{'|'.join(sorted(_NO_ARTICLE))})\b)")


def _tidy(text: str) -> str:
    """Repair articles and plurals that templates can't know."""
    text = _AN.sub("an ", _NO_ARTICLE_RE.sub("some ", text))
    text = text.replace("teas bags", "tea bags").replace("glasss", "glasses")
    return " ".join(text.split())


def _weighted(pairs: Sequence[tuple[str, int]], rng: random.Random) -> str:
    return rng.choices([text for text, _ in pairs], [weight for _, weight in pairs])[0]


def expand(
    intent: str, shape: Shape, rng: random.Random, given: Mapping[str, str] | None = None
) -> Utterance:
    """Expand one shape with its prefix and suffix."""
    body = fill(shape.template, rng, given)
    return Utterance(intent, wrap(shape.kind, body.text, rng), body.slots)


def wrap(kind: Kind, body: str, rng: random.Random) -> str:
    """Put the politeness of a kind of shape around its filled body."""
    before, after = _weighted(PREFIXES[kind], rng), _weighted(SUFFIXES[kind], rng)
    if "please" in before.split() or "please" in body.split():
        after = after.replace("please", "").strip()
    if before == "do you have" and after.startswith("thank"):
        after = ""
    return " ".join(f"{before} {body} {after}".split())


def intent_utterance(
    intent: str, rng: random.Random, given: Mapping[str, str] | None = None
) -> Utterance:
    """One utterance of a named intent."""
    return expand(intent, rng.choice(INTENTS[intent]), rng, given)


def user_utterance(rng: random.Random) -> Utterance:
    """One user utterance with its meaning, well spread over the intents."""
    pick = rng.random()
    if pick < OUT_OF_DOMAIN_SHARE:
        return expand("out_of_domain", rng.choice(OUT_OF_DOMAIN), rng)
    if pick < OUT_OF_DOMAIN_SHARE + SHORT_ANSWER_SHARE:
        return expand("short", rng.choice(SHORT_ANSWERS), rng)
    intent = rng.choices(tuple(WEIGHTS), tuple(WEIGHTS.values()))[0]
    return intent_utterance(intent, rng)


def user_sentence(rng: random.Random) -> str:
    """One user utterance in spoken normal form."""
    return user_utterance(rng).text


def _vocabulary() -> frozenset[str]:
    """Every word that :func:`user_sentence` can produce."""
    words: set[str] = set(COMPUTED_WORDS) | {"an", "some"}
    for shapes in (*INTENTS.values(), SHORT_ANSWERS, OUT_OF_DOMAIN):
        for shape in shapes:
            # "{drink}s" is a word of its own for each drink, so it is expanded, not split.
            flat = re.sub(r"[\[\]|]", " ", shape.template)
            for match in re.finditer(r"\{([a-z]+)\d?\}([a-z]+)", flat):
                words.update(f"{v}{match.group(2)}".split()[-1] for v in SLOTS[match.group(1)])
            words.update(SLOT.sub(" ", re.sub(r"\{[a-z]+\d?\}[a-z]+", " ", flat)).split())
    for values in SLOTS.values():
        words.update(word for value in values for word in value.split())
    for table in (PREFIXES, SUFFIXES):
        words.update(word for pairs in table.values() for text, _ in pairs for word in text.split())
    return frozenset(words - {"zeroth"})


VOCABULARY: Final[frozenset[str]] = _vocabulary()


if __name__ == "__main__":
    _rng = random.Random(0)
    print(f"{len(VOCABULARY)} words, {sum(len(s) for s in INTENTS.values())} in-domain shapes")
    for _ in range(40):
        print(user_sentence(_rng))
