"""Bookings that need several answers."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from answers import render_answer
from conversation import Conversation
from dialogue_values import Value, draw_value
from domain import choose_branches
from order_items import joined
from plain_answers import extras
from set_phrases import NOT_BOOKED, WHAT_TO_CHANGE
from shapes import Kind, parse_shapes
from user_requests import Request, make_request, typed


@dataclass(frozen=True)
class Form:
    """A booking: what it echoes, what it must know (slot, question), and how it closes."""

    echo: str
    needs: tuple[tuple[str, str], ...]
    done: str
    binds: str = ""  # what is booked, in full: asked to be confirmed before it is done


FORMS: Final[Mapping[str, Form]] = {
    "table": Form(
        "Okay, a table< for {count} people>< {day}>< at {time}>.",
        (
            ("count", "For how many people?"),
            ("time", "For what time?"),
            ("name", "Whose name shall I put it under?"),
        ),
        "Thank you. A table for {count} people< {day}> at {time} for {name} is booked.",
        "a table for {count} people< {day}> at {time} for {name}",
    ),
    "hotel": Form(
        "Okay, a {kind}room< for {count} people>< {day}>< for {nights} nights>< from {weekday}>.",
        (("nights", "For how many nights?"), ("name", "Whose name shall I put it under?")),
        "Thank you. A {kind}room for {nights} nights for {name} is booked.",
        "a {kind}room for {nights} nights for {name}",
    ),
    "meeting": Form(
        "Okay, a meeting room< for {count}>< {day}>< at {time}>.",
        (("count", "For how many people?"), ("time", "For what time?")),
        "Okay, the meeting room for {count}< {day}> at {time} is booked.",
        "a meeting room for {count}< {day}> at {time}",
    ),
    "meeting_with": Form(
        "Okay, a meeting with {name}< {day}>.",
        (("time", "For what time?"),),
        "Okay, your meeting with {name}< {day}> at {time} is in the calendar.",
        "a meeting with {name}< {day}> at {time}",
    ),
    "appointment": Form(
        "Okay, a {appointment}< {day}>.",
        (("time", "For what time?"),),
        "Okay, your {appointment}< with {name}>< {day}> at {time} is booked.",
        "a {appointment}< with {name}>< {day}> at {time}",
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
    "appointment": "appointment",
    "appointment_open": "appointment",
    "alarm_open": "alarm",
    "remind_open": "remind",
    "light_open": "light",
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
    if slot == "name" and talk.name and talk.rng.random() < 0.4:
        talk.user(choose_branches("[[under|] [my name|mine] [please|]|my own|it's me]", talk.rng))
        return Request("follow_up", "", "", {"name": Value("", talk.name)})
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
        if talk.rng.random() < 0.05:
            return
        if talk.aside and talk.rng.random() < 0.08:
            talk.aside(talk)
        # One slot can be answered with another beside it ("two people at six").
        values |= follow_up(talk, slot).said()
        values = _known(form, values)
        if slot == "name":
            talk.name = values["name"]
    if form.binds:
        _confirm(talk, form, values)
    else:
        talk.assistant(render_answer(form.done, values, talk.rng))


_YES: Final = (
    "[yes|yes please|yes that's right|yeah|sure|correct|okay|go ahead|please do|that's right|"
    "yes go ahead|yes book it|of course|right|exactly|yes that's correct|perfect|do it|yep]"
)
_CORRECTIONS: Final[Mapping[str, str]] = {
    "count": "[actually|no|sorry|wait|] [we are|make it|for|we'll be|it's|i meant] {v} [people|of us]",
    "time": "[actually|no|sorry|wait|] [make it|at|i meant|rather at|better at|let's say] {v}",
    "day": "[actually|no|sorry|wait|] [make it|i meant|rather|better] {v}",
    "nights": "[actually|no|sorry|] [make it|for|i meant] {v} nights",
    "name": "[actually|no|sorry|] [the name is|put it under|i meant|it's for] {v}",
}


def _confirm(talk: Conversation, form: Form, values: dict[str, str]) -> None:
    """Read it back; book nothing before the user says yes."""
    rng = talk.rng
    while True:
        words = without_case(render_answer(form.binds, values, rng))
        talk.assistant(f"Okay. That is {words}. Shall I book it?")
        if rng.random() < 0.08:
            return
        if rng.random() > 0.25 or not _corrected(talk, values):
            break
    pick = rng.random()
    if pick < 0.85:
        talk.user(choose_branches(_YES, rng))
        talk.assistant(render_answer(form.done, values, rng))
        talk.booked = [*talk.booked, words]
    elif pick < 0.93:
        talk.user(choose_branches("[no|no wait|no that's wrong|no thanks|that's not right]", rng))
        talk.assistant(WHAT_TO_CHANGE)
    else:
        talk.user(
            choose_branches(
                "[no forget it|no cancel it|never mind|no don't book it|cancel that]", rng
            )
        )
        talk.assistant(NOT_BOOKED)


def _corrected(talk: Conversation, values: dict[str, str]) -> bool:
    """The user corrects one thing of what was read back."""
    known = [slot for slot in _CORRECTIONS if slot in values]
    if not known:
        return False
    slot = talk.rng.choice(known)
    written = talk.rng.random() < 0.3
    value = draw_value(slot, talk.rng, written)
    text = choose_branches(_CORRECTIONS[slot], talk.rng).replace("{v}", value.text)
    talk.user(typed(text, Kind.PLAIN, talk.rng) if written else text)
    values[slot] = value.say
    return True


def without_case(text: str) -> str:
    """``A table -> a table``: as part of a sentence."""
    return text[:1].lower() + text[1:]


def recall_booking(talk: Conversation) -> None:
    """Somebody asks what they have booked."""
    talk.user(
        choose_branches(
            "[so|and|sorry|] [what did i book|what have i booked|what [are|were] my bookings|"
            "can you repeat my booking|what did you book for me|what is booked|read me my booking]",
            talk.rng,
        )
    )
    words = joined(talk.booked)
    talk.assistant(f"You have booked {words}." if words else "You haven't booked anything yet.")
