"""A tool that the client runs, and a client that answers its call as every client does."""

from __future__ import annotations

import asyncio

from tests.session.harness import Conversation
from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
)
from voicepipe.llm.contract import Tool
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.ids import new_id
from voicepipe.session.settings import SessionSettings, Transcription

FIRST = "One moment please, let me look that up for you right now."
LOOK_UP = Tool("look_up", "Looks something up.", {"type": "object", "properties": {}})
CLIENTS_TOOL = SessionSettings(transcription=Transcription(), tools=(LOOK_UP,))


async def answer_the_call(talk: Conversation) -> None:
    """As every client does: the output, and at once the next response."""
    while not talk.of(ev.ResponseDone):
        await asyncio.sleep(0.02)
    call = next(i for i in talk.session.conversation.items if isinstance(i, FunctionCallItem))
    output = FunctionOutputItem(new_id("item"), call.call_id, '{"found": true}')
    talk.session.handle(cmd.CreateItem(output))
    talk.session.handle(cmd.CreateResponse())
