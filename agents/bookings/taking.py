"""What one clause tells of a booking: values are read in the order of their kinds, the surest
first, and what is read is taken out of the text, so that nothing is read twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clauses import Clause
from consent import agrees
from counts import nouns_of
from form import Form, Told
from hearing import BETWEEN, READERS, Heard, Hearing, heard
from house import Need
from names import Name, alike, is_name, is_other_name, merged, read_name
from phrases import (
    AGED,
    ALONE,
    ANY_DAY,
    BUSY_ON,
    CAN_YOU,
    CHANGES,
    CHANGES_BOOKED,
    FEWER,
    FOR_WHOM,
    HABIT,
    INSTEAD,
    MAKES,
    MEANT,
    MORE_OR_FEWER,
    NO_GOOD,
    OF_A_CLOCK,
    READ_BACK,
    REMARK,
    RULED_OUT,
    THAT_ONE,
    THERE_ARE,
    TIGHT,
    WRONG,
    beside,
    changing,
    putting_right,
    talks,
)
from texts import ANOTHERS, put_right, read_text, sort_of
from words import (
    NUMBER,
    number,
    plain,
    put_right_digits,
    read_digits,
    read_letters,
    read_time,
    time_words,
)

NUMBERS: Final = ("time", "count")
_LAST_HOUR: Final = 12  # that people say
_PART: Final = re.compile(r"\b(first|last|sur) ?name\b")
FEW_WORDS: Final = 3
SURE_STORY: Final = 2  # more than a word
SHORT: Final = 4
_SHORT_PHONE: Final = 7


class Taking:
    """Of one thing that was said: what its clauses tell is taken into the form."""

    def __init__(self, form: Form, said: str) -> None:
        self.form, self.said = form, said
        self._before = dict(form.known)
        self._asked = form.asked  # what a word alone would answer
        self._taken: set[str] = set()
        self._last: Need | None = None  # what was told last
        self._tight: Need | None = None  # "ten is a bit early"
        letters = read_letters(plain(said))
        self._letters = letters[0] if letters else ""  # that are spelled
        self._announced = False  # something is to change, and not to what
        self._surely = 0  # how sure the text is that was taken
        self._rights = False  # something was put right
        self._righting = False  # this clause does
        self._for_whom = False  # a name comes next
        self._moves = not form.booked or bool(
            form.changing or form.asked or CHANGES_BOOKED.search(said.lower())
        )
        self._reads_back = bool(READ_BACK.search(plain(said)))

    @property
    def changed(self) -> bool:
        """Whether it told anything new."""
        return self.form.known != self._before

    def _tell(self, clause: Clause) -> None:
        """Take what one clause tells."""
        if not self._moves:
            return
        self._rights, self._righting = self._rights or clause.rights, clause.rights
        asked, text = self._meant(clause), TIGHT.sub(" ", clause.text)
        text = RULED_OUT.sub(" ", text)
        good = BUSY_ON.sub(" ", NO_GOOD.sub(" ", text))
        if self.form.day() or ANY_DAY.search(good):
            text = good
        counts = [need for need in self.form.house.needs if need.kind == "count"]
        if not any("year" in need.of for need in counts) and asked not in counts:
            text = AGED.sub(" ", text)
        if not clause.asks and not (asked and asked.kind == "day"):
            text = HABIT.sub(" ", text)
        text = " ".join(text.split())
        for kind in READERS:
            for need in self.form.house.needs:
                if need.kind == kind:
                    text = self._take(need, text, asked is need)
        self._text(self._name(text, clause))
        self._for_whom = bool(FOR_WHOM.search(clause.text))

    def _is_a_name(self, clause: Clause) -> bool:
        """Whether "will young" answers the question for it."""
        words = clause.text.split()
        asked = self._asked is not None and self._asked.kind == "name"
        return asked and len(words) < FEW_WORDS and is_name(words, sure=True)

    def _put_right(self, clause: Clause) -> bool:
        """Whether something known is put right by its name: "the time should be eleven", "can you
        change the name to tom ward", "the day is wrong"; or what was told last: "i meant"."""
        if not self._moves or (clause.asks and not CAN_YOU.match(clause.text)):
            return False
        if (meant := MEANT.match(clause.text)) and self.form.last:
            return self._put(self.form.last, clause.text[meant.end() :])
        for need in self.form.house.needs:
            if changing(need.what, need.kind).search(clause.text):
                self._announced = True
                return True
            named = (
                putting_right(need.what, need.kind).search(clause.text)
                if need.what in self.form.known
                else None
            )
            rest = (named["rest"] or named["more"]) if named else ""
            if WRONG.match(rest):
                del self.form.known[need.what]
                return True
            if rest and self._put(need, rest):
                return True
        return False

    def _put(self, need: Need, text: str) -> bool:
        """Whether the text tells what this need is now."""
        text = text.strip()
        if need.kind == "name":
            found = read_name(text, asked=True)
            told = (found.said, found.said) if found else None
        elif need.kind == "text":
            words = read_text(need, text, asked=True, following=True)
            told = (words.words, words.words) if words else None
        elif need.kind == "phone":
            digits = read_digits(text)
            told = (digits[1].said, digits[0]) if digits else None
        else:
            return self._take(need, text, asked=True) != text
        if told:
            self._took(need, *told)
        return told is not None

    def _meant(self, clause: Clause) -> Need | None:
        """What a number alone would be of: what was asked for, or would be next; what is put right;
        what was told last."""
        form, text = self.form, clause.text
        asked = self._asked
        if asked and asked.what in self._taken:
            asked = form.missing()
        if asked is None and form.missing() is None and CHANGES.search(text):
            asked = self._of_number(text)
        if ALONE.match(text) and (asked is None or asked.kind not in (*NUMBERS, "phone")):
            last = self._last if self._last and self._last.kind in NUMBERS else None
            echo = form.missing() and re.fullmatch(NUMBER, text) and not self._rights
            asked = last or self._tight or (None if echo else self._of_number(text)) or asked
        if tight := TIGHT.search(text):
            self._tight = self._was(tight[1])
        if clause.rights and self._last is not None:
            asked = self._last
        if instead := INSTEAD.search(text):
            asked = self._was(instead[1]) or asked
        return asked

    def _of_number(self, text: str) -> Need | None:
        """Which need a number alone is of, when nothing is asked for: that which it can be."""
        form, match, said = self.form, re.search(rf"\b{NUMBER}\b", text), self.said.lower()
        numbers = [need for need in form.house.needs if need.kind in NUMBERS]
        if match is None or not numbers:
            return None
        named = [n for n in numbers if n.kind == "count" and n.of.removesuffix("s") in text]
        if len(named) == 1:
            return named[0]
        time = next((need for need in numbers if need.kind == "time"), None)
        count = next((need for need in numbers if need.kind == "count"), None)
        if time is None or count is None:
            return time or count
        if THERE_ARE.search(text) or MORE_OR_FEWER.search(said):
            return count
        if OF_A_CLOCK.search(said):
            return time
        if missing := [need for need in numbers if need.what not in form.known]:
            return missing[0]
        value, known = number(match[0]), form.known[count.what].value
        if value > _LAST_HOUR or (value < known and FEWER.search(said)):
            return count
        if count.why_not(value) or known == value:
            return time
        return time if form.open_at(time, form.placed(time, -60 * value)) else count

    def _was(self, told: str) -> Need | None:
        """Which need is so now: "twelve rather than eleven" is about that one."""
        for need in self.form.house.needs:
            known = self.form.known.get(need.what)
            if known and need.kind == "time" and (read := read_time(told, bare=True)):
                if abs(read.value) % 720 == known.value % 720:
                    return need
            elif known and need.kind == "count":
                found = self._read(need, told, asked=True)
                if found and found.value == known.value:
                    return need
        return None

    def _take(self, need: Need, text: str, asked: bool) -> str:
        """Take one value out of the text; gives what is left of it."""
        found = self._read(need, text, asked)
        if found is None:
            return text
        if need.kind == "time":
            minutes = self.form.placed(need, found.value)
            self._took(need, time_words(minutes), minutes)
        else:
            self._took(need, found.said, found.value)
        return _without(text, found.begin, found.end)

    def _read(self, need: Need, text: str, asked: bool) -> Heard | None:
        form = self.form
        known = form.known.get(need.what)
        more = need.kind == "count" and MORE_OR_FEWER.search(self.said.lower())
        counts = [one for one in form.house.needs if one.kind == "count"]
        named = [one for one in counts if one.of.removesuffix("s") in text]
        hearing = Hearing(
            need,
            asked,
            alone=[need] in (counts, named),
            today=form.today,
            before=form.last_day,
            over=form.over,
            known=known and known.value,
            again=bool(more),
            nouns="|".join(nouns_of(one.of) for one in counts),
            books=form.house.books,
        )
        makes = MAKES.search(text)
        found = heard(hearing, text[makes.end() :]) if makes else None
        if makes and found:  # "she has the cliffs seen, so make it connemara"
            found = found._replace(begin=found.begin + makes.end(), end=found.end + makes.end())
        found = found or heard(hearing, text)
        if found is None and need.kind == "choice" and form.spoken_of and THAT_ONE.search(text):
            found = Heard(form.spoken_of, form.spoken_of, len(text), len(text))
        if found and known and found.value != known.value and not (asked or self._righting):
            long = len(text.split()) > FEW_WORDS and not CHANGES.search(text)
            if long and (need.kind == "choice" or REMARK.search(text)):
                return None  # "no relation to the mountains", "he is away wednesday"
        return found

    def _took(self, need: Need, said: str, value: object) -> None:
        self.form.take(need, Told(said, value))
        self._last = need
        self._taken.add(need.what)

    def _phone(self, said: str) -> str:
        """Take a telephone number, or another end for it; gives what is left."""
        need = next((one for one in self.form.house.needs if one.kind == "phone"), None)
        text = said.lower()
        if need is None:
            return said
        known = self.form.known.get(need.what)
        found = read_digits(text, fewest=_SHORT_PHONE if known and self._asked is not need else 5)
        if found:
            right = put_right_digits(found[0], text[found[1].end :])
            self._took(need, *(reversed(right) if right else (found[1].said, found[0])))
            return f"{text[: found[1].begin]}, {'' if right else text[found[1].end :]}"
        if known and (right := put_right_digits(known.value, text)):
            self._took(need, *reversed(right))
            return ""
        return said

    def _text(self, text: str) -> None:
        """Take an address, or any other words."""
        if agrees([Clause(text, False, False)], just_asked=True):
            return
        missing = self.form.missing()
        for need in self.form.house.needs:
            known = self.form.known.get(need.what)
            if need.kind != "text":
                continue
            if known and (right := put_right(known.said, text)):
                self._took(need, right, right)
                continue
            asked = self._asked is need and not self._reads_back
            found = read_text(need, text, asked, following=missing is need)
            again = need.what in self._taken and not self._rights
            if found and asked and found.surely < SURE_STORY and beside(text):
                continue
            words = found.words.split() if found else []
            if 0 < len(words) < FEW_WORDS and sort_of(need) != "called" and self._is_spelled(words):
                continue  # it is the name
            if found and again and known and self._last is need and sort_of(need) == "place":
                told = f"{known.said}, {found.words}"  # "the old forge, back lane"
                self._took(need, told, told)
                return
            if found and found.surely > (self._surely if again else 1 if known else 0):
                self._surely = found.surely
                self._took(need, found.words, found.words)
                return  # one address is no other's

    def _name(self, text: str, clause: Clause) -> str:
        """Take a name; gives what is left."""
        need = next((one for one in self.form.house.needs if one.kind == "name"), None)
        if need is None:
            return text
        asked = self._asked is need and not self._reads_back
        known = self.form.known.get(need.what)
        righted = clause.rights and known is not None and self._last is None
        mine = asked or self._for_whom or self._last is need or righted
        mine = mine or bool(self._letters and known is None)
        texts = [one for one in self.form.house.needs if one.kind == "text"]
        if ANOTHERS.search(text) and any(sort_of(one) == "called" for one in texts):
            return text  # "his name's biscuit"
        first = not self._before or (known is None and self.form.missing() is need)
        found = read_name(text, mine, first)
        if found is None or not self._is_meant(found, text):
            return text
        if talks(text, False) and not found.led and len(found.words) == 1:
            return text  # "good luck now"
        told = found.said
        if known and found.led and " " not in known.said and (part := _PART.search(text)):
            told = f"{told} {known.said}" if part[1] == "first" else f"{known.said} {told}"
        if righted and not (asked or found.led) and not is_other_name(known, found):
            return text  # "no, the trim" is none
        if known and need.what in self._taken and not found.led:
            joint = merged(known.said, found)
            if joint is None and not self._rights:
                return text
            told = joint or told
        elif known and not (mine or found.led or clause.rights or self._is_spelled(found.words)):
            return text
        self._took(need, told, told)
        return _without(text, found.begin, found.end)

    def _is_spelled(self, words: Iterable[str]) -> bool:
        return any(alike(word, self._letters) for word in words)

    def _is_meant(self, found: Name, text: str) -> bool:
        """Whether what may be a name is one, after what was asked."""
        spelled = self._is_spelled(found.words)
        if found.led:
            return True
        if self._asked and self._asked.kind == "text":
            told = (
                self.form.known.get(self._asked.what) if self._asked.what in self._taken else None
            )
            if told and any(alike(word, self._letters) for word in told.said.split()):
                return False  # "write happy birthday otis, o t i s"
            if told is None:
                return spelled and len(found.words) > 1  # "k l fifty two b o x" is a plate
        return spelled or not self._reads_back


def _without(text: str, begin: int, end: int) -> str:
    """The text with a sign in place of what was read."""
    return " ".join(f"{text[:begin]} {BETWEEN} {text[end:]}".split())
