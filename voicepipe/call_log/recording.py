"""The sound of one call in a stereo WAV: left what the caller said, right what the caller heard,
on one time line. Runs in the writer's thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from voicepipe.audio.codec import Decoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.call_log.stereo_wav import LEFT, RIGHT, StereoWav
from voicepipe.call_log.timeline import Run, latest_starts, runs
from voicepipe.privacy.seal import Seal

CALLER_SLACK_S = 0.06
"""Three packets: less is jitter of the network. It may hide a pause of as much, once."""

AGENT_SLACK_S = 0.02
"""The agent's times are our own; less is the jitter of a busy loop."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Wire bytes; `at_s`: since the recording began."""

    at_s: float
    audio: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """Agent audio behind this was never played."""

    at_s: float


@dataclass(slots=True)
class Sound:
    """A second or so of one call."""

    caller: list[Heard] = field(default_factory=list)
    agent: list[Heard | Cut] = field(default_factory=list)
    size: int = 0  # bytes

    def longest_s(self, caller: AudioFormat, agent: AudioFormat) -> float:
        """Sound in it, of the side that has more."""
        played = sum(len(piece.audio) for piece in self.agent if isinstance(piece, Heard))
        said = sum(len(piece.audio) for piece in self.caller)
        return max(caller.ms(said), agent.ms(played)) / 1000


class CallRecording:
    """Makes its file. Every method may raise OSError: what it was told is lost then, and what comes
    later still finds its place.

    `wires`: the caller's format and the agent's.
    """

    def __init__(
        self,
        path: Path,
        rate: int,
        wires: tuple[AudioFormat, AudioFormat],
        seal: Seal | None = None,
    ) -> None:
        self._wav = StereoWav(path, rate, seal)
        self._caller = _Side(self._wav, LEFT, wires[0], rate)
        self._agent = _Side(self._wav, RIGHT, wires[1], rate)
        self._rate = rate

    def write(self, sound: Sound) -> None:
        """Lay a batch on the time line; the file is valid after it."""
        arrived = [piece.at_s for piece in sound.caller]
        lasts = [self._caller.lasts_s(piece.audio) for piece in sound.caller]
        starts = latest_starts(arrived, lasts)
        self._caller.write([piece.audio for piece in sound.caller], starts, CALLER_SLACK_S)
        pieces: list[Heard] = []
        for piece in sound.agent:
            if isinstance(piece, Heard):
                pieces.append(piece)
                continue
            self._play(pieces)
            pieces = []
            self._agent.cut(piece.at_s)
        self._play(pieces)
        self._wav.save()

    def close(self, end_s: float | None) -> None:
        """The call is over: what the agent had yet to play is cut, the file lasts until the call's
        end. None: leave it as it is."""
        try:
            if end_s is not None:
                self._agent.cut(end_s)
                self._wav.resize(max(self._caller.end, round(end_s * self._rate)))
        finally:
            self._wav.close()

    def _play(self, pieces: Sequence[Heard]) -> None:
        starts = [piece.at_s for piece in pieces]
        self._agent.write([piece.audio for piece in pieces], starts, AGENT_SLACK_S)


class _Side:
    """One channel. `end`: its first frame without sound."""

    def __init__(self, wav: StereoWav, channel: int, wire: AudioFormat, rate: int) -> None:
        self._wav, self._channel = wav, channel
        self._wire, self._rate = wire, rate
        self._decoder = Decoder(wire, rate)
        self.end = 0

    def lasts_s(self, audio: bytes) -> float:
        return self._wire.ms(len(audio)) / 1000

    def write(self, chunks: Sequence[bytes], starts_s: Sequence[float], slack_s: float) -> None:
        lasts_s = [self.lasts_s(chunk) for chunk in chunks]
        for run in runs(starts_s, lasts_s, self.end / self._rate, slack_s):
            self._write_run(run, b"".join(chunks[run.first : run.last]))

    def _write_run(self, run: Run, audio: bytes) -> None:
        samples = self._decoder.decode(audio)
        start = self.end if run.start_s is None else max(self.end, round(run.start_s * self._rate))
        self._wav.put(self._channel, start, samples)
        self.end = start + samples.size

    def cut(self, at_s: float) -> None:
        """Silence from there on."""
        start = max(0, round(at_s * self._rate))
        if start < self.end:
            self._wav.silence(self._channel, start, self.end)
            self.end = start
