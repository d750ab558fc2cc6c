"""One hostile client each: what it sends over and over, as fast as the server takes it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

Messages = Iterator[str]
"""Endless."""

TEXT_CHARS = 65_000
"""Just below `limits.max_text_chars`."""

RECONNECT_S = 0.2

WORDS = "please turn the kitchen lights on and tell me the time "


def _event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields})


def _words(chars: int) -> str:
    return (WORDS * (chars // len(WORDS) + 1))[:chars]


def _session(**fields: Any) -> str:
    return _event("session.update", session={"type": "realtime", **fields})


ANSWER = _event("response.create", response={"output_modalities": ["text"]})
CANCEL = _event("response.cancel")


def _item(chars: int) -> str:
    content = [{"type": "input_text", "text": _words(chars)}]
    return _event(
        "conversation.item.create", item={"type": "message", "role": "user", "content": content}
    )


def long_instructions() -> Messages:
    """The longest instructions that are taken, answered again and again."""
    while True:
        yield _session(instructions=_words(TEXT_CHARS))
        yield ANSWER
        yield CANCEL


def full_conversation() -> Messages:
    """All the text that a conversation holds, then answers to it."""
    yield from [_item(TEXT_CHARS // 2)] * 15
    while True:
        yield ANSWER
        yield CANCEL
        yield _item(500)


def many_items() -> Messages:
    """As many items as a conversation holds, then answers."""
    yield from [_item(450)] * 1000
    while True:
        yield ANSWER
        yield CANCEL


def too_much_text() -> Messages:
    """Fourteen megabytes of instructions in one message: refused, but it must be read."""
    message = _session(instructions=_words(14_000_000))
    while True:
        yield message
        yield ANSWER


def many_tools() -> Messages:
    """As many and as long tools as are taken."""
    tools = [
        {"type": "function", "name": f"tool_{n}", "description": _words(TEXT_CHARS // 128 - 50)}
        for n in range(128)
    ]
    while True:
        yield _session(tools=tools)
        yield ANSWER
        yield CANCEL


def long_audio() -> Messages:
    """Fifteen megabytes of audio in one message: more than may wait, but it must be decoded."""
    audio = base64.b64encode(bytes(11_500_000)).decode()
    message = _event("input_audio_buffer.append", audio=audio)
    while True:
        yield message


def two_minutes_of_audio() -> Messages:
    """As much audio at once as may wait, and then the same again."""
    audio = base64.b64encode(bytes(119 * 48_000)).decode()
    while True:
        yield _event("input_audio_buffer.append", audio=audio)
        yield _event("input_audio_buffer.clear")


def many_values() -> Messages:
    """A million keys in one message."""
    message = "{" + ",".join(f'"k{n}":1' for n in range(1_000_000)) + "}"
    while True:
        yield message


def tiny_events() -> Messages:
    """The cheapest message that is answered."""
    while True:
        yield _event("input_audio_buffer.clear")


ATTACKS: dict[str, Callable[[], Messages]] = {
    attack.__name__.replace("_", "-"): attack
    for attack in (
        long_instructions,
        full_conversation,
        many_items,
        too_much_text,
        many_tools,
        long_audio,
        two_minutes_of_audio,
        many_values,
        tiny_events,
    )
}


async def attack(name: str, url: str, seconds: float) -> int:
    """Send for so long, reading whatever is answered and coming back whenever the server hangs up;
    returns how many messages went."""
    sent = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while True:
                with contextlib.suppress(WebSocketException, OSError):
                    async with connect(f"{url}/realtime?model=m", max_size=None) as socket:
                        reading = asyncio.create_task(_read(socket), name="reading")
                        try:
                            for message in ATTACKS[name]():
                                await socket.send(message)
                                sent += 1
                                await asyncio.sleep(0)
                        finally:
                            reading.cancel()
                await asyncio.sleep(RECONNECT_S)
    return sent


async def _read(socket: ClientConnection) -> None:
    async for _ in socket:
        pass
