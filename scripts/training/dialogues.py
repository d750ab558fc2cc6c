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
from instructed_turns import instructed_conversation
from intents import WEIGHTS
from lookups import lookup_conversation
from order_hours import ask_hours, draw_hours
from recall import recall_conversation
from scenes import scene_conversation
from set_phrases import HELLO
from talk_turns import interrupt, turn
from till import TILL, tab

DEFAULT_SYSTEM: Final = (
    "You are a helpful desk and home assistant. Answer in one to three short sentences."
)
TOOLS: Final = ("get_time", "set_timer", "cancel_timer", "list_timers")
_BOOST: Final = {
    "time": 10.0,
    "date": 7.0,
    "weekday": 4.0,
    "set_timer": 26.0,
    "set_timer_open": 3.0,
    "cancel_timer": 11.0,
    "list_timers": 18.0,
    "name": 12.0,
    "stop": 1.8,
    "hello": 2.5,
    "out_of_domain": 18.0,
    "short": 2.5,
    "noise": 2.0,
    "wishes": 0.7,
    "several": 26.0,
    "near": 16.0,
    "note": 14.0,
    "ask_note": 0.5,
    "refused": 16.0,
    "phone": 5.0,
    "ask_phone": 2.0,
    "spelled": 6.0,
    "small_talk": 8.0,
    "appointment": 0.2,
    "appointment_open": 0.2,
    "how_are_you": 4.0,
    "meeting": 0.2,
    "recall_booking": 1.0,
    "house": 75.0,
    "house_unseen": 10.0,
    "timers": 48.0,
    "book": 20.0,
    "book_asked": 2.0,
    "book_cancelled": 3.0,
    "chat": 14.0,
    "front": 14.0,
    "unknown": 24.0,
    "shopping": 9.0,
    "lost_and_found": 4.0,
    "named_number": 6.0,
    "alarm_kept": 7.0,
    "ask_alarm": 1.0,
    "remind_kept": 8.0,
    "ask_reminder": 1.0,
    "ask_who": 3.0,
    "introduced": 10.0,
    "number_put_right": 5.0,
    "remembered": 46.0,
    "social": 38.0,
    "followed": 60.0,
}
#: What else is talked of at a counter.
_ASIDES: Final = {
    "time": 14.0,
    "weekday": 2.0,
    "date": 2.0,
    "set_timer": 3.0,
    "list_timers": 1.0,
    "light_off": 1.0,
    "light_on": 1.0,
    "heating_change": 1.0,
    "hours": 4.0,
    "wifi": 2.0,
    "payment": 3.0,
    "diet": 2.0,
    "where": 2.0,
    "name": 7.0,
    "spelled": 3.0,
    "phone": 2.0,
    "hello": 3.0,
    "thanks": 3.0,
    "bye": 1.5,
    "small_talk": 4.0,
    "how_are_you": 1.0,
    "who_are_you": 1.0,
    "repeat": 2.0,
    "stop": 1.5,
    "joke": 1.0,
    "out_of_domain": 8.0,
    "wishes": 0.2,
    "several": 3.0,
    "near": 7.0,
    "note": 2.0,
    "refused": 6.0,
    "noise": 1.0,
    "house": 8.0,
    "timers": 6.0,
    "book": 3.0,
    "chat": 7.0,
    "front": 4.0,
    "unknown": 7.0,
    "shopping": 2.0,
    "named_number": 2.0,
    "introduced": 4.0,
    "ask_who": 1.0,
    "number_put_right": 1.0,
    "alarm_kept": 1.0,
    "remind_kept": 1.0,
    "remembered": 6.0,
    "social": 12.0,
}
_SHORT_ASIDES: Final = (
    "time",
    "weekday",
    "hours",
    "light_on",
    "out_of_domain",
    "wifi",
    "joke",
    "small_talk",
)
#: Asides that tell things of a house that a prompt with facts may tell otherwise.
_OF_ANY_HOUSE: Final = ("hours", "front", "chat", "near", "several", "wishes", "book")
_BAR_SHARE: Final = 0.4
#: How many conversations at a bar have a prompt that tells when it is open.
_HOURS_SHARE: Final = 0.12
#: How many conversations have a system prompt with facts that the answers must come from.
_INSTRUCTED_SHARE: Final = 0.38
#: How many are drills in finding what was told: see the model's card for a stage's own shares.
_RECALL_SHARE: Final = 0.12
_LOOKUP_SHARE: Final = 0.13
#: How many were written one by one.
_SCENE_SHARE: Final = 0.62
_COUNTERS: Final = (
    "You take orders at the coffee bar. Answer in one short sentence.",
    "You take orders at {name}'s coffee shop. Answer in one short sentence.",
    "You are a barista in {city}. Take the caller's order. Be brief.",
    "You are the coffee bar of a small hotel. Answer in one to three short sentences.",
)
_WELCOMES: Final = (
    "Welcome to the coffee bar. What can I get you?",
    "Hello! What can I get you?",
    "Good morning! What would you like?",
    HELLO,
)
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


def _bar_system(rng: random.Random) -> str | None:
    if rng.random() < 0.4:
        return _system(rng)
    given = {"name": proper(slot_value("name", rng)), "city": proper(slot_value("city", rng))}
    return fill(rng.choice(_COUNTERS), rng, given).text


def _bar_tools(rng: random.Random) -> tuple[str, ...]:
    pick = rng.random()
    if pick < 0.4:
        return _tools(rng)
    return (*TILL, "get_time") if pick < 0.75 else (*TOOLS, *TILL)


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
    """Draw one: a scene, by a prompt's facts, at a counter, or about anything of the domain."""
    if rng.random() < _RECALL_SHARE:
        drill = recall_conversation(rng)
        return Dialogue(tuple(drill.messages), drill.tools)
    if rng.random() < _LOOKUP_SHARE:
        drill = lookup_conversation(rng)
        return Dialogue(tuple(drill.messages), drill.tools)
    if rng.random() < _SCENE_SHARE:
        scene = scene_conversation(rng)
        return Dialogue(tuple(scene.messages), scene.tools)
    if rng.random() < _INSTRUCTED_SHARE:
        talk = instructed_conversation(rng, TOOLS)
        return Dialogue(tuple(talk.messages), talk.tools)
    return _bar_dialogue(rng) if rng.random() < _BAR_SHARE else _desk_dialogue(rng)


def _begin(rng: random.Random, tools: tuple[str, ...], system: str | None) -> Conversation:
    talk = Conversation(rng, tools, aside=_aside)
    if system is not None:
        talk.messages.append({"role": "system", "content": system})
    if rng.random() < 0.3:
        welcome = {"role": "assistant", "content": rng.choice(_WELCOMES), "learn": False}
        talk.messages.append(welcome)
    return talk


def _aside(talk: Conversation) -> None:
    """Something else, asked before the assistant's question is answered."""
    aside, talk.aside = talk.aside, None
    short = talk.rng.choice(_SHORT_ASIDES)
    if short == "hours" and tab(talk).hours:
        ask_hours(talk)
    else:
        turn(talk, short)
    talk.aside = aside


def _bar_dialogue(rng: random.Random) -> Dialogue:
    """Somebody orders, changes their mind, asks, talks of other things, and comes back to it."""
    hours = draw_hours(rng) if rng.random() < _HOURS_SHARE else None
    talk = _begin(rng, _bar_tools(rng), hours.system if hours else _bar_system(rng))
    asides = {n: w for n, w in _ASIDES.items() if not hours or n not in _OF_ANY_HOUSE}
    names, weights = tuple(asides), tuple(asides.values())
    if hours:
        tab(talk).hours = hours
    aside = rng.choice((0.0, 0.1, 0.3, 0.5))
    for index in range(rng.choice((1, 2, 3, 4, 5, 6, 7, 8))):
        if index and rng.random() < 0.03:
            interrupt(talk)
        if hours and rng.random() < 0.25:
            ask_hours(talk)
            continue
        elsewhere = _memory(talk) or rng.choices(names, weights)[0]
        turn(talk, elsewhere if rng.random() < aside else "bar")
    return Dialogue(tuple(talk.messages), talk.tools)


def _memory(talk: Conversation) -> str | None:
    """Now and then the caller comes back to what they told before."""
    known = {
        "ask_name": talk.name,
        "grocery_list": talk.groceries,
        "ask_phone": talk.numbers,
        "recall_booking": talk.booked,
        "book_asked": talk.bookings,
        "house": talk.house,
        "timers": talk.timers,
        "ask_lost": talk.lost,
        "ask_alarm": talk.alarm,
        "ask_reminder": talk.reminder,
        "ask_who": talk.name,
        "shopping": talk.groceries,
        "bar": talk.order,
        "ask_note": talk.note,
    }
    names = [name for name, what in known.items() if what]
    return talk.rng.choice(names) if names and talk.rng.random() < 0.35 else None


def _desk_dialogue(rng: random.Random) -> Dialogue:
    talk = _begin(rng, _tools(rng), _system(rng))
    names, weights = tuple(_WEIGHTS), tuple(_WEIGHTS.values())
    # Some are long: what was told early is asked for late.
    requests = rng.randint(7, 12) if rng.random() < 0.1 else rng.choice((1, 2, 3, 4, 5, 6))
    for index in range(requests):
        if index and rng.random() < 0.06:
            interrupt(talk)
        intent = _memory(talk) or rng.choices(names, weights)[0]
        if index and rng.random() < 0.05:
            intent = "repeat"
        turn(talk, intent)
    return Dialogue(tuple(talk.messages), talk.tools)


def dialogues(seed: int) -> Iterator[Dialogue]:
    """An endless, reproducible stream of conversations."""
    rng = random.Random(seed)
    while True:
        drawn = dialogue(rng)
        if any(message["role"] == "user" for message in drawn.messages):
            yield drawn


if __name__ == "__main__":
    for item, _ in zip(dialogues(0), range(30), strict=False):
        print("tools:", *item.tools)
        for message in item.messages:
            call = message.get("tool_calls")
            content = json.dumps(call[0]["function"]) if call else message["content"]
            print(f"  {message['role']:9} {content}")
