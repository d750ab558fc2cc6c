"""Calls at a desk that keeps the booking itself: what callers say was written one by one, what the
desk answers is its own (``agents/bookings``).

``scenes/desk/*.txt`` hold them like this::

    == farrier, too many horses
    {"name": "Penrose Farriers", "books": "a visit", "hours": {...}, "needs": [...], "facts": [...]}
    greet: Penrose Farriers.          (not learnt)
    > friday about ten | could she come on friday at ten
    note
    > what's a trim cost
    fact
    > and is there parking, oh and it's for six horses
    fact note
    > thanks
    You're welcome.

Under what the caller says, in one of its wordings, stand the tools that are called: ``note``,
``fact``, ``get``, ``confirm``, ``cancel``; or the answer, where none is. ``>?``: may be left out.

    python scripts/training/told_desk.py FILE...       # tells each wording, to be read
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from conversation import Conversation
from instructed_say import tell
from scene_form import wordings
from tooled_desk import DESK, STYLES

sys.path.append(str(Path(__file__).resolve().parents[2] / "agents" / "bookings"))
from form import Form
from house import House, read_house
from listening import agreed, dropped, hear
from spoken import answered

FOLDER: Final = Path(__file__).parent / "scenes" / "desk"
TOOLS: Final = {"note": "note_booking", "fact": "get_fact", "get": "get_booking", "confirm": "confirm_booking", "cancel": "cancel_booking"}  # fmt: skip
_ASKED: Final = {"note": "what", "fact": "about"}
_ANSWERS: Final = ("You answer the phone for {}.", "You answer the telephone of {}.", "You take the calls of {}.", "{}, bookings.", "You are the voice of {}.", "You take bookings for {}.", "{}.")  # fmt: skip


class CallError(ValueError):
    """A file of calls is wrong; says where."""


@dataclass
class Call:
    """One conversation."""

    title: str
    house: dict[str, Any] = field(default_factory=dict)
    greeting: str = ""
    turns: list[tuple[bool, list[str], str]] = field(default_factory=list)  # wordings, what follows


def read_calls(text: str) -> Iterator[Call]:
    """The calls of a file. Raises CallError."""
    call: Call | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if line.startswith("== "):
            if call:
                yield call
            call = Call(line[3:])
        elif line and not line.startswith("#"):
            if call is None:
                raise CallError(f"line {number}: before the first call")
            try:
                _read(call, line)
            except (ValueError, IndexError, KeyError) as error:
                raise CallError(f"line {number}: {error}: {line}") from None
    if call:
        yield call


def _read(call: Call, line: str) -> None:
    if line.startswith("{"):
        call.house = json.loads(line)
        read_house(call.house)
    elif line.startswith("greet:"):
        call.greeting = line[6:].strip()
    elif line.startswith(">"):
        optional = line.startswith(">?")
        call.turns.append((optional, wordings(line[2 if optional else 1 :].strip()), ""))
    else:
        optional, said, follows = call.turns[-1]
        if follows:
            raise CallError("what follows stands there already")
        words = line.split()
        if not set(words) <= set(TOOLS) and not line[0].isupper():
            raise CallError(f"tools are {', '.join(TOOLS)}; an answer begins with a capital")
        call.turns[-1] = optional, said, line


@dataclass
class Desk:
    """A house at which one call is held."""

    house: House
    form: Form

    @property
    def prompt(self) -> str:
        """The shortest that the model is given."""
        return f"You answer the phone for {self.house.name}. Answer in one short sentence."

    def run(self, tool: str, said: str) -> dict[str, Any]:
        """The result of a tool, as desk.py gives it."""
        if tool in ("note_booking", "get_fact"):
            result = hear(self.form, said, asking=tool == "get_fact")
        elif tool == "confirm_booking":
            result = agreed(self.form, said)
        else:
            result = self.form.told() if tool == "get_booking" else dropped(self.form, said)
        return answered(result)


def desk_of(house: Mapping[str, Any], today: date) -> Desk:
    """A desk at the beginning of a call."""
    read = read_house(house)
    return Desk(read, Form(read, today))


def told(call: Call, rng: random.Random) -> Conversation:
    """The call, in one of its wordings."""
    today = date(2026, 1, 1) + timedelta(rng.randrange(730))
    desk = desk_of(call.house, today)
    talk = Conversation(rng, (*DESK, *rng.choice(((), (), ("get_time",)))))
    prompt = rng.choice(_ANSWERS).format(desk.house.name) + rng.choice(STYLES)
    talk.messages.append({"role": "system", "content": prompt[0].upper() + prompt[1:]})
    if call.greeting:
        talk.messages.append({"role": "assistant", "content": call.greeting, "learn": False})
    for optional, said, follows in call.turns:
        if optional and rng.random() < 0.3:
            continue
        known = len(talk.messages)
        tell(talk, rng.choice(said))
        tools = follows.split()
        if not set(tools) <= set(TOOLS):
            talk.assistant(follows)
            continue
        heard = " ".join(message["content"] for message in talk.messages[known:])
        answers = []
        for tool in tools:
            result = desk.run(TOOLS[tool], heard)
            talk.call(TOOLS[tool], {_ASKED[tool]: heard} if tool in _ASKED else {}, result)
            answers.append(str(result["say"]))
        talk.assistant(" ".join(answers))
    return talk


@cache
def all_calls() -> tuple[Call, ...]:
    """Every call there is."""
    return tuple(
        call for path in sorted(FOLDER.glob("*.txt")) for call in read_calls(path.read_text())
    )


def call_conversation(rng: random.Random) -> Conversation:
    """One of them."""
    return told(rng.choice(all_calls()), rng)


def print_tellings(call: Call) -> None:
    """The call in each wording, as it is heard."""
    print(f"== {call.title}")
    for at in range(max(len(said) for _, said, _ in call.turns)):
        turns = [
            (False, [said[min(at, len(said) - 1)]], follows) for _, said, follows in call.turns
        ]
        talk = told(Call(call.title, call.house, call.greeting, turns), random.Random(1))
        for message in talk.messages[1:]:
            if message["role"] == "user":
                print(f"  > {message['content']}")
            elif message["role"] == "assistant" and message["content"]:
                print(f"      {message['content']}")
        print()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for one in read_calls(Path(name).read_text()):
            print_tellings(one)
