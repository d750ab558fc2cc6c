"""The first words of a booking at a desk, and how its parts are told: together, put right, in sentences."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from desk_booked import BookedTalk
from desk_needs import plural
from desk_problems import THEN, problem
from desk_values import mended
from desk_words import HELLOS, WISHES
from dialogue_values import draw_value
from domain import choose_branches
from instructed_bookings import fact_words
from instructed_questions import draw_question
from instructed_say import tell
from instructed_values import Told, told
from instructed_words import NOUNS, OF_KIND, OPENINGS

#: What is told in a sentence of its own.
_SENTENCES: Final = frozenset(("name", "phone", "email", "card", "plate", "birth", "postcode"))


class OpeningTalk(BookedTalk):
    """A booking at a desk, and how a caller begins it."""

    question = ""  # the answer to what was asked beside what was told
    pending = ""  # what was asked of the caller, or refused

    def open(self) -> None:
        """The first words, with none, some or all of what a booking needs."""
        rng, desk = self.rng, self.desk
        if desk.kind == "rooms" and len(desk.options) == 1:
            self.plan.take("room", Told(desk.options[0], desk.options[0]))
        names = [name for name in fact_words(desk) if rng.random() < 0.4]
        if self.asked_before() and rng.random() < 0.7:
            self.open_on(names)
            return
        wrong = problem(desk.kind, fact_words(desk), rng) if rng.random() < 0.3 else None
        if wrong:
            self.plan.take(*wrong)
            hello = HELLOS.replace("{w}", draw_value("name", rng, False).say)
            rest = [name for name in names if name != wrong[0]]
            opening = f"{hello} [||um|well|you see|listen] {wrong[1].text} {'' if rest else THEN}"
            self.tell_of(opening, rest)
            return
        head = "an appointment" if desk.noun == "appointment" else f"a {desk.noun}"
        if "number" in desk.needs:
            head = rng.choice((f"some {plural(desk.noun)}", plural(desk.noun)))
        if (
            desk.options
            and (offered := {"room", "service", "kind"} & set(desk.needs))
            and rng.random() < 0.5
        ):
            name = min(offered)
            names = [n for n in names if n != name]
            value = self.plan.draw(self.talk, name)
            self.plan.take(name, value)
            head = value.text
        elif "number" in desk.needs and rng.random() < 0.6:
            names = [n for n in names if n != "number"]
            value = self.mended_value("number", self.plan.draw(self.talk, "number"))
            self.plan.take("number", value)
            head = value.text
        hello, wish = (HELLOS, f"{WISHES} {{h}}") if rng.random() < 0.6 else (NOUNS, OPENINGS[0])
        hello = hello.replace("{w}", draw_value("name", rng, False).say)
        opening = wish.replace("{h}", head)
        if (
            len(names) > 1
            and head[:2] in ("a ", "an")
            and not self.plan.known
            and rng.random() < 0.15
        ):
            opening = "[can i book|could i book|i'd like to book|book us in|put us down|i want to book|can you fit us in|i'd like to come]"
        own = (
            desk.kind in OF_KIND
            and not {"room", "service", "kind", "number"} & set(self.plan.known)
            and rng.random() < 0.5
        )
        if own:
            opening = OF_KIND[desk.kind]
        if desk.kind == "vet" and rng.random() < 0.5:
            opening = (
                "[it's about|i'm calling about|there's something wrong with|i'd like to come with]"
            )
            self.tell_of(
                f"{hello} {opening} {self.taken('animal', '{v}')}",
                [n for n in ("matter", *names) if n != "animal"],
            )
            return
        rng.shuffle(names)
        self.tell_of(f"{hello} {opening}", names)

    def open_on(self, names: list[str]) -> None:
        """The first words of a booking that follows from what was asked."""
        opening = self.follow()
        if not self.plan.known and not {"day", "time", "count", "number"} & set(names):
            names.append("day")
        first = [name for name in ("day", "time") if name in names]
        rest = [name for name in names if name not in first and name not in self.plan.known]
        self.rng.shuffle(rest)
        ordered = [*first, *rest] if self.rng.random() < 0.7 else [*rest, *first]
        self.tell_of(opening, ordered, self.then())

    def taken(self, name: str, frame: str = "") -> str:
        """Draw a value, keep it, and give the words for it."""
        value = self.mended_value(name, self.plan.draw(self.talk, name))
        self.plan.take(name, value)
        if frame:
            return frame.replace("{v}", choose_branches(value.text, self.rng))
        return self.worded(name, told(self.talk, name, value, alone=False))

    def mended_value(self, name: str, value: Told) -> Told:
        """Now and then another value is said first, and put right in the same breath."""
        slips = ("day", "time", "count", "nights", "number", "length", "term", "plate", "span")
        if name not in slips or self.rng.random() > 0.07:
            return value
        others = [self.plan.draw(self.talk, name) for _ in range(3)]
        wrong = [
            choose_branches(other.text, self.rng)
            for other in others
            if other.say != value.say and (other.data < 0 or other.data % 720 != value.data % 720)
        ]
        right = choose_branches(value.text, self.rng)
        return value._replace(text=mended(wrong[:1], right, self.rng)) if wrong else value

    def worded(self, name: str, words: str) -> str:
        """``from two for an hour``: the time of what has a length."""
        if name == "time" and "length" in self.desk.needs and self.rng.random() < 0.5:
            return f"from {words[3:]}" if words.startswith("at ") else words
        return words

    def tell_of(self, text: str, names: list[str], end: str = "") -> None:
        """The caller says it, and tells these values behind it; at times asks something besides."""
        joint, words = " " if self.rng.random() < 0.75 else ", ", text
        for name in names:
            if name in self.plan.known and name != "count":
                continue
            part = self.taken(name)
            stop = name in _SENTENCES and self.rng.random() < 0.3
            words = f"{words}{'. ' if stop else joint if words.strip() else ''}{part}"
        words = f"{words} {end}"
        self.question = ""
        if self.rng.random() < 0.12 and (wish := self.wished()):
            words = f"{words} {wish}"
        if self.rng.random() < 0.05:
            asked = draw_question(self.desk, self.rng)
            if not asked.answer.startswith("That is"):  # nobody asks for a sum of something else
                glue = " and" if self.rng.random() < 0.6 else "."
                words, self.question = f"{words}{glue} {asked.text}", f"{asked.answer} "
        tell(self.talk, f"{words} [please||||]", exact=True)
