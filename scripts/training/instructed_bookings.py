"""A booking by what a desk's prompt says it needs: what is known of it, what is missing, what can't be."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from conversation import Conversation
from desk_facts import Desk
from desk_hours import DAYS
from desk_kinds import STAYS
from desk_limits import Limits
from desk_needs import plural
from desk_people import Person, time_words
from desk_values import (
    draw_age,
    draw_birth,
    draw_card,
    draw_date,
    draw_email,
    draw_heights,
    draw_postcode,
    draw_span,
    draw_term,
)
from desk_wishes import FAMILIES, draw_family, draw_kinds, draw_wish
from dialogue_values import with_an
from instructed_hours import clock_minutes, said_time
from instructed_questions import smallest_room
from instructed_values import LENGTHS, OTHER_NUMBERS, Told, draw_phone, draw_plate, draw_words
from order_items import joined
from spoken_numbers import spoken_number

#: The order in which the parts of a booking are said, and how: the same at every desk.
_SAID: Final[Mapping[str, str]] = {
    "work": " for {}", "reason": " for {}", "animal": " for {}", "matter": " {}", "person": " with {}", "count": " for {} people", "nights": " for {} nights", "place": " {}", "wish": " {}", "occasion": " {}",
    "day": " {}", "time": " at {}", "span": " {}", "length": " for {}", "term": " for {}", "name": " for {}", "age": ", age {}", "birth": ", born on {}", "heights": ", height {}",
    "plate": ", plate {}", "card": ", card {}", "postcode": ", postcode {}", "phone": ", number {}", "email": ", e-mail {}",
}  # fmt: skip
#: The one question for each.
QUESTIONS: Final[Mapping[str, str]] = {
    "number": "How many would you like?", "day": "For which day?", "time": "For what time?", "span": "From when to when?", "count": "For how many people?",
    "nights": "For how many nights?", "length": "For how long?", "term": "For how long?", "name": "Whose name shall I put it under?", "phone": "What is your telephone number?",
    "plate": "What is the number plate?", "card": "What is your card number?", "birth": "What is your date of birth?", "heights": "How tall is everybody?", "age": "How old is the child?",
    "place": "Inside or outside?", "service": "What would you like done?", "work": "What would you like done?", "room": "Which room would you like?", "kind": "Which one would you like?",
    "person": "Who would you like to see?", "animal": "Which animal is it, and what is its name?", "matter": "What is the matter?",
    "postcode": "What is the postcode?", "email": "What is your e-mail address?",
}  # fmt: skip


class Plan:
    """A booking at a desk and what is known of it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.known: dict[str, Told] = {}
        self.booked = False
        self.limits = Limits()
        self.away: Person | None = None  # who was asked for and isn't in that day

    def head(self) -> str:
        """``a double room``, ``a cut``, ``the Maple room``, ``a table``."""
        for name in ("service", "room", "kind", "number"):
            if name in self.known:
                return self.known[name].say
        if "number" in self.desk.needs:
            return f"some {plural(self.desk.noun)}"
        return f"an {self.desk.noun}" if self.desk.noun[0] in "aeiou" else f"a {self.desk.noun}"

    def words(self) -> str:
        """``a table for four people on Friday at eight for Novak, number six two nine``."""
        return self.head() + "".join(self._part(name) for name in _SAID if name in self.all())

    def all(self) -> Mapping[str, Told]:
        """What is known, and who will do it where that follows."""
        service = self.known.get("service")
        doer = self.desk.does.get(service.say, "") if service else ""
        return {**self.known, "person": Told(doer, doer)} if doer else self.known

    def _part(self, name: str) -> str:
        value = self.all()[name].say
        if name == "count" and "adult" in value:
            return f" for {value}"
        if name in ("count", "nights") and value == "one":
            return f" for one {'person' if name == 'count' else 'night'}"
        return _SAID[name].format(value)

    def missing(self) -> str | None:
        """What must be asked for next."""
        return next((need for need in self.desk.needs if need not in self.known), None)

    def take(self, name: str, told: Told) -> None:
        """Keep what was told; a number of people takes the smallest room that is large enough."""
        self.known[name] = told
        if (
            name == "count"
            and self.desk.sizes
            and "room" in self.desk.needs
            and "room" not in self.known
        ):
            room = smallest_room(self.desk, told.data)
            if room:
                self.known["room"] = Told(room, room)

    def refusal(self) -> str | None:
        """What can't be, by the prompt; it is forgotten, and asked for anew."""
        hours, day = self.desk.hours, self.known.get("day")
        clock = "span" if "span" in self.known else "time"
        time = self.known.get(clock)
        if self.desk.kind in STAYS:
            return None
        if limited := self.limits.refusal(self.known):
            del self.known[limited[0]]
            return f"{limited[1]} {QUESTIONS[limited[0]]}"
        if day and day.data >= 0 and hours.group(day.data) is None:
            del self.known["day"]
            return f"I'm sorry, we're closed on {DAYS[day.data]}s. {hours.open_days()} {QUESTIONS['day']}"
        if day and day.data >= 0 and time and not self._fits(day.data, time.data):
            del self.known[clock]
            return f"I'm sorry, {hours.about(day.data)}. {QUESTIONS[clock]}"
        if self.desk.times and time and time.data % 1440 not in self.desk.times:
            del self.known["time"]
            words = joined([time_words(minute) for minute in self.desk.times])
            return f"I'm sorry, there are tours at {words}. {QUESTIONS['time']}"
        person = self.person()
        if day and person and day.data >= 0 and day.data not in person.days:
            del self.known["person"]
            self.away = person
            return f"{person.away(day.data)} {QUESTIONS['person']}"
        length, limit = self.known.get("length"), self.desk.limit
        if length and limit and length.data > limit:
            del self.known["length"]
            return (
                f"I'm sorry, it can be booked for up to {LENGTHS[limit][0]}. {QUESTIONS['length']}"
            )
        room, count = self.known.get("room"), self.known.get("count")
        if room and count and self.desk.sizes.get(room.say, 99) < count.data:
            del self.known["room"]
            return f"I'm sorry, {room.say} is for {spoken_number(self.desk.sizes[room.say])} people. {QUESTIONS['room']}"
        return None

    def person(self) -> Person | None:
        """Whom the booking is with."""
        said = self.known.get("person")
        return next((one for one in self.desk.people if said and one.name == said.say), None)

    def _person(self, talk: Conversation) -> Told:
        """Somebody who works here; now and then one who is away that day."""
        rng, day = talk.rng, self.known.get("day")
        people = list(self.desk.people)
        if day and day.data >= 0 and rng.random() < 0.75:
            people = [one for one in people if day.data in one.days] or people
        name = rng.choice(people).name
        short = rng.choice((name, name.replace("Doctor", "Dr")))
        return Told(short, name)

    def _fits(self, day: int, time: int) -> bool:
        """A time told without its part of the day fits if either does."""
        if time < 0:
            return True
        either = (time,) if time >= 1440 else (time, (time + 720) % 1440)
        return any(self.desk.hours.inside(day, minute % 1440) for minute in either)

    def draw(self, talk: Conversation, name: str) -> Told:
        """A value that the caller may tell; now and then one that can't be."""
        rng = talk.rng
        if name == "wish":
            return draw_wish(self.desk.kind, rng)
        if name == "occasion":
            return self.known[name]
        if name == "day":
            return self._day(talk)
        if name == "time":
            return self._time(talk)
        if name in ("count", "nights"):
            return self._number(talk, name)
        if name in ("number", "span", "person", "heights", "card"):
            return self._draw_more(talk, name)
        if name in _SIMPLE:
            return _SIMPLE[name](rng)
        if name == "length":
            most = min(self.desk.limit or 240, self._left())
            fitting = [m for m in LENGTHS if m <= most] or [30]
            over = [m for m in LENGTHS if self.desk.limit and m > self.desk.limit]
            minutes = rng.choice(over) if over and rng.random() < 0.25 else rng.choice(fitting)
            return Told(rng.choice(LENGTHS[minutes]), LENGTHS[minutes][0], minutes)
        if name == "place":
            where = rng.choice(("inside", "outside"))
            return Told(
                rng.choice((where, where, where, "indoors" if where == "inside" else "outdoors")),
                where,
            )
        if name in ("service", "room", "kind"):
            return self._option(talk)
        if name == "phone":
            return draw_phone(talk)
        if name == "plate":
            return draw_plate(talk)
        repair = name == "work" and self.desk.kind == "repair"
        return draw_words(talk, "repair work" if repair else name)

    def _draw_more(self, talk: Conversation, name: str) -> Told:
        """What only some desks ask for."""
        rng = talk.rng
        if name == "number":
            count, noun = rng.choice((1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8, 10)), self.desk.noun
            if self.desk.options:
                return draw_kinds(self.desk.options, rng)
            said = f"a {noun}" if count == 1 else f"{spoken_number(count)} {plural(noun)}"
            heard = f"one {noun}" if count == 1 and rng.random() < 0.5 else with_an(said)
            return Told(heard, with_an(said), count)
        if name == "span":
            return draw_span(self._time(talk), rng, rng.choice((60, 60, 90, 120, 30)))
        if name == "person":
            return self._person(talk)
        if name == "card":
            return draw_card(talk)
        count = self.known["number"].data if "number" in self.known else 2
        return draw_heights(min(3, max(1, count)), rng)

    def _number(self, talk: Conversation, name: str) -> Told:
        """A number of people or nights, now and then without the number."""
        rng, most = talk.rng, max(self.desk.sizes.values(), default=12)
        count = min(rng.choice((1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 12)), most)
        if self.limits.most and count > self.limits.most and rng.random() < 0.5:
            count = rng.randint(2, self.limits.most)
        if name == "nights":
            count = rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 10))
        elif self.desk.kind in FAMILIES and 2 < count < 9 and rng.random() < 0.3:
            return draw_family(count, rng)
        said = spoken_number(count)
        others = OTHER_NUMBERS.get((name, count))
        return Told(others if others and rng.random() < 0.25 else said, said, count)

    def _left(self) -> int:
        """How many minutes there are between the time of the booking and closing time."""
        day, time = self.known.get("day"), self.known.get("time")
        group = self.desk.hours.group(day.data) if day and day.data >= 0 else None
        if group is None or time is None or time.data < 0:
            return 120
        minute = time.data % 1440
        return next(
            (span.closes - minute for span in group.spans if span.opens <= minute < span.closes), 60
        )

    def _ends(self, day: int, minute: int) -> bool:
        """Whether the booking would still end in time."""
        if "length" not in self.desk.needs:
            return True
        length = self.known["length"].data if "length" in self.known else 60
        return self.desk.hours.inside(day, minute + length - 1)

    def _option(self, talk: Conversation) -> Told:
        rng, plain = talk.rng, talk.rng.choice(self.desk.options)
        if self.desk.kind == "rooms":
            bare = re.sub(r"^the | room$", "", plain)
            return Told(rng.choice((plain, plain, bare)) if len(bare) > 3 else plain, plain)
        if plain[:2] in ("a ", "an"):
            return Told(plain, plain)
        said = with_an(f"a {plain}")
        return Told(rng.choice((said, said, plain)), said)

    def _day(self, talk: Conversation) -> Told:
        rng, pick = talk.rng, talk.rng.random()
        hotel = self.desk.kind in STAYS
        if pick < (0.6 if hotel else 0.1):
            return draw_date(rng)
        if pick < (0.65 if hotel else 0.15):
            said = rng.choice(("today", "tomorrow", "tomorrow", "the day after tomorrow"))
            return Told(said, said)
        shut = self.desk.hours.closed()
        closed = shut and not hotel and rng.random() < 0.15
        day = rng.choice(shut) if closed else rng.choice([d for d in range(7) if d not in shut])
        if not closed and (fitting := self.limits.fitting(self.known)) and rng.random() < 0.7:
            day = rng.choice(fitting)
        name = DAYS[day]
        if rng.random() < 0.12:
            return Told(f"next {name}", f"next {name}", day)
        return Told(
            rng.choice((f"on {name}", f"on {name}", name, name, f"this {name}")), f"on {name}", day
        )

    def _time(self, talk: Conversation) -> Told:
        rng, day = talk.rng, self.known.get("day")
        if self.desk.times and rng.random() < 0.9:
            return self._tour(rng)
        shut = self.desk.hours.closed()
        on = (
            day.data
            if day and day.data >= 0 and day.data not in shut
            else rng.choice([d for d in range(7) if d not in shut])
        )
        inside = not (day and day.data >= 0 and rng.random() < 0.15)
        minute, full = clock_minutes(self.desk, on, rng, inside)
        anyhow = rng.random() < 0.25  # though it may be the wrong part of the day
        for _ in range(20):
            suits = anyhow or self.limits.suits(self.known, minute)
            if not inside or (self._ends(on, minute) and suits):
                break
            minute, full = clock_minutes(self.desk, on, rng, inside)
        said = said_time(minute, rng, full)
        exact = bool(re.search(r" [ap] m$| in the |noon|midnight", said))
        return Told(said, re.sub(r" ([ap]) m$", r" \1.m.", said), minute + (1440 if exact else 0))

    def _tour(self, rng: random.Random) -> Told:
        """One of the set times: by its time, as the first or the last, by its part of the day."""
        times = self.desk.times
        at = rng.randrange(len(times))
        said = time_words(times[at])
        texts = [said, said, f"the {said} {rng.choice(('one', 'tour'))}"]
        if at == 0:
            texts += ["the first one", "the early one", "the first tour", "the morning tour", "the morning one"]  # fmt: skip
        elif at == len(times) - 1:
            texts += ["the last one", "the later one", "the last tour", "the later tour", "the second one" if at == 1 else "the last one"]  # fmt: skip
            if len(times) == 2:
                texts += ["the afternoon tour", "the afternoon one"]
        return Told(rng.choice(texts), said, times[at])


_SIMPLE: Final[Mapping[str, Callable[[random.Random], Told]]] = {
    "birth": draw_birth,
    "age": draw_age,
    "term": draw_term,
    "email": draw_email,
    "postcode": draw_postcode,
}


def fact_words(desk: Desk) -> Sequence[str]:
    """Everything that may be told of a booking at this desk."""
    more = {"practice": ("reason",), "rooms": ("count",)}.get(desk.kind, ())
    return (*desk.needs, *desk.extra, *more)
