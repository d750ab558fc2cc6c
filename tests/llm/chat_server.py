"""A server of chat completions that plays what a test wrote."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.scripted_server import ModelServer, Reply, Step, listening

__all__ = ["DONE", "USAGE", "ChatServer", "Reply", "Step", "answer", "chat_server"]


def event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def text_event(text: str) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"content": text}}]})


def finish_event(reason: str = "stop") -> bytes:
    return event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def call_event(**piece: Any) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]})


USAGE = event(
    {
        "choices": [],
        "usage": {
            "prompt_tokens": 40,
            "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 32},
        },
    }
)
DONE = b"data: [DONE]\n\n"


def answer() -> Reply:
    """ "Hello.", as a chat server streams it."""
    return Reply((text_event("Hello."), finish_event(), USAGE, DONE))


@dataclass
class ChatServer(ModelServer):
    """`replies` in order, then `answer`s; `models` and `models_status` are the list of models."""

    models: tuple[str, ...] = ("tiny",)
    models_status: int = 200

    def got(self, path: str) -> tuple[int, object]:
        assert path == "/v1/models"
        return self.models_status, {"data": [{"id": m} for m in self.models]}

    async def posted(self, path: str, body: dict[str, Any]) -> Reply:
        assert path == "/v1/chat/completions"
        return self.replies.pop(0) if self.replies else answer()


@asynccontextmanager
async def chat_server(*replies: Reply) -> AsyncIterator[ChatServer]:
    """A running one."""
    async with listening(ChatServer(replies=list(replies))) as server:
        yield server
