"""`/v1/realtime?call_id=`: a program joins a call that is up, over whichever transport, and is in
charge of it beside its client: events come out, without the audio; commands go in.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from time import thread_time

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import auth, authorization, faults
from voicepipe.server.fair_share import FairShare
from voicepipe.server.follower import Flushed, Follower, Sound
from voicepipe.server.live_calls import CallNotFound, LiveCall
from voicepipe.server.realtime_setup import joining_codec
from voicepipe.server.service import Service
from voicepipe.session import commands as cmd
from voicepipe.session.events import ItemRetrieved, SessionError
from voicepipe.session.session import Session

log = logging.getLogger(__name__)

MAX_MESSAGE = 256 * 1024
"""Characters: no sound comes this way, so more is a mistake."""

CLOSE_DEADLINE_S = 2.0
WS_NORMAL, WS_POLICY, WS_INTERNAL = 1000, 1008, 1011
GONE = (WebSocketDisconnect, RuntimeError, OSError)
"""What a socket raises whose client has vanished; that is no error."""


async def sideband(websocket: WebSocket) -> None:
    """Refuse, or join until the call or the program ends."""
    found = joined(websocket)
    if isinstance(found, Response):
        await websocket.send_denial_response(found)
        return
    call, following = found
    code, reason = WS_NORMAL, "the call has ended"
    with following as follower:
        offered = auth.subprotocols(websocket)
        await websocket.accept("realtime" if "realtime" in offered else None)
        session = await call.connected()  # one that rings is waited for; it has a deadline
        if session is not None:
            code, reason = await Sideband(websocket, call, session, follower).run()
    try:
        async with asyncio.timeout(CLOSE_DEADLINE_S):
            await websocket.close(code, reason)
    except (TimeoutError, *GONE):
        log.debug("the program of call %s was gone before the close", call.id)


def joined(websocket: WebSocket) -> tuple[LiveCall, Follower] | Response:
    """The call that is meant, followed from now on; or the refusal."""
    entry = authorization.enter(websocket, to_running_call=True)
    if isinstance(entry, Response):
        return entry
    service: Service = websocket.app.state.service
    try:
        call = service.live_calls.find(websocket.query_params["call_id"])
        authorization.check_charge(websocket, call)
        return call, call.follow()
    except CallNotFound as error:
        return authorization.refusal(404, str(error), "call_not_found", "call_id")
    except LimitExceeded as error:
        return authorization.refusal(429, str(error), "limit_exceeded", "call_id")


class Sideband:
    """One program that has joined one call."""

    def __init__(
        self, websocket: WebSocket, call: LiveCall, session: Session, follower: Follower
    ) -> None:
        self._websocket, self._session, self._follower = websocket, session, follower
        service: Service = websocket.app.state.service
        self._codec: RealtimeCodec = joining_codec(websocket, call)
        self._share = FairShare(service.clock)

    async def run(self) -> tuple[int, str]:
        """Until the call ends, the program goes, or it reads too slowly."""
        tasks = {
            asyncio.create_task(self._read(), name="sideband-reader"),
            asyncio.create_task(self._write(), name="sideband-writer"),
        }
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        fault = next((error for task in done if (error := task.exception())), None)
        if fault is not None:
            log.error("a program of session %s failed", self._session.id, exc_info=fault)
            await self._send([self._codec.error(faults.told(fault))])
            return WS_INTERNAL, faults.CLOSED
        if self._follower.too_slow:
            return WS_POLICY, "the program reads too slowly"
        return WS_NORMAL, "the call has ended"

    # -- from the program --------------------------------------------------------------------------

    async def _read(self) -> None:
        while (frame := await self._received()) is not None:
            wait_s = self._take(frame)
            if wait_s is not None:
                await asyncio.sleep(wait_s)

    async def _received(self) -> str | bytes | None:
        """None: the program has gone."""
        try:
            message = await self._websocket.receive()
        except GONE:
            return None
        if message["type"] == "websocket.disconnect":
            return None
        frame: str | bytes = message.get("text") or message.get("bytes") or ""
        return frame

    def _take(self, frame: str | bytes) -> float | None:
        """Carry a message out; returns how long the next one has to wait."""
        commands: Sequence[cmd.Command] = ()
        event_id: str | None = None
        began_s = thread_time()
        try:
            if len(frame) > MAX_MESSAGE:
                problem = f"the message is longer than {MAX_MESSAGE} characters, the limit here"
                raise ProtocolError(problem, code="message_too_large")
            commands = self._codec.receive(frame)
            for command in commands:
                event_id = command.event_id
                self._carry_out(command)
        except (ProtocolError, LimitExceeded) as error:
            self._follower.told(SessionError.of(error, event_id))
        used_s = thread_time() - began_s
        return self._share.wait_s(used_s, frame, commands, self._session.settings.input_format)

    def _carry_out(self, command: cmd.Command) -> None:
        session = self._session
        match command:
            case cmd.UpdateSession(wanted):
                now = session.settings
                wanted = replace(
                    wanted, input_format=now.input_format, output_format=now.output_format
                )
                session.handle(replace(command, settings=wanted))
            case cmd.RetrieveItem(item_id):  # who asks is told, the call's own client is not
                self._follower.told(ItemRetrieved(session.conversation.get(item_id)))
            case cmd.AppendAudio() | cmd.CommitAudio() | cmd.ClearAudio():
                raise ProtocolError(
                    "input_audio_buffer.* does not work beside a call: its audio comes from its "
                    "own client.",
                    code="invalid_value",
                    param="type",
                )
            case _:
                session.handle(command)

    # -- to the program ----------------------------------------------------------------------------

    async def _write(self) -> None:
        if not await self._send(self._codec.opening()):
            return
        async for event in self._follower:
            if isinstance(event, Sound | Flushed):
                continue
            if not await self._send(self._codec.send(event)):
                return

    async def _send(self, texts: list[str]) -> bool:
        """False: the program has gone."""
        try:
            for text in texts:
                await self._websocket.send_text(text)
        except GONE:
            return False
        return True
