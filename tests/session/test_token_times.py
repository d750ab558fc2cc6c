"""What the ledger holds of a turn's tokens, with an engine that tells it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from voicepipe.llm.contract import ChatRequest, Delta, Finish, TokenTimes, Usage
from voicepipe.llm.engines.simulated import SimulatedModel


class Telling(SimulatedModel):
    """Says at the end what a real engine would."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        async for delta in super().stream(request):
            if isinstance(delta, Finish):
                usage = Usage(40, 12, 32, drafted_tokens=9, accepted_tokens=6)
                yield replace(delta, usage=usage, times=TokenTimes(8.25, 3.5))
            else:
                yield delta


async def one_turn(talk: Conversation) -> None:
    await talk.speak(600)
    await talk.quiet(8000)


@pytest.mark.virtual_time
async def test_a_turn_s_record_has_its_engine_s_token_figures() -> None:
    async with conversation() as talk:
        talk.engines.model = Telling(SIMULATED, ("It is half past seven.",))
        await one_turn(talk)
        (record,) = talk.log.recent()
    assert record.tokens == {
        "prompt": 40,
        "completion": 12,
        "cached": 32,
        "drafted": 9,
        "accepted": 6,
    }
    assert record.token_ms == {"first": 8.25, "step_p50": 3.5}
    assert record.as_dict()["token_ms"] == {"first": 8.25, "step_p50": 3.5}


@pytest.mark.virtual_time
async def test_an_engine_that_tells_nothing_leaves_them_out() -> None:
    async with conversation() as talk:
        await one_turn(talk)
        (record,) = talk.log.recent()
    assert record.token_ms == {}
