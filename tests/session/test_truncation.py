"""What becomes of a history that outgrows its budget."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.session.harness import Conversation, conversation
from voicepipe.conversation.items import MessageItem, TextPart
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, Truncation

pytestmark = pytest.mark.virtual_time

TURNS = 30
WORDS = "one two three four five six seven eight nine ten eleven twelve"  # 62 characters


async def talked(truncation: Truncation) -> Conversation:
    """A user who types turn after turn; each is answered."""
    settings = SessionSettings(truncation=truncation, modality="text", instructions="Be kind.")
    async with conversation(answers=("Yes.",), settings=settings) as talk:
        for number in range(TURNS):
            said = MessageItem(f"u{number}", "user", (TextPart(f"{number} {WORDS}"),))
            talk.session.handle(cmd.CreateItem(said))
            talk.session.handle(cmd.CreateResponse())
            await talk.quiet(400)
    return talk


def requests(talk: Conversation) -> list[ChatRequest]:
    assert isinstance(talk.engines.model, SimulatedModel)
    return talk.engines.model.requests


def oldest(request: ChatRequest) -> int:
    """Number of the oldest turn in the prompt."""
    return int(request.messages[1].content.split()[0])


@pytest.mark.parametrize("retention", [0.8, 0.25])
async def test_the_beginning_of_the_prompt_changes_in_steps(retention: float) -> None:
    """A turn is about 100 characters, so ten of them fit."""
    talk = await talked(Truncation(retention=retention, max_tokens=250))

    starts = [oldest(request) for request in requests(talk)]
    assert len(starts) == TURNS
    assert starts == sorted(starts)
    assert starts[9] == 0
    steps = {b - a for a, b in pairwise(starts)} - {0}
    expected = 10 * (1 - retention)
    assert steps
    assert all(expected - 1 <= step <= expected + 2 for step in steps), steps
    assert all(request.messages[0].content == "Be kind." for request in requests(talk))


async def test_where_truncation_is_disabled_a_long_history_is_refused_and_says_so() -> None:
    talk = await talked(Truncation(enabled=False, max_tokens=250))

    done = [event.response for event in talk.of(ev.ResponseDone)]
    assert [response.status for response in done[:9]] == ["completed"] * 9
    assert done[-1].status == "failed"
    assert "truncation is disabled" in (done[-1].error or "")
    assert all(oldest(request) == 0 and request.whole for request in requests(talk))
