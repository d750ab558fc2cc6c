"""What is prepared while the user's turn is open: the rules of `session/preemption.py`, on a
trace's numbers instead of texts, and on its times instead of running engines. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from voicepipe.dialog.options import MAX_GUESSES, TurnOptions
from voicepipe.lab.whatif.engines import EngineTimes
from voicepipe.lab.whatif.texts import Texts
from voicepipe.ledger.trace import Final, Partial, Stage


class Waste(Protocol):
    """Where discarded replies are counted."""

    discards: int
    wasted_us: int


@dataclass(frozen=True, slots=True)
class Begun:
    """A reply under way. `start_ms`: stream time; `gate_ms`: before it nothing is spoken."""

    start_ms: float
    gate_ms: float
    stages_us: Mapping[Stage, int]

    @property
    def before_tool_us(self) -> int:
        """Work up to the first sound, or up to a tool."""
        stages = self.stages_us
        return sum(stages.values()) - 2 * stages.get("after_tool", 0)


class Preparation:
    """Of one open turn. All times are stream times in ms."""

    def __init__(
        self, options: TurnOptions, engines: EngineTimes, texts: Texts, waste: Waste
    ) -> None:
        self._options = options
        self._engines = engines
        self._texts = texts
        self._waste = waste
        self._reply: Begun | None = None
        self._guess: int | None = None  # the text it was begun on, if not the final one
        self._guesses = 0
        self._decoding_ms: int | None = None  # the end of the speech that is being decoded
        self._decoded_ms = float("inf")  # when that is done
        self._told = False  # the machine knows of it

    def on_partial(self, partial: Partial, now_ms: int, *, busy: bool) -> None:
        """The recognizer's newest guess. `busy`: the answer before is not over."""
        if self._options.preemptive_generation != "stable_text":
            return
        if self._guess is not None and self._guess != partial.text:
            self._withdraw(now_ms)
        looks_final = partial.verdict == "complete" and partial.loose_words <= 1
        if looks_final and self._reply is None and not busy and self._guesses < MAX_GUESSES:
            self._guesses += 1
            self._guess = partial.text
            self._begin(now_ms, now_ms, asr_us=0)

    def on_eager_end(self, after_ms: int, now_ms: int, *, busy: bool) -> None:
        """The user fell silent at `after_ms`. `busy`: as in `on_partial`."""
        if self._options.preemptive_generation == "off":
            return
        asr_us = self._engines.asr_us(after_ms)
        self._decoding_ms, self._told = after_ms, False
        self._decoded_ms = now_ms + asr_us / 1000
        if self._guess is None and not busy:
            self._begin(after_ms, now_ms, asr_us)

    def on_resumed(self, now_ms: int) -> None:
        """They went on. A guess may still turn out right."""
        if self._guess is None:
            self._discard(now_ms)
        self._decoding_ms = None

    def final_due(self, next_ms: int, *, in_speech: bool) -> Final | None:
        """The final transcript, once, when it is known before `next_ms`."""
        after_ms = self._decoding_ms
        if after_ms is None or self._told or self._decoded_ms >= next_ms:
            return None
        self._told = True
        final = self._texts.final(after_ms)
        if final is not None and self._guess not in (None, final.text):
            self._withdraw(self._decoded_ms)
            if not in_speech:
                self._begin(after_ms, self._decoded_ms, asr_us=0)
        return final

    def commit(self, after_ms: int, now_ms: int) -> Begun:
        """The turn is over: the reply that answers it."""
        decoded_ms = self._decoded_ms
        if self._decoding_ms is None:
            decoded_ms = now_ms + self._engines.asr_us(after_ms) / 1000
        gate_ms = float(now_ms)
        if self._guess is not None:
            gate_ms = max(gate_ms, decoded_ms)
            final = self._texts.final(after_ms)
            if final is not None and self._guess != final.text:
                self._withdraw(gate_ms)
        if self._reply is None:
            left_ms = max(0.0, decoded_ms - gate_ms)
            self._begin(after_ms, gate_ms, round(left_ms * 1000))
        assert self._reply is not None
        return Begun(self._reply.start_ms, gate_ms, self._reply.stages_us)

    def _begin(self, after_ms: int, now_ms: float, asr_us: int) -> None:
        stages: dict[Stage, int] = {"asr": asr_us, **self._engines.stages_us(after_ms, self._guess)}
        self._reply = Begun(now_ms, now_ms, stages)

    def _withdraw(self, now_ms: float) -> None:
        self._discard(now_ms)
        self._guess = None

    def _discard(self, now_ms: float) -> None:
        reply, self._reply = self._reply, None
        if reply is not None:
            ran_us = round((now_ms - reply.start_ms) * 1000)
            self._waste.discards += 1
            self._waste.wasted_us += max(0, min(ran_us, reply.before_tool_us))
