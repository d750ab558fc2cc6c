"""Templated conversations that the built-in chat model is trained on.

Built on :mod:`domain`: its shapes give the user's words, the tables here give the assistant's.
A conversation is a list of OpenAI chat messages (one to four user turns) and the names of the
tools that the assistant may call. Everything is drawn from one ``random.Random``.

Answer templates: ``{slot}`` is the slot's value as the assistant says it, ``<...>`` is left out
when a slot inside it has no value, ``[a|b]`` is one of the alternatives.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from conversation import Conversation, Message
from dialogue_values import proper
from domain import fill, slot_value
from intents import WEIGHTS
from talk_turns import interrupt, turn

DEFAULT_SYSTEM: Final = (
    "You are a helpful desk and home assistant. Answer in one to three short sentences."
)
TOOLS: Final = ("get_time", "set_timer", "cancel_timer", "list_timers")
_BOOST: Final = {
    "time": 8.0,
    "date": 7.0,
    "weekday": 4.0,
    "set_timer": 18.0,
    "set_timer_open": 3.0,
    "cancel_timer": 7.0,
    "list_timers": 9.0,
    "name": 4.0,
    "stop": 1.8,
    "hello": 2.5,
    "out_of_domain": 22.0,
    "short": 2.5,
    "noise": 2.0,
}
_WEIGHTS: Final = {**WEIGHTS, **_BOOST}
_OTHER_SYSTEMS: Final = (
    "You are a helpful assistant.",
    "You are a helpful voice assistant. Keep your answers short.",
    "You are a friendly desk assistant.",
    "You are the assistant of a small hotel. Answer briefly and politely.",
    "You are a home assistant. Answer in one sentence.",
    "You are a voice agent on the phone. Be brief.",
    "Answer in one to three short sentences.",
    "You are the front desk of {name}'s guest house in {city}. Be kind and short.",
    "You are {name}, a voice assistant for the home. Answer briefly.",
    "You are a receptionist in {city}. Help the caller. Never use lists or symbols.",
    "You help {name} {surname} at home. Speak plainly.",
    "You are on a phone line. Your answers are read aloud, so write plain words.",
    "You are a helpful desk and home assistant. Answer in one short sentence. Be polite.",
)


def _system(rng: random.Random) -> str | None:
    pick = rng.random()
    if pick < 0.55:
        return DEFAULT_SYSTEM
    if pick < 0.70:
        return None
    given = {"name": proper(slot_value("name", rng)),
             "surname": proper(slot_value("surname", rng)),
             "city": proper(slot_value("city", rng))}  # fmt: skip
    return fill(rng.choice(_OTHER_SYSTEMS), rng, given).text


def _tools(rng: random.Random) -> tuple[str, ...]:
    pick = rng.random()
    if pick < 0.80:
        return TOOLS
    if pick < 0.90:
        return ()
    some = tuple(tool for tool in TOOLS if rng.random() < 0.6)
    return (*some, rng.choice(("get_weather", "send_email", "search"))) if pick > 0.97 else some


@dataclass(frozen=True)
class Dialogue:
    """One training conversation: OpenAI messages and the tools declared with them.

    A message with ``"learn": False`` is history that must not be imitated.
    """

    messages: tuple[Message, ...]
    tools: tuple[str, ...]


def dialogue(rng: random.Random) -> Dialogue:
    """Draw one conversation of one to four user requests."""
    talk = Conversation(rng, _tools(rng))
    if (system := _system(rng)) is not None:
        talk.messages.append({"role": "system", "content": system})
    names, weights = tuple(_WEIGHTS), tuple(_WEIGHTS.values())
    # A few conversations are much longer, so that far positions are seen in training too.
    requests = rng.randint(6, 12) if rng.random() < 0.03 else rng.choice((1, 1, 2, 2, 3, 3, 4, 4))
    for index in range(requests):
        if index and rng.random() < 0.06:
            interrupt(talk)
        intent = rng.choices(names, weights)[0]
        if talk.name and rng.random() < 0.35:
            intent = "ask_name"
        elif talk.groceries and rng.random() < 0.4:
            intent = "grocery_list"
        elif index and rng.random() < 0.06:
            intent = "repeat"
        turn(talk, intent)
    return Dialogue(tuple(talk.messages), talk.tools)


def dialogues(seed: int) -> Iterator[Dialogue]:
    """An endless, reproducible stream of conversations."""
    rng = random.Random(seed)
    while True:
        yield dialogue(rng)


if __name__ == "__main__":
    for item, _ in zip(dialogues(0), range(30), strict=False):
        print("tools:", *item.tools)
        for message in item.messages:
            content = message["content"] or json.dumps(message["tool_calls"][0]["function"])
            print(f"  {message['role']:9} {content}")
