"""The user's words reach the client while they are being said, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from tests.session.harness import conversation
from voicepipe.config import AsrSettings, Settings
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, Transcription

pytestmark = pytest.mark.virtual_time

HEARD = ("I want a table for two tonight",)
SPEECH_MS = 2500


def settings(**changes: object) -> SessionSettings:
    return SessionSettings(transcription=Transcription(), **changes)  # type: ignore[arg-type]


async def test_sure_words_come_while_the_user_speaks_and_join_to_the_transcript() -> None:
    async with conversation(heard=HEARD) as talk:
        await talk.speak(SPEECH_MS)
        live = [delta.delta for delta in talk.of(ev.UserTranscriptDelta)]
        assert len(live) > 3
        assert not talk.of(ev.SpeechStopped)
        await talk.quiet(3000)

        (started,), (whole,) = talk.of(ev.SpeechStarted), talk.of(ev.UserTranscript)
        deltas = talk.of(ev.UserTranscriptDelta)
        assert {delta.item_id for delta in deltas} == {started.item_id} == {whole.item_id}
        assert "".join(delta.delta for delta in deltas) == whole.transcript == HEARD[0]


async def test_nothing_is_told_of_a_sound_that_is_no_turn() -> None:
    """The agent speaks; over it somebody says what does not interrupt it."""
    async with conversation(heard=("tell me all", "mhm mhm mhm")) as talk:
        await talk.speak(800)
        await talk.quiet(900)
        assert talk.of(ev.ResponseCreated)
        told = len(talk.of(ev.UserTranscriptDelta))
        await talk.speak(160)
        await talk.quiet(2500)

        assert len(talk.of(ev.SpeechStarted)) == 1
        assert len(talk.of(ev.UserTranscriptDelta)) == told


async def test_push_to_talk_is_read_along_too() -> None:
    async with conversation(heard=HEARD, settings=settings(turn_detection=None)) as talk:
        await talk.speak(SPEECH_MS)
        assert len(talk.of(ev.UserTranscriptDelta)) > 3
        talk.session.handle(cmd.CommitAudio())
        await asyncio.sleep(1)

        (committed,) = talk.of(ev.AudioCommitted)
        deltas = talk.of(ev.UserTranscriptDelta)
        assert {delta.item_id for delta in deltas} == {committed.item_id}
        assert "".join(delta.delta for delta in deltas) == HEARD[0]


async def test_a_client_that_wants_no_transcription_gets_no_words() -> None:
    async with conversation(heard=HEARD, settings=SessionSettings()) as talk:
        await talk.speak(SPEECH_MS)
        await talk.quiet(3000)

        assert talk.of(ev.SpeechStopped)
        assert not talk.of(ev.UserTranscriptDelta)


async def test_without_partials_all_words_come_at_the_end() -> None:
    config = Settings(asr=AsrSettings(partial_ms=0))
    async with conversation(heard=HEARD, config=config) as talk:
        await talk.speak(SPEECH_MS)
        assert not talk.of(ev.UserTranscriptDelta)
        await talk.quiet(3000)

        assert [delta.delta for delta in talk.of(ev.UserTranscriptDelta)] == [HEARD[0]]


async def test_a_transcription_session_is_never_answered() -> None:
    async with conversation(heard=HEARD, settings=settings(transcription_only=True)) as talk:
        await talk.speak(SPEECH_MS)
        assert len(talk.of(ev.UserTranscriptDelta)) > 3
        await talk.quiet(3000)

        assert [done.transcript for done in talk.of(ev.UserTranscript)] == [HEARD[0]]
        assert not talk.of(ev.ResponseCreated)
        assert isinstance(talk.engines.model, SimulatedModel)
        assert talk.engines.model.started_requests == 0
