"""Callers on sessions of this process: no socket, no protocol, the server's own session code."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from voicepipe.lab.bench.caller import Caller
from voicepipe.lab.bench.recordings import WIRE
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server.service import Service
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.ids import new_id
from voicepipe.session.session import Session


def encode(frame: bytes) -> cmd.AppendAudio:
    """A frame as the session takes it."""
    return cmd.AppendAudio(frame)


class SessionLine:
    """A `Line` to a session of `service`."""

    def __init__(self, service: Service, caller: Caller[cmd.AppendAudio]) -> None:
        """Opens the session. Raises LimitExceeded."""
        self._service, self._caller = service, caller
        settings = replace(
            service.session_defaults(), input_format=WIRE, output_format=WIRE, turn_events=True
        )
        self._session: Session = service.open_session(settings, session_id=new_id("sess"))
        self._reader = asyncio.create_task(self._read(), name="bench-reader")

    def send(self, frame: cmd.AppendAudio) -> None:
        """See `Line`."""
        try:
            self._session.handle(frame)
        except (ProtocolError, LimitExceeded) as error:
            self._caller.on_problem(str(error))

    async def aclose(self) -> None:
        """End the session."""
        await self._service.close_session(self._session)
        await self._reader

    async def _read(self) -> None:
        outbox, caller = self._session.outbox, self._caller
        while (event := await outbox.get()) is not None:
            self._session.sent(event)
            match event:
                case ev.AudioDelta(ref, audio):
                    caller.on_audio(ref.response_id, audio)
                case ev.TextDelta(ref, "audio", words):
                    caller.on_words(ref.response_id, words)
                case ev.TurnMeasured(record):
                    caller.on_record(record.as_dict())
                case ev.ResponseDone(response) if response.error:
                    caller.on_problem(response.error)
                case ev.SessionError(message=message):
                    caller.on_problem(message)
                case _:
                    pass
        caller.on_closed(outbox.overflow or "the session ended")
