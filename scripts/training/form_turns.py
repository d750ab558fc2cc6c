"""Bookings that need several answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from answers import render_answer
from conversation import Conversation
from plain_answers import extras
from shapes import parse_shapes
from user_requests import Request, make_request


@dataclass(frozen=True)
class Form:
    """A booking: what it echoes, what it must know (slot, question), and how it closes."""

    echo: str
    needs: tuple[tuple[str, str], ...]
    done: str


FORMS: Final[Mapping[str, Form]] = {
    "table": Form(
        "Okay, a table< for {count}>< {day}>< at {time}>.",
        (
            ("count", "For how many people?"),
            ("time", "For what time?"),
            ("name", "Whose name shall I put it under?"),
        ),
        "Thank you, {name}. Your table for {count}< {day}> at {time} is booked.",
    ),
    "hotel": Form(
        "Okay, a {kind}room< for {count} people>< {day}>< for {nights} nights>< from {weekday}>.",
        (("nights", "For how many nights?"), ("name", "Whose name shall I put it under?")),
        "Thank you, {name}. Your {kind}room for {nights} nights is booked.",
    ),
    "meeting": Form(
        "Okay, a meeting room< for {count}>< {day}>< at {time}>.",
        (("count", "For how many people?"), ("time", "For what time?")),
        "Okay, the meeting room for {count}< {day}> at {time} is booked.",
    ),
    "meeting_with": Form(
        "Okay, a meeting with {name}< {day}>.",
        (("time", "For what time?"),),
        "Okay, your meeting with {name}< {day}> at {time} is in the calendar.",
    ),
    "taxi": Form(
        "Okay, a taxi< for {count}>< to the {destination}>< {day}>< at {time}>.",
        (("destination", "Where would you like to go?"), ("time", "For what time?")),
        "Okay, your taxi to the {destination}< {day}> at {time} is booked.",
    ),
    "appointment": Form(
        "Okay, a {appointment}< {day}>.",
        (("time", "For what time?"),),
        "Okay, your {appointment}< with {name}>< {day}> at {time} is booked.",
    ),
    "alarm": Form(
        "Okay, an alarm< {day}>.",
        (("time", "For what time?"),),
        "Okay, your alarm is set for {time}< {day}>.",
    ),
    "remind": Form(
        "Okay.",
        (("when", "When shall I remind you?"),),
        "Okay, I'll remind you to {chore}< {day}>< at {time}>.",
    ),
    "light": Form(
        "Okay.",
        (("room", "In which room?"),),
        "Okay, the {room} {light} {be} on.",
    ),
    "music": Form(
        "Okay.",
        (("genre", "What would you like to hear?"),),
        "Okay, playing {genre}.",
    ),
    "delivery": Form(
        "I'll check that for you.",
        (("digits", "What's your order number?"),),
        "Thank you. Order {digits} is on its way and should arrive tomorrow.",
    ),
    "returns": Form(
        "<You can return your {purchase} within thirty days.>",
        (("digits", "What's your order number?"),),
        "Thank you. I'll send you a return label for order {digits}.",
    ),
}
FORM_OF: Final[Mapping[str, str]] = {
    "table": "table",
    "table_open": "table",
    "hotel": "hotel",
    "meeting": "meeting",
    "taxi": "taxi",
    "taxi_open": "taxi",
    "appointment": "appointment",
    "appointment_open": "appointment",
    "alarm_open": "alarm",
    "remind_open": "remind",
    "light_open": "light",
    "music_open": "music",
    "delivery": "delivery",
    "returns": "returns",
}

#: Answers to a form's question, one set of shapes a slot.
_FOLLOW_UPS_TEXT: Final[Mapping[str, str]] = {
    "count": """
        . {count} [people|persons|of us|please|guests|]
        . for {count} [people|please|]
        . [we are|we're|there are|there'll be|it's|it's for|make it] {count} [people|of us|]
        . {count} people at {time}
        . {count} and at {time} please
        """,
    "time": """
        . [at|for|around|about|maybe at|let's say|how about|make it|say|] {time} [please|is fine|]
        . {time} would be [great|perfect|fine|nice]
        . {time}
        . at {time}
        . {day} at {time}
        . at {time} {day}
        . is {time} possible
        """,
    "name": """
        . {name} [please|]
        . [under|my name is|it's|put it under|i'm|the name is] {name}
        . {name} {surname}
        . my name is {name} {surname}
        . [mister|] {surname}
        . under {surname} please
        . in the name of {surname}
        """,
    "nights": """
        . [for|just|] {nights} nights [please|]
        . {nights}
        . {nights} nights from {weekday}
        """,
    "destination": """
        . to the {destination} [please|]
        . the {destination}
        . i need to go to the {destination}
        . to the {destination} at {time}
        """,
    "when": """
        . at {time}
        . {day} [please|]
        . {day} at {time}
        . around {time}
        """,
    "room": """
        . the {room}
        . in the {room} [please|]
        . {room} please
        """,
    "genre": """
        . [some|] {genre} [please|]
        . i'd like [some|] {genre}
        . play {genre}
        """,
    "digits": """
        . [it's|number|order|order number|my order number is|the number is|] {digits}
        """,
    "duration": """
        . [for|] {duration} [please|]
        . {duration}
        . make it {duration}
        """,
}
FOLLOW_UPS: Final = {name: parse_shapes(text) for name, text in _FOLLOW_UPS_TEXT.items()}


def follow_up(talk: Conversation, slot: str) -> Request:
    """The user answers a question about ``slot``."""
    req = make_request("follow_up", talk.rng.choice(FOLLOW_UPS[slot]), talk.rng)
    talk.user(req.text)
    return req


def _known(form: Form, values: dict[str, str]) -> dict[str, str]:
    """Let a surname stand for a name and any time or day for "when"."""
    if "surname" in values:
        full = f"{values['name']} {values['surname']}" if "name" in values else values["surname"]
        values["name"] = full
        del values["surname"]
    if any(slot == "when" for slot, _ in form.needs) and ("time" in values or "day" in values):
        values["when"] = values.get("time") or values["day"]
    return values


def form_turn(talk: Conversation, req: Request) -> None:
    """Fill a form: echo what is known, ask for what is missing, close."""
    name = FORM_OF[req.intent]
    if name == "meeting" and "name" in req.values:
        name = "meeting_with"
    form, values = FORMS[name], extras(req)
    del values["when"]  # a form asks for it under this name
    values = _known(form, values)
    while missing := [(s, question) for s, question in form.needs if s not in values]:
        slot, question = missing[0]
        echo = render_answer(form.echo, values, talk.rng)
        talk.assistant(f"{echo} {question}".strip())
        if talk.rng.random() < 0.06:
            return
        # One slot can be answered with another beside it ("two people at six").
        values |= follow_up(talk, slot).said()
        values = _known(form, values)
    talk.assistant(render_answer(form.done, values, talk.rng))
