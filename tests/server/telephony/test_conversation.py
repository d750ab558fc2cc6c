"""A spoken question over each carrier's wire, answered in sound."""

from __future__ import annotations

import pytest

from tests.server.harness import simulated_engines
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_limits import nothing_left
from voicepipe.lab.carriers.carriers import CARRIERS

ANSWER_S = 20.0
SHORT = "It is seven. Anything else?"
"""Two clauses that take little time: every carrier plays them."""


@pytest.mark.parametrize("name", CARRIERS)
async def test_question_is_answered_and_the_end_leaves_nothing_behind(name: str) -> None:
    async with phone_server(simulated_engines(answers=(SHORT,))) as server:
        async with call(server, name) as phone:
            said_at = await phone.say(tone(600))
            heard_at = await phone.sound(said_at, ANSWER_S)
            await phone.silence(heard_at, 700, ANSWER_S)
            assert phone.problems == []
            (first,) = phone.heard.spans(gap_ms=700)
            assert first[1] - first[0] > 1.0, "the answer was cut short"
        await nothing_left(server)
        (turn,) = server.service.turn_log.recent(10)
        assert turn.end == "completed"
        assert turn.heard_ms == pytest.approx(turn.audio_ms, abs=1)
