"""How much of the process one client's messages may use. Whoever sends more is read more slowly:
it waits, and nobody else does. Sound at the pace of speech is what a call is: it never waits, how
long the machine may take for it, since a caller who is read late stays late to the call's end.
"""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.audio.formats import AudioFormat
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

PACE = 1.5
"""Milliseconds of sound a millisecond that are free: what a network held back comes faster."""

AUDIO_BURST_MS = 10_000.0
"""So much of it at once: a connection that hung, a question from a file."""

LEAST_MS = 10.0
"""What a message of sound counts for at least: crumbs cost as much work as pieces."""

PADDING = 512
"""Characters of a message of sound beside the sound, in base64. With more it is something else."""


class FairShare:
    """Two buckets, of sound and of CPU time, that fill at their rates."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since_s = clock.now()
        self._left_s = BURST_S
        self._sound_ms = AUDIO_BURST_MS

    def wait_s(
        self, cpu_s: float, frame: str | bytes, commands: Sequence[Command], wire: AudioFormat
    ) -> float | None:
        """How long a client's next message has to wait, since `frame`, which asked for `commands`,
        took so much CPU time. `wire`: the format of its sound. None after speech: not at all. 0:
        until all others have had their turn, since hundreds of tiny messages come in one piece."""
        only = commands[0] if len(commands) == 1 else None
        if isinstance(only, AppendAudio) and self.lets_in(len(only.audio), len(frame), wire):
            return None
        self._fill()
        answers = sum(isinstance(command, CreateResponse) for command in commands)
        self._left_s -= cpu_s * ECHO + answers * ANSWER_S
        return max(0.0, -self._left_s / SHARE)

    def lets_in(self, size: int, frame: int, wire: AudioFormat) -> bool:
        """So many bytes of sound, in a message of so many characters and nothing else in it, are no
        more than a caller can have said; which is taken off."""
        self._fill()
        length_ms = max(size / wire.bytes_per_ms, LEAST_MS)
        if frame > size * 4 / 3 + PADDING or length_ms > self._sound_ms:
            return False
        self._sound_ms -= length_ms
        return True

    def _fill(self) -> None:
        now = self._clock.now()
        passed_s, self._since_s = now - self._since_s, now
        self._left_s = min(BURST_S, self._left_s + passed_s * SHARE)
        self._sound_ms = min(AUDIO_BURST_MS, self._sound_ms + passed_s * 1000 * PACE)
