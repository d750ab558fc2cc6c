"""Bookings told in any order, changed at any time, and asked about field by field."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from conversation import Conversation
from desk_words import AGREES
from dialogue_values import Value, capitalise, draw_value
from domain import choose_branches
from order_items import joined
from person_turns import say
from set_phrases import NOT_BOOKED, WHAT_TO_CHANGE
from shapes import Kind
from slots import phrases
from spoken_numbers import MONTHS, spoken_ordinal
from talk_numbers import heard_number, number_words

#: What is booked: its fields in the order in which they are said, those that must be known first.
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "table": ("count", "day", "time", "extra", "name"),
    "room": ("nights", "day", "name"),
    "meeting": ("with", "count", "day", "time"),
    "appointment": ("day", "time", "name"),
}
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "table": ("count", "time", "name"),
    "room": ("nights", "name"),
    "meeting": ("time",),
    "appointment": ("day", "time", "name"),
}
_QUESTIONS: Final[Mapping[str, str]] = {
    "count": "For how many people?",
    "time": "For what time?",
    "day": "For which day?",
    "name": "Whose name shall I put it under?",
    "nights": "For how many nights?",
}
_SAID: Final[Mapping[str, str]] = {
    "count": "for {} people",
    "time": "at {}",
    "day": "{}",
    "name": "for {}",
    "nights": "for {} nights",
    "extra": "{}",
    "with": "with {}",
}
#: How a field is told, by itself or among others.
_TOLD: Final[Mapping[str, str]] = {
    "count": "[for {v}|{v} people|for {v} people|{v} of us|for {v}]",
    "time": "[at {v}|at {v}|around {v}|{v}|for {v}]",
    "day": "[{v}|{v}|for {v}]",
    "name": "[name {v}|under {v}|in the name of {v}|the name is {v}|for {v}|my name is {v}|the name's {v}|name's {v}|it's under the name of {v}|name is {v}]",
    "nights": "[for {v} nights|{v} nights]",
    "extra": "{v}",
    "with": "with {v}",
}
_ALONE: Final[Mapping[str, str]] = {
    **_TOLD,
    "count": "[{v}|we are {v}|we'd be {v} people|there'll be {v} of us|for {v} [please|]|{v} people|just {v} of us|make it {v}|there's {v} of us]",
    "time": "[at {v} [please|]|{v}|let's say {v}|around {v} [please|]|{v} would be good|how about {v}|at {v} if you can]",
    "day": "[{v} [please|]|{v} then|{v} i think|let's say {v}|{v} would be best|how about {v}]",
    "extra": "[{v} [please|]|{v} if [you can|possible]|could we have it {v}|and {v} please]",
}
_ASKED: Final[Mapping[str, str]] = {
    "count": "[for how many [people|] [was that|is it|did i say|is that]|how many people [did i say|is it for|are we]|how many of us]",
    "time": "[what time [was that|is it|did i say|did you put down|is it at]|when [is it|am i coming|was that|do i have to be there]|at what time|so when am i coming]",
    "day": "[which day [was that|is it|did i say|did i give you]|what day [is it|was it|did i book]|which date [did i give you|was that]]",
    "name": "[under which name|what name [is it under|did i give|did you put down]|whose name is it under|which name was that]",
    "nights": "[how many nights [have i got|is it|did i book|was that|did i say|now]|for how long did i book]",
    "extra": "[did you [note|write down] my wish|what did i ask for besides]",
    "with": "[who am i [meeting|seeing]|who is it with|with whom is it|who was that with]",
}
#: The same behind another question.
_SHORTLY: Final[Mapping[str, str]] = {
    "count": "for how many", "time": "when", "day": "when", "name": "under what name",
    "nights": "for how long", "extra": "what else", "with": "with whom",
}  # fmt: skip
_SEEN: Final = "doctor, dentist, vet, hairdresser, optician, nurse, physio, barber, lawyer, plumber"
_EXTRAS: Final = phrases(
    "by the window, outside, on the terrace, inside, in the garden, near the door, in a quiet corner,"
    "with a high chair, upstairs, at the bar, on the balcony, with a view, away from the door"
)
_ROOMS: Final = ("single room", "double room", "twin room", "family room", "room", "quiet room")
_NO: Final = (
    "[|actually|no|sorry|wait|oh|no wait|hang on|no hang on|hmm|um|oh no|sorry my mistake|"
    "actually sorry|my friend says|back to the booking]"
)


class Booking:
    """One booking: its kind, its noun (``table``, ``haircut``) and what is known of it, as it is said."""

    def __init__(self, kind: str, noun: str) -> None:
        self.kind, self.noun = kind, noun
        self.known: dict[str, str] = {}
        self.confirmed = False

    def words(self) -> str:
        """``a table for four people on Saturday at half past seven for Marchetti``."""
        parts = [self._part(field) for field in _FIELDS[self.kind] if field in self.known]
        article = "" if self.noun.startswith("two ") else "an " if self.noun[0] in "aeio" else "a "
        return " ".join((article + self.noun, *parts))

    def _part(self, field: str) -> str:
        value = self.known[field]
        if field == "count" and value == "one":
            return "for one person"
        if field == "nights" and value == "one":
            return "for one night"
        return _SAID[field].format(value)

    def missing(self) -> str | None:
        """What must be asked for next."""
        return next((field for field in _NEEDED[self.kind] if field not in self.known), None)


def _value(talk: Conversation, field: str, written: bool) -> Value:
    rng = talk.rng
    if field == "name":
        return draw_value("surname" if rng.random() < 0.6 else "name", rng, written)
    if field == "with":
        return draw_value("name", rng, written)
    if field == "extra":
        words = rng.choice(_EXTRAS)
        return Value(words, words)
    if field == "day" and rng.random() < 0.3:
        return _date(talk)
    value = draw_value(field, rng, written)
    if field == "day" and value.text.startswith("on ") and rng.random() < 0.4:
        return value._replace(text=value.text[3:])  # "friday then"
    return value


def _date(talk: Conversation) -> Value:
    """``on the twelfth of march``, ``in august``."""
    month = talk.rng.choice(MONTHS)
    if talk.rng.random() < 0.2:
        return Value(f"in {month}", f"in {capitalise(month)}")
    day = spoken_ordinal(talk.rng.randint(1, 31))
    said = talk.rng.choice(
        (f"on the {day} of {month}", f"on {month} the {day}", f"the {day} of {month}")
    )
    return Value(said, f"on the {day} of {capitalise(month)}")


def _begun(talk: Conversation) -> tuple[Booking, str]:
    rng = talk.rng
    kind = rng.choices(tuple(_FIELDS), (5, 3, 2, 3))[0]
    if kind == "room":
        noun = rng.choice(_ROOMS)
    elif kind == "appointment":
        noun = draw_value("appointment", rng, False).say if rng.random() < 0.8 else "appointment"
    else:
        noun = kind
    if kind == "appointment" and rng.random() < 0.25:
        who = rng.choice(phrases(_SEEN))
        opening = f"[can|could] the {who} [see|take] me|i need to see the {who}|can i see the {who}|is the {who} free|i'd like to see the {who}|an appointment with the {who}|has the {who} got time"
        return Booking(kind, "appointment"), f"[{opening}]"
    if kind == "appointment" and noun != "appointment" and rng.random() < 0.4:
        opening = "[i'd like|i want|i need|can i have|can i get|could i make|i want to make|i'd like to make|make me|book me|please book] an appointment for a {n}"
        return Booking(kind, noun), choose_branches(opening.replace("{n}", noun), rng)
    opening = rng.choice(
        (
            "i'd like [to book|] a {n}", "i want to [book|make|reserve] a {n}", "[book|reserve|get me|i need] a {n}",
            "a {n} [please|]", "{n}", "can i [book|get|have] a {n}", "have you got a {n}", "could you [book|arrange] a {n}",
            "we'd like a {n}", "is there a {n} free", "do you have a {n} free", "[hello|hi|good evening|um yes hello] [i'd like|] a {n}",
            "then i need a {n}", "[now|and] [book me|get me] a {n}", "please [book|reserve] a {n} [for us|for me|]",
        )
    )  # fmt: skip
    return Booking(kind, noun), opening.replace("{n}", noun)


def book_turn(talk: Conversation) -> None:
    """A booking from its first word to its confirmation; changes and questions may come between."""
    rng = talk.rng
    booking, opening = _begun(talk)
    fields = [field for field in _FIELDS[booking.kind] if rng.random() < 0.45]
    rng.shuffle(fields)
    say(talk, f"{opening} {_tell(talk, booking, fields)} [please||]")
    for _ in range(9):
        missing = booking.missing()
        if missing:
            talk.assistant(f"Okay, {booking.words()}. {_QUESTIONS[missing]}")
            if rng.random() < 0.06:
                talk.bookings.append(booking)
                return
            if talk.aside and rng.random() < 0.08:
                talk.aside(talk)
            _answer(talk, booking, missing)
            if missing == "name" and "name" in booking.known:
                talk.name = booking.known["name"]
            continue
        talk.assistant(f"Okay. That is {booking.words()}. Shall I book it?")
        if rng.random() < 0.35:
            _changed(talk, booking)
            continue
        break
    _confirm(talk, booking)


def _tell(talk: Conversation, booking: Booking, fields: Sequence[str]) -> str:
    written = talk.rng.random() < 0.25
    parts = []
    for field in fields:
        value = _value(talk, field, written)
        booking.known[field] = value.say
        parts.append(choose_branches(_TOLD[field], talk.rng).replace("{v}", value.text))
    return (", " if written else " ").join(parts)


def _answer(talk: Conversation, booking: Booking, field: str) -> None:
    """What was asked for is told, at times with more, or something else instead."""
    rng = talk.rng
    if field == "name" and talk.name and rng.random() < 0.2:
        say(talk, "[[under|] [my name|mine] [please|]|my own|it's me|same name]")
        booking.known["name"] = talk.name
        return
    if rng.random() < 0.1:
        _changed(talk, booking)
        return
    value = _value(talk, field, rng.random() < 0.25)
    booking.known[field] = value.say
    told = choose_branches(_ALONE[field], rng).replace("{v}", value.text)
    if field == "name" and rng.random() < 0.25 and value.say.isalpha():
        letters = " ".join(value.say.upper())
        told = f"{told} {letters.lower()}"
        booking.known["name"] = letters
    if field == "name" and rng.random() < 0.12:
        digits = [rng.randint(0, 9) for _ in range(rng.randint(5, 9))]
        talk.numbers["number"] = number_words(digits)
        told = f"{told} [phone|my number is|and my number is|my phone number is] {heard_number(talk, digits)}"
        told = choose_branches(told, rng)
    others = [f for f in _FIELDS[booking.kind] if f not in booking.known and rng.random() < 0.15]
    say(talk, f"{told} {_tell(talk, booking, others)}")


def _changed(talk: Conversation, booking: Booking) -> None:
    """One thing is put right, or a wish is added."""
    rng = talk.rng
    field = rng.choice(
        [f for f in _FIELDS[booking.kind] if f in booking.known or f in ("extra", "count", "day")]
    )
    value = _value(talk, field, rng.random() < 0.25)
    old = booking.known.get(field)
    booking.known[field] = value.say
    new = value.text + {"count": " people", "nights": " nights"}.get(field, "")
    if field == "extra" or old is None:
        say(talk, choose_branches(_ALONE[field], rng).replace("{v}", value.text))
        return
    prep = "with " if field == "with" else ""
    say(
        talk,
        f"{_NO} [make it {new}|{prep}{new}|i meant {prep}{new}|better {new}|{new} is better|[can|could] we do {new} instead [of {old.lower()}|]|{new} instead|"
        f"not {old.lower()} [i mean|but|i said|] {new}|rather {new}|i said {new}|change it to {new}|make that {new}]",
    )


def _confirm(talk: Conversation, booking: Booking) -> None:
    rng = talk.rng
    pick = rng.random()
    if pick < 0.85:
        say(talk, AGREES.replace("{n}", booking.noun))
        booking.confirmed = True
        talk.bookings.append(booking)
        talk.assistant(f"Thank you. {capitalise(booking.words())} is booked.")
        while rng.random() < 0.35:
            asked(talk)
        if rng.random() < 0.15:
            _changed(talk, booking)
            talk.assistant(f"Okay, I've changed it. {capitalise(booking.words())} is booked.")
        return
    if pick < 0.93:
        say(talk, "[no|no wait|not yet|no that's wrong|no thanks|wait|hold on]")
        talk.assistant(WHAT_TO_CHANGE)
        talk.bookings.append(booking)
        return
    say(talk, "[no forget it|no cancel it|never mind|no don't book it|cancel that|leave it]")
    talk.assistant(NOT_BOOKED)


def asked(talk: Conversation) -> None:
    """A question about one field of the last booking, or about all of it."""
    if not talk.bookings:
        return
    rng, booking = talk.rng, talk.bookings[-1]
    known = [field for field in _ASKED if field in booking.known]
    if known and rng.random() < 0.6:
        field = rng.choice(known)
        words = _ASKED[field]
        if len(known) > 1 and rng.random() < 0.2:
            other = rng.choice([other for other in known if other != field])
            words = f"{words} and [{_SHORTLY[other]}|{_SHORTLY[other]}|{_ASKED[other]}]"
        say(
            talk,
            f"[|so|and|sorry|good|okay|wait|good so|right|one more time] {words}",
            Kind.QUESTION,
        )
        talk.assistant(f"That is {booking.words()}.")
        return
    say(
        talk,
        "[|||so|and|sorry|okay|good] [what did i book|what have i booked|what [are|were] my bookings|"
        "[can|could] you repeat [my booking|what i booked]|what did you book for me|what is booked|read me my booking|"
        "what have you put down|tell me again what you've put down|read that back to me|what was my booking|"
        "what did you write down|is it booked|what's my reservation|could you go over the booking again]",
        Kind.QUESTION,
    )
    done = [b.words() for b in talk.bookings if b.confirmed]
    talk.assistant(f"You have booked {joined(done)}." if done else f"That is {booking.words()}.")


def cancelled(talk: Conversation) -> None:
    """A booking is taken back: which one is asked where none is known."""
    rng = talk.rng
    if talk.bookings and rng.random() < 0.7:
        booking = talk.bookings.pop()
        say(
            talk,
            f"[please|can you|sorry|] cancel [my booking|the {booking.noun}|that booking|my {booking.noun}|it again] [please|]",
        )
        talk.assistant(f"Okay, the {booking.noun} is cancelled.")
        return
    say(
        talk,
        "[i'd like to cancel [a|my] [booking|table|reservation]|can i cancel a booking|i need to cancel something i booked] [please|]",
    )
    talk.assistant("Of course. What is the booking, and under which name?")
    booking, _ = _begun(talk)
    fields = [field for field in ("count", "day", "name") if field in _FIELDS[booking.kind]]
    say(talk, f"[it was|it's|] a {booking.noun} {_tell(talk, booking, fields)}")
    talk.assistant(f"That is {booking.words()}. Shall I cancel it?")
    say(talk, "[yes|yes please|yes cancel it|please do|go ahead|correct|that's the one]")
    talk.assistant(f"Okay, the {booking.noun} is cancelled.")
