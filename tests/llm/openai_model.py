"""The engine of chat servers, started on one of a test's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from tests.llm.chat_server import (
    ChatServer,
)
from voicepipe.config import LlmSettings
from voicepipe.llm.engines.openai import OpenAICompatibleModel

KEY = "sk-very-secret"


@asynccontextmanager
async def connected(server: ChatServer, **settings: object) -> AsyncIterator[OpenAICompatibleModel]:
    values = {"model": "tiny", "base_url": server.base_url, "api_key": SecretStr(KEY), **settings}
    model = OpenAICompatibleModel(LlmSettings.model_validate(values))
    await model.start()
    try:
        yield model
    finally:
        await model.aclose()
