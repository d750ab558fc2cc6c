"""How much of the process one client's messages may use. Whoever sends more is read more slowly:
it waits, and nobody else does. Sound at the pace of speech is what a call is: it never waits, how
long the machine may take for it, since a caller who is read late stays late to the call's end.
"""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.runtime.clock import Clock
from voicepipe.session.commands import AppendAudio, Command, CreateResponse

SHARE = 0.05
"""Of one core, in the long run."""

BURST_S = 0.25
"""CPU time that a client may use at once: a few sets of instructions."""

ECHO = 3.0
"""What is read is carried out and mostly told back as well, at about twice the cost of reading."""

ANSWER_S = 0.02
"""CPU time of the loop for an answer that a client asks for, prompt and events, at the most."""

AUDIO_BYTES_S = 72_000
"""Bytes of audio a second that are free: half as much again as the widest format has, since what a
network held back comes faster."""

AUDIO_BURST_S = 10.0
"""So many seconds of them at once: a connection that hung, a question from a file."""

LEAST_BYTES = 480
"""What a message counts for at least: 10 ms. Crumbs of audio cost as much work as pieces of it."""


class FairShare:
    """Two buckets, of bytes of audio and of CPU time, that fill at their rates."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since_s = clock.now()
        self._left_s = BURST_S
        self._audio_bytes = AUDIO_BURST_S * AUDIO_BYTES_S

    def wait_s(self, cpu_s: float, commands: Sequence[Command]) -> float:
        """How long its next message has to wait, since this one took so much CPU time."""
        self._fill()
        if not self._is_a_call(commands):
            answers = sum(isinstance(command, CreateResponse) for command in commands)
            self._left_s -= cpu_s * ECHO + answers * ANSWER_S
        return max(0.0, -self._left_s / SHARE)

    def _fill(self) -> None:
        now = self._clock.now()
        passed_s, self._since_s = now - self._since_s, now
        self._left_s = min(BURST_S, self._left_s + passed_s * SHARE)
        most = AUDIO_BURST_S * AUDIO_BYTES_S
        self._audio_bytes = min(most, self._audio_bytes + passed_s * AUDIO_BYTES_S)

    def _is_a_call(self, commands: Sequence[Command]) -> bool:
        """It is audio, and no more of it than a caller can have said; which is taken off."""
        if len(commands) != 1 or not isinstance(commands[0], AppendAudio):
            return False
        size = max(len(commands[0].audio), LEAST_BYTES)
        if size > self._audio_bytes:
            return False
        self._audio_bytes -= size
        return True
