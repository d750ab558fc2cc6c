"""How the desk listens: all that a caller says at once is heard for what it tells of the booking
and for what it asks; nothing is answered where it is not the desk's affair.

"Saturday, no wait, friday at ten, and is there parking" changes the booking and gets an answer.
"""

from __future__ import annotations

import re
from typing import Final

from clauses import Clause, clauses
from consent import agrees, gives_up, has_yes, refuses, says_yes
from form import Form, Words
from phrases import (
    ANNOUNCES,
    BYE,
    EARLIER,
    ELSEWHERE,
    IS_SO,
    LEANS,
    MAYBE,
    ONLY_ASKS,
    ONLY_DAY_OR_TIME,
    READ_BACK,
    SAME_TIME,
    VALUE,
    WAITS,
    WANTS,
    WARES,
    WELL_WISHES,
    WHO_IS_THERE,
    WISH,
    beside,
    talks,
)
from taking import NUMBERS, SHORT, SURE_STORY, Taking
from texts import read_text, sort_of
from words import (
    plain,
)

_SAID: Final = re.compile(r"\bdid i say (.*)|\bi said (.*)")


def hear(form: Form, said: str) -> Words:
    """Take what a caller said, and say what is known and asked next, or why something can't be;
    nothing where it is not the desk's affair."""
    whole = said.lower().replace("’", "'")
    said = WELL_WISHES.sub(" ", whole)
    heard = list(clauses(said))
    first, form.greeted = not form.greeted, True
    just_asked, form.asks_yes = form.asks_yes, False
    open_question = form.offered and not form.booked
    if open_question and agrees(heard, just_asked):
        return form.confirm()
    if form.known and gives_up(heard, form.booked):
        return form.cancel()
    listener = Listener(form, said)
    listener.listen()
    if open_question and not listener.changed and says_yes(heard):
        found = listener.found()
        return found | (form.state() if "error" in found else form.confirm())
    if open_question and not listener.changed and refuses(heard):
        return {"denied": True}
    talk = said != whole or BYE.search(said) or any(_of_others(one.text) for one in heard)
    return listener.answer() or ({"greeted": True} if first and not talk else {})


def _of_others(text: str) -> bool:
    """Whether the model has an answer: how it is, what the time is."""
    return bool(ELSEWHERE.search(text) or talks(text, True))


class Listener(Taking):
    """Of one thing that was said: what it tells, what it asks, and what is said to it."""

    def __init__(self, form: Form, said: str) -> None:
        super().__init__(form, said)
        self.questions: list[str] = []
        self._perhaps: list[str] = []  # questions, if there is a fact for them
        self._heard = list(clauses(said))
        self._talks: list[bool] = []  # of each clause: it is no affair of the desk's
        self._who = False  # who is there was asked for

    def listen(self) -> None:
        """Take all of it; questions are left in `questions`."""
        if self._story():
            return
        self._same_time()
        before = ""  # the clause before, where it told nothing
        asked = False  # it was a question
        for clause in clauses(self._phone(self.said)):
            if not self.form.known and WHO_IS_THERE.search(clause.text):
                self._who = True
                continue
            self._talks.append(
                talks(clause.text, clause.asks) or bool(ELSEWHERE.search(clause.text))
            )
            in_it = self._reads_back and clause.asks and not clause.text.startswith("and ")
            if in_it or (self._talks[-1] and clause.asks) or READ_BACK.search(clause.text):
                continue
            if self._put_right(clause):
                before = ""
                continue
            if clause.asks and not self._wishes(clause) and not self._is_a_name(clause):
                leans = before and LEANS.search(clause.text)
                self.questions.append(f"{before} {clause.text}" if leans else clause.text)
                if said := _SAID.search(clause.text):
                    self._tight = self._was(said[1] or said[2])
            elif before and MAYBE.match(clause.text):
                self._perhaps.append(before)
            else:
                known = dict(self.form.known)
                self._tell(clause)
                before = clause.text if self.form.known == known else ""
                if clause.asks and before:  # "can i drop it back after hours"
                    self._perhaps.append(before)
                if before and asked and len(before.split()) <= SHORT:
                    self.questions[-1] += f" {before}"  # "what will it be, the price"
            asked = clause.asks and bool(self.questions)

    def _same_time(self) -> None:
        """On another day, where it was refused."""
        need = next((one for one in self.form.house.needs if one.kind == "time"), None)
        last = self.form.last_time
        if need and last and need.what not in self.form.known and SAME_TIME.search(self.said):
            self._took(need, last.said, last.value)

    def _story(self) -> bool:
        """What is the matter, told in the caller's words: nothing else is read out of it."""
        need, text = self._asked, plain(self.said)
        if need is None or need.kind != "text" or sort_of(need) != "story" or self._reads_back:
            return False
        if beside(text) or refuses(self._heard) or ONLY_DAY_OR_TIME.match(text):
            return False
        found = read_text(need, text, asked=True)
        asks = any(one.asks for one in self._heard)
        if found is None or found.surely < SURE_STORY or asks:
            return False
        self._took(need, found.words, found.words)
        return True

    def answer(self) -> Words:
        """What the desk says to it; nothing where nothing is its affair."""
        form, found = self.form, self.found()
        if form.booked:
            form.asked = None
        if not self._before and not form.booked and EARLIER.search(self.said):
            form.known.clear()
            return {"earlier": True}
        if refused := form.refused(self._before):
            return found | refused
        if self._announced:
            form.changing = form.booked
            return {"announced": True}
        if self.changed and form.booked:
            form.changing = False
            return found | {"changed": f"{form.words()} is booked"}
        if self._reads_back:
            return found | form.read_back()
        if self.changed or (not form.known and self._wants() and not self.questions):
            return found | form.state()
        return found or self._told_nothing()

    def _told_nothing(self) -> Words:
        """Nothing new, and nothing that the house knows."""
        form = self.form
        if form.booked and ANNOUNCES.search(self.said):
            form.changing = True
            return {"announced": True}
        if not form.known or all(self._talks) or BYE.search(self.said):
            return {}
        if form.booked:  # what may be a change is not for a model to agree to
            if has_yes(self._heard):
                return {"stays": f"{form.words()} is booked"}
            talk = any(self._talks) and not VALUE.search(plain(self.said))
            return {} if talk else {"unclear": True}
        if has_yes(self._heard):
            return form.state()
        if WAITS.search(self.said):
            return {"waits": True}
        return {"unclear": True} | form.state()

    def _wants(self) -> bool:
        """Whether it begins a booking."""
        if WANTS.search(self.said):
            return True
        books = {word for word in plain(self.form.house.books).split() if len(word) >= SHORT}
        return not self._who and not any(self._talks) and not books.isdisjoint(self.said.split())

    # -- what is asked ---------------------------------------------------------------------------

    def found(self) -> Words:
        """The facts that were asked for; that it is not known, where that was surely a question."""
        house, booking = self.form.house, self.form.words()
        found = [house.answer(one, self.form.today, booking) for one in self.questions]
        found += [house.answer(one, self.form.today) for one in self._perhaps]
        if facts := dict.fromkeys(filter(None, found)):
            self.form.speaks_of(" ".join(facts))
            return {"fact": " ".join(facts)}
        surely = not self.changed or any(map(ONLY_ASKS.search, self.questions))
        return {"error": "not known"} if self.questions and surely else {}

    def _wishes(self, clause: Clause) -> bool:
        """Whether a question is a wish: "can you do friday", "do you have a table at eight"."""
        if WISH.search(clause.text) or ONLY_ASKS.search(clause.text):
            return bool(WISH.search(clause.text))
        if not self._moves:
            return False
        asked = self._asked or self._of_number(clause.text)
        wares = WARES.search(clause.text) or IS_SO.match(clause.text)
        return any(
            self._read(need, clause.text, asked is need and need.kind in NUMBERS)
            for need in self.form.house.needs
            if need.kind in ("day", *NUMBERS) or (need.kind == "choice" and not wares)
        )
