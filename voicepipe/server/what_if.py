"""`POST /v1/whatif`: recorded turns under other settings, for who has the server's own key.

It computes for a second or two, so a process of its own does it, one at a time, behind the calls.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import bodies
from voicepipe.server.authorization import owner_only, refusal
from voicepipe.whatif.__main__ import REFUSED
from voicepipe.workers.process import child_environment

log = logging.getLogger(__name__)

MAX_BODY = 8 * 1024 * 1024
"""Bytes: a turn's record has some thousands."""

DEADLINE_S = 30.0
"""Of waiting for those before, and of computing."""


def routes() -> list[BaseRoute]:
    """Of one server."""
    turnstile = asyncio.Semaphore(1)

    async def what_if(request: Request) -> Response:
        """`{"set": ["turns.eager_end_ms=80"], "turns": [...]}`: recorded, replayed unchanged and
        predicted figures; `predicted` is null where the unchanged replay misses the record."""
        denied = owner_only(request)
        if denied is not None:
            return denied
        try:
            body = await bodies.read(request, MAX_BODY)
            async with asyncio.timeout(DEADLINE_S), turnstile:
                return await _replayed(body)
        except ProtocolError as error:
            return refusal(400, str(error), error.code, error.param)
        except LimitExceeded as error:
            return refusal(413, str(error), "request_too_large")
        except TimeoutError:
            problem = f"The replay was not done in {DEADLINE_S:g} s: send fewer turns."
            return refusal(503, problem, "whatif_timeout")

    return [Route("/v1/whatif", what_if, methods=["POST"])]


async def _replayed(body: bytes) -> Response:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voicepipe.whatif"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=child_environment(),
        start_new_session=True,  # Ctrl-C at the terminal is the server's to handle
    )
    try:
        told, complaint = await process.communicate(body)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if process.returncode == REFUSED:
        why = json.loads(told)
        return refusal(400, why["message"], "invalid_value", why["param"])
    if process.returncode != 0:
        last = complaint.decode(errors="replace").strip().rpartition("\n")[2]
        log.warning("a what-if ended with status %s: %s", process.returncode, last[:200])
        return refusal(500, "The replay failed; the server's log has more.", "whatif_failed")
    return Response(told, media_type="application/json", headers={"Cache-Control": "no-store"})
