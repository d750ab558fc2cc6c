"""Conversations that were written one by one: whole talks with a house, a home or a coffee bar.

Templates teach what can be said; these teach how a talk goes on. They lie in ``scenes/*.txt``::

    == a table on a closed day
    tools: none                       (none, house, till, both, or names; none where left out)
    system: You answer the phone of Da Lucia. The set menu costs {p1#} euros.
      A line that begins with two spaces goes on with the prompt.
    greet: Da Lucia, good evening.    (not learnt)
    order: any                        (of its turns; as they stand where left out)
    > hi do you have a table for monday | any room on monday night
    We're closed on Mondays. For which other day?
    >? how much is the set menu       (a turn that may be left out, with its answer)
    The set menu is {p1} euros.
    > what's the time
    call get_time {}
    result {"time": "14:05"}
    It is two oh five.

What the caller says comes in one of its wordings (``a | b``), with ``[x|y|]`` inside them. Values
are drawn anew each time, the same throughout a scene: ``{name1}`` (whole), ``{first1}``,
``{last1}``, ``{spelt1}`` (the last name, "m a r s h") and ``{SPELT1}`` ("M A R S H"), ``{odd1}``
(a word that does not exist), ``{phone1}``, ``{day1}`` (a weekday), ``{date1}`` ("the fourth of
May"), ``{time1}``, ``{n1}`` (2 to 8), ``{p1}`` (6 to 60), ``{euros1}``, ``{pounds1}``,
``{dollars1}`` (an amount: "three euros ninety"). Numbers are words; ``{p1#}`` is in digits ("3.90"
where it is an amount), ``{P1}`` is capitalised. Bounds stand behind the first mention:
``{n1:12-90}``, ``{euros1:4-20}``, ``{time1:9-12}`` (the hours). Sums are worked out, products
first: ``{n1*p1+p2}``, ``{p1-p2}``, ``{n1+1}``, ``{n1*euros1}``; and the day after is ``{day1+1}``.
In the JSON of tools a string that is a value in digits, ``"{n1*60#}"``, becomes a number.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name, proper
from instructed_say import tell
from open_words import open_word
from order_money import Money
from spoken_numbers import MONTHS, WEEKDAYS, plain_time, spoken_number, spoken_ordinal
from till import TILL

FOLDER: Final = Path(__file__).parent / "scenes"
HOUSE: Final = ("get_time", "set_timer", "cancel_timer", "list_timers")
_TOOLS: Final = {"none": (), "house": HOUSE, "till": (*TILL, "get_time"), "both": (*HOUSE, *TILL)}
_SLOT: Final = re.compile(r"\{([A-Za-z]+)(\d)(?::(\d+)-(\d+))?((?:[*+-](?:[a-z]+\d|\d+))*)(#?)\}")
_MONEY: Final = {
    f"{one}s": Money(one, f"{one}s", part, "", 1, "fifty", hyphens=False)
    for one, part in (("euro", "cents"), ("pound", "pence"), ("dollar", "cents"))
}
#: Kinds of numbers, and their bounds where a scene sets none; amounts are in cents.
_BOUNDS: Final = {"n": (2, 8), "p": (6, 60), "time": (9, 20), **dict.fromkeys(_MONEY, (2, 40))}
_LEFT_OUT: Final = 0.3


class SceneError(ValueError):
    """A scene that cannot be read; says where."""


class Step(NamedTuple):
    """``kind``: user, assistant, call or result."""

    kind: str
    text: str


@dataclass
class Scene:
    """``turns``: what the caller says and all that follows it, and whether it may be left out."""

    title: str
    tools: tuple[str, ...] = ()
    system: str = ""
    greeting: str = ""
    any_order: bool = False
    turns: list[tuple[bool, list[Step]]] = field(default_factory=list)


def read_scenes(text: str) -> Iterator[Scene]:
    """The scenes of a file. Raises SceneError."""
    scene: Scene | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("== "):
            if scene:
                yield scene
            scene = Scene(line[3:].strip())
        elif line.strip() and not line.startswith("#"):
            if scene is None:
                raise SceneError(f"line {number}: before the first scene")
            try:
                _read(scene, line)
            except (ValueError, KeyError, IndexError) as error:
                raise SceneError(f"line {number}: {error}: {line}") from None
    if scene:
        yield scene


def _read(scene: Scene, line: str) -> None:
    head, _, rest = line.partition(" ")
    if line.startswith("  ") and not scene.turns:
        scene.system += "\n" + line.strip()
    elif head == "tools:":
        scene.tools = _TOOLS.get(rest.strip()) or tuple(rest.replace("none", "").split())
    elif head == "system:":
        scene.system = rest.strip()
    elif head == "greet:":
        scene.greeting = rest.strip()
    elif line.strip() == "order: any":
        scene.any_order = True
    elif head in (">", ">?"):
        scene.turns.append((head == ">?", [Step("user", rest.strip())]))
    elif head == "call":
        tool, _, arguments = rest.partition(" ")
        if tool not in scene.tools:
            raise SceneError(f"{tool} is none of its tools")
        json.loads(arguments)
        scene.turns[-1][1].append(Step("call", rest))
    elif head == "result":
        json.loads(rest)
        scene.turns[-1][1].append(Step("result", rest))
    else:
        scene.turns[-1][1].append(Step("assistant", line.strip()))


class Values:
    """What is drawn for one telling of a scene."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._drawn: dict[tuple[str, str], Any] = {}
        self._bounds: dict[tuple[str, str], tuple[int, int]] = {}

    def fill(self, text: str) -> str:
        """The text with its values."""
        filled = _SLOT.sub(self._value, text)
        if "{" in filled and re.search(r"\{[a-zA-Z]+\d", filled):
            raise SceneError(f"not a value: {filled}")
        return filled

    def fill_json(self, found: Any) -> Any:
        """The same of all strings in it; one that is nothing but ``{n1*60#}`` becomes a number."""
        if isinstance(found, dict):
            return {name: self.fill_json(value) for name, value in found.items()}
        if isinstance(found, list):
            return [self.fill_json(value) for value in found]
        if not isinstance(found, str):
            return found
        filled, whole = self.fill(found), _SLOT.fullmatch(found)
        return int(filled) if whole and whole[0].endswith("#}") and filled.isdigit() else filled

    def _value(self, match: re.Match[str]) -> str:
        word, number, least, most, behind, figures = match.groups()
        kind = word.lower()
        if least:
            self._bounds.setdefault((kind, number), (int(least), int(most)))
        if kind in _BOUNDS and kind != "time":
            terms = kind + number + behind
            coin = next((coin for coin in _MONEY if coin in terms), "")
            value = self._sum(terms, in_cents=bool(coin))
            if coin:
                said = f"{value / 100:.2f}" if figures else _MONEY[coin].words(value)
            else:
                said = str(value) if figures else spoken_number(value)
        elif kind == "day" and re.fullmatch(r"\+\d", behind):
            after = WEEKDAYS.index(self._draw("day", number, _day).lower()) + int(behind)
            said = capitalise(WEEKDAYS[after % 7])
        elif behind:
            raise SceneError(f"no such sum: {match.group()}")
        elif kind in _OF_A_NAME:
            said = _OF_A_NAME[kind](self._draw("name", number, _name))
        elif kind == "time":
            hours = self._bounds.get((kind, number), _BOUNDS[kind])
            said = self._draw(kind, number, lambda rng: _time(rng, *hours))
        elif kind in _DRAWN:
            said = self._draw(kind, number, _DRAWN[kind])
        else:
            raise SceneError(f"no such value: {match.group()}")
        if kind == "spelt":
            return said.upper() if word.isupper() else said
        return capitalise(said) if word[0].isupper() else said

    def _sum(self, terms: str, *, in_cents: bool) -> int:
        """What ``n1*p1-2`` is."""
        total = 0
        for sign, product in re.findall(r"([+-]?)([^+-]+)", terms):
            factors = [self._number(*re.findall(r"[a-z]+|\d+", one)) for one in product.split("*")]
            amounts = sum(is_amount for _, is_amount in factors)
            if amounts > 1:
                raise SceneError(f"no sum: {terms}")
            value = math.prod(value for value, _ in factors)
            if in_cents and not amounts:
                value *= 100
            total += -value if sign == "-" else value
        return total

    def _number(self, kind: str, number: str = "") -> tuple[int, bool]:
        """A number and whether it is an amount of money, in cents."""
        if not number:
            return int(kind), False
        if kind not in _BOUNDS or kind == "time":
            raise SceneError(f"no number: {kind}{number}")
        least, most = self._bounds.get((kind, number), _BOUNDS[kind])
        if kind in _MONEY:
            tenths = self._draw(kind, number, lambda rng: rng.randint(least * 10, most * 10))
            return tenths * 10, True
        return self._draw(kind, number, lambda rng: rng.randint(least, most)), False

    def _draw(self, kind: str, number: str, draw: Callable[[random.Random], Any]) -> Any:
        """Two of a kind differ."""
        for attempt in range(100):
            if (kind, number) in self._drawn:
                break
            value = draw(self._rng)
            had = [drawn for (other, _), drawn in self._drawn.items() if other == kind]
            if value not in had or attempt == 99:  # bounds can be too narrow for two
                self._drawn[kind, number] = value
        return self._drawn[kind, number]


def _name(rng: random.Random) -> tuple[str, str]:
    first, last = (proper(draw_value(slot, rng, written=False).say) for slot in ("name", "surname"))
    if rng.random() < 0.15:
        last = proper(invented_name(rng))
    return first, last


def _time(rng: random.Random, first: int, last: int) -> str:
    return plain_time(rng.randint(first, last), rng.choice((0, 0, 15, 30, 30, 45)))


def _day(rng: random.Random) -> str:
    return capitalise(rng.choice(WEEKDAYS))


def _phone(rng: random.Random) -> str:
    digits = [rng.choice((0, 0, 5))] + [rng.randint(0, 9) for _ in range(rng.randint(6, 10))]
    return " ".join(spoken_number(digit) for digit in digits)


def _date(rng: random.Random) -> str:
    return f"the {spoken_ordinal(rng.randint(1, 28))} of {capitalise(rng.choice(MONTHS))}"


_OF_A_NAME: Final[dict[str, Callable[[tuple[str, str]], str]]] = {
    "name": " ".join,
    "first": lambda name: name[0],
    "last": lambda name: name[1],
    "spelt": lambda name: " ".join(letter for letter in name[1].lower() if letter.isalpha()),
}
_DRAWN: Final[dict[str, Callable[[random.Random], str]]] = {
    "phone": _phone,
    "day": _day,
    "date": _date,
    "odd": lambda rng: open_word(rng) if rng.random() < 0.4 else invented_name(rng),
}


@cache
def all_scenes() -> tuple[Scene, ...]:
    """Every scene there is."""
    return tuple(
        scene for path in sorted(FOLDER.glob("*.txt")) for scene in read_scenes(path.read_text())
    )


def scene_conversation(rng: random.Random) -> Conversation:
    """One of them, told with new values."""
    return told(rng.choice(all_scenes()), rng)


def told(scene: Scene, rng: random.Random) -> Conversation:
    """The scene with new values, without some of the turns that may be left out."""
    values = Values(rng)
    talk = Conversation(rng, scene.tools)
    if scene.system:
        talk.messages.append({"role": "system", "content": values.fill(scene.system)})
    if scene.greeting:
        greeting = {"role": "assistant", "content": values.fill(scene.greeting), "learn": False}
        talk.messages.append(greeting)
    turns = rng.sample(scene.turns, len(scene.turns)) if scene.any_order else scene.turns
    for optional, steps in turns:
        if optional and rng.random() < _LEFT_OUT:
            continue
        _tell(talk, steps, values)
    return talk


def _tell(talk: Conversation, steps: list[Step], values: Values) -> None:
    call: tuple[str, Any] | None = None
    for step in steps:
        if step.kind == "user":
            text = values.fill(step.text)
            tell(talk, f"[{text}]" if "|" in text else text)
        elif step.kind == "call":
            tool, _, arguments = step.text.partition(" ")
            call = tool, values.fill_json(json.loads(arguments))
        elif step.kind == "result":
            if call is None:
                raise SceneError(f"a result without a call: {step.text}")
            talk.call(*call, values.fill_json(json.loads(step.text)))
            call = None
        else:
            talk.assistant(values.fill(step.text))


def check(path: Path) -> None:
    """Tell every scene of a file a few times. Raises SceneError on the first fault."""
    scenes = list(read_scenes(path.read_text()))
    for scene in scenes:
        for _, steps in scene.turns:
            if [step.kind for step in steps][-1] != "assistant":
                raise SceneError(f"{scene.title}: nobody answers {steps[0].text!r}")
            if sum(step.kind == "assistant" for step in steps) != 1:
                raise SceneError(f"{scene.title}: not one answer to {steps[0].text!r}")
        for seed in range(3):
            told(scene, random.Random(seed))
    turns = sum(len(scene.turns) for scene in scenes)
    print(f"{path.name}: {len(scenes)} scenes, {turns} turns")


if __name__ == "__main__":
    import sys

    for name in sys.argv[1:]:
        check(Path(name))
