"""A dialog's inputs and effects as lines of JSON, and the same dialog told again from them. Pure.

A tape holds what the recognizer made of the user's words, so it is made only where somebody asks
for it. Probabilities are written so that they read back as the same numbers: a tape that is
replayed on the version that made it gives the same effects to the bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from voicepipe.dialog.core import Dialog
from voicepipe.dialog.effects import Effects
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import State
from voicepipe.runtime.errors import VoicepipeError

INPUTS = (
    *("hypothesis", "transcript", "end_judged", "stalled"),
    *("reply_acts", "reply_audible", "reply_complete", "reply_done", "reply_failed"),
    *("create", "cancel", "clear_output", "key_pressed"),
    *("push_to_talk", "item_heard", "commit", "clear", "apply", "speak", "changed"),
)
"""Every method that changes a dialog, but for `frame`."""

MOST_FRAMES = 500
"""On one line: ten seconds in which nothing happened."""


class UnreadableTape(VoicepipeError):
    """The file is no tape; the message names the line."""


class TapedDialog(Dialog):
    """A dialog that writes a line for each input, with the effects that it drew."""

    def __init__(
        self, options: TurnOptions, *, answers: bool, write: Callable[[str], None]
    ) -> None:
        super().__init__(options, answers=answers)
        self._write = write
        self._frames: list[float] = []
        self._nested = False  # an input that is told by another
        self._line({"tape": 1, "options": _plain_options(options), "answers": answers})

    def frame(self, probability: float) -> Effects:
        """See `Dialog`. Frames share a line until something happens."""
        self._frames.append(probability)
        try:
            effects = super().frame(probability)
        except Exception as error:
            self._end_frames(_raised(error))
            raise
        if effects or len(self._frames) >= MOST_FRAMES:
            self._end_frames(_plain_result(effects))
        return effects

    def close(self) -> None:
        """Write what is still to be written."""
        self._end_frames(_plain_result(()))

    def note(
        self, name: str, args: tuple[Any, ...], named: Mapping[str, Any], out: Mapping[str, Any]
    ) -> None:
        """An input and what came of it."""
        self._end_frames(_plain_result(()))
        given = [_plain(value) for value in args]
        more = {key: _plain(value) for key, value in named.items()}
        self._line({"input": name, "args": given, "named": more, "out": out})

    def _end_frames(self, out: Mapping[str, Any]) -> None:
        if self._frames:
            self._line({"frames": self._frames, "out": out})
            self._frames = []

    def _line(self, record: Mapping[str, Any]) -> None:
        self._write(json.dumps(record, separators=(",", ":")) + "\n")


def _taped(name: str) -> Callable[..., Any]:
    told = getattr(Dialog, name)

    def method(self: TapedDialog, *args: Any, **named: Any) -> Any:
        outermost, self._nested = not self._nested, True
        try:
            out = told(self, *args, **named)
        except Exception as error:
            if outermost:
                self.note(name, args, named, _raised(error))
            raise
        finally:
            self._nested = not outermost
        if outermost:
            self.note(name, args, named, _plain_result(out))
        return out

    return method


for _name in INPUTS:
    setattr(TapedDialog, _name, _taped(_name))


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a tape, told again."""

    now_ms: int
    told: str  # the input, in words
    state: State
    why: str
    effects: tuple[str, ...]
    as_recorded: bool


def replay(lines: Iterable[str]) -> Iterator[Step]:
    """Tell a tape to a new dialog. Raises UnreadableTape."""
    dialog: Dialog | None = None
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            if dialog is None:
                dialog = Dialog(_options(record["options"]), answers=record["answers"])
                continue
            yield _tell(dialog, record)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"line {number} is not of a tape: {type(error).__name__}: {error}"
            raise UnreadableTape(problem) from error


def _tell(dialog: Dialog, record: Mapping[str, Any]) -> Step:
    if "frames" in record:
        told = f"{len(record['frames'])} frames"
    else:
        shown = [*(_shown(a) for a in record["args"])]
        shown += [f"{key}={value!r}" for key, value in record["named"].items()]
        told = f"{record['input']}({', '.join(shown)})"
    try:
        plain = _plain_result(_out(dialog, record))
    except Exception as error:
        if "raised" not in record["out"]:
            raise
        plain = _raised(error)
    effects = tuple(f"{kind}({_fields(values)})" for kind, values in plain["effects"])
    state = (dialog.user, dialog.agent)
    return Step(dialog.now_ms, told, state, dialog.why, effects, plain == record["out"])


def _out(dialog: Dialog, record: Mapping[str, Any]) -> Any:
    if "frames" in record:
        out: Any = ()
        for probability in record["frames"]:
            out = dialog.frame(probability)
        return out
    name = record["input"]
    if name not in INPUTS:
        raise ValueError(f"there is no input {name!r}")
    args = [_options(value) if isinstance(value, dict) else value for value in record["args"]]
    return getattr(dialog, name)(*args, **record["named"])


def _raised(error: Exception) -> dict[str, Any]:
    """In the place of effects, where an input failed. What it did until then is part of the story:
    the session goes on with it."""
    return {"number": None, "effects": [], "raised": type(error).__name__}


def _shown(value: Any) -> str:
    return "..." if isinstance(value, dict) else repr(value)


def _fields(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _plain_result(out: Any) -> dict[str, Any]:
    """Effects, a number, or both."""
    number, effects = None, out
    if isinstance(out, int):
        number, effects = out, ()
    elif out and isinstance(out[0], int):
        number, effects = out
    named = [[type(e).__name__, json.loads(json.dumps(asdict(e)))] for e in effects]
    return {"number": number, "effects": named}


def _plain(value: Any) -> Any:
    return _plain_options(value) if isinstance(value, TurnOptions) else value


def _plain_options(options: TurnOptions) -> dict[str, Any]:
    return {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in asdict(options).items()
    }


def _options(values: Mapping[str, Any]) -> TurnOptions:
    known = {field.name for field in fields(TurnOptions)}
    given: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, list) else value
        for name, value in values.items()
        if name in known
    }
    return TurnOptions(**given)
