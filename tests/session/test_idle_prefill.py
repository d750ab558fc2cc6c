"""The prompt is computed while nobody waits for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from voicepipe.config import LatencySettings
from voicepipe.conversation.items import MessageItem, TextPart
from voicepipe.llm.contract import ChatRequest
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings

pytestmark = pytest.mark.virtual_time


class Prefills:
    """What the language model is asked to compute beforehand."""

    def __init__(self, talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: list[ChatRequest] = []
        monkeypatch.setattr(talk.engines.model, "warm", self._warm)

    async def _warm(self, request: ChatRequest) -> None:
        self.requests.append(request)

    def take(self) -> list[list[str]]:
        """The messages of each, since the last time."""
        taken, self.requests = self.requests, []
        return [[message.content for message in one.messages] for one in taken]


async def test_instructions_are_ready_before_anybody_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with conversation() as talk:
        prefills = Prefills(talk, monkeypatch)
        for text in ("You sell tea.", "You sell coffee."):  # both within a quarter of a second
            told = replace(talk.session.settings, instructions=text)
            talk.session.handle(cmd.UpdateSession(told))
            await talk.quiet(100)
        assert prefills.take() == []
        await talk.quiet(400)
        assert prefills.take() == [["You sell coffee."]]
        await talk.quiet(2000)
        assert prefills.take() == []


async def test_items_and_replies_are_ready_before_the_next_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = SessionSettings(instructions="Be brief.")
    async with conversation(settings=settings) as talk:
        prefills = Prefills(talk, monkeypatch)
        item = MessageItem("item_1", "user", (TextPart("My name is Ann."),))
        talk.session.handle(cmd.CreateItem(item))
        await talk.quiet(500)
        assert prefills.take() == [["Be brief.", "My name is Ann."]]
        await talk.speak(1000)
        await talk.quiet(200)
        prefills.take()  # the turn's own, of words that will not change
        await talk.quiet(7000)
        made, heard = prefills.take()
        assert made == heard, "nothing of it was cut off"
        assert heard[-1] == "It is half past seven. Can I do more for you?"


async def test_the_prompt_is_ready_when_the_greeting_has_been_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = SessionSettings(
        instructions="Be brief.", greeting="Hello, how can I help you today?"
    )
    async with conversation(settings=settings, lead_ms=60) as talk:
        prefills = Prefills(talk, monkeypatch)
        talk.session.greet()
        await talk.quiet(900)
        assert len(talk.of(ev.OutputAudioStopped)) == 0, "it is still being said"
        assert [prompt[0] for prompt in prefills.take()] == ["Be brief."]


@pytest.mark.parametrize("stops_in_s", [0.0, 2.0])
async def test_one_prompt_at_a_time(monkeypatch: pytest.MonkeyPatch, stops_in_s: float) -> None:
    """A second one would be computed in another place of the cache, all of it."""
    running: list[ChatRequest] = []
    most = 0

    async def warm(request: ChatRequest) -> None:
        nonlocal most
        running.append(request)
        most = max(most, len(running))
        try:
            await asyncio.sleep(5)
        finally:
            try:
                await asyncio.sleep(stops_in_s)
            finally:
                running.remove(request)

    async with conversation() as talk:
        monkeypatch.setattr(talk.engines.model, "warm", warm)
        for number in range(3):
            item = MessageItem(f"item_{number}", "user", (TextPart("My name is Ann."),))
            talk.session.handle(cmd.CreateItem(item))
            await talk.quiet(500)
    assert (most, len(running)) == (1, 0)


async def test_it_is_left_to_a_turn_that_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SIMULATED.model_copy(update={"llm_first_token": LatencySettings(mean_ms=2000)})
    async with conversation(simulated=slow) as talk:
        await talk.quiet(500)
        prefills = Prefills(talk, monkeypatch)
        talk.session.handle(cmd.CreateItem(MessageItem("item_1", "user", (TextPart("Go on."),))))
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(400)
        assert prefills.take() == []
