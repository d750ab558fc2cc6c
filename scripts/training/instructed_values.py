"""The values that callers tell a desk when they book, in their words and in ours."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from conversation import Conversation
from desk_names import name_told
from dialogue_values import capitalise, draw_value, with_an
from domain import choose_branches
from open_words import open_word
from slots import phrases
from spoken_numbers import UNITS
from talk_numbers import heard_number, number_words


class Told(NamedTuple):
    """One value: the caller's words, the assistant's, and the plain datum (minutes, a weekday, a count)."""

    text: str
    say: str
    data: int = -1


#: How a value is told among others, and how by itself.
_TOLD: Final[Mapping[str, str]] = {
    "day": "[{v}|{v}|for {v}|{v} would be good|i could do {v}]", "time": "[at {v}|at {v}|at {v}|around {v}|for {v}|about {v}|say {v}|{v} sharp|at about {v}|roughly {v}]", "count": "[for {v}|for {v} people|{v} people|{v} of us|we're {v}|{v} of us in all|there's {v} of us|there are {v} of us|we would be {v}|for a party of {v}|{v} persons|we'll be {v}|a group of {v}]",
    "nights": "[for {v} nights|{v} nights|staying {v} nights|we stay {v} nights|{v} nights in all]", "length": "for {v}", "place": "{v}", "plate": "[plate {v}|the plate is {v}|number plate {v}|reg {v}|the reg is {v}|registration {v}|my plate is {v}|licence plate {v}|the car's {v}]",
    "phone": "[my number is|phone|and my number is|telephone|number|my phone number is|you can reach me on|my mobile is|call me on|call me at|my cell is|tel|reach me under|ring me on|phone number|mobile|the number is|text me on] {v}",
    "name": "[name {v}|under {v}|in the name of {v}|the name is {v}|for {v}|my name is {v}|the name's {v}|name's {v}|i'm {v}|it's for {v}|under the name {v}|name of {v}|on the name {v}|it's {v}|i am {v}|this is {v}|put {v}|put it under {v}|surname {v}|[his|her] name is {v}|[her|his] name's {v}|[she|he]'s called {v}|the name should be {v}|book it for {v}|write {v}|the guest is {v}]",
    "service": "[for {v}|for {v}|{v}|i want {v}|i need {v}|it's for {v}|{v} it should be|i'd have {v}]", "kind": "{v}", "number": "{v}", "person": "[with {v}|with {v}|to see {v}|for {v}]", "span": "{v}", "term": "[for {v}|for {v}|{v}]", "birth": "[born {v}|born on {v}|date of birth {v}|birthday {v}|my date of birth is {v}]",
    "card": "[card number {v}|my card number is {v}|card {v}|my number is {v}|card number is {v}|my card is {v}]", "heights": "[{v}|heights {v}|and {v}]", "age": "{v}", "work": "[for {v}|for {v}|it's about {v}|i've got {v}|because of {v}|it's {v}]", "reason": "[for {v}|for {v}|because of {v}|it's about {v}|it's for {v}|about {v}]", "room": "{v}", "animal": "[for|it's] {v}", "matter": "{v}",
    "postcode": "[postcode {v}|the postcode is {v}|i live in {v}]", "email": "[e-mail {v}|my e-mail is {v}|write to me at {v}]",
}  # fmt: skip

_ALONE: Final[Mapping[str, str]] = {
    **_TOLD,
    "day": "[{v} [please|]|let's say {v}|{v} would be [best|good|great|ideal]|how about {v}|{v} if [you can|possible]|{v} then|{v} [i think|maybe]|would {v} work|is {v} free|i could do {v}|what about {v}|{v} suits me|{v} would suit|{v} is good for me|i can do {v}|{v} works [for me|best|]|let's do {v}|put me down for {v}|i'm free {v}|only {v} works|{v} if there's space|have you anything {v}|{v} would be lovely|i'd say {v}|best {v}|we could come {v}|could it be {v}]",
    "time": "[at {v} [please|]|{v}|let's say {v}|around {v} [please|]|{v} would be [good|great|perfect]|how about {v}|at {v} if you can|{v} please|{v} suits me|is {v} [free|possible]|could we do {v}|maybe {v}|{v} i think|{v} would suit|let's do {v}|{v} works [for me|]|i'd like {v}|make it {v}|about {v}|at about {v}|say {v}|i can be there at {v}|i could come at {v}|{v} if possible|{v} would be ideal|what about {v}|{v} is best|we'll come at {v}|could it be {v}|{v} then|have you got {v}]",
    "count": "[{v}|{v} please|we are {v}|we'd be {v} people|there'll be {v} of us|for {v} [please|]|{v} people|just {v} of us|there's {v} of us|{v} persons|it's {v} of us|{v} i think|we'll be {v}|we would be {v}|{v} in all|{v} altogether|there are {v} of us|a party of {v}|{v} including me|make it {v}|that's {v} of us|so {v}]",
    "nights": "[{v} nights|for {v} nights [please|]|{v}|just {v} nights|{v} please|we'd stay {v} nights|{v} nights please|we want {v} nights|i stay {v} nights|it's {v} nights|{v} in all|that'd be {v} nights]",
    "length": "[{v}|for {v}|{v} please|about {v}|{v} should do|{v} should be enough|for {v} please|let's say {v}|{v} would do|i need {v}|we need {v}|it takes {v}|just {v}|{v} i guess]",
    "place": "[{v}|{v} please|{v} if possible|rather {v}|{v} would be nice|better {v}|{v} i think]",
    "name": "[{v}|{v} please|{v}|the name is {v}|my name is {v}|it's {v}|under {v}|i'm {v}|put it under {v}|that'd be {v}|{v} is the name|the name's {v}|for {v}|name's {v}|on {v} please|make it {v}|write {v}|just write {v}|put {v}|{v} it is|on the name {v}|i am {v}|this is {v}|that's for {v}|[his|her] name is {v}|[her|his] name's {v}|surname {v}|my surname is {v}|the surname is {v}|book it for {v}|it's under {v}|i'm called {v}|you can put {v}|put me down as {v}|name {v}|it goes under {v}]",
    "phone": "[{v}|{v}|it's {v}|my number is {v}|the number is {v}|it's {v}|you can reach me on {v}|call me on {v}|yes it's {v}|my mobile is {v}|that's {v}|sure {v}|my cell is {v}|call {v}|ring me on {v}|here it is {v}|it is {v}|reach me at {v}|call me at {v}|my home number is {v}|best on {v}|text me on {v}|so {v}|okay {v}|mine is {v}|take this one {v}|you can have my mobile {v}]",
    "plate": "[{v}|it's {v}|the plate is {v}|plate {v}|plate is {v}|that's {v}|number plate {v}|the car is {v}|registration {v}|reg is {v}|the reg is {v}|reg {v}|licence plate {v}|my plate is {v}|it says {v}|on the plate it says {v}]",
    "service": "[{v}|{v} please|i'd like {v}|just {v}|i need {v}|{v} i think|i want {v}|i'll have {v}|{v} would be great|let's do {v}|the thing is i need {v}|can i get {v}|{v} thanks|that would be {v}|it's {v}]",
    "work": "[{v}|{v} please|it's {v}|i need {v}|it's about {v}|it needs {v}|i've got {v}|there's {v}]",
    "room": "[{v}|{v} please|i'd like {v}|we'd like {v}|{v} i think|let's take {v}|i'd take {v}|rather {v}]",
    "kind": "[{v}|{v} please|i'd like {v}|we'd like {v}|{v} i think|let's take {v}|rather {v}]",
    "number": "[{v}|{v} please|just {v}|we need {v}|i need {v}|{v} i think|make it {v}]",
    "person": "[{v}|{v} please|with {v}|with {v} please|{v} if [she's|he's] in|i'd like {v}|can i have {v}|{v} would be great|i always see {v}|to see {v}|rather {v}|is {v} there|{v} is fine|{v} then|with {v} if that's possible|could it be {v}]",
    "span": "[{v}|{v} please|we need it {v}|let's say {v}|{v} would be [good|great]|how about {v}|{v} if it's free]",
    "term": "[{v}|for {v}|{v} please|just {v}|for {v} please|let's say {v}|we'd keep it {v}]",
    "birth": "[{v}|{v}|it's {v}|born {v}|i was born on {v}|my birthday is {v}|that's {v}|i was born {v}]",
    "card": "[{v}|{v}|it's {v}|card number {v}|the number is {v}|my card number is {v}|card number is {v}|on the card it says {v}|that's {v}|let me see {v}]",
    "heights": "[{v}|{v}|that's {v}|so {v}|well {v}]",
    "age": "{v}",
    "postcode": "[{v}|it's {v}|the postcode is {v}|postcode {v}|that's {v}]", "email": "[{v}|it's {v}|my e-mail is {v}|{v} all small letters|write to {v}|that's {v}|my address is {v}]",
    "animal": "[it's {v}|{v}|it's about {v}|i have {v}|that's {v}|he's {v}|she's {v}|it's for {v}]",
    "matter": "[{v}|well {v}|i think {v}]",
}  # fmt: skip

_REASONS: Final = (
    "a check up, a toothache, a filling, a cleaning, a sore throat, a cough, back pain, a prescription, a vaccination, a blood test, an eye test,"
    "my knee, my daughter, my son, a rash, a headache, my shoulder, a crown, a consultation, a follow up, my mother, contact lenses, a fever"
)

_WORKS: Final = (
    "an oil change, new tyres, winter tyres, the brakes, an inspection, a new battery, a service, a broken light, the exhaust, a flat tyre, the clutch, a strange noise,"
    "a scratch, new wipers, the air conditioning, a leak, a broken window, a puncture, the gears, a new chain"
)

_DEVICES: Final = "a laptop, a phone, a tablet, a computer, a watch, a camera, a sewing machine, a bike, an e-bike, a printer, a radio, a console, a clock, a coffee machine, a scooter"
_BROKEN: Final = "that won't start, with a broken screen, that keeps crashing, with a flat battery, that fell in water, that makes a strange noise, with a broken key, that is very slow, that doesn't charge, with a loose part, that got wet"

_ANIMALS: Final = phrases(
    "dog, cat, rabbit, hamster, parrot, horse, pony, guinea pig, budgie, tortoise, kitten, puppy, goat, ferret, canary"
)

_PETS: Final = phrases(
    "biscuit, rex, bella, coco, max, luna, simba, fluffy, oscar, daisy, snowy, rocky, molly, socks, pepper, cookie, shadow, tiger, honey, ginger, buddy, whiskers, misty"
)

#: What is the matter: as it is told of the animal and as it is said of it.
_MATTERS: Final = (
    "is limping, is coughing, is scratching a lot, is very tired, is sneezing, is bleeding, is drinking a lot, has a sore paw, has a swollen eye, has a rash, has fleas, has a bad tooth, has a fever,"
    "has a broken claw, won't eat, won't drink, can't walk, keeps being sick, keeps shaking, needs a vaccination, needs a check up, has lost weight, swallowed a {o}, has a lump, has a bad ear"
)

#: Lengths of a booking in minutes: what is said of it by both.
LENGTHS: Final[Mapping[int, tuple[str, ...]]] = {
    30: ("half an hour", "half an hour", "thirty minutes"), 60: ("one hour", "an hour", "an hour"), 90: ("an hour and a half", "one and a half hours", "ninety minutes"),
    120: ("two hours", "two hours", "a couple of hours"), 150: ("two and a half hours",), 180: ("three hours",), 240: ("four hours",), 300: ("five hours",), 360: ("six hours",),
}  # fmt: skip

_MINE: Final = "[wife|husband|friend|mother|son|daughter|boyfriend|girlfriend|colleague]"

OTHER_NUMBERS: Final[Mapping[tuple[str, int], str]] = {
    ("count", 1): "[just me|only me|just myself|me alone|one person|just the one]",
    (
        "count",
        2,
    ): f"[me and my {_MINE}|my {_MINE} and me|the two of us|my {_MINE} and i|a couple|two persons]",
    ("count", 4): "[two couples|the four of us|a family of four|four persons]",
    ("count", 6): "[a party of six|a group of six|the six of us|half a dozen people]",
    ("nights", 1): "[just the one night|one night|a single night]",
    ("nights", 7): "[a week|one week|a whole week]",
}


def draw_words(talk: Conversation, name: str) -> Told:
    """A name, an animal, what is the matter, or what is to be done."""
    rng = talk.rng
    if name == "name":
        return Told(*name_told(rng))
    if name == "animal":
        pet = capitalise(
            rng.choice(_PETS) if rng.random() < 0.5 else draw_value("name", rng, False).text
        )
        animal = rng.choice(_ANIMALS)
        heard = rng.choice(
            (
                f"my {animal} {pet}",
                f"my {animal} {pet}",
                f"a {animal} called {pet}",
                f"a {animal} his name is {pet}",
                f"our {animal} {pet}",
                f"{pet} my {animal}",
                f"a {animal} and [she's|he's] called {pet}",
            )
        )
        return Told(heard, f"the {animal} {pet}")
    if name == "matter":
        matter = rng.choice(phrases(_MATTERS)).replace("{o}", open_word(rng))
        return Told(f"[he|she|it] {matter}", f"who {matter}")
    text = rng.choice(phrases(_REASONS if name == "reason" else _WORKS))
    if name == "repair work":
        device = f"{rng.choice(phrases(_DEVICES))} {rng.choice(phrases(_BROKEN))}"
        mine = re.sub(r"^an? ", rng.choice(("my ", "my ", "our ", "the ", "a ")), device)
        return Told(with_an(mine), with_an(device))
    if rng.random() < 0.25:
        text = (
            f"{rng.choice(('a', 'the', 'a new'))} {open_word(rng)}"
            if name == "work"
            else f"a {open_word(rng)} test"
        )
    text = with_an(text)
    return Told(text, re.sub(r"\bmy\b", "your", text))


def draw_phone(talk: Conversation, digits: Sequence[int] = ()) -> Told:
    """A telephone number; in words, with "oh" and "double", in figures, in groups."""
    rng = talk.rng
    drawn = list(digits) or [
        rng.randint(0, 9) for _ in range(rng.choice((5, 6, 6, 7, 8, 8, 9, 9, 10, 10, 11)))
    ]
    if not digits and rng.random() < 0.3:
        drawn[0] = 0
    heard = heard_number(talk, drawn)
    words = heard.split()
    if len(words) > 5 and rng.random() < 0.2:
        words[3 if words[2] != "double" else 4] += ","
        heard = " ".join(words)
    return Told(heard, number_words(drawn), int("1" + "".join(map(str, drawn))))


def draw_plate(talk: Conversation) -> Told:
    """``B K seven four two``."""
    rng = talk.rng
    shapes = (
        "LL DD LLL",
        "LL DDD",
        "L DDD",
        "DLL DDD",
        "LLL DDDD",
        "LL DDDD",
        "D LLL DD",
        "LLL DD",
        "LL LL DDD",
    )
    signs = [
        rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ") if sign == "L" else str(rng.randint(0, 9))
        for sign in rng.choice(shapes).replace(" ", "")
    ]
    said = " ".join(UNITS[int(sign)] if sign.isdigit() else sign for sign in signs)
    heard = said.replace("zero", "oh") if rng.random() < 0.5 else said
    shown = rng.choice((" ".join(signs), "".join(signs)))
    return Told(rng.choice((heard, heard, heard, shown)), said)


def told(talk: Conversation, name: str, value: Told, alone: bool) -> str:
    """The value in words around it."""
    text = choose_branches((_ALONE if alone else _TOLD)[name], talk.rng)
    if name in ("count", "nights") and (value.text != value.say or "adult" in value.say):
        text = "{v}" if alone else "for {v}"
    text = text.replace("{v}", choose_branches(value.text, talk.rng)).replace("for for", "for")
    return text.replace("one nights", "one night").replace("one people", "one person")
