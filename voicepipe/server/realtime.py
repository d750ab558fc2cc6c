"""`/v1/realtime`: the OpenAI Realtime protocol on a WebSocket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from voicepipe.calls.contract import CallInfo
from voicepipe.errors import LimitExceeded, ProtocolError
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.server import auth, door
from voicepipe.server.codecs import realtime_codec
from voicepipe.server.service import Service
from voicepipe.session.commands import Command
from voicepipe.session.events import SessionError
from voicepipe.session.ids import new_id
from voicepipe.session.session import Session

log = logging.getLogger(__name__)

LARGE_MESSAGE = 256 * 1024
"""Characters; parsing more would hold up every other session, so a thread does it."""

CLOSE_DEADLINE_S = 2.0
"""A client that does not take the close frame in this time is dropped."""

WS_NORMAL, WS_POLICY, WS_OVERLOAD = 1000, 1008, 1013


async def realtime(websocket: WebSocket) -> None:
    """Accept or refuse, then hold the conversation until either side ends it."""
    service: Service = websocket.app.state.service
    entry = door.enter(websocket)
    if isinstance(entry, Response):
        await websocket.send_denial_response(entry)
        return
    offered = auth.subprotocols(websocket)
    session_id, conversation_id = new_id("sess"), new_id("conv")
    try:
        codec = realtime_codec(
            websocket,
            session_id=session_id,
            conversation_id=conversation_id,
            sessions=[entry.session],
        )
        session = service.open_session(
            codec.settings, session_id=session_id, conversation_id=conversation_id
        )
    except ProtocolError as error:  # what a secret was minted with may be wrong by now
        denial = door.refusal(400, str(error), error.code, error.param)
        await websocket.send_denial_response(denial)
        return
    except LimitExceeded as error:
        await websocket.send_denial_response(door.no_room(error, service))
        return
    # the client plays, and may change its formats: its sound is not recorded
    call = service.calls.begin(CallInfo("realtime", session.id, sound=False), session.conversation)
    reason = "lost"
    try:
        await websocket.accept("realtime" if "realtime" in offered else None)
        reason = await Connection(websocket, codec, session, service).run()
    finally:
        await service.close_session(session)
        call.end(reason)


class Connection:
    """One accepted WebSocket: a reader, a writer and a limit on its life."""

    def __init__(
        self, websocket: WebSocket, codec: RealtimeCodec, session: Session, service: Service
    ) -> None:
        self._websocket = websocket
        self._codec = codec
        self._session = session
        self._max_session_s = service.settings.limits.max_session_s

    async def run(self) -> str:
        """Until the client goes, reads too slowly, or the session's time is up; returns which."""
        for frame in self._codec.opening():
            await self._websocket.send_text(frame)
        reader = asyncio.create_task(_quietly(self._read()), name="realtime-reader")
        writer = asyncio.create_task(_quietly(self._write()), name="realtime-writer")
        overflow = asyncio.create_task(self._session.outbox.wait_closed(), name="realtime-bound")
        tasks = {reader, writer, overflow}
        try:
            done, _ = await asyncio.wait(
                tasks, timeout=self._max_session_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self._say_goodbye(expired=not done)
        if not done:
            return f"limit of {self._max_session_s:.0f} s"
        if self._session.outbox.overflow:
            return "the client reads too slowly"
        return "server stopped" if overflow in done else "client left"

    async def _read(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            frame: str | bytes = message.get("text") or message.get("bytes") or ""
            event_id: str | None = None
            try:
                for command in await self._parse(frame):
                    event_id = command.event_id
                    self._session.handle(command)
                self._session.greet()  # whoever has spoken first has said how it wants its audio
            except (ProtocolError, LimitExceeded) as error:
                self._session.outbox.put(SessionError.of(error, event_id))

    async def _parse(self, frame: str | bytes) -> list[Command]:
        if len(frame) > LARGE_MESSAGE:
            return await asyncio.to_thread(self._codec.receive, frame)
        return self._codec.receive(frame)

    async def _write(self) -> None:
        while (event := await self._session.outbox.get()) is not None:
            for frame in self._codec.send(event):
                await self._websocket.send_text(frame)
            self._session.sent(event)

    async def _say_goodbye(self, *, expired: bool) -> None:
        """Tell why, if the client can still hear it."""
        if self._websocket.client_state is not WebSocketState.CONNECTED:
            return
        reason, code = "", WS_NORMAL
        error: SessionError | None = None
        if expired:
            reason = f"the session has reached its limit of {self._max_session_s:.0f} s"
            error = SessionError(reason, "session_expired", kind="server_error", fatal=True)
        elif self._session.outbox.overflow:
            reason, code = "the client reads too slowly", WS_POLICY
            log.warning("session %s: %s", self._session.id, self._session.outbox.overflow)
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                if error is not None:
                    await self._websocket.send_text(self._codec.error(error))
                await self._websocket.close(code, reason)
        except (TimeoutError, RuntimeError, WebSocketDisconnect):
            log.info("session %s: the client was gone before the close", self._session.id)


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    """A vanished client ends its tasks; that is no error."""
    try:
        await work
    except (WebSocketDisconnect, RuntimeError, OSError) as error:
        log.debug("the connection ended: %s", error)
