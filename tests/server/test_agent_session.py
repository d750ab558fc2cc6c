"""A hand-over while the caller does something else than wait for it, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.session.harness import SILENT, Conversation, conversation
from tests.virtual_time import LoopClock
from voicepipe.agents.definition import Agent
from voicepipe.audio import pcm
from voicepipe.config.agents import AgentSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.engines.simulated import Answer
from voicepipe.server.agent_session import AgentSession
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tools.toolbox import ToolBox

pytestmark = pytest.mark.virtual_time

PARTING = "The desk will help you."
OVER = Answer(PARTING, tool=("hand_over", '{"to": "desk"}'))
WORDS = "Desk speaking, yes please?"
ANSWER = "I see."
LATE = "I am in a hurry."


@asynccontextmanager
async def at_the_bar(
    taking_over: str = WORDS, second: str = LATE
) -> AsyncIterator[tuple[Conversation, AgentSession]]:
    """An agent that can't be interrupted, and hands the caller over. `second`: what is heard of
    what the caller says over it."""
    bar = Agent("bar", AgentSettings(greeting="", hand_over=("desk",)))
    desk = Agent("desk", AgentSettings(greeting="", taking_over=taking_over))
    answering = AgentSession(bar, {"bar": bar, "desk": desk}, {})
    base = SessionSettings(
        transcription=Transcription(), turns=TurnOptions(interruptible=False), instructions="Bar."
    )
    tools = ToolBox(tuple, LoopClock())
    async with conversation(
        heard=("I lost my key", second),
        answers=(OVER, ANSWER),
        settings=answering.settings(base),
        tools=tools,
        lead_ms=200,
    ) as talk:
        answering.attach(talk.session, tools)
        yield talk, answering


async def speaks_over_the_parting_words(talk: Conversation) -> None:
    """Up to their end, and a little further."""
    await talk.speak(600)
    while not talk.of(ev.OutputAudioStarted):
        await talk.quiet(20)
    while talk.session.settings.agent != "desk":
        await talk.speak(20)
    await talk.speak(300)


def said(talk: Conversation) -> list[str]:
    return [message.text for message in talk.said_by_agent()]


@pytest.mark.parametrize("taking_over", [WORDS, ""])
async def test_who_speaks_over_the_parting_words_is_answered_by_the_colleague(
    taking_over: str,
) -> None:
    async with at_the_bar(taking_over) as (talk, _):
        await speaks_over_the_parting_words(talk)
        assert len(talk.of(ev.ResponseCreated)) == 1, "nobody speaks over the caller"
        await talk.quiet(6000)
        assert said(talk) == [PARTING, ANSWER]
        assert talk.prompts()[-1][-1] == f"user: {LATE}"


async def test_the_colleague_speaks_behind_a_noise_that_was_no_word() -> None:
    async with at_the_bar(second="") as (talk, _):
        await speaks_over_the_parting_words(talk)
        await talk.quiet(6000)
        assert said(talk) == [PARTING, ANSWER]


async def test_the_colleagues_first_words_come_behind_audio_that_is_still_being_heard() -> None:
    async with at_the_bar() as (talk, answering):
        talk.session.handle(cmd.AppendAudio(pcm.to_bytes(SILENT) * 100))
        answering.hand_over("desk")
        await talk.quiet(6000)
        assert said(talk) == [WORDS]
