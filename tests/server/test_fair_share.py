from __future__ import annotations

import pytest

from voicepipe.runtime.clock import ManualClock
from voicepipe.server.fair_share import BURST_S, ECHO, SHARE, FairShare
from voicepipe.session.commands import ClearAudio, CreateResponse


def test_a_call_never_waits() -> None:
    clock = ManualClock()
    share = FairShare(clock)
    for number in range(3000):  # a minute of audio, with an answer now and then
        commands = [CreateResponse()] if number % 100 == 0 else [ClearAudio()]
        assert share.wait_s(0.0001, commands) == 0
        clock.advance(0.02)


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
