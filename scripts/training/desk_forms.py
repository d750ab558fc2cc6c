"""The forms in which a system prompt is written: sentences, a list, a table, a letter, questions and answers."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from desk_told import in_figures
from dialogue_values import capitalise, draw_value
from domain import choose_branches

Row = tuple[str, str]


class Part(NamedTuple):
    """One thing that a prompt tells: what it is about, its sentences, a question that it answers."""

    topic: str
    told: str
    asked: str = ""
    rows: Sequence[Row] = ()  # the same as lines of a table


#: What a line about a subject begins with, where it isn't the subject's own name.
_LABELS: Final[Mapping[str, str]] = {
    "hours": "[Open|Hours|Opening hours|Opening times|Open|We are open]", "prices": "[Prices|Price list|Fees|Prices|Rates]",
    "needs": "[To book|Need|Ask for|Needed to book|Bookings need|A booking needs|Ask|Booking|Bookings]", "age": "[Age|Ages|Minimum age]", "groups": "[Group size|People|How many]", "people": "[Team|Staff|Who is in]",
    "free ages": "[Small children|Children]", "may": "[Rule|Guests]", "appointment": "[Appointments|Without a booking]", "late": "[Kitchen|Food]", "person": "[People|House]", "new": "[New people]", "bring": "[Bring|To bring]",
    "joining": "[Members|Membership]", "contact": "[Contact]", "gift": "[Gifts]", "check in": "[Arrival|Check-in]", "check out": "[Leaving|Check-out]", "options": "[We have|Offer|On offer|Choice]", "idle": "[Note]",
}  # fmt: skip
_RULES: Final = "[Rule|Note|Also|Please note|House rule|Good to know|Rules]"
_DOINGS: Final = frozenset(("use", "bring", "eat", "stay", "move", "put", "play", "try", "feed", "touch", "change", "choose"))  # fmt: skip
_HEADS: Final[Mapping[str, str]] = {
    "hours": "[HOURS|OPEN|OPENING HOURS|WHEN]", "prices": "[FEES|PRICES|PRICE LIST|RATES]", "needs": "[BOOKING|TO BOOK|BOOKINGS]", "options": "[CHOICE|OFFER]",
}  # fmt: skip
_TITLES: Final = (
    "You answer the phone for {n}.", "You are the receptionist of {n}.", "{n}", "{n} / reservations", "{n}, front desk.", "{n}, phone desk.", "Desk of {n}.", "You take the calls of {n}.", "You are on the phone for {n}.",
    "Phone assistant of {n}.", "You speak for {n}.", "Reception of {n}.", "{n}: facts for the phone", "Facts about {n}, for you to answer from.", "You help the callers of {n}.", "Voice agent for {n}.", "{n} - information", "Role: phone assistant of {n}.",
)  # fmt: skip
_MEMOS: Final = (
    "Memo for whoever [gets the phone|answers] at {n}.", "Dear assistant, you answer the phone for {n}.", "I'm {f} and this is {n}. You take my calls.", "Notes for the phone at {n}.", "Hello, you are on the phone for us at {n}.", "Dear assistant, while we are busy you answer for {n}.",
    "This is {n}, and you speak to the people who call us.", "A note to the assistant of {n}.", "My name is {f}, I run {n} and you pick up the phone for me.",
)  # fmt: skip
_GREETINGS: Final = ("Yours, {f}", "Thank you, {f}", "Thanks! {f}", "Best, {f} and {g}", "", "", "")
FORMS: Final = ("plain",) * 9 + ("dashes", "dashes", "numbered", "pairs", "pairs", "heads", "asked", "bars", "run", "letter", "letter", "asked for")  # fmt: skip


@dataclass
class Sheet:
    """A prompt: its form, its first and last words, and what it tells; always written alike."""

    form: str
    name: str
    opener: str
    seed: int
    parts: list[Part] = field(default_factory=list)
    closer: str = ""

    def text(self) -> str:
        """The whole prompt."""
        rng = random.Random(self.seed)
        parts = [
            part._replace(told=choose_branches(part.told, rng)) for part in self.parts if part.told
        ]
        written = _WRITERS.get(self.form, _plain)(self, parts, rng)
        text = "\n".join(
            choose_branches(line, rng) if "[" in line else line for line in written.split("\n")
        )
        text = text.replace("{f}", draw_value("name", rng, True).say)
        text = text.replace("{g}", draw_value("name", rng, True).say).replace("{n}", self.name)
        if rng.random() < (0.3 if self.form == "plain" else 0.7):
            text = in_figures(text, rng)
        elif rng.random() < 0.2:
            text = _hyphened(text)
        return text[:1].upper() + text[1:]


def _hyphened(text: str) -> str:
    """``forty five -> forty-five``."""
    tens = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    ones = "one|two|three|four|five|six|seven|eight|nine"
    return re.sub(rf"\b({tens}) ({ones})\b", r"\1-\2", text)


def label(part: Part, rng: random.Random) -> str:
    """What a line about it begins with: ``Opening hours``, ``Parking``."""
    name = part.topic
    if name in _LABELS:
        return choose_branches(_LABELS[name], rng)
    if name.startswith("in "):
        return choose_branches("[Team|Staff|Who is in when]", rng)
    if name.split()[0] in _DOINGS or len(name.split()) > 4:
        return choose_branches(_RULES, rng)
    return capitalise(name)


def _value(part: Part, head: str) -> str:
    """What stands behind the label: ``Parking is free. -> free``."""
    told = _BEFORE.get(part.topic, _NOTHING).sub("", part.told.strip().removesuffix("."))
    short = re.sub(rf"^(?:The )?{re.escape(head)}s?(?: is| are| costs?|:) ", "", told, flags=re.I)
    return short if short != told else lowered(told)


_NOTHING: Final = re.compile(r"^$")
#: What a label says already.
_BEFORE: Final = {
    "hours": re.compile(r"^(The opening hours are|Opening (hours|times):|Hours:|(We are |You are |It is )?[Oo]pen:?) "),
    "prices": re.compile(r"^(Prices|Price list|We charge|You sell|You offer|We do|We have|Tickets|Admission|Entry):? "),
    "team": re.compile(r"^(Team|Staff|Our people|Who does what): "),
    "needs": re.compile(r"^[^.:]*?( needs|ask for|must know|has to have|:)( ask for)? "),
}  # fmt: skip
#: Words that begin a sentence and are no names.
_COMMON: Final = re.compile(
    r"^(We|You|It|The|An?|No|There|Please|Open|Closed|For|From|At|On|Only|In|If|Guests|Dogs|Cats|Pets|Children|Parking|Prices|Tickets|Breakfast|Nobody|Not|Opening|Hours|Adults|Cash|Card|Cards|Our|Your|Every|Everybody|People|To|Late|Free|Last|Walk-ins|Cancelling|Booking|Please)\b"
)


def lowered(text: str) -> str:
    """The first letter small, where it begins no name."""
    return text[:1].lower() + text[1:] if _COMMON.match(text) else text


def _rows(parts: Sequence[Part], rng: random.Random, split: float) -> list[Row]:
    """A line for each part; some parts, such as prices, in several."""
    rows: list[Row] = []
    for part in parts:
        if part.rows and rng.random() < split:
            rows += part.rows
        else:
            head = label(part, rng)
            rows.append((head, _value(part, head)))
    return rows


def _plain(sheet: Sheet, parts: Sequence[Part], _: random.Random) -> str:
    return " ".join(text for text in (sheet.opener, *(p.told for p in parts), sheet.closer) if text)


def _title(rng: random.Random, opener: str) -> str:
    return rng.choice(_TITLES) if rng.random() < 0.7 else opener


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _dashes(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    sign, whole = rng.choice(("- ", "- ", "* ", "")), rng.random() < 0.4
    lines = [_title(rng, sheet.opener)]
    for part in parts:
        if part.topic == "needs" and rng.random() < 0.6:
            lines.append(part.told)
        elif whole and not (part.rows and rng.random() < 0.6):
            lines.append(f"{sign}{part.told.removesuffix('.')}")
        else:
            lines += [f"{sign}{head}: {value}" for head, value in _rows([part], rng, 0.85)]
    return "\n".join([*lines, *([sheet.closer] if sheet.closer else [])])


def _numbered(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    mark, glue = rng.choice(("{})", "{})", "{}.", "({})")), rng.choice((" ", " ", "\n"))
    texts: list[str] = []
    for part in parts:
        if part.rows and rng.random() < 0.5:
            texts += [f"{capitalise(head)}: {value}." for head, value in part.rows]
        else:
            texts.append(part.told)
    told = glue.join(f"{mark.format(at)} {text}" for at, text in enumerate(texts, 1))
    return glue.join(t for t in (_title(rng, sheet.opener), told, sheet.closer) if t)


def _pairs(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    sign, small = rng.choice((" = ", ": ", " = ", ":", " -> ", " - ")), rng.random() < 0.5
    rows = _rows(parts, rng, 0.7)
    if rng.random() < 0.4:
        role = rng.choice(("phone host of {n}", "receptionist of {n}", "voice of {n}", "{n}, front desk", "desk of {n}"))  # fmt: skip
        rows = [("role", role), *rows]
        lines = []
    else:
        lines = [_title(rng, sheet.opener)]
    lines += [f"{head.lower() if small else head}{sign}{value}" for head, value in rows]
    if sheet.closer:
        lines.append(sheet.closer)
    glue = rng.choice(("\n", "\n", "\n", "; "))
    return glue.join(line.removesuffix(".") if glue == "; " else line for line in lines)


def _heads(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    """Headings, and under each what belongs there."""
    blocks: dict[str, list[str]] = {}
    other = rng.choice(("RULES", "GOOD TO KNOW", "ALSO", "NOTES", "HOUSE"))
    heads = {key: choose_branches(text, rng) for key, text in _HEADS.items()}
    for part in parts:
        block = blocks.setdefault(heads.get(part.topic, other), [])
        if part.rows and rng.random() < 0.7:
            block.append(", ".join(f"{head} {value}" for head, value in part.rows))
        elif part.topic == "hours":
            block.append(_value(part, "Open"))
        else:
            block.append(part.told)
    you = _title(rng, sheet.opener)
    texts = [f"{head}\n{' '.join(block)}" for head, block in blocks.items()]
    if rng.random() < 0.4:
        return "\n".join([*texts, f"YOU\n{_ended(you)} {sheet.closer}".strip()])
    return "\n".join([you, *texts, *([sheet.closer] if sheet.closer else [])])


def _asked(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    """Questions and their answers."""
    marks = rng.choice((("Q:", "A:"), ("Q:", "A:"), ("Question:", "Answer:"), ("-", "->"), ("Caller:", "You:")))  # fmt: skip
    glue, lines = rng.choice((" ", " ", "\n")), [_title(rng, sheet.opener)]
    for part in parts:
        asks = _ASKED.get(part.topic, part.asked)
        question = " ".join(choose_branches(asks, rng).split())
        if not question or "{" in question:
            lines.append(part.told)
        else:
            question = re.sub(r"\bi\b", "I", capitalise(question))
            lines.append(f"{marks[0]} {question}?{glue}{marks[1]} {part.told}")
    return "\n".join([*lines, *([sheet.closer] if sheet.closer else [])])


_ASKED: Final = {
    "hours": "[when are you open|what are your hours|when can I come]",
    "prices": "[what does it cost|what are your prices|how much is it]",
    "needs": "[what do you need to book|how do I book|what is needed to book]",
    "options": "[what is there|what do you have|what can I choose]",
    "people": "[who works there|who is in when]",
}


def _barred(value: str, rng: random.Random) -> str:
    """At times a price and its length are columns of their own."""
    apart = value.count(", ") == 1 and "day" not in value and rng.random() < 0.3
    return value.replace(", ", " | ") if apart else value


def _bars(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    sign = rng.choice((" | ", " | ", "\t", "  "))
    rows = _rows(parts, rng, 0.8)
    lines = [_title(rng, sheet.opener)]
    lines += [f"{head}{sign}{_barred(value, rng) if sign == ' | ' else value}" for head, value in rows]  # fmt: skip
    return "\n".join([*lines, *([sheet.closer] if sheet.closer else [])])


def _run(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    """Everything in one breath, without full stops."""
    told = [lowered(part.told.removesuffix(".")).replace(". ", ", ") for part in parts]
    opener = choose_branches(rng.choice((*_TITLES[:3], *_MEMOS[:1], sheet.opener)), rng)
    return f"{', '.join([opener.removesuffix('.'), *told])}. {sheet.closer}".strip()


def _letter(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    opener, end = rng.choice(_MEMOS), rng.choice(_GREETINGS)
    return " ".join(text for text in (opener, *(p.told for p in parts), sheet.closer, end) if text)


def _asked_for(sheet: Sheet, parts: Sequence[Part], rng: random.Random) -> str:
    """``If asked for the hours: ...``."""
    head = rng.choice(("If asked for {}: {}", "If asked about {}: {}", "Asked about {}, you say: {}", "{}: {}"))  # fmt: skip
    lines = [_title(rng, sheet.opener)]
    for part in parts:
        if part.topic == "needs":
            lines.append(part.told)
        else:
            if part.topic == "hours":
                lines.append(_ended(head.format("opening hours", _value(part, "Open"))))
                continue
            lines += [_ended(head.format(lowered(name) if head[0] == "{" else name.lower(), value)) for name, value in _rows([part], rng, 0.7)]  # fmt: skip
    return " ".join([*lines, sheet.closer]).strip()


_WRITERS: Final[Mapping[str, Callable[[Sheet, Sequence[Part], random.Random], str]]] = {
    "dashes": _dashes, "numbered": _numbered, "pairs": _pairs, "heads": _heads, "asked": _asked, "bars": _bars,
    "run": _run, "letter": _letter, "asked for": _asked_for,
}  # fmt: skip
