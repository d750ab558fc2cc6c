"""A caller at a desk: a booking told, asked about, changed and confirmed, and what is said between."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from desk_hours import DAYS
from desk_names import letters_of, spelled_behind
from desk_opening import OpeningTalk
from instructed_bookings import QUESTIONS, fact_words
from instructed_questions import fitting_room
from instructed_say import tell
from instructed_values import Told, told
from instructed_words import (
    DONE,
    DROPPED,
    HOLD,
    WHY,
)
from set_phrases import NOT_BOOKED, WHAT_TO_CHANGE
from shapes import Kind


class BookingTalk(OpeningTalk):
    """A booking at a desk from its first word to what comes behind its confirmation."""

    def book(self) -> None:
        """A booking from its first word to its confirmation and what comes behind."""
        if self.rng.random() < 0.12:
            self.reached()
        self.open()
        self.respond()
        for _ in range(16):
            if self.plan.missing() is None and self.settle():
                return
            if self.long():
                return
            if self.plan.missing() is not None:
                self.answer()

    def respond(self) -> None:
        """What follows from all that is known: a refusal, the next question, or all of it read back."""
        before, self.question = self.question, ""
        if refusal := self.plan.refusal():
            self.pending = refusal
            self.talk.assistant(before + refusal)
            return
        missing = self.plan.missing()
        self.pending = QUESTIONS[missing] if missing else ""
        if missing:
            self.say(f"{before}Okay, {self.plan.words()}. {QUESTIONS[missing]}")
            return
        self.say(f"{before}Okay. That is {self.plan.words()}. Shall I book it?")

    def spell_behind(self) -> bool:
        """A name that was told is spelled in a turn of its own; from then on it is its letters."""
        name = self.plan.known.get("name")
        part = name.say.split()[-1] if name else ""
        if len(part) < 2:
            return False
        tell(self.talk, spelled_behind(part, self.rng), exact=True)
        letters = letters_of(part)
        self.plan.known["name"] = Told(letters, letters)
        self.respond()
        return True

    def answer(self) -> None:
        """What was asked for is told; or something is put right, asked, or said instead."""
        rng, pick = self.rng, self.rng.random()
        if rng.random() < 0.1:
            self.aside()
        elif rng.random() < 0.05:
            self.needed()
        if pick < 0.08:
            self.aside()
        elif pick < 0.11 and self.plan.known:
            self.recall()
        elif pick < 0.18 and self.spell_behind():
            return
        elif pick < 0.24 and self.plan.known:
            self.change()
            self.respond()
            return
        if self.plan.away and self.rng.random() < 0.4 and self.another_day():
            return
        name = next(
            (
                n
                for n, question in QUESTIONS.items()
                if n in self.desk.needs
                and n not in self.plan.known
                and self.pending.endswith(question)
            ),
            None,
        )
        name = name or self.plan.missing()
        if name is None:
            return
        if name == "room" and self.desk.sizes and "count" in self.plan.known and rng.random() < 0.3:
            tell(
                self.talk,
                "[which one is [big|large] enough|which room would [be big enough|fit us]|which one do you suggest|what would fit us|the one that's big enough which is it]",
                Kind.QUESTION,
            )
            self.talk.assistant(fitting_room(self.desk, self.plan.known["count"].data))
        self.reply(name)

    def another_day(self) -> bool:
        """Whom they want isn't in that day: they ask when, and come then."""
        rng, person = self.rng, self.plan.away
        self.plan.away = None
        if person is None or "is in on" in self.pending or "isn't in on" not in self.pending:
            return False
        who = rng.choice((person.name, "he", "she", "they", "he", "she"))
        text = f"[well|and|so|oh|oh dear|right|ah|but|okay|] [when is {who} in then|when is {who} in|when can i see {who} then|what days is {who} in|which days does {who} work then|when does {who} work|so when is {who} there]"
        tell(
            self.talk,
            _objective(text),
            Kind.QUESTION,
        )
        self.talk.assistant(person.answer())
        day = DAYS[rng.choice(person.days)]
        self.plan.take("day", Told(day, f"on {day}", DAYS.index(day)))
        self.plan.take("person", Told(person.name, person.name))
        others = [n for n in ("time", "name") if n not in self.plan.known and n in self.desk.needs]
        self.tell_of(
            f"[|okay|then|right|fine|alright] [{day}|on {day}|{day} then|this {day}|let's say {day}|{day} please]",
            [n for n in others if rng.random() < 0.4],
        )
        self.respond()
        return True

    def reply(self, name: str) -> None:
        """The value asked for, at times with others."""
        rng, refused = self.rng, self.pending.startswith("I'm sorry")
        value = self.mended_value(name, self.plan.draw(self.talk, name))
        self.plan.take(name, value)
        words = self.worded(name, told(self.talk, name, value, alone=True))
        others = [
            n for n in fact_words(self.desk) if n not in self.plan.known and rng.random() < 0.2
        ]
        if name in ("day", "time", "place", "room", "count") and not others and rng.random() < 0.08:
            words = f"{words} {WHY}"
        if refused:
            before = "[oh|ah okay|okay|ah|oh dear|alright|right|hmm|oh for heaven's sake|fine|then|oh well|i see|too bad|really okay|]"
            after = (
                "[same time|at the same time|then same time|]"
                if name == "day" and "time" in self.plan.known
                else "[then|]"
            )
            if name == "time" and rng.random() < 0.3:  # another day at a time
                words = f"{self.taken('day')} {words}"
            self.tell_of(f"{before} {words} {after}", others)
        else:
            self.tell_of(
                f"[||||||um|uh|okay|yes|well|hmm|er|right|oh sure|okay so|of course] {words}",
                others,
            )
        self.respond()

    def settle(self) -> bool:
        """All is there and read back: the caller says yes, or something else first. Whether it is over."""
        rng, pick = self.rng, self.rng.random()
        if self.pending.startswith("I'm sorry") or self.long():
            return True
        if pick < 0.05 and self.spell_behind():
            return False
        if pick < 0.26:
            self.change()
            self.respond()
            return False
        if pick < 0.36:
            self.aside()
        elif pick < 0.41:
            self.recall()
        elif pick < 0.47:
            tell(self.talk, HOLD)
            self.talk.assistant("Okay, I won't book it yet.")
            if rng.random() < 0.3:
                self.recall()
            tell(self.talk, DONE)
            self.confirmed()
            return True
        elif pick < 0.5:
            tell(self.talk, DROPPED)
            self.talk.assistant(NOT_BOOKED)
            return True
        elif pick < 0.53:
            tell(
                self.talk,
                "[no|no wait|no that's wrong|that's not right|no that's not it|there's a mistake]",
            )
            self.talk.assistant(WHAT_TO_CHANGE)
            self.change()
            self.respond()
            return False
        self.agree()
        return True


def _objective(text: str) -> str:
    """``see she -> see her``, ``is they -> are they``."""
    for wrong, right in (("see he ", "see him "), ("see she ", "see her "), ("see they ", "see them "), ("see he|", "see him|"), ("see she|", "see her|"), ("is they", "are they"), ("does they", "do they")):  # fmt: skip
        text = text.replace(wrong, right)
    return text
