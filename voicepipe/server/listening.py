"""`/v1/calls/{call_id}/listen`: the owner listens in on a call that is up. Both sides' sound comes
out, and what the call's client is told; nothing goes in.

A binary frame is sound: a byte that tells the side (0 the caller, 1 the agent), then int16
little-endian, mono, at `LISTEN_RATE`. The agent's may come faster than it is played; a text frame
`voicepipe.flushed` takes back what has not been played by then. All other text frames are events of
the Realtime protocol.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from contextlib import suppress

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server import auth, authorization, faults
from voicepipe.server.follower import Flushed, Follower, Sound
from voicepipe.server.live_calls import CallNotFound, LiveCall
from voicepipe.server.realtime_setup import joining_codec
from voicepipe.server.service import Service

log = logging.getLogger(__name__)

CLOSE_DEADLINE_S = 2.0
WS_NORMAL, WS_POLICY, WS_INTERNAL = 1000, 1008, 1011
GONE = (WebSocketDisconnect, RuntimeError, OSError)
"""What a socket raises whose client has vanished; that is no error."""

SIDES = {"caller": b"\x00", "agent": b"\x01"}
FLUSHED = json.dumps({"type": "voicepipe.flushed"})


async def listen(websocket: WebSocket) -> None:
    """Refuse, or tell until the call or the listener ends."""
    found = _followed(websocket)
    if isinstance(found, Response):
        await websocket.send_denial_response(found)
        return
    call, following = found
    with following as follower:
        offered = auth.subprotocols(websocket)
        await websocket.accept("realtime" if "realtime" in offered else None)
        code, reason = await _until_either_goes(websocket, call, follower)
    with suppress(TimeoutError, *GONE):
        async with asyncio.timeout(CLOSE_DEADLINE_S):
            await websocket.close(code, reason)


def _followed(websocket: WebSocket) -> tuple[LiveCall, Follower] | Response:
    """The call that is meant, followed from now on; or the refusal."""
    denied = authorization.owner_only(websocket)
    if denied is not None:
        return denied
    service: Service = websocket.app.state.service
    try:
        call = service.live_calls.find(websocket.path_params["call_id"])
        return call, call.follow(sound=True)
    except CallNotFound as error:
        return authorization.refusal(404, str(error), "call_not_found")
    except LimitExceeded as error:
        return authorization.refusal(429, str(error), "limit_exceeded")


async def _until_either_goes(
    websocket: WebSocket, call: LiveCall, follower: Follower
) -> tuple[int, str]:
    """How the socket is to be closed, and why."""
    tasks = {
        asyncio.create_task(_tell(websocket, call, follower), name="listening"),
        asyncio.create_task(_ignore(websocket), name="listener-gone"),
    }
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    fault = next((error for task in done if (error := task.exception())), None)
    if fault is not None:
        log.error("listening to call %s failed", call.id, exc_info=fault)
        return WS_INTERNAL, faults.CLOSED
    if follower.too_slow:
        return WS_POLICY, "reads too slowly"
    return WS_NORMAL, "the call has ended"


async def _tell(websocket: WebSocket, call: LiveCall, follower: Follower) -> None:
    if await call.connected() is None:
        return
    codec = joining_codec(websocket, call)
    async for one in follower:
        if isinstance(one, Sound):
            frames: Sequence[str | bytes] = [SIDES[one.side] + one.pcm]
        elif isinstance(one, Flushed):
            frames = [FLUSHED]
        else:
            frames = codec.send(one)
        if not await _send(websocket, frames):
            return


async def _send(websocket: WebSocket, frames: Sequence[str | bytes]) -> bool:
    """False: the listener has gone."""
    try:
        for frame in frames:
            if isinstance(frame, bytes):
                await websocket.send_bytes(frame)
            else:
                await websocket.send_text(frame)
    except GONE:
        return False
    return True


async def _ignore(websocket: WebSocket) -> None:
    """Until it has gone."""
    with suppress(*GONE):
        while (await websocket.receive())["type"] != "websocket.disconnect":
            pass
