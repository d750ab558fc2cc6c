"""What aiortc leaves behind when a peer vanishes is no traceback; anything else still is."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Coroutine
from typing import Any

import pytest

from voicepipe.server.webrtc import vanished


async def fail(error: Exception) -> None:
    raise error


async def let_go(work: Coroutine[Any, Any, None]) -> None:
    """A task whose error nobody awaits."""
    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.sleep(0)
    del task
    gc.collect()


async def test_a_vanished_peer_is_a_line_and_other_errors_are_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    scope: dict[str, Any] = {}
    code = compile(
        "async def transmit():\n    raise ConnectionError('consent expired')",
        "/site-packages/aiortc/rtcsctptransport.py",
        "exec",
    )
    exec(code, scope)
    vanished.log_quietly(asyncio.get_running_loop())
    await let_go(scope["transmit"]())
    assert "a peer has vanished: consent expired" in caplog.text
    assert "Traceback" not in caplog.text
    await let_go(fail(ConnectionError("ours")))
    assert "never retrieved" in caplog.text
    assert "ours" in caplog.text


async def test_garbage_that_their_parsers_choke_on_is_a_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    scope: dict[str, Any] = {"__name__": "aiortc.rtcdtlstransport"}
    exec("def read():\n    return [][0]", scope)
    loop = asyncio.get_running_loop()
    vanished.log_quietly(loop)
    loop.call_soon(scope["read"])
    await asyncio.sleep(0.01)
    assert "a peer's packet cannot be read: IndexError" in caplog.text
    assert "Traceback" not in caplog.text
