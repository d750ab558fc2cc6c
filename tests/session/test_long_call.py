"""A call that outlasts its conversation's limit goes on."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.session.harness import VOICED, conversation
from voicepipe.config import AudioSettings, LimitSettings, Settings
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev

pytestmark = pytest.mark.virtual_time


@pytest.mark.parametrize("most", [1, 2, 3, 5])
async def test_the_agent_answers_on_when_the_conversation_is_full(most: int) -> None:
    config = Settings(limits=LimitSettings(max_items=most))
    async with conversation(config=config) as talk:
        for _ in range(4):
            await talk.speak(600)
            await talk.quiet(6000)
        assert len(talk.of(ev.ResponseDone)) == 4
        assert not talk.of(ev.SessionError)
        assert len(talk.session.conversation) == most
        added = [event.item.id for event in talk.of(ev.ItemAdded)]
        deleted = [event.item_id for event in talk.of(ev.ItemDeleted)]
        assert deleted == added[: 8 - most], "the client can follow"


async def test_audio_of_a_clients_own_items_is_kept_no_longer_than_the_rest() -> None:
    config = Settings(audio=AudioSettings(keep_s=2))
    sound = np.concatenate([VOICED] * 75)  # 1.5 s
    async with conversation(config=config) as talk:
        for name in ("first", "second"):
            item = MessageItem(name, "user", (AudioPart(None, sound, 1500.0),))
            talk.session.handle(cmd.CreateItem(item))
            await asyncio.sleep(2)
        items = [i for i in talk.session.conversation if isinstance(i, MessageItem)]
        parts = [part for item in items for part in item.content if isinstance(part, AudioPart)]
        kept = [part.pcm is not None for part in parts]
        assert kept == [False, True]
        assert [item.text for item in items] == ["what time is it"] * 2
