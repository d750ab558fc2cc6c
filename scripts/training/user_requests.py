"""One turn of a user with its meaning: spoken, typed or misheard."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import domain
from dialogue_values import Value, capitalise, draw_value
from domain import SLOT, choose_branches, fill
from intents import INTENTS, OUT_OF_DOMAIN, SHORT_ANSWERS
from more_shapes import MORE_SHAPES, MORE_UNKNOWN
from shapes import Kind, Shape
from slots import phrases


@dataclass(frozen=True)
class Request:
    """A user turn with its meaning. ``flat`` is the chosen shape with its slots unfilled."""

    intent: str
    text: str
    flat: str
    values: dict[str, Value] = field(default_factory=dict)

    def say(self, template: str) -> str:
        """Fill a template with the slot values as the assistant says them."""
        return fill(template, random.Random(0), self.said()).text

    def said(self) -> dict[str, str]:
        """All slot values as the assistant says them."""
        return {key: value.say for key, value in self.values.items()}


_SMALL_WORDS: Final = frozenset(
    "a the to for at in on of please i me my is and can you could do it up some".split()
)


def make_request(
    intent: str, shape: Shape, rng: random.Random, written: bool | None = None
) -> Request:
    """Expand a shape into a user turn, spoken (70 %) or typed (30 %)."""
    if written is None:
        written = rng.random() < 0.3
    flat = choose_branches(shape.template, rng)
    values: dict[str, Value] = {}
    for slot, index in SLOT.findall(flat):
        taken = {value.say for key, value in values.items() if key.startswith(slot)}
        while (value := draw_value(slot, rng, written)).say in taken:
            pass
        values[slot + index] = value
    body = fill(flat, rng, {key: value.text for key, value in values.items()}).text
    text = wrap(shape.kind, body, rng)
    text = typed(text, shape.kind, rng) if written else misheard(text, rng)
    return Request(intent, text, flat, values)


#: Politeness and hesitation that the recognizer was not trained on.
MORE_PREFIXES: Final[Mapping[Kind, Sequence[str]]] = {
    Kind.PLAIN: phrases("um, uh, oh, well, okay so, hi, hello there, so, yes, alright, hey"),
    Kind.QUESTION: phrases(
        "quick question, hi there, oh, listen, i wanted to ask, one question, i have a question,"
        "uh, now, okay so, hello there, may i ask, sorry to bother you, tell me please, wait"
    ),
    Kind.INDIRECT: phrases(
        "would you know, i wonder, i'd love to know, are you able to tell me, i want to know,"
        "could you please tell me, hey can you tell me, let me know, quick question do you know"
    ),
    Kind.REQUEST: phrases(
        "please could you, hey assistant, can you quickly, would it be possible to, um can you,"
        "i would like you to, it would be nice if you could, would you kindly, oh and, then,"
        "could somebody, be so kind and, why don't you, i'd love you to, uh please, quickly"
    ),
    Kind.WISH: phrases(
        "we'll take, i'll take, can i just have, let me have, i'd love, we would like, give me,"
        "could we get, could we order, can i order, hello can we get, we want, um i'd like,"
        "i think i'll have, please could i have, i would love, we will have, may we have"
    ),
}
_THANKS: Final = phrases(
    "if possible, if you don't mind, thanks a lot, would be great, when you can, would you,"
    "would you please, if that's okay, thank you very much, if you would, right away, as well,"
    "would be nice, and thanks, as soon as possible, please and thank you"
)
_REASONS: Final = phrases(
    "i'm in a hurry, we are leaving, it's late, i'm on the phone, i'm very tired, my hands are full"
    ",the children are asleep, it's for a friend, before we go, we have guests, i'm busy,"
    "it's for my wife, i have to go soon, it's morning already, that's what i need, by the way"
)
_AT_PRESENT: Final = phrases(
    "at the moment, right now, these days, here, please, then, by now, exactly, again, by the way,"
    "i forgot, i have no idea, just curious, i can't remember, in here, if i may ask"
)
MORE_SUFFIXES: Final[Mapping[Kind, Sequence[str]]] = {
    Kind.PLAIN: ("please", "thanks", "by the way", "now", *_REASONS),
    Kind.QUESTION: _AT_PRESENT,
    Kind.INDIRECT: _AT_PRESENT,
    Kind.REQUEST: (*_THANKS, *_REASONS),
    Kind.WISH: (*_THANKS, *_REASONS),
}


def wrap(kind: Kind, body: str, rng: random.Random) -> str:
    """Politeness as in :func:`domain.wrap`, in one turn of four with wordings of our own."""
    if rng.random() > 0.25:
        return domain.wrap(kind, body, rng)
    before = rng.choice(MORE_PREFIXES[kind]) if rng.random() < 0.75 else ""
    after = rng.choice(MORE_SUFFIXES[kind]) if rng.random() < 0.4 else ""
    return " ".join(f"{before} {body} {after}".split())


def typed(text: str, kind: Kind, rng: random.Random) -> str:
    """Give a user's text the case and punctuation of typed or well recognized text."""
    text = re.sub(r"\bi(?='|\b)", "I", text)
    asks = re.match(
        r"(hey |hi |hello |so |and |excuse me )?"
        r"(can|could|would|will|do(?! it\b| that\b| please\b| so\b)|does|are|"
        r"is(?! (?:good|fine|right|perfect|correct|great|lovely|all|okay|grand|spot)\b)|"
        r"what|when|where|who|how|which|why(?! not\b)|may|did|has|any)\b",
        text,
    )
    end = "?" if asks or kind is Kind.QUESTION else "."
    if rng.random() < 0.2:
        end = ""
    text = re.sub(
        r"^(hey|hi|hello|excuse me|sorry|okay|please|no|yes|actually|wait|oh|well|um) (?=\w)",
        r"\1, ",
        text,
    )
    text = text.replace("please, ", "please ")
    return capitalise(text) + end


def misheard(text: str, rng: random.Random) -> str:
    """In one text of ten, lose or swap a small word as a recognizer might."""
    words = text.split()
    small = [i for i, word in enumerate(words) if word in _SMALL_WORDS]
    if len(words) < 4 or not small or rng.random() > 0.12:
        return text
    index = rng.choice(small)
    if rng.random() < 0.6:
        del words[index]
    else:
        words[index] = rng.choice(sorted(_SMALL_WORDS))
    return " ".join(words)


def request(intent: str, rng: random.Random) -> Request:
    """One user turn of an intent, out-of-domain and short answers included."""
    if intent == "out_of_domain":
        shapes: Sequence[Shape] = OUT_OF_DOMAIN if rng.random() < 0.5 else MORE_UNKNOWN
    elif intent == "short":
        shapes = SHORT_ANSWERS
    else:
        shapes = INTENTS[intent]
        if intent in MORE_SHAPES and rng.random() < 0.5:
            shapes = MORE_SHAPES[intent]
    return make_request(intent, rng.choice(shapes), rng)
