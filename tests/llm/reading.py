"""Reading an answer to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from voicepipe.llm.contract import (
    ChatRequest,
    Finish,
    LanguageModel,
    Message,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
)

GET_TIME = Tool("get_time", "Tells the time", {"type": "object", "properties": {}})


@dataclass
class Read:
    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    finish: Finish | None = None

    @property
    def text(self) -> str:
        return "".join(self.texts)


def ask(text: str, *tools: Tool, max_tokens: int = 64, **more: object) -> ChatRequest:
    messages = (
        Message("system", "You help. Answer in one to three short sentences."),
        Message("user", text),
    )
    return ChatRequest(messages, tools, max_tokens=max_tokens, **more)  # type: ignore[arg-type]


async def read_all(model: LanguageModel, request: ChatRequest) -> Read:
    read = Read()
    async for delta in model.stream(request):
        assert read.finish is None, "nothing may follow Finish"
        match delta:
            case TextDelta(text):
                assert text, "an empty text delta"
                read.texts.append(text)
            case ToolCallDelta(call):
                read.calls.append(call)
            case Finish():
                read.finish = delta
    assert read.finish is not None
    return read


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something that has no event of its own, at most 10 s."""
    async with asyncio.timeout(10):
        while not happened():
            await asyncio.sleep(0.002)
