"""A booking that another assistant took: changed, moved by an hour, one more of us; then asked about."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from booking_turns import Booking
from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name
from shapes import Kind
from spoken_numbers import spoken_number
from talk_numbers import plainly, told_before

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OPENING: Final = "[i'd like|we'd like|book me|can i have|can i book|could i get|i want to book|we want|put me down for|please book|i need|can we have|]"
_TAKEN: Final = (
    "{W}.",
    "{W}. Anything else?",
    "Okay, {w}.",
    "Done, {w}.",
    "Of course, {w}.",
    "{W}, noted.",
    "{W}, lovely.",
    "Certainly, {w}.",
    "I've put you down for {w}.",
    "You are booked for {w}.",
    "No problem.",
    "Of course.",
    "All right.",
)
_MOVED: Final = (
    "No problem, I've noted it.",
    "Of course, I've moved it.",
    "Okay, I've changed it.",
    "Done.",
    "All right, changed.",
    "No problem.",
    "Certainly, that's fine.",
    "I've made a note of that.",
    "That's no trouble.",
)
_ASKS: Final = {
    "count": "[[so|] how many is it for [now|]|how many are we [now|]|for how many [people|] is it [now|]|how many people [have you got|did you put down|is that for] [now|]|how many of us [is it|are there] [now|]|how many did i say|for how many have you got it|it's for how many now]",
    "day": "[[so|] which day [is it|was it|am i coming|are we coming|have you got|did we say] [now|]|what day [is it|was that|have you got me down for]|when am i coming|on which day is that|when is it [now|]|which day was that [again|]]",
    "time": "[[so|] what time [are we coming|am i coming|is it|have you got|was that|did i say] [now|]|when [am i coming in|are we coming|is it|do we have to be there|should we be there] [now|]|at what time is it [now|]|what time is that now|so what time is our table]",
    "name": "[[so|] what name is [that|it] under [now|]|under which name is it|whose name have you got|who is it for|which name did you put|under what name have you got it|what did you write as the name|and the name on it is]",
    "all": "[what have i got booked|so when am i coming in now|can you repeat [that|the booking]|what did you put down|read it back [to me|] please|just to be sure what have you got|tell me once more what's booked|remind me of my booking|so what is it now|what did we say in the end]",
}  # fmt: skip


def time_words(minute: int, style: int) -> str:
    """``half past eight`` or ``eight thirty``, as it was said before."""
    hour, rest = divmod(minute % 720, 60)
    word, after = spoken_number(hour or 12), spoken_number(hour % 12 + 1)
    if rest == 0:
        return word
    if style:
        return f"{word} {spoken_number(rest)}"
    return {15: f"quarter past {word}", 30: f"half past {word}", 45: f"quarter to {after}"}[rest]


class _Taken:
    """A booking under way with another assistant."""

    def __init__(self, talk: Conversation) -> None:
        self.talk, self.rng = talk, talk.rng
        kind = self.rng.choice(("table", "table", "appointment"))
        noun = (
            "table"
            if kind == "table"
            else self.rng.choice(
                (
                    "haircut",
                    "facial",
                    "massage",
                    "check-up",
                    "lesson",
                    "court",
                    "manicure",
                    "fitting",
                    "consultation",
                    "physio appointment",
                    "appointment",
                )
            )
        )
        self.booking = Booking(kind, noun)
        self.known = self.booking.known
        self.count, self.minute, self.style = (
            self.rng.randint(2, 9),
            15 * self.rng.randint(32, 84),
            self.rng.randrange(2),
        )
        if self.rng.random() < 0.5:
            self.minute -= self.minute % 60
        self.last = ""

    def reply(self, moved: bool = False) -> None:
        """Another assistant takes it, in its own words."""
        words = self.booking.words()
        text = (
            self.rng.choice(_MOVED if moved else _TAKEN)
            .replace("{w}", words)
            .replace("{W}", capitalise(words))
        )
        told_before(self.talk, text)

    def opened(self) -> None:
        """The caller says what is wanted; at times who they are first."""
        rng, known, table = self.rng, self.known, self.booking.kind == "table"
        if rng.random() < 0.3:
            name = (
                draw_value("name", rng, False).say
                if rng.random() < 0.5
                else capitalise(invented_name(rng))
            )
            plainly(
                self.talk,
                f"[hi|hello|hey|good morning] [it's {name} here|this is {name}|i'm {name}|my name is {name}|{name} speaking|{name} here]",
            )
            told_before(
                self.talk,
                rng.choice(
                    (
                        f"Hello {name}, what can I do for you?",
                        f"Hello {name}!",
                        f"Hi {name}. How can I help?",
                    )
                ),
            )
            known["name"] = self.talk.name = name
        parts = []
        if table:
            known["count"] = spoken_number(self.count)
            parts.append(
                rng.choice(
                    (
                        f"for {known['count']}",
                        f"for {known['count']}",
                        f"for {known['count']} people",
                    )
                )
            )
        day = rng.choice(_DAYS)
        if rng.random() < 0.8:
            known["day"] = (
                f"on {day}" if rng.random() < 0.75 else rng.choice(("tomorrow", "tonight"))
            )
            if not table and known["day"] == "tonight":
                known["day"] = "tomorrow"
            parts.append(
                known["day"].lower()
                if rng.random() < 0.8
                else known["day"].lower().replace("on ", "for ")
            )
        if rng.random() < 0.75 or not parts:
            known["time"] = time_words(self.minute, self.style)
            parts.append(
                rng.choice((f"at {known['time']}", f"at {known['time']}", f"for {known['time']}"))
            )
        if "name" not in known and rng.random() < 0.35:
            known["name"] = (
                draw_value("surname", rng, False).say
                if rng.random() < 0.5
                else capitalise(invented_name(rng))
            )
            parts.append(
                f"[under {known['name']}|in the name of {known['name']}|name's {known['name']}|the name is {known['name']}]"
            )
        noun = (
            self.booking.words()
            .split(" for ")[0]
            .split(" on ")[0]
            .split(" at ")[0]
            .split(" tom")[0]
            .split(" ton")[0]
        )
        plainly(self.talk, f"{_OPENING} {noun} {' '.join(parts)} [please||]")
        self.reply()

    def changed(self) -> None:
        """Another day, more people, an hour later."""
        rng, known = self.rng, self.known
        ways = [
            way
            for way in ("count", "day", "time", "shift", "more")
            if way in known
            or (way == "shift" and "time" in known)
            or (way == "more" and "count" in known)
        ]
        if not ways:
            return
        way = rng.choice(ways)
        no = "[|no sorry|ah no|sorry|actually|oh|wait|hang on|hmm] ~"
        if way == "count":
            self.count += rng.choice((1, 1, 2, 3)) if self.count < 4 else rng.choice((-1, 1, 2))
            new = spoken_number(self.count)
            plainly(
                self.talk,
                f"{no} [there's {new} of us|make it {new}|we'll be {new}|we are {new} now|it's {new} people not {known['count']}|we're {new}|it'll be {new} of us after all|{new} people i mean]",
            )
        elif way == "more":
            up = rng.random() < 0.7 or self.count < 3
            self.count += 1 if up else -1
            new = spoken_number(self.count)
            plainly(
                self.talk,
                f"{no} "
                + (
                    "[one more person is coming|there's one more of us|my sister is coming too|add one more person|we're one more|plus one more]"
                    if up
                    else "[one of us can't come|we're one less|one person less|my brother can't make it|take one off]"
                ),
            )
        elif way == "day":
            day = rng.choice([day for day in _DAYS if day not in known["day"]])
            plainly(
                self.talk,
                f"{no} [can we do {day}|make it {day}|{day} would be better|rather {day}|could we move it to {day}|{day} instead|not {known['day'].removeprefix('on ')} {day}] [same time||please]",
            )
            known["day"] = f"on {day}"
        elif way == "time":
            self.minute = 15 * rng.randint(32, 84)
            known["time"] = time_words(self.minute, self.style)
            plainly(
                self.talk,
                f"{no} [make it {known['time']}|at {known['time']} rather|{known['time']} would be better|can we do {known['time']}|{known['time']} instead|better at {known['time']}]",
            )
        else:
            step, said = rng.choice(
                (
                    (60, "an hour"),
                    (60, "an hour"),
                    (30, "half an hour"),
                    (120, "two hours"),
                    (15, "fifteen minutes"),
                )
            )
            later = rng.random() < 0.7
            self.minute += step if later else -step
            way_said = "later" if later else "earlier"
            plainly(
                self.talk,
                f"{no} [we'll be {said} {way_said}|can we make that {said} {way_said}|make it {said} {way_said}|{said} {way_said} [please|if possible|]|could we come {said} {way_said}|{'push it back' if later else 'bring it forward'} {said}]",
            )
            known["time"] = time_words(self.minute, self.style)
        if "count" in known:
            known["count"] = spoken_number(self.count)
        if way in ("shift", "more") and rng.random() < 0.3:  # we change it ourselves
            self.talk.assistant(f"Okay, {self.booking.words()}. {self.question()}")
            return
        self.last = {"shift": "time", "more": "count"}.get(way, way)
        self.reply(moved=True)

    def question(self) -> str:
        """What must be known next, as in any booking."""
        missing = self.booking.missing()
        asked = {
            "count": "For how many people?",
            "time": "For what time?",
            "day": "For which day?",
            "name": "Whose name shall I put it under?",
        }
        return asked[missing] if missing else "Shall I book it?"


def booked_turn(talk: Conversation) -> None:
    """Taken by another, changed once or twice, then asked about: what holds now is said."""
    taken = _Taken(talk)
    rng = talk.rng
    talk.bookings, talk.booked = [taken.booking], []  # what was booked before is another matter
    taken.opened()
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        taken.changed()
    fields = [field for field in ("count", "day", "time", "name") if field in taken.known]
    for _ in range(rng.choice((1, 1, 2))):
        pick = rng.random()
        field = (
            taken.last
            if taken.last and pick < 0.5
            else "all"
            if pick > 0.85
            else rng.choice(fields)
        )
        plainly(
            talk,
            f"[|||so|sorry|just to be sure|hmm|wait|and|just checking|okay] {_ASKS[field]} [||again|please]",
            Kind.QUESTION,
        )
        talk.assistant(f"That is {taken.booking.words()}.")
