"""`/v1/realtime`: the OpenAI Realtime protocol on a WebSocket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from time import thread_time
from typing import Any

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from voicepipe.call_log.contract import CallInfo
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.runtime.errors import LimitExceeded, ProtocolError, VoicepipeError
from voicepipe.server import auth, authorization, client_call, faults
from voicepipe.server.agent_session import AgentSession
from voicepipe.server.fair_share import FairShare
from voicepipe.server.live_calls import LiveCall
from voicepipe.server.realtime_setup import realtime_codec
from voicepipe.server.resume import (
    AFTER,
    NOT_KEPT,
    PARAMETER,
    TAKEN,
    Line,
    Lines,
    Visitor,
    resuming,
)
from voicepipe.server.service import Service
from voicepipe.server.sideband import sideband
from voicepipe.server.websocket_reading import take_at_once
from voicepipe.session.commands import Command, UpdateSession
from voicepipe.session.events import SessionError
from voicepipe.session.ids import new_id
from voicepipe.session.session import Session

log = logging.getLogger(__name__)

LARGE_MESSAGE = 256 * 1024
"""Characters; parsing more would hold up every other session, so a thread does it."""

LARGE_CHAR_S = 6e-9
"""CPU time of that thread for a character; the loop waits for some of it."""

CLOSE_DEADLINE_S = 2.0
"""A client that does not take the close frame in this time is dropped."""

WS_NORMAL, WS_POLICY, WS_INTERNAL, WS_RESTART = 1000, 1008, 1011, 1012

LEFT_DEADLINE_S = 1.0
"""A socket that takes nothing any more has told by then whether its client has closed it."""

DROPPED = "the connection dropped"
TAKEN_REASON = "resumed by another connection"

GONE = (WebSocketDisconnect, RuntimeError, OSError)
"""What a socket raises whose client has vanished; that is no error."""


async def realtime(websocket: WebSocket) -> None:
    """Accept or refuse, then hold the conversation until either side ends it."""
    service: Service = websocket.app.state.service
    if "call_id" in websocket.query_params:
        await sideband(websocket)
        return
    lines: Lines = websocket.app.state.lines
    if resuming(websocket):
        await _come_back(websocket, lines)
        return
    opened = await _open(websocket, service)
    if isinstance(opened, Response):
        with suppress(*GONE):
            await websocket.send_denial_response(opened)
        return
    codec, session, agent, live = opened
    # the client plays, and may change its formats: its sound is not recorded
    info = CallInfo(
        "realtime",
        session.id,
        live_id=session.id,
        agent=agent.name,
        key=service.key_name(session),
        traceparent=websocket.headers.get("traceparent", ""),
        sound=False,
    )
    call = service.calls.begin(info, session.conversation)
    live.record_id = call.id
    live.connect(session, agent, codec.session_object)
    service.live_calls.add(live)
    reason = "lost"
    line = lines.open(websocket)
    try:
        await _accept(websocket)
        connection = Connection(websocket, codec, session, service, line)
        live.ends_by(connection.hang_up)
        reason = await connection.run()
    finally:
        lines.close(line)
        try:
            await service.close_session(session)
        finally:
            call.end(reason)


async def _accept(websocket: WebSocket) -> None:
    offered = auth.subprotocols(websocket)
    await websocket.accept("realtime" if "realtime" in offered else None)


async def _come_back(websocket: WebSocket, lines: Lines) -> None:
    """Go on with a session that was kept, until it is done with this connection."""
    refused = authorization.out_of_place(websocket)
    line = lines.find(websocket)
    if line is None or refused is not None:
        gone = authorization.refusal(404, NOT_KEPT, "session_not_found", PARAMETER)
        await websocket.send_denial_response(refused or gone)
        return
    visitor = Visitor(websocket, websocket.query_params.get(AFTER, ""))
    await _accept(websocket)
    line.visit(visitor)
    await visitor.until_dismissed()
    with suppress(*GONE):  # mostly it is closed already
        if visitor.taken:
            await websocket.close(TAKEN, TAKEN_REASON)
        else:
            await websocket.close(WS_NORMAL, "the session has ended")


async def _open(
    websocket: WebSocket, service: Service
) -> tuple[RealtimeCodec, Session, AgentSession, LiveCall] | Response:
    """A session for this client, or its refusal."""
    entry = authorization.enter(websocket)
    if isinstance(entry, Response):
        return entry
    session_id, conversation_id = new_id("sess"), new_id("conv")
    live: LiveCall | None = None
    try:
        wanted = [entry.session]
        call = await client_call.admit(websocket, session_id, session_id, "realtime", wanted)
        live = call.live
        codec = realtime_codec(
            websocket,
            session_id=session_id,
            conversation_id=conversation_id,
            agent=call.agent,
            sessions=call.sessions,
        )
        session = service.open_session(
            codec.settings,
            session_id=session_id,
            conversation_id=conversation_id,
            traceparent=websocket.headers.get("traceparent", ""),
            agent=call.agent,
        )
    except VoicepipeError as error:
        if live is not None:
            service.live_calls.over(live)
        return _refusal(error, service)
    return codec, session, call.agent, live


def _refusal(error: VoicepipeError, service: Service) -> Response:
    if isinstance(error, ProtocolError):  # what a secret was minted with may be wrong by now
        return authorization.refusal(400, str(error), error.code, error.param)
    if isinstance(error, LimitExceeded):
        return authorization.no_room(error, service)
    if isinstance(error, client_call.CallRejected):
        return authorization.refusal(403, str(error), "call_rejected")
    raise error


class Connection:
    """One accepted WebSocket: a reader, a writer and a limit on its life. With a `line` the life
    goes on when the connection drops, on the next one that comes by it."""

    def __init__(
        self,
        websocket: WebSocket,
        codec: RealtimeCodec,
        session: Session,
        service: Service,
        line: Line | None = None,
    ) -> None:
        self._websocket = websocket
        self._codec = codec
        self._session = session
        self._service = service
        self._max_session_s = service.settings.limits.max_session_s
        self._until_s = service.clock.now() + self._max_session_s
        self._share = FairShare(service.clock)
        self._hung_up = asyncio.Event()
        self._end_reason = ""
        self._line = line
        self._left = False  # the client has closed the connection: it did not drop
        self._stopped = False  # the server has
        self._spoke = False  # the client has: so it knows its token
        self._waits = False  # the reader does, for the client's next message
        self._fault: Exception | None = None  # while sound was heard beside the reader

    def hang_up(self, reason: str) -> None:
        """End it from here; the client is told why."""
        self._end_reason = self._end_reason or reason
        self._hung_up.set()

    async def run(self) -> str:
        """Until the client goes, reads too slowly, or the session's time is up; returns which."""
        line = self._line
        opening = self._codec.opening() if line is None else line.opening(self._codec)
        reason = await self._talk(opening)
        while line is not None and reason == DROPPED:
            log.info("session %s: its connection dropped; it is kept for a while", self._session.id)
            visitor = await line.next(self._over)
            if visitor is None:
                break
            self._websocket, self._left = visitor.websocket, False
            try:
                reason = await self._talk(line.opening(self._codec, visitor.after))
            finally:
                visitor.dismiss(taken=line.arrived.is_set())
        if reason == DROPPED and self._end_reason:  # while nobody was connected
            return self._end_reason
        return "client left" if reason == DROPPED and line is None else reason

    def _over(self) -> bool:
        """It makes no sense to wait for anybody."""
        late = self._service.clock.now() >= self._until_s
        ended = self._hung_up.is_set() or self._session.outbox.closed
        return late or ended or self._service.closing

    async def _talk(self, opening: list[str]) -> str:
        """On one connection; returns why it ended."""
        reader = asyncio.create_task(self._read(), name="realtime-reader")
        writer = asyncio.create_task(self._write(opening), name="realtime-writer")
        overflow = asyncio.create_task(self._session.outbox.wait_closed(), name="realtime-bound")
        hung_up = asyncio.create_task(self._hung_up.wait(), name="realtime-hang-up")
        tasks: set[asyncio.Task[Any]] = {reader, writer, overflow, hung_up}
        if self._line is not None:
            tasks.add(asyncio.create_task(self._line.arrived.wait(), name="realtime-next"))
        left_s = max(0.0, self._until_s - self._service.clock.now())
        try:
            done, _ = await asyncio.wait(tasks, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if writer in done:
                await asyncio.wait((reader,), timeout=LEFT_DEADLINE_S)  # it learns why
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        fault = next((error for task in done if (error := task.exception())), None)
        if fault is not None:
            log.error("session %s failed", self._session.id, exc_info=fault)
        await self._say_goodbye(fault, expired=not done)
        if fault is not None:
            return "failed"
        if self._end_reason:
            return self._end_reason
        if not done:
            return f"limit of {self._max_session_s:.0f} s"
        if self._session.outbox.overflow:
            return "the client reads too slowly"
        if overflow in done or self._stopped:
            return "server stopped"
        if self._line is not None and self._line.arrived.is_set():  # whoever it is knows the token
            return DROPPED
        return "client left" if self._left or not self._spoke else DROPPED

    async def _read(self) -> None:
        take_at_once(self._websocket.scope, self._hear)
        try:
            while True:
                self._waits = True
                try:
                    message = await self._websocket.receive()
                except GONE as error:
                    log.debug("the connection ended: %s", error)
                    return
                finally:
                    self._waits = False
                if self._fault is not None:
                    raise self._fault
                if message["type"] == "websocket.disconnect":
                    self._left = "reason" in message  # of its close frame; a lost one has none
                    self._stopped = not self._left and message.get("code") == WS_RESTART
                    return
                self._spoke = True
                frame: str | bytes = message.get("text") or message.get("bytes") or ""
                wait_s = await self._take(frame)
                if wait_s is not None:
                    await asyncio.sleep(wait_s)
        finally:
            take_at_once(self._websocket.scope, None)

    def _hear(self, frame: bytes) -> bool:
        """The short way of sound at the pace of speech, which is nearly all that comes: heard as it
        is read from the socket, while the reader waits. False: the reader is to take it."""
        if not self._waits or (audio := self._codec.sound(frame)) is None:
            return False
        session = self._session
        if not self._share.lets_in(len(audio), len(frame), session.settings.input_format):
            return False
        self._spoke = True
        try:
            session.append(audio)
            session.greet()
        except (ProtocolError, LimitExceeded) as error:
            session.outbox.put(SessionError.of(error, None))
        except Exception as error:
            self._fault = error  # the reader's to raise, with the message that wakes it
            return False
        return True

    async def _take(self, frame: str | bytes) -> float | None:
        """Carry a message out; returns how long the next one has to wait."""
        commands: Sequence[Command] = ()
        event_id: str | None = None
        large = len(frame) > LARGE_MESSAGE
        cpu_s = len(frame) * LARGE_CHAR_S if large else -thread_time()
        try:
            receive = self._codec.receive
            commands = await asyncio.to_thread(receive, frame) if large else receive(frame)
            for command in commands:
                event_id = command.event_id
                self._session.handle(self._as_of_now(command) if large else command)
            self._session.greet()  # whoever has spoken first has said how it wants its audio
        except (ProtocolError, LimitExceeded) as error:
            self._session.outbox.put(SessionError.of(error, event_id))
        used_s = cpu_s if large else cpu_s + thread_time()
        return self._share.wait_s(used_s, frame, commands, self._session.settings.input_format)

    def _as_of_now(self, command: Command) -> Command:
        """While a thread has read it, another agent or a program may have changed the session."""
        if isinstance(command, UpdateSession):
            return replace(command, settings=self._codec.settings)
        return command

    async def _write(self, opening: list[str]) -> None:
        if not await self._send(opening):
            return
        while (event := await self._session.outbox.get()) is not None:
            frames = self._codec.send(event)
            if self._line is not None:
                self._line.sent.add(frames)
            if not await self._send(frames):
                return
            self._session.sent(event)

    async def _send(self, frames: list[str]) -> bool:
        """False: the client has gone."""
        try:
            for frame in frames:
                await self._websocket.send_text(frame)
        except GONE as error:
            log.debug("the connection ended: %s", error)
            return False
        return True

    async def _say_goodbye(self, fault: BaseException | None, *, expired: bool) -> None:
        """Tell why, if the client can still hear it."""
        if self._websocket.client_state is not WebSocketState.CONNECTED:
            return
        reason, code = self._end_reason[:100], WS_NORMAL
        error: VoicepipeError | SessionError | None = None
        if fault is not None:
            error, code = faults.told(fault), WS_INTERNAL
        elif expired:
            reason = f"the session has reached its limit of {self._max_session_s:.0f} s"
            error = SessionError(reason, "session_expired", kind="server_error")
        elif self._line is not None and self._line.arrived.is_set():
            reason, code = TAKEN_REASON, TAKEN
        elif self._session.outbox.overflow:
            reason, code = "the client reads too slowly", WS_POLICY
            log.warning("session %s: %s", self._session.id, self._session.outbox.overflow)
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                if error is not None:
                    await self._websocket.send_text(self._codec.error(error))
                await self._websocket.close(code, reason)
        except (TimeoutError, *GONE):
            log.info("session %s: the client was gone before the close", self._session.id)
