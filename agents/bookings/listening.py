"""How the desk listens: everything that a caller says at once is heard for what it tells of the
booking and for what it asks, whichever tool it came by.

"Saturday, no wait, friday at ten, and is there parking" changes the booking and gets an answer.
"""

from __future__ import annotations

import re
from typing import Any, Final

from clauses import Clause, clauses
from form import Form, Told, Words
from hearing import BETWEEN, READERS, Heard, Hearing, heard
from house import Need
from names import left, merged, read_name
from texts import put_right, read_text
from words import DAYS, NUMBER, number, plain, put_right_digits, read_digits, read_letters, read_time, time_words

_DAY: Final = rf"(?:{'|'.join(DAYS)})"
#: What is told only to be ruled out: "not wednesday", "any day but friday", "instead of ten".
_RULED_OUT: Final = re.compile(
    rf"(?<!why )(?<!why )\b(?:not|bar|except|apart from|other than|but) (?:(?:on|at|for|the|a|this) )*{_DAY}s?\b"
    rf"|\b{_DAY}(?:s|'s| is)? (?:i'm|i've|i work|we're|we've|(?:is |are |isn't |not )?(?:no|any) good|is out"
    r"|is the|'s the|won't|doesn't|don't|i can't|is bad|no use|i have|we have|she|he|they)\b"
    rf"|\b(?:he's|she's|i'm|aged|turning|turns|over|under) (?:only |about |just |nearly |all )*{NUMBER}\b(?! o'clock)"
    rf"|\b(?:i have|i've got|i've|we have|we've|there's) (?:\w+ ){{1,3}}(?:at|till|until) {NUMBER}\b"
    rf"|\b(?:work|works|working|can't(?: do| make| manage| come)?|closed|shut|dentist|in town|back(?: home)? (?:on)?"
    rf"|leaving|leave|fly|home on|until|till) (?:on )?(?:the )?{_DAY}s?\b"
    r"|(?<!why )\bnot (?:on |at |for )?(?:the |a )?\w+(?= (?:but|it's|on|at|for|\w+day)\b)"
    rf"|\bnot (?:at |for )?{NUMBER}\b|\bnot (?:on |at |for )?(?:the |a )?\S+$"
    r"|\b(?:instead of|rather than) (?:the |a |at )?(?:(?:half|quarter)(?: past| to)? )?\w+"
)
_INSTEAD: Final = re.compile(r"\b(?:not|instead of|rather than) (?:at |for |the )*([\w ]+)")
#: "On wednesdays" in what is told is a habit.
_HABIT: Final = re.compile(rf"\b{_DAY}s\b")
_ONLY_ASKS: Final = re.compile(
    r"\b(?:how|cost|price|prices|charge|pay|open|close|closed|shut|park|parking|allowed|why|where"
    r"|what(?! about| if)|which|who|when|happens|need to|have to|should i|must i)\b"
)
_WARES: Final = re.compile(r"\bdo (?:you|ye|yous|they)(?: \w+)? (?:do|buy|sell|fix|touch|mend|make|rent|hire|offer|cut|take)\b")
_WISH: Final = re.compile(r"\b(?:what|how) about\b|\bany chance\b|\bis it possible\b")
_YES: Final = re.compile(
    r"^(?:(?:yes|yeah|yep|aye|ok|okay|sure|perfect|lovely|great|grand|please|that's|all|right|correct|fine|it"
    r"|go|on|ahead|do|book|good|so|then|thanks|thank|you|that|is|absolutely|course|of|me|us|in|them"
    r"|for|the|well) ?)+$"
)
_SURE: Final = re.compile(r"\b(?:yes|yeah|yep|aye|go ahead|go on|book|correct|that's (?:right|it)|sure|do it)\b")
_GIVES_UP: Final = re.compile(
    r"\b(?:don't book (?:it|anything|me|that)|leave it (?:altogether|for now)|forget (?:about )?(?:it|the whole)"
    r"|scrap (?:it|that|the whole)|cancel (?:it|that|the|my|all)|call it off|won't bother)\b"
)
_FOR_WHOM: Final = re.compile(r"\b(?:for|it's) (?:my|our|her|his) \w+(?: \w+)?$")
_ALONE: Final = re.compile(
    rf"^(?:(?:let's|it's|that's|we're|there's|i'll|we'll|can you|could you|could we|can we|um|uh|oh|so|but|just|then|go|on|actually|maybe|better) )*"
    rf"(?:(?:make|say|call|do|have|put|be) )?(?:it |that )?{NUMBER}(?: (?:then|please|instead|rather|though|so|now|altogether))*$"
)
_CHANGES: Final = re.compile(
    r"\b(?:make|change|switch|swap|instead|actually|rather|go for|have|want|just|book|put|take|do|need|like|then)\b"
)
_MORE_OR_FEWER: Final = re.compile(
    r"\b(?:coming|come|joining|join|bringing|tag|along|people|us|friends?|brother|sister|wife|husband|kids?|mum|mom"
    r"|dad|cousins?|mates?|can't make it|dropped out|pulled out|cancelled|boys|girls|lads|altogether|more|fewer|less|extra)\b"
)
_TIGHT: Final = re.compile(
    rf"\b((?:half |quarter )?(?:past |to )?{NUMBER})(?:'s| is| was)? (?:a bit|too|a little|a squeeze|rather|very|no good|pushing|tight)\b"
)
_CLOCK: Final = re.compile(r"\b(?:early|late|morning|evening|earlier|later|o'clock|time|start|half|quarter)\b")


_LEANS: Final = re.compile(r"\b(?:that|it|them|this)(?: at all| though| for me| too)?$")
_MAYBE: Final = re.compile(r"^(?:and )?(?:is|are|would|will) (?:that|it|this|they|there)(?: be)? \w+$")


class Listener:
    """Of one thing that was said."""

    def __init__(self, form: Form, said: str, asking: bool = False) -> None:
        """``asking``: the model took it for a question."""
        self.form, self.said, self._asking = form, said, asking
        self.questions: list[str] = []
        self.perhaps: list[str] = []  # questions, if there is a fact for them
        self._before = dict(form.known)
        self._asked = form.asked  # what a word alone would answer
        self._last: Need | None = None  # what was told last
        self._for_whom = False
        self._only_asks = False  # none of it was told, as far as can be seen
        self._rights = False  # something was put right
        self._tight: Need | None = None  # "ten is a bit early"
        self._surely = 0  # how sure the text is that was taken
        self._taken: set[str] = set()

    def listen(self) -> None:
        """Take all of it; questions are left in `questions`."""
        said = self._phone(self.said)
        before = ""  # that told nothing: "she has a tablet, can somebody do that"
        heard = list(clauses(said))
        self._only_asks = self._asking and not any(clause.asks for clause in heard)
        for clause in heard:
            if clause.asks and not self._wishes(clause):
                leans = before and _LEANS.search(clause.text)
                self.questions.append(f"{before} {clause.text}" if leans else clause.text)
            elif before and _MAYBE.match(clause.text):
                self.perhaps.append(before)
            else:
                known = dict(self.form.known)
                self._rights = self._rights or clause.rights
                self._tell(clause)
                before = clause.text if self.form.known == known else ""

    @property
    def changed(self) -> bool:
        """Whether it told anything new."""
        return self.form.known != self._before

    def answer(self) -> Words:
        """What the desk says to it."""
        form = self.form
        found = self._facts()
        if refused := form.refused(self._before):
            return found | refused
        if self.changed and form.booked:
            return found | {"changed": f"{form.words()} is booked"}
        if self.changed or not found:
            return found | (form.told() if form.booked else form.state())
        return found

    def _facts(self) -> Words:
        """The facts that were asked for."""
        form, asking, told = self.form, self._asking, list[str]()
        asked = self.questions or ([plain(self.said)] if asking and not self.changed else [])
        for question in asked:
            fact = form.house.answer(question, form.today, form.words())
            if fact and fact not in told:
                told.append(fact)
        for words in self.perhaps:
            if (fact := form.house.answer(words, form.today)) and fact not in told:
                told.append(fact)
        if told:
            return {"fact": " ".join(told)}
        if asking and not self.questions and self.changed:
            fact = form.house.answer(plain(self.said), form.today, form.words())
            return {"fact": fact} if fact else {}
        return {"error": "not known"} if asked else {}

    def _wishes(self, clause: Clause) -> bool:
        """Whether a question is a wish: "can you do friday", "do you have a table at eight"."""
        if _WISH.search(clause.text):
            return True
        if _ONLY_ASKS.search(clause.text):
            return False
        asked = self._asked or self._of_number(clause.text)
        kinds = ["day", "time", "count", "choice"]
        if self._asking or _WARES.search(clause.text):
            kinds.pop()
        return any(
            self._read(need, clause.text, asked is need and need.kind in ("time", "count"))
            for need in self.form.house.needs
            if need.kind in kinds
        )

    def _tell(self, clause: Clause) -> None:
        """What one clause tells."""
        form, text = self.form, clause.text
        asked = self._asked if self._asked and self._asked.what not in self._taken else None
        moved = form.missing() if asked is None and self._asked else asked
        if asked is None:
            may = form.missing() is None and _CHANGES.search(text)
            asked = moved or (self._of_number(text) if may else None)
        numbers = ("time", "count")
        if (asked is None or asked.kind not in (*numbers, "phone")) and _ALONE.match(text):
            if self._last and self._last.kind in numbers:
                asked = self._last  # "just the one, oh go on then, two"
            else:
                asked = self._tight or self._of_number(text) or asked
        if tight := _TIGHT.search(text):
            self._tight = self._was(tight[1])
            text = _TIGHT.sub(" ", text)
        if clause.rights and self._last is not None:
            asked = self._last
        if instead := _INSTEAD.search(text):
            asked = self._was(instead[1]) or asked
        text = _RULED_OUT.sub(" ", text)
        text = " ".join(_HABIT.sub(" ", text).split()) if not clause.asks else " ".join(text.split())
        for kind in READERS:
            for need in form.house.needs:
                if need.kind == kind and kind != "phone":
                    text = self._take(need, text, asked is need)
        if not self._name(text, clause):
            self._text(text, clause)
        self._for_whom = bool(_FOR_WHOM.search(clause.text))

    def _of_number(self, text: str) -> Need | None:
        """Which need a number alone is of, when nothing is asked for: that which it can be."""
        form, match = self.form, re.search(rf"\b{NUMBER}\b", text)
        counts = [need for need in form.house.needs if need.kind == "count"]
        time = next((need for need in form.house.needs if need.kind == "time"), None)
        if match is None or time is None or not counts:
            return time if match else counts[0] if match and counts else None
        value, count = number(match[0]), counts[0]
        known = form.known.get(count.what)
        if _MORE_OR_FEWER.search(self.said.lower()):
            return count
        if _CLOCK.search(self.said.lower()):
            return time
        if count.what not in form.known or time.what not in form.known:
            return next(need for need in form.house.needs if need in (count, time) and need.what not in form.known)
        if known and value < known.value and re.search(r"\b(?:just|only|leave)\b", self.said.lower()):
            return count
        if value > 12:  # noqa: PLR2004
            return count
        if count.why_not(value) or (known and known.value == value):
            return time
        return time if form.open_at(time, form.placed(time, -60 * value)) else count

    def _take(self, need: Need, text: str, asked: bool) -> str:
        """Take one value out of the text; gives what is left of it."""
        found = self._read(need, text, asked)
        if found is None:
            return text
        value = self.form.placed(need, found.value) if need.kind == "time" else found.value
        self._took(need, Told(time_words(value) if need.kind == "time" else found.said, value))
        return f"{text[: found.begin]} {BETWEEN} {text[found.end :]}".strip()

    def _read(self, need: Need, text: str, asked: bool) -> Heard | None:
        form = self.form
        counts = [one for one in form.house.needs if one.kind == "count"]
        known = form.known.get(need.what)
        nouns = "|".join(re.escape(one.of.removesuffix("s")) + "(?:s|es)?" for one in counts)
        mentioned = [one for one in counts if one.of.removesuffix("s") in self.said.lower()]
        hearing = Hearing(
            need, asked, need in (counts if len(counts) == 1 else mentioned if len(mentioned) == 1 else ()), form.today, form.last_day, known and known.value, nouns
        )
        found = heard(hearing, text)
        if found and need.kind == "choice" and known and not asked and found.value != known.value:
            if len(text.split()) > 3 and not _CHANGES.search(text):
                return None  # "no relation to the mountains"
        return found

    def _took(self, need: Need, told: Told) -> None:
        self.form.take(need, told)
        self._last = need
        self._taken.add(need.what)

    def _phone(self, said: str) -> str:
        """A telephone number is read across commas, and put right at its end."""
        need = next((one for one in self.form.house.needs if one.kind == "phone"), None)
        if need is None:
            return said
        text = re.sub(r"[,.;]+(?=\s|$)|\b(?:um|uh|er|erm|then|and)\b(?=[\s,.])", " ", said.lower())
        text = " ".join(text.split())
        found = read_digits(text)
        known = self.form.known.get(need.what)
        if found is None and known and (right := put_right_digits(known.value, text)):
            self._took(need, Told(right[1], right[0]))
            return ""
        if found is None:
            return said
        told = Told(found[1].said, found[0])
        if right := put_right_digits(found[0], text[found[1].end :]):
            told = Told(right[1], right[0])
            text = text[: found[1].end]
        self._took(need, told)
        return f"{text[: found[1].begin]}, {text[found[1].end :]}"

    def _text(self, text: str, clause: Clause) -> None:
        """An address, or any other words."""
        for need in self.form.house.needs:
            if need.kind != "text":
                continue
            known = self.form.known.get(need.what)
            if known and (right := put_right(known.said, text)):
                self._took(need, Told(right, right))
                continue
            asked = self._asked is need and not self._only_asks
            found = read_text(need, text, asked, following=self.form.missing() is need)
            if found is None or (need.what in self._taken and not clause.rights and found.surely <= self._surely):
                continue
            if known and found.surely < 2:
                continue
            self._surely = found.surely
            self._took(need, Told(found.words, found.words))

    def _name(self, text: str, clause: Clause) -> bool:
        """A name; whether that is all that this clause is."""
        for need in self.form.house.needs:
            if need.kind != "name":
                continue
            known = self.form.known.get(need.what)
            mine = self._asked is need or self._for_whom or self._last is need
            found = read_name(text, mine)
            if found is None:
                continue
            spelled = read_letters(text) is not None
            if spelled and not found.led and self._asked and self._asked.kind == "text":
                continue  # "k l fifty two b o x"
            if self._asking and not (found.led or spelled):
                if self._only_asks or len(found.words) == 1:
                    continue
            if known and need.what in self._taken and not found.led:
                joint = merged(known.said, found)
                if joint or self._rights:
                    self._took(need, Told(joint or found.said, joint or found.said))
                return bool(joint)
            if known is None or mine or found.led or clause.rights:
                self._took(need, Told(found.said, found.said))
                return True
        return False

    def _was(self, told: str) -> Need | None:
        """Which need is so now: "twelve rather than eleven" is about that one."""
        for need in self.form.house.needs:
            known = self.form.known.get(need.what)
            if known is None:
                continue
            if need.kind == "time" and (read := read_time(told, bare=True)):
                if abs(read.value) % 720 == known.value % 720:
                    return need
            if need.kind == "count" and (found := self._read(need, told, asked=True)):
                if found.value == known.value:
                    return need
        return None


def hear(form: Form, said: str, asking: bool = False) -> Words:
    """Take what a caller said, and say what is known and asked next, or why something can't be."""
    if form.offered and not form.booked and _SURE.search(plain(said)) and _YES.match(plain(said)):
        return form.confirm()
    if not asking and form.known and _GIVES_UP.search(plain(said)):
        return form.cancel()
    listener = Listener(form, said, asking)
    listener.listen()
    return listener.answer()


def agreed(form: Form, said: str) -> Words:
    """A yes; what is changed in the same breath is read back first."""
    listener = Listener(form, said)
    listener.listen()
    return listener.answer() if listener.changed else form.confirm()


__all__ = ["agreed", "hear"]
