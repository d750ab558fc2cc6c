"""What a client put beside what was said, took away or asked for: that is what the model reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from tests.session.harness import VOICED, Conversation, conversation
from voicepipe.conversation.items import AudioPart, MessageItem, Part, TextPart
from voicepipe.runtime.errors import EngineError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tts.contract import Speech, Voice

pytestmark = pytest.mark.virtual_time

MANUAL = SessionSettings(transcription=Transcription(), turn_detection=None)
SOUND = np.concatenate([VOICED] * 30)


@asynccontextmanager
async def talking(*heard: str) -> AsyncIterator[Conversation]:
    async with conversation(settings=MANUAL, heard=heard, answers=("It is noon.",) * 3) as talk:
        yield talk


def user(name: str, *parts: Part) -> cmd.CreateItem:
    return cmd.CreateItem(MessageItem(name, "user", parts))


async def committed(talk: Conversation, after_s: float) -> str:
    """Something said by push to talk; the item's id."""
    await talk.speak(600)
    talk.session.handle(cmd.CommitAudio())
    await asyncio.sleep(after_s)
    return talk.of(ev.AudioCommitted)[0].item_id


async def asked(talk: Conversation, **options: Any) -> list[str]:
    """The prompt of a response."""
    talk.session.handle(cmd.CreateResponse(**options))
    await asyncio.sleep(5)
    return talk.prompts()[-1]


async def test_text_beside_sound_is_read_with_it() -> None:
    async with talking("what time is it") as talk:
        sound = AudioPart(None, SOUND, 600.0)
        talk.session.handle(user("i1", TextPart("Answer in French:"), sound))
        first = await asked(talk)
        assert first[-1] == "user: Answer in French: what time is it"


async def test_several_sounds_have_one_transcript_and_a_given_one_stays() -> None:
    async with talking("what time is it") as talk:
        sounds = (AudioPart(None, SOUND, 600.0), AudioPart(None, SOUND, 600.0))
        talk.session.handle(user("i1", *sounds, AudioPart("said before", SOUND, 600.0)))
        await asked(talk)
        item = talk.session.conversation.get("i1")
        assert isinstance(item, MessageItem)
        assert item.text.split() == "what time is it said before".split()


async def test_a_deleted_turn_is_not_read() -> None:
    async with talking("my secret is blue") as talk:
        talk.session.handle(cmd.DeleteItem(await committed(talk, 1)))
        await asyncio.sleep(1)
        talk.session.handle(user("i2", TextPart("Hello.")))
        assert await asked(talk) == ["user: Hello."]


@pytest.mark.parametrize("after_s", [0.02, 1])
@pytest.mark.parametrize("out_of_band", [True, False])
async def test_a_turn_that_is_referred_to_is_read_once(out_of_band: bool, after_s: float) -> None:
    """Also where its words were not known yet when the response was asked for."""
    async with talking("my secret is blue") as talk:
        reference = cmd.ItemReference(await committed(talk, after_s))
        prompt = await asked(talk, out_of_band=out_of_band, input=(reference,))
        assert prompt == ["user: my secret is blue"]


async def test_an_input_of_the_clients_own_is_all_there_is() -> None:
    async with talking("my secret is blue") as talk:
        await committed(talk, 1)
        own = MessageItem("x", "user", (TextPart("Say hello."),))
        assert await asked(talk, input=(own,)) == ["user: Say hello."]


async def test_an_entry_that_waits_for_a_turn_does_not_wait_for_one_that_was_cleared() -> None:
    async with conversation(answers=("It is noon.",) * 3, heard=("",)) as talk:
        for key in "12":
            talk.session.handle(cmd.Dtmf(key))
        await talk.speak(300)
        talk.session.handle(cmd.Dtmf("#"))
        await talk.speak(100)
        talk.session.handle(cmd.ClearAudio())
        await talk.quiet(15_000)
        assert len(talk.of(ev.ResponseDone)) == 1


async def test_who_plays_by_itself_has_heard_what_it_was_sent_of_a_reply_that_failed() -> None:
    said = "The first is the red house. The second is a blue boat. The third is a green tree."
    async with conversation(answers=(f"{said} The fourth is never said.",)) as talk:
        voice = talk.engines.synthesizer
        stream = voice.stream

        def failing(clause: str, speaker: Voice) -> AsyncIterator[Speech]:
            return broken() if "fourth" in clause else stream(clause, speaker)

        async def broken() -> AsyncGenerator[Speech]:
            raise EngineError("broken", stage="tts")
            yield  # a generator

        voice.stream = failing  # type: ignore[assignment]
        await talk.speak(600)
        await talk.quiet(3000)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.status == "failed"
        assert [item.text for item in talk.said_by_agent()] == [said]
