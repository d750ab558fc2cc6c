"""How much of the process one client's messages may use. Whoever sends more is read more slowly:
it waits, and nobody else does.
"""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.runtime.clock import Clock
from voicepipe.session.commands import Command, CreateResponse

SHARE = 0.05
"""Of one core, in the long run. A call's audio takes a tenth of it."""

BURST_S = 0.25
"""CPU time that a client may use at once: a minute of audio, a few sets of instructions."""

ECHO = 3.0
"""What is read is carried out and mostly told back as well, at about twice the cost of reading."""

ANSWER_S = 0.02
"""CPU time of the loop for an answer that a client asks for, prompt and events, at the most."""


class FairShare:
    """A bucket of CPU time that fills at `SHARE`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._left_s, self._since_s = BURST_S, clock.now()

    def wait_s(self, cpu_s: float, commands: Sequence[Command]) -> float:
        """How long its next message has to wait, since this one took so much CPU time."""
        now = self._clock.now()
        self._left_s = min(BURST_S, self._left_s + (now - self._since_s) * SHARE)
        self._since_s = now
        answers = sum(isinstance(command, CreateResponse) for command in commands)
        self._left_s -= cpu_s * ECHO + answers * ANSWER_S
        return max(0.0, -self._left_s / SHARE)
