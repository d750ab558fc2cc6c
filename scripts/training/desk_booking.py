"""A caller at a desk: a booking told, asked about, changed and confirmed, and what is said between."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from booking_turns import YES
from desk_talk import DeskTalk
from dialogue_values import capitalise
from domain import choose_branches
from instructed_bookings import QUESTIONS, fact_words
from instructed_questions import draw_question, fitting_room
from instructed_say import tell
from instructed_values import Told, draw_phone, told
from instructed_words import (
    CANCELS,
    CHANGED,
    CHANGES,
    DONE,
    DROPPED,
    HOLD,
    NO,
    NOUNS,
    OF_KIND,
    OPENINGS,
    WHY,
    WHY_BEFORE,
)
from set_phrases import NOT_BOOKED, WHAT_TO_CHANGE
from shapes import Kind
from spoken_numbers import UNITS


class BookingTalk(DeskTalk):
    """A booking at a desk from its first word to what comes behind its confirmation."""

    question = ""  # the answer to what was asked beside what was told
    pending = ""  # what was asked of the caller, or refused

    def book(self) -> None:
        """A booking from its first word to its confirmation and what comes behind."""
        self.open()
        self.respond("Okay.")
        for _ in range(16):
            if self.plan.missing() is None and self.settle():
                return
            if self.long():
                return
            if self.plan.missing() is not None:
                self.answer()

    def open(self) -> None:
        """The first words, with none, some or all of what a booking needs."""
        rng, desk = self.rng, self.desk
        if desk.kind == "rooms" and len(desk.options) == 1:
            self.plan.take("room", Told(desk.options[0], desk.options[0]))
        names = [name for name in fact_words(desk) if rng.random() < 0.4]
        head = "an appointment" if desk.noun == "appointment" else f"a {desk.noun}"
        if (
            desk.options
            and ("room" in desk.needs or "service" in desk.needs)
            and rng.random() < 0.5
        ):
            name = "room" if "room" in desk.needs else "service"
            names = [n for n in names if n != name]
            value = self.plan.draw(self.talk, name)
            self.plan.take(name, value)
            head = value.text
        opening = rng.choice(OPENINGS).replace("{h}", head)
        if (
            len(names) > 1
            and head[:2] in ("a ", "an")
            and not self.plan.known
            and rng.random() < 0.15
        ):
            opening = "[can i book|could i book|i'd like to book|book us in|put us down|i want to book|can we come|could we come|can you fit us in|i'd like to come]"
        own = (
            desk.kind in OF_KIND
            and not {"room", "service"} & set(self.plan.known)
            and rng.random() < 0.5
        )
        if own:
            opening = OF_KIND[desk.kind]
        if desk.kind == "vet" and rng.random() < 0.5:
            opening = (
                "[it's about|i'm calling about|there's something wrong with|i'd like to come with]"
            )
            self.tell_of(
                f"{NOUNS} {opening} {self.taken('animal', '{v}')}",
                [n for n in ("matter", *names) if n != "animal"],
            )
            return
        rng.shuffle(names)
        self.tell_of(f"{NOUNS} {opening}", names)

    def taken(self, name: str, frame: str = "") -> str:
        """Draw a value, keep it, and give the words for it."""
        value = self.plan.draw(self.talk, name)
        self.plan.take(name, value)
        if frame:
            return frame.replace("{v}", choose_branches(value.text, self.rng))
        return self.worded(name, told(self.talk, name, value, alone=False))

    def worded(self, name: str, words: str) -> str:
        """``from two for an hour``: the time of what has a length."""
        if name == "time" and "length" in self.desk.needs and self.rng.random() < 0.5:
            return f"from {words[3:]}" if words.startswith("at ") else words
        return words

    def tell_of(self, text: str, names: list[str]) -> None:
        """The caller says it, and tells these values behind it; at times asks something besides."""
        parts = [
            text,
            *(self.taken(name) for name in names if name not in self.plan.known or name == "count"),
        ]
        joint = " " if self.rng.random() < 0.75 else ", "
        words = joint.join(part for part in parts if part)
        self.question = ""
        if self.rng.random() < 0.05:
            asked = draw_question(self.desk, self.rng)
            words, self.question = f"{words} and {asked.text}", f"{asked.answer} "
        tell(self.talk, f"{words} [please||||]", exact=True)

    def respond(self, greeting: str) -> None:
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
        self.say(f"{before}{greeting} That is {self.plan.words()}. Shall I book it?")

    def answer(self) -> None:
        """What was asked for is told; or something is put right, asked, or said instead."""
        rng, pick = self.rng, self.rng.random()
        if pick < 0.08:
            self.aside()
        elif pick < 0.11 and self.plan.known:
            self.recall()
        elif pick < 0.17 and self.plan.known:
            self.change()
            self.respond("Okay.")
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

    def reply(self, name: str) -> None:
        """The value asked for, at times with others."""
        rng, refused = self.rng, self.pending.startswith("I'm sorry")
        value = self.plan.draw(self.talk, name)
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
            self.tell_of(f"[||||||um|uh|okay|yes|well|hmm|er|right] {words}", others)
        self.respond(f"Thank you, {self.plan.known['name'].say}." if name == "name" else "Okay.")

    def change(self) -> None:
        """One thing or two are put right."""
        rng, known = self.rng, [name for name in self.plan.known if name != "reason"]
        if not known:
            return
        if (
            "service" in known
            and " and " not in self.plan.known["service"].say
            and rng.random() < 0.3
            and len(self.desk.options) > 1
        ):
            self.add_service()
            return
        names = rng.sample(known, 2 if len(known) > 2 and rng.random() < 0.2 else 1)
        parts = [self.changed(name) for name in names]
        plain = not {"name", "phone", "plate", "animal"} & set(names)
        why = f" {WHY}" if plain and rng.random() < 0.15 else ""
        before = f"{WHY_BEFORE} " if rng.random() < 0.12 else ""
        tell(self.talk, f"{before}{NO} {' and '.join(parts)}{why}", exact=True)

    def changed(self, name: str) -> str:
        """The words that put one value right; of a telephone number perhaps its last digit alone."""
        rng, old = self.rng, self.plan.known[name]
        if name == "phone" and rng.random() < 0.6:
            digits = [int(d) for d in str(old.data)[1:]]
            digits[-1] = (digits[-1] + rng.randint(1, 9)) % 10
            self.plan.known[name] = draw_phone(self.talk, digits)
            last = UNITS[digits[-1]]
            again = f"[||so {self.plan.known[name].text}]"
            return f"[the last one's a {last}|it ends in {last}|the last digit is {last}|the last number should be {last}|{last} at the end] {again}"
        if name == "day":
            self.plan.known.pop(name)
        value = self.plan.draw(self.talk, name)
        for _ in range(8):  # another value, if there is one
            if value.say != old.say:
                break
            value = self.plan.draw(self.talk, name)
        self.plan.known[name] = value
        numbered = name in ("count", "nights")
        words = value.say if numbered else choose_branches(value.text, rng)
        prep = {"time": "at "}.get(name, "")
        text = choose_branches(CHANGED.get(name, CHANGES), rng)
        text = text.replace("{v}", words).replace("{p}", rng.choice((prep, "")))
        return (
            text.replace("{o}", old.say.removeprefix("on "))
            .replace("one nights", "one night")
            .replace("one people", "one person")
        )

    def add_service(self) -> None:
        """Something more is to be done."""
        had = self.plan.known["service"]
        more = self.rng.choice(
            [option for option in self.desk.options if option not in had.say] or ["a wash"]
        )
        self.plan.known["service"] = Told(had.text, f"{had.say} and {more}")
        tell(
            self.talk,
            f"[can you add {more} [as well|too|]|and {more} [as well|too]|i'd like {more} too|and could i have {more} with it|put {more} on top|oh and {more} [please|too]|also {more} please]",
            exact=True,
        )

    def settle(self) -> bool:
        """All is there and read back: the caller says yes, or something else first. Whether it is over."""
        rng, pick = self.rng, self.rng.random()
        if self.pending.startswith("I'm sorry") or self.long():
            return True
        if pick < 0.24:
            self.change()
            self.respond("Okay.")
            return False
        if pick < 0.34:
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
            self.respond("Okay.")
            return False
        self.agree()
        return True

    def agree(self) -> None:
        """A yes in one of many words."""
        yes, day = YES.replace("{n}", self.desk.noun), self.plan.known.get("day")
        if self.rng.random() < 0.06:
            name = day.say.removeprefix("on ") if day else "that"
            yes = f"[then we leave it at {name} yes|yes {name} is fine book it|{name} is fine yes please confirm]"
        tell(self.talk, yes)
        self.confirmed()

    def confirmed(self) -> None:
        """It is booked; it may be asked about, changed, taken back."""
        rng, plan = self.rng, self.plan
        plan.booked = True
        self.talk.assistant(f"Thank you. {capitalise(plan.words())} is booked.")
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
            if self.long():
                return
            pick = rng.random()
            if pick < 0.45:
                self.recall()
            elif pick < 0.75:
                self.aside()
            elif pick < 0.96:
                self.change_booked()
            else:
                tell(self.talk, CANCELS.replace("{n}", self.desk.noun))
                self.talk.assistant(f"Okay, the {self.desk.noun} is cancelled.")
                return

    def change_booked(self) -> None:
        """A change of what is booked; one that can't be leaves it as it was."""
        plan, before = self.plan, dict(self.plan.known)
        self.change()
        refusal = plan.refusal()
        if refusal is None:
            self.talk.assistant(f"Okay, I've changed it. {capitalise(plan.words())} is booked.")
            return
        self.talk.assistant(refusal)
        plan.known = before
        tell(
            self.talk,
            "[oh|okay|ah|alright|right|hmm|] [then leave it as it is|leave it then|then it stays as it was|never mind then|keep it as it was|forget it then|then leave the booking alone]",
        )
        self.talk.assistant(f"Okay. {capitalise(plan.words())} is booked.")
