"""The prompt is computed while nobody waits for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.session.harness import Conversation, conversation
from voicepipe.conversation.items import MessageItem, TextPart
from voicepipe.llm.contract import ChatRequest
from voicepipe.session import commands as cmd
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
        (prompt,) = prefills.take()
        assert prompt[-1] == "It is half past seven. Can I do more for you?"


async def test_it_is_left_to_a_turn_that_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    async with conversation() as talk:
        await talk.quiet(500)
        prefills = Prefills(talk, monkeypatch)
        talk.session.handle(cmd.CreateItem(MessageItem("item_1", "user", (TextPart("Go on."),))))
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(400)
        assert prefills.take() == []
