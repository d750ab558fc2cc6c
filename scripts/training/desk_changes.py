"""What a caller puts right in a booking at a desk: one value or two, the end of a number, one thing more."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from desk_people import time_words
from desk_talk import DeskTalk
from desk_wishes import ADDS, WISHES, draw_wish
from desk_words import MOVES, REASONS
from domain import choose_branches
from instructed_say import tell
from instructed_values import Told, draw_phone
from instructed_words import (
    CHANGED,
    CHANGES,
    NO,
    WHY,
    WHY_BEFORE,
)
from open_words import with_open_words
from spoken_numbers import UNITS
from talk_numbers import heard_number


class ChangeTalk(DeskTalk):
    """A booking at a desk whose values change."""

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
        if "wish" not in known and self.desk.kind in WISHES and "place" not in self.desk.needs and rng.random() < 0.12:  # fmt: skip
            self.plan.known["wish"] = draw_wish(self.desk.kind, rng)
            tell(self.talk, ADDS.replace("{v}", self.plan.known["wish"].text), exact=True)
            return
        names = rng.sample(known, 2 if len(known) > 2 and rng.random() < 0.2 else 1)
        parts = [self.changed(name) for name in names]
        plain = not {"name", "phone", "plate", "animal", "email", "postcode"} & set(names)
        why = f" {rng.choice((WHY, REASONS))}" if plain and rng.random() < 0.25 else ""
        why = f" {with_open_words(choose_branches(why, rng), rng)}"
        before = f"{WHY_BEFORE} " if rng.random() < 0.12 else ""
        tell(self.talk, f"{before}{NO} {' and '.join(parts)}{why}", exact=True)

    def changed(self, name: str) -> str:
        """The words that put one value right; of a telephone number perhaps its last digit alone."""
        rng, old = self.rng, self.plan.known[name]
        if name == "phone" and rng.random() < 0.6:
            return self.other_end(old)
        if (
            name == "span"
            and " to " in old.say
            and "quarter to" not in old.say
            and rng.random() < 0.4
        ):
            return self.other_start(old)
        if name == "day":
            self.plan.known.pop(name)
        value = self.plan.draw(self.talk, name)
        for _ in range(8):  # another value, if there is one
            if value.say != old.say:
                break
            value = self.plan.draw(self.talk, name)
        self.plan.known[name] = value
        numbered = name in ("count", "nights") and "adult" not in f"{value.say} {old.say}"
        words = value.say if numbered else choose_branches(value.text, rng)
        prep = {"time": "at "}.get(name, "")
        moved = name in ("day", "time", "span", "term", "length") and rng.random() < 0.4
        family = name == "count" and not numbered
        text = choose_branches(MOVES if moved else CHANGES if family else CHANGED.get(name, CHANGES), rng)  # fmt: skip
        if name == "day" and "time" in self.plan.known and rng.random() < 0.2:
            text += rng.choice((" same time", " at the same time", " same time please", " the time stays"))  # fmt: skip
        text = text.replace("{v}", words).replace("{p}", rng.choice((prep, "")))
        text = text.replace("{w}", rng.choice(("wife", "husband", "son", "boss", "mum", "friend")))
        return (
            text.replace("{o}", old.say.removeprefix("on "))
            .replace("one nights", "one night")
            .replace("one people", "one person")
        )

    def other_start(self, old: Told) -> str:
        """The booking begins earlier, and ends as it did."""
        start, _, end = old.say.removeprefix("from ").partition(" to ")
        minute = old.data % 1440 - self.rng.choice((30, 60, 60))
        new = time_words(minute % 1440)
        exact = 1440 if old.data >= 1440 else 0
        self.plan.known["span"] = Told(f"from {new}", f"from {new} to {end}", minute % 1440 + exact)
        was = choose_branches(f"[ not {start}| instead of {start}| instead|||]", self.rng)
        return f"[let's start at {new}|start at {new}|we'd start at {new}|could we begin at {new}|from {new}|can we have it from {new}|begin at {new}|we want to start at {new}|make it from {new}] {was}"

    def other_end(self, old: Told) -> str:
        """The last digit of a telephone number, or the last two to four, are put right."""
        rng, digits = self.rng, [int(digit) for digit in str(old.data)[1:]]
        count = rng.choice((1, 1, 2, 2, 3, 4))
        if count > 1 and rng.random() < 0.5:  # the right digits, in another order
            digits[-2], digits[-1] = digits[-1], digits[-2]
        else:
            digits[-1] = (digits[-1] + rng.randint(1, 9)) % 10
        self.plan.known["phone"] = draw_phone(self.talk, digits)
        tail = digits[-count:]
        last = heard_number(self.talk, tail) if count > 1 else UNITS[tail[0]]
        if rng.random() < 0.25:
            return f"[the number's wrong|that number is wrong|the number isn't right|] it's {self.plan.known['phone'].text}"
        many = {1: "digit is", 2: "two are", 3: "three are", 4: "four are"}[count]
        again = f"[|||so {self.plan.known['phone'].text}]"
        return f"[the number's wrong|wrong number|not quite|the end is wrong||||] [the last {many} {last}|it ends in {last}|it's {last} at the end|{last} at the end|it ends {last}|the end is {last}] {again}"

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
