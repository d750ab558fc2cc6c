"""Days, times, numbers and names in what a caller says, and said again.

English, as a recognizer or a hand writes it: "half past two", "2:30", "the third of june", "double
four". Everything takes lower case words (:func:`plain`) and gives what it read with the span where
it stood, or None.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final, NamedTuple

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = (
    "january february march april may june july august september october november december".split()
)
_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen".split()
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18,
    "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_VALUES: Final = {word: at for at, word in enumerate(_ONES)} | {
    word: 20 + 10 * at for at, word in enumerate(_TENS)
}
_UNIT: Final = "|".join(_ONES[1:10])
NUMBER: Final = (
    rf"(?:\d+|(?:{'|'.join(_TENS)})[ -](?:{_UNIT})|(?:{'|'.join(_TENS)})(?![ -](?:{_UNIT})\b)"
    rf"|{'|'.join(_ONES[::-1])})"
)
_HUNDREDS: Final = re.compile(rf"\b({NUMBER}|a) (hundred|thousand)(?:(?: and)? ({NUMBER}))?\b")
_TWENTY_FIRST: Final = rf"(?:twenty|thirty)[ -](?:{'|'.join(list(_ORDINALS)[:9])})"
_ORDINAL: Final = rf"(?:\d+(?:st|nd|rd|th)|{_TWENTY_FIRST}|{'|'.join(reversed(_ORDINALS))})"
_HALF: Final = (
    r"(?: ?(?P<half>am|pm)| (?:in the|this|at) (?P<part>morning|afternoon|evening|night))"
)
_MINUTE: Final = (
    rf"(?P<minute>oh {NUMBER}|fifteen|(?:twenty|thirty|forty|fifty)(?: five)?|five|ten)"
)
#: The surest first: the first that is found counts.
_CLOCKS: Final = (
    rf"(?P<past>half|(?:half|quarter|{NUMBER})(?: minutes)? (?:past|after|to)|quarter (?:of"
    rf"|till)) (?P<hour>{NUMBER}){_HALF}?",
    rf"(?P<hour>\d\d?)[:.](?P<minute>\d\d){_HALF}?",
    rf"(?P<hour>{NUMBER}) {_MINUTE}{_HALF}",
    rf"(?P<hour>{NUMBER})(?: o'?clock)?{_HALF}",
    rf"(?P<hour>{NUMBER}) o'?clock",
    rf"at (?P<hour>{NUMBER}) hours?",
    r"(?P<noon>noon|midday)",
    rf"(?:at|around|about|from|say|for) (?P<hour>{NUMBER}) {_MINUTE}",
    rf"(?P<hour>{'|'.join(_ONES[1:13])}) (?P<minute>fifteen|thirty|forty five)",
    rf"(?:at|around|about|by|from|like|time|time to) (?P<hour>{NUMBER})"
    r"(?! (?:people|of|minutes|hours|nights)\b)",
    rf"is (?P<hour>{NUMBER}) (?:all right|alright|okay|ok|possible|good|free)",
)
#: "One" alone is a time only where nothing else is said ("the short one").
_BARE_CLOCKS: Final = (
    rf"(?P<hour>{NUMBER}) {_MINUTE}",
    rf"(?P<hour>(?!one\b){NUMBER})(?! (?:of us|of them|people|persons))",
    r"(?P<hour>(?<!\w )one(?! \w))",
)


MOST_DAYS: Final = 366
"""That a day is moved."""


class Read(NamedTuple):
    """What was read, and from where to where it stood."""

    value: int
    said: str
    begin: int
    end: int


def plain(text: str) -> str:
    """Lower case, without signs that mean nothing: ``Wednesday, 2 p.m.`` is ``wednesday 2 pm``."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower().replace("’", "'"))
    text = re.sub(r"\b(?:um|uh|er|erm)\b", " ", text)
    text = re.sub(rf"\b({NUMBER})[ -]?ish\b", r"\1", text)
    text = re.sub(rf"(?<=[a-z])-(?=(?:{NUMBER})\b)", " ", text)
    text = re.sub(rf"\b({NUMBER}) ?([ap])\.? ?m\b\.?", r"\1 \2m", text)
    text = re.sub(r"(?<=\d)[,.](?=\s|$)|[^\w\s:.'@-]|(?<=\w)[.:]+(?=\s|$)", " ", text)
    return _HUNDREDS.sub(_hundreds, " ".join(text.split()))


def _hundreds(match: re.Match[str]) -> str:
    many = 1 if match[1] == "a" else number(match[1])
    return str(many * (100 if match[2] == "hundred" else 1000) + number(match[3] or "0"))


def number(text: str) -> int:
    """The value of what :data:`NUMBER` matches."""
    if text.isdigit():
        return int(text)
    return sum(_VALUES[part] for part in re.split("[ -]", text))


def number_words(value: int) -> str:
    """Up to ninety nine in words, more in figures."""
    if value < 20:
        return _ONES[value]
    if value > 99:
        return str(value)
    tens, ones = divmod(value, 10)
    return _TENS[tens - 2] + (f" {_ONES[ones]}" if ones else "")


def read_time(text: str, bare: bool = False) -> Read | None:
    """The last time of day in minutes, below 0 where the half of the day was not told: -150 is
    half past two of either. ``bare``: a number alone is one."""
    for pattern in (*_CLOCKS, *(_BARE_CLOCKS if bare else ())):
        for match in reversed(list(re.finditer(rf"\b{pattern}\b", text))):
            minutes = _minutes(match.groupdict())
            if minutes is not None:
                return Read(minutes, match[0], *match.span())
    return None


def _minutes(parts: dict[str, str | None]) -> int | None:
    """Of the parts of a time; None where there is no such time."""
    if parts.get("noon"):
        return 12 * 60
    hour, minute = number(parts["hour"] or ""), 0
    if told := parts.get("minute"):
        minute = number(told.removeprefix("oh "))
    elif past := parts.get("past"):
        amount = {"half": 30, "quarter": 15}.get(past.split()[0])
        minute = amount if amount is not None else number(re.match(NUMBER, past)[0])  # type: ignore[index]
        if past.endswith(("to", "of", "till")):
            hour, minute = (hour - 1) or 12, 60 - minute
    if not 0 <= minute < 60 or not 0 <= hour * 60 + minute <= 24 * 60:
        return None
    return _placed(hour * 60 + minute, parts.get("half"), parts.get("part"))


def _placed(minutes: int, half: str | None, part: str | None) -> int:
    """A time in the half of the day that was told, below 0 where none was."""
    if half is None and part is None:
        return minutes if minutes >= 13 * 60 or minutes < 60 else -minutes
    late = half == "pm" or part in ("afternoon", "evening", "night")
    if part == "night" and minutes // 60 == 12:
        late = False
    return minutes % 720 + 720 * late


def time_words(minutes: int) -> str:
    """``half past two``, ``quarter to nine``, ``ten``, ``four twenty``."""
    hour, minute = divmod(minutes, 60)
    this, following = (number_words((at - 1) % 12 + 1) for at in (hour, hour + 1))
    if minute in (0, 15, 30, 45):
        return (this, f"quarter past {this}", f"half past {this}", f"quarter to {following}")[
            minute // 15
        ]
    return f"{this} {'oh ' * (minute < 10)}{number_words(minute)}"


_ALONE: Final = rf"\d+(?:st|nd|rd|th)|(?<=the )(?:(?:twenty|thirty)[ -])?(?:{'|'.join(_ORDINALS)})"
_DAY: Final = re.compile(
    rf"\b(?:on |for |this |the )*(?:(?P<next>next )?(?P<weekday>{'|'.join(DAYS)})s?|(?P<near>today"
    rf"|tonight|tomorrow|day after tomorrow)"
    rf"|(?P<ordinal>{_ORDINAL})(?: of)? (?P<month>{'|'.join(_MONTHS)})"
    rf"|(?P<month2>{'|'.join(_MONTHS)}) (?:the )?(?P<ordinal2>{_ORDINAL}|{NUMBER})"
    rf"|(?P<alone>{_ALONE})(?=$| (?:please|then|if|would|at|is|or|no|\|))|(?P<step>{NUMBER}|a"
    rf"|the)? ?days? (?P<way>later|after|earlier|before))\b"
)


_IN_A_WEEK: Final = re.compile(r" (?:next )?week\b")
_TILL: Final = re.compile(r"\b(?:till|until)(?: the)? $")

Day = tuple[date, Read]


def read_day(text: str, today: date, before: date | None = None, over: bool = False) -> Day | None:
    """The last day that is told, and how it is said. ``before``: the one that was told before,
    which "a day later" leans on; ``over``: today's hours are over, and its weekday is the next."""
    found: tuple[date, Read] | None = None
    for match in _DAY.finditer(text):
        if _TILL.search(text[: match.start()]):
            continue  # where it ends, not when it is
        day = _day_of(match, today, before, over)
        if day and match["weekday"] and _IN_A_WEEK.match(text, match.end()):
            day = day[0] + timedelta(7), f"{day[1].removeprefix('next ')} week"
        if day is not None:
            found = day[0], Read(0, day[1], *match.span())
    return found


def _day_of(
    match: re.Match[str], today: date, before: date | None, over: bool
) -> tuple[date, str] | None:
    parts = match.groupdict()
    if parts["weekday"]:
        ahead = (DAYS.index(parts["weekday"]) - today.weekday()) % 7 or 7 * over
        name = parts["weekday"].capitalize()
        if parts["next"] and ahead < 7 - today.weekday():
            ahead += 7
        return today + timedelta(ahead), f"next {name}" if parts["next"] else f"on {name}"
    if near := parts["near"]:
        days = {"tomorrow": 1, "day after tomorrow": 2}.get(near, 0)
        return today + timedelta(days), f"{'the ' * (days == 2)}{near}"
    if parts["way"]:
        if before is None:
            return None
        step = parts["step"] or "a"
        days = 1 if step in ("a", "the") else min(number(step), MOST_DAYS)
        moved = before + timedelta(days if parts["way"] in ("later", "after") else -days)
        return moved, f"on {DAYS[moved.weekday()].capitalize()}"
    ordinal = parts["ordinal"] or parts["ordinal2"] or parts["alone"]
    day = _ordinal(ordinal)
    month = parts["month"] or parts["month2"]
    return _dated(day, _MONTHS.index(month) + 1 if month else None, today)


def _ordinal(text: str) -> int:
    if text[0].isdigit():
        return int(re.match(r"\d+", text)[0])  # type: ignore[index]
    if text in _ORDINALS:
        return _ORDINALS[text]
    head, _, tail = text.replace("-", " ").partition(" ")
    return number(head) + (_ORDINALS.get(tail) or (number(tail) if tail else 0))


def _dated(day: int, month: int | None, today: date) -> tuple[date, str] | None:
    """The next such date; None where there is none within a year."""
    for ahead in range(13):
        year, at = divmod(today.month - 1 + ahead, 12)
        try:
            found = date(today.year + year, at + 1, day)
        except (ValueError, OverflowError):
            continue
        if found >= today and month in (None, found.month):
            return found, f"on the {ordinal_words(day)} of {_MONTHS[at].capitalize()}"
    return None


def ordinal_words(value: int) -> str:
    """``third``, ``twenty first``."""
    for word, at in _ORDINALS.items():
        if at == value:
            return word
    return f"{_TENS[value // 10 - 2]} {ordinal_words(value % 10)}"


_DIGIT: Final = rf"(?:(?:double|triple|treble) )?(?:{'|'.join(_ONES[:10])}|oh|o|nought|\d+)"
#: Between the digits of one number: "four four one, um, seven".
_GAP: Final = r"(?:[ ,.-]|\b(?:um|uh|er|erm|then|and)\b)+"
_COUNTED: Final = re.compile(r"\b(?:we're|we are|are|at|for|of|make it|make that) $")
#: "0861234567, two of us are vegan".
_COUNTS_NEXT: Final = re.compile(r"[.,]\s*[a-z]+$")
_OF_OTHERS: Final = re.compile(
    r" (?:of|o'clock|people|persons|nights|days|hours|adults|kids|in the|am|pm|on|for)\b"
)
_DIGITS: Final = re.compile(rf"\b{_DIGIT}(?:{_GAP}{_DIGIT})*\b")


def read_digits(text: str, fewest: int = 5) -> tuple[str, Read] | None:
    """The last row of digits ("oh four double two"), as figures."""
    for match in reversed(list(_DIGITS.finditer(text))):
        counted = _COUNTED.search(text[: match.start()]) and re.match(r"[a-z\d]+,", match[0])
        skipped = counted.end() if counted else 0  # "we're five, 086 123 4567"
        figures, times = "", 1
        for word in re.findall(r"[a-z]+|\d+", match[0][skipped:]):
            if word in ("double", "triple", "treble"):
                times = 2 if word == "double" else 3
            elif word.isdigit() or word in _VALUES or word in ("oh", "o", "nought"):
                digit = word if word.isdigit() else str(_VALUES.get(word, 0))
                figures += digit[0] * (times - 1) + digit
                times = 1
        cut = _COUNTS_NEXT.search(match[0])
        if cut and len(figures) > 7 and _OF_OTHERS.match(text, match.end()):
            return read_digits(text[: match.start() + cut.start()], fewest)
        if len(figures) >= fewest:
            return figures, Read(0, _spaced(figures), match.start() + skipped, match.end())
    return None


def _spaced(figures: str) -> str:
    return " ".join(_ONES[int(one)] for one in figures)


_END_PUT_RIGHT: Final = re.compile(
    r"^\W*(?:(?:oh|no|wait|sorry|actually|it's|it|is|that's|hang|on|make|that|ends?|in|the|last|bit"
    rf"|i|mean|at|and|number|my|alright|okay|with"
    rf"|ending)[,.]? )*?(?P<end>{_DIGIT}(?:[ -]{_DIGIT})+|(?:double|triple) {_DIGIT})"
    r"(?: at the end.*| not .*| i mean)?\W*$"
)


def put_right_digits(figures: str, text: str) -> tuple[str, str] | None:
    """The number with another end ("no, it's one four eight at the end"): the figures, and how they
    are said."""
    match = _END_PUT_RIGHT.match(text.strip())
    found = read_digits(match["end"], fewest=2) if match else None
    if found is None or len(found[0]) >= len(figures):
        return None
    told = figures[: -len(found[0])] + found[0]
    return told, _spaced(told)


def read_letters(text: str) -> tuple[str, Read] | None:
    """The last name that is spelled letter by letter, three letters or more."""
    for match in reversed(
        list(re.finditer(r"(?<!')\b(?:double )?[a-z](?:[ -](?:double )?[a-z](?![\w']))+", text))
    ):
        doubled = re.sub(r"double ([a-z])", r"\1 \1", match[0])
        word = "".join(re.split("[ -]", doubled))
        if len(word) > 2:
            return word, Read(0, word.capitalize(), *match.span())
    return None
