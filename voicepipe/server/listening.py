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
from contextlib import suppress

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from voicepipe.server import auth, authorization
from voicepipe.server.follower import Flushed, Follower, Sound
from voicepipe.server.live_calls import CallNotFound, LiveCall
from voicepipe.server.realtime_setup import joining_codec
from voicepipe.server.service import Service

CLOSE_DEADLINE_S = 2.0
WS_NORMAL, WS_POLICY = 1000, 1008
GONE = (WebSocketDisconnect, RuntimeError, OSError)
"""What a socket raises whose client has vanished; that is no error."""

SIDES = {"caller": b"\x00", "agent": b"\x01"}
FLUSHED = json.dumps({"type": "voicepipe.flushed"})


async def listen(websocket: WebSocket) -> None:
    """Refuse, or tell until the call or the listener ends."""
    call = _call(websocket)
    if isinstance(call, Response):
        await websocket.send_denial_response(call)
        return
    offered = auth.subprotocols(websocket)
    await websocket.accept("realtime" if "realtime" in offered else None)
    with call.follow(sound=True) as follower:
        if await call.connected() is not None:
            await _until_either_goes(websocket, call, follower)
        slow = follower.too_slow
    with suppress(TimeoutError, *GONE):
        async with asyncio.timeout(CLOSE_DEADLINE_S):
            reason = "reads too slowly" if slow else "the call has ended"
            await websocket.close(WS_POLICY if slow else WS_NORMAL, reason)


def _call(websocket: WebSocket) -> LiveCall | Response:
    denied = authorization.owner_only(websocket)
    if denied is not None:
        return denied
    service: Service = websocket.app.state.service
    try:
        return service.live_calls.find(websocket.path_params["call_id"])
    except CallNotFound as error:
        return authorization.refusal(404, str(error), "call_not_found")


async def _until_either_goes(websocket: WebSocket, call: LiveCall, follower: Follower) -> None:
    tasks = {
        asyncio.create_task(_tell(websocket, call, follower), name="listening"),
        asyncio.create_task(_ignore(websocket), name="listener-gone"),
    }
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _tell(websocket: WebSocket, call: LiveCall, follower: Follower) -> None:
    codec = joining_codec(websocket, call)
    with suppress(*GONE):
        async for one in follower:
            if isinstance(one, Sound):
                await websocket.send_bytes(SIDES[one.side] + one.pcm)
            elif isinstance(one, Flushed):
                await websocket.send_text(FLUSHED)
            else:
                for text in codec.send(one):
                    await websocket.send_text(text)


async def _ignore(websocket: WebSocket) -> None:
    """Until it has gone."""
    with suppress(*GONE):
        while (await websocket.receive())["type"] != "websocket.disconnect":
            pass
