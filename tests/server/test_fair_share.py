from __future__ import annotations

import pytest

from voicepipe.runtime.clock import ManualClock
from voicepipe.server.fair_share import AUDIO_BURST_S, BURST_S, ECHO, SHARE, FairShare
from voicepipe.session.commands import AppendAudio, ClearAudio, CreateResponse

FRAME = AppendAudio(bytes(960))  # 20 ms of the widest format


def test_a_call_never_waits() -> None:
    clock = ManualClock()
    share = FairShare(clock)
    for number in range(3000):  # a minute of audio, with an answer now and then
        commands = [CreateResponse()] if number % 100 == 0 else [ClearAudio()]
        assert share.wait_s(0.0001, commands) == 0
        clock.advance(0.02)


def test_a_call_never_waits_on_a_slow_machine() -> None:
    """Whose frames take a third of the time that they last: seen with real models on two cores,
    where callers were heard later with every turn, by five seconds in the end."""
    clock = ManualClock()
    share = FairShare(clock)
    for _ in range(3000):
        assert share.wait_s(0.007, [FRAME]) == 0
        clock.advance(0.02)


def test_audio_that_nobody_can_have_said_so_fast_waits() -> None:
    clock = ManualClock()
    share = FairShare(clock)
    sent_s = 0.0
    while clock.now() < 60:
        clock.advance(0.001 + share.wait_s(0.001, [FRAME]))
        sent_s += 0.02
    paid_s = (60 * SHARE + BURST_S) / ECHO / 0.001 * 0.02
    assert sent_s == pytest.approx(1.5 * (60 + AUDIO_BURST_S) + paid_s, rel=0.02)


@pytest.mark.parametrize("crumb", [b"", b"ab"])
def test_crumbs_of_audio_count_as_pieces_of_it(crumb: bytes) -> None:
    share = FairShare(ManualClock())
    waits = [share.wait_s(0.001, [AppendAudio(crumb)]) for _ in range(2000)]
    assert waits[-1] > 1


def test_whoever_sends_more_gets_its_share_and_no_more() -> None:
    clock = ManualClock()
    share = FairShare(clock)
    used_s = 0.0
    while clock.now() < 60:
        clock.advance(0.01 + share.wait_s(0.01, []))
        used_s += 0.01 * ECHO
    assert used_s == pytest.approx(60 * SHARE + BURST_S, rel=0.05)


def test_answers_cost_more_than_asking_for_them() -> None:
    share = FairShare(ManualClock())
    waits = [share.wait_s(0.0, [CreateResponse()]) for _ in range(50)]
    assert waits[0] == 0
    assert waits[-1] > 10
