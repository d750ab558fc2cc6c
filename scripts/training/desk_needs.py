"""What a desk asks for when it books, and how its prompt lists it."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from domain import choose_branches
from order_items import joined

#: What each part of a booking is called in a prompt.
_NAMED: Final[Mapping[str, str]] = {
    "day": "[a day|a day|the day|day|a date|the date|the date|date|what day|which day it should be]",
    "time": "[a time|a time|the time|time|a start time|the hour|what time|start|the starting time]",
    "span": "[start and end|a start and an end|the start and the end|from when to when|the start time and the end time|begin and end]",
    "count": "[the number of people|the number of people|number of people|how many people|party size|the party size|the size of the group|people|how many people come|how many they are|players|persons]",
    "number": "[the number|how many|number of {n}s|the number of {n}s|how many {n}s]",
    "name": "[a name|a name|the name|name|the caller's name|the name it is under|a surname|a first name|the full name|full name|the guest's name|a contact name|a lead name|their name|who it is for|the customer's name]",
    "phone": "[a telephone number|a phone number|the telephone number|telephone number|the caller's number|a mobile number|a contact number|phone|a phone|mobile|a mobile|a number to call back|the number to reach them on|their telephone number|tel]",
    "service": "[what is to be done|the treatment|the kind of appointment|what the caller wants|the service|what is wanted|service|which one it is|the kind|what they come for|the thing wanted]",
    "work": "[the work to be done|what is to be done|what is wrong|the job]",
    "room": "[the room|a room|which room|the room type]",
    "kind": "[the {n}|which {n}|the kind of {n}|what kind of {n}]",
    "person": "[who it is with|the {p}|which {p}|a {p}|the {p}'s name]",
    "length": "[how long|for how long|the length|length|the duration]",
    "term": "[how long|for how long|the length|length|the duration]",
    "nights": "[the number of nights|how many nights|the nights|number of nights]",
    "place": "[inside or outside|whether inside or outside]",
    "plate": "[the number plate|a number plate|plate|the plate|the reg|the car's number plate|the registration|a registration number]",
    "animal": "[the animal and its name|which animal and its name|the animal and what it is called|the pet and its name]",
    "matter": "[what is the matter|what is wrong with it|the trouble]",
    "birth": "[a date of birth|the date of birth|date of birth|the birthday|a birth date]",
    "card": "[a card number|the card number|card number|the number of the card|a membership number|the member's number]",
    "heights": "[each rider's height|the heights|how tall each one is|everybody's height|the height of each person]",
    "email": "[an e-mail address|an e-mail|the e-mail address|e-mail|their e-mail]",
    "postcode": "[a postcode|the postcode|postcode|the pick-up postcode|the postcode of the address]",
    "age": "[the child's age|the age of the child|an age|how old the child is|age]",
}
_SEES: Final = {"practice": "doctor", "hair": "stylist", "lessons": "teacher"}


def plural(noun: str) -> str:
    """``bike -> bikes``, ``pair of skis -> pairs of skis``."""
    head, mark, rest = noun.partition(" of ")
    return f"{head}{'es' if head.endswith(('s', 'x', 'ch', 'sh')) else 's'}{mark}{rest}"


def needs_text(kind: str, noun: str, needs: Sequence[str], rng: random.Random) -> str:
    """The sentence of a prompt that says what a booking needs; in any order, as callers tell it."""
    order = list(needs)
    if rng.random() < 0.6:
        rng.shuffle(order)
    listed = [
        choose_branches(_NAMED[need], rng)
        .replace("{n}s", plural(noun))
        .replace("{n}", noun)
        .replace("{p}", _SEES.get(kind, "person"))
        for need in order
    ]
    listed = [text for at, text in enumerate(listed) if text not in listed[:at]]
    what = joined(listed) if rng.random() < 0.7 else ", ".join(listed)
    called = "appointment" if noun == "appointment" else "booking"
    if noun == "table":
        called = "table booking"
    article = "An" if called == "appointment" else "A"
    return rng.choice(
        (
            f"{article} {called} needs {what}.", f"{article} {called} needs {what}.", f"You take {called}s: {what}.", f"Booking needs {what}.", f"{article} {called} needs {what}.",
            f"For {article.lower()} {called} ask for {what}.", f"You take {called}s: ask for {what}.", f"To book, ask for {what}.", f"Every {called} has to have {what}.", f"Before you book you must know {what}.",
        )
    )  # fmt: skip
