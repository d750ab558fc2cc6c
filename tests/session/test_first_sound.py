"""A client that asks for it knows an answer's wait as soon as the answer can be heard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.session.harness import conversation
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings

pytestmark = pytest.mark.virtual_time

BOTH = SessionSettings(turn_events=True, provisional_turns=True)


@pytest.mark.parametrize("lead_ms", [None, 200.0], ids=["the client plays", "a sink plays"])
async def test_the_wait_is_told_at_the_first_sound_and_again_at_the_end(
    lead_ms: float | None,
) -> None:
    async with conversation(settings=BOTH, lead_ms=lead_ms) as talk:
        for _ in range(2):
            await talk.speak(1000)
            await talk.quiet(6000)
        told = talk.of(ev.TurnMeasured)
        assert [one.provisional for one in told] == [True, False, True, False]
        for early, final in ((told[0], told[1]), (told[2], told[3])):
            assert early.record.turn_id == final.record.turn_id
            assert early.record.response_id == final.record.response_id
            assert early.record.critical == final.record.critical
            assert early.record.critical is not None
            assert early.record.preemption == final.record.preemption == "hit"
            first_told, last_told = (talk.times[talk.events.index(one)] for one in (early, final))
            sounded = early.record.marks["audio_out"]
            assert final.record.marks["audio_out"] == sounded
            assert last_told - first_told > 0.5, "the answer takes its time"
        assert len(talk.log.recent()) == 2, "only what is over is written down"


async def test_nobody_else_is_told() -> None:
    for settings in (SessionSettings(turn_events=True), SessionSettings(provisional_turns=True)):
        async with conversation(settings=settings) as talk:
            await talk.speak(1000)
            await talk.quiet(5000)
            told = [one.provisional for one in talk.of(ev.TurnMeasured)]
            assert told == [False] * settings.turn_events


async def test_a_record_knows_the_time_of_day() -> None:
    async with conversation() as talk:
        await talk.speak(1000)
        await talk.quiet(5000)
        (record,) = talk.log.recent()
        at = record.speech_end_at
        assert at is not None
        ago = datetime.now(UTC) - at
        # the loop's clock has gone on by the seconds that were waited here
        assert timedelta(seconds=1) < ago < timedelta(minutes=1)
        told = record.as_dict()["speech_end_at"]
        assert datetime.fromisoformat(told) == at.replace(microsecond=at.microsecond // 1000 * 1000)
