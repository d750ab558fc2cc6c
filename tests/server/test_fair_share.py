from __future__ import annotations

import pytest

from voicepipe.audio.formats import AudioFormat
from voicepipe.runtime.clock import ManualClock
from voicepipe.server.fair_share import (
    AUDIO_BURST_MS,
    BURST_S,
    ECHO,
    LEAST_MS,
    PACE,
    SHARE,
    FairShare,
)
from voicepipe.session.commands import AppendAudio, ClearAudio, Command, CreateResponse

WIDE = AudioFormat("pcm16", 24000)
TELEPHONE = AudioFormat("pcmu", 8000)


class Client:
    """One whose messages take `cpu_s` each."""

    def __init__(self, cpu_s: float, wire: AudioFormat = WIDE) -> None:
        self.clock = ManualClock()
        self._share = FairShare(self.clock)
        self._cpu_s, self._wire = cpu_s, wire

    def asks(self, *commands: Command, frame: str = "{}") -> float:
        """How long its next message waits."""
        return self.waits(*commands, frame=frame) or 0.0

    def waits(self, *commands: Command, frame: str = "{}") -> float | None:
        return self._share.wait_s(self._cpu_s, frame, commands, self._wire)

    def says(self, ms: float, padding: int = 0) -> float:
        audio = bytes(round(ms * self._wire.bytes_per_ms))
        frame = "x" * (len(audio) * 4 // 3 + 60 + padding)
        return self.asks(AppendAudio(audio), frame=frame)


def test_a_call_never_waits() -> None:
    client = Client(0.0001)
    for number in range(3000):  # a minute of audio, with an answer now and then
        assert client.asks(CreateResponse() if number % 100 == 0 else ClearAudio()) == 0
        client.clock.advance(0.02)


@pytest.mark.parametrize("wire", [WIDE, TELEPHONE])
def test_a_call_never_waits_on_a_slow_machine(wire: AudioFormat) -> None:
    """Whose frames take a third of the time that they last: seen with real models on two cores,
    where callers were heard later with every turn, by five seconds in the end."""
    client = Client(0.007, wire)
    for _ in range(3000):
        assert client.says(20) == 0
        client.clock.advance(0.02)


def test_all_but_speech_lets_others_go_first() -> None:
    client = Client(0.0001)
    assert client.waits(AppendAudio(bytes(960)), frame="x" * 1300) is None
    assert client.waits(ClearAudio()) == 0


@pytest.mark.parametrize("wire", [WIDE, TELEPHONE])
def test_audio_that_nobody_can_have_said_so_fast_waits(wire: AudioFormat) -> None:
    client, sent_ms = Client(0.001, wire), 0
    while client.clock.now() < 60:
        client.clock.advance(0.001 + client.says(20))
        sent_ms += 20
    paid_ms = (60 * SHARE + BURST_S) / ECHO / 0.001 * 20
    assert sent_ms == pytest.approx(60_000 * PACE + AUDIO_BURST_MS + paid_ms, rel=0.02)


@pytest.mark.parametrize("ms", [0, 0.05])
def test_crumbs_of_audio_count_as_pieces_of_it(ms: float) -> None:
    client = Client(0.001)
    waits = [client.says(ms) for _ in range(round(AUDIO_BURST_MS / LEAST_MS) + 200)]
    assert waits[-1] > 1


def test_what_comes_along_with_audio_is_paid_for() -> None:
    """Padding that takes the parser its time."""
    client = Client(0.04)
    assert [client.says(20, padding=200_000) for _ in range(20)][-1] > 10


def test_whoever_sends_more_gets_its_share_and_no_more() -> None:
    client, used_s = Client(0.01), 0.0
    while client.clock.now() < 60:
        client.clock.advance(0.01 + client.asks())
        used_s += 0.01 * ECHO
    assert used_s == pytest.approx(60 * SHARE + BURST_S, rel=0.05)


def test_answers_cost_more_than_asking_for_them() -> None:
    client = Client(0.0)
    waits = [client.asks(CreateResponse()) for _ in range(50)]
    assert waits[0] == 0
    assert waits[-1] > 10
