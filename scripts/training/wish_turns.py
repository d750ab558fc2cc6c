"""Several wishes in one sentence, and wishes put right afterwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conversation import Conversation
from dialogue_values import Value, capitalise, draw_value
from domain import choose_branches
from intents import INTENTS
from more_shapes import MORE_SHAPES
from order_items import joined
from plain_answers import plain_answer
from shapes import Kind
from tool_turns import NAME_OF_INTENT_TOOL, tool_answer
from user_requests import Request, make_request, typed

#: What can be one of several wishes: it needs no question back.
_JOINABLE: Final = {
    "light_on": 5,
    "light_off": 5,
    "light_all": 2,
    "light_dim": 2,
    "light_colour": 1,
    "heating_set": 3,
    "heating_change": 3,
    "lock": 3,
    "cover": 2,
    "appliance": 3,
    "grocery_list": 3,
    "alarm": 2,
    "remind": 2,
    "call": 1,
    "set_timer": 9,
    "cancel_timer": 2,
    "list_timers": 2,
    "time": 4,
    "weekday": 2,
    "date": 1,
}
_IN_THE_HOUSE: Final = frozenset(
    "light_on light_off light_all light_dim light_colour heating_set heating_change"
    " lock cover appliance".split()
)
_BARE: Final = {
    intent: tuple(
        replace(shape, kind=Kind.PLAIN)
        for shape in (*INTENTS[intent], *MORE_SHAPES.get(intent, ()))
        if shape.kind in (Kind.REQUEST, Kind.QUESTION)
        and not re.search(r"\b(order|buy|what's on|and)\b", shape.template)
    )
    for intent in _JOINABLE
}
_LINKS: Final = (
    " and ",
    " and ",
    " and ",
    " and then ",
    " and also ",
    ", ",
    " then ",
    " and please ",
)
_OPENINGS: Final = (
    "[|||||please|can you|could you|could you please|can you please|hey|okay|now|i'd like you to]"
)


def wishes_turn(talk: Conversation) -> None:
    """Two wishes, seldom three, in one sentence: all are done, and all are answered."""
    rng = talk.rng
    intents = tuple(name for name in _JOINABLE if _BARE[name])
    weights = [_JOINABLE[name] for name in intents]
    drawn: list[str] = []
    while len(drawn) < (3 if rng.random() < 0.12 else 2):
        intent = rng.choices(intents, weights)[0]
        tool = NAME_OF_INTENT_TOOL.get(intent, intent)
        same = [other for other in drawn if NAME_OF_INTENT_TOOL.get(other, other) == tool]
        if not same or (intent == "set_timer" and len(drawn) < 2):
            drawn.append(intent)
    written = rng.random() < 0.3
    reqs = [_bare_request(talk, intent, written) for intent in drawn]
    text = reqs[0].text
    for req in reqs[1:]:
        text += rng.choice(_LINKS) + req.text
    text = f"{choose_branches(_OPENINGS, rng)} {text}".strip()
    talk.user(typed(text, Kind.PLAIN, rng) if written else text.replace(",", ""))
    talk.assistant(_told(reqs, [_answer(talk, req) for req in reqs]))


def _told(reqs: Sequence[Request], answers: Sequence[str]) -> str:
    """What was done in the house in one sentence, first; then all else as it was asked."""
    done, others = list[str](), list[str]()
    for req, answer in zip(reqs, answers, strict=True):
        words = answer.removeprefix("Okay, ")
        if req.intent in _IN_THE_HOUSE and words != answer:
            done.append(words.removesuffix("."))
        else:
            others.append(capitalise(words))
    if done:
        return " ".join((f"Okay, {joined(done)}.", *others))
    return " ".join((answers[0], *others[1:]))


def _bare_request(talk: Conversation, intent: str, written: bool) -> Request:
    """A request without courtesy around it, in lower case."""
    req = make_request(intent, talk.rng.choice(_BARE[intent]), talk.rng, written)
    return replace(req, text=_bare(req.text)) if written else req


def _bare(text: str) -> str:
    text = text.rstrip(".?")
    return text[:1].lower() + text[1:] if not text.startswith("I ") else text


def _answer(talk: Conversation, req: Request) -> str:
    if req.intent in NAME_OF_INTENT_TOOL:
        return tool_answer(talk, req)
    return plain_answer(talk, req)


#: How a value of a slot is put right.
_CORRECTIONS: Final = {
    "room": "[[in|] the {v}|i meant the {v}|i said the {v}|not the {old} the {v}|{v}]",
    "degrees": "[make it {v} [degrees|]|{v} [degrees|]|i meant {v}|set it to {v}]",
    "percent": "[make it {v} percent|{v} percent|i meant {v}]",
    "level": "[make it {v}|i meant {v}|to {v}]",
    "colour": "[make it {v}|i meant {v}|{v}]",
    "door": "[the {v}|i meant the {v}|i said the {v}]",
    "cover": "[the {v}|i meant the {v}]",
    "appliance": "[the {v}|i meant the {v}|i said the {v}]",
    "time": "[make it {v}|at {v}|i meant {v}|i said {v}]",
    "day": "[{v}|i meant {v}|make it {v}]",
}
CORRECTABLE: Final = frozenset(
    "light_on light_off light_dim light_colour heating_set heating_change"
    " lock cover appliance alarm remind".split()
)


def correct_turn(talk: Conversation, req: Request) -> None:
    """The user puts one value of the last request right; the answer is that of the right one."""
    slots = [slot for slot in req.values if slot in _CORRECTIONS]
    if not slots:
        return
    rng, slot = talk.rng, talk.rng.choice(slots)
    written = rng.random() < 0.3
    old, new = req.values[slot], _another(talk, slot, req.values[slot], written)
    opening = choose_branches(
        "[no|no|sorry|actually|wait|no wait|oh|oh no|no sorry|i mean no]", rng
    )
    words = choose_branches(_CORRECTIONS[slot], rng).replace("{v}", new.text)
    text = f"{opening} {words}".replace("{old}", old.text)
    talk.user(typed(text, Kind.PLAIN, rng) if written else text)
    right = replace(req, values={**req.values, slot: new})
    talk.assistant(plain_answer(talk, right))


def _another(talk: Conversation, slot: str, old: Value, written: bool) -> Value:
    while (value := draw_value(slot, talk.rng, written)).say == old.say:
        pass
    return value
