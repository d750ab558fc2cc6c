"""The data channel `oai-events`: the Realtime protocol as text messages, without the audio."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from time import thread_time
from typing import Any

from aiortc import RTCDataChannel
from aiortc.exceptions import InvalidStateError

from voicepipe.audio.formats import PCM_16K, PCM_24K
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.protocols.json_fields import checks
from voicepipe.protocols.openai_realtime import client_events
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import LimitExceeded, ProtocolError, VoicepipeError
from voicepipe.server.fair_share import FairShare
from voicepipe.server.resume import Line
from voicepipe.server.webrtc.sdp import MAX_MESSAGE_BYTES
from voicepipe.session import events as ev
from voicepipe.session.commands import AppendAudio, Command, UpdateSession
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings

log = logging.getLogger(__name__)

LABEL = "oai-events"
HEARD = "voicepipe.heard"
"""The page tells how long after its arrival audio is heard:
{"type": "voicepipe.heard", "response_id": ..., "delay_ms": ...}."""

MAX_DELAY_MS = 60_000
"""A report of more is a mistake."""

MAX_WAITING = 256
"""Client messages waiting to be handled; more are refused."""

HIGH_WATER, LOW_WATER = 1_000_000, 250_000
"""Bytes in the channel's own queue, which has no bound: events wait in the outbox meanwhile, which
has one."""


def on_call(settings: SessionSettings) -> SessionSettings:
    """The same with the audio formats of a call, whatever the client has asked for: media is RTP
    here."""
    return replace(settings, input_format=PCM_16K, output_format=PCM_24K)


class EventChannel:
    """Both directions, in order: `read` handles what comes, `write` sends what the session says."""

    def __init__(
        self,
        session: Session,
        codec: RealtimeCodec,
        max_message_bytes: int,
        on_heard: Callable[[str, float], None],
        line: Line | None = None,
        after: str | None = None,
    ) -> None:
        """`on_heard(response_id, delay_ms)`: the page's report. `line`: by which the client may
        come back; `after`: they have, and this event is the newest that they had ("" = all)."""
        self._session, self._codec = session, codec
        self._share = FairShare(MonotonicClock())
        self._max_message_bytes = max_message_bytes
        self._on_heard = on_heard
        self._line, self._after = line, after
        self._channel: RTCDataChannel | None = None
        self._incoming: asyncio.Queue[str | bytes] = asyncio.Queue(MAX_WAITING)
        self._room = asyncio.Event()
        self.opened = asyncio.Event()
        self.spoken = asyncio.Event()  # the client has sent something

    def attach(self, channel: RTCDataChannel) -> None:
        """The peer has opened a channel. Ours is the first one that has our label."""
        if channel.label != LABEL or self._channel is not None:
            channel.close()
            return
        self._channel = channel
        channel.bufferedAmountLowThreshold = LOW_WATER
        channel.on("message", self._on_message)
        channel.on("bufferedamountlow", self._room.set)
        channel.on("close", self._room.set)
        for text in self._opening():
            self._put(text if self._all_fit([text]) else self._too_large())
        self.opened.set()

    def say(self, error: VoicepipeError | ev.SessionError) -> None:
        """Tell the client at once, past the outbox."""
        self._put(self._codec.error(error))

    async def read(self) -> None:
        """For ever. Its owner, the peer, cancels it."""
        while True:
            wait_s = self._take(await self._incoming.get())
            if wait_s is not None:
                await asyncio.sleep(wait_s)

    def _take(self, frame: str | bytes) -> float | None:
        """Carry a message out; returns how long the next one has to wait."""
        commands: list[Command] = []
        event_id: str | None = None
        began_s = thread_time()
        try:
            commands = self._commands(frame)
            for command in commands:
                event_id = command.event_id
                self._session.handle(command)
        except (ProtocolError, LimitExceeded) as error:
            self._session.outbox.put(ev.SessionError.of(error, event_id))
        self.spoken.set()
        used_s = thread_time() - began_s
        return self._share.wait_s(used_s, frame, commands, self._session.settings.input_format)

    async def write(self) -> None:
        """Until the session ends. Without a channel its events are for nobody."""
        while (event := await self._session.outbox.get()) is not None:
            texts = self._texts(event)
            if self._line is not None:
                self._line.sent.add(texts)
            for text in texts:
                await self._until_there_is_room()
                self._put(text)
            self._session.sent(event)

    # -- from the client --------------------------------------------------------------------------

    def _on_message(self, frame: str | bytes) -> None:
        if len(frame) > MAX_MESSAGE_BYTES:  # aiortc takes larger ones than it says
            message = f"the message is longer than {MAX_MESSAGE_BYTES} bytes, the limit here"
            self._session.outbox.put(ev.SessionError(message, "message_too_large"))
            return
        try:
            self._incoming.put_nowait(frame)
        except asyncio.QueueFull:
            message = f"over {MAX_WAITING} messages are waiting; this one was dropped"
            self._session.outbox.put(ev.SessionError(message, "limit_exceeded"))

    def _commands(self, frame: str | bytes) -> list[Command]:
        if isinstance(frame, str) and HEARD in frame and self._was_a_report(frame):
            return []
        return [self._fitted(command) for command in self._codec.receive(frame)]

    def _fitted(self, command: Command) -> Command:
        if isinstance(command, UpdateSession):
            return replace(command, settings=on_call(command.settings))
        if isinstance(command, AppendAudio):
            raise ProtocolError(
                "input_audio_buffer.append does not work in a WebRTC call: audio comes by its "
                "audio track.",
                code="invalid_value",
                param="type",
                event_id=command.event_id,
            )
        return command

    def _was_a_report(self, frame: str) -> bool:
        try:
            message: Any = json.loads(frame)
        except (ValueError, RecursionError):
            return False
        if not isinstance(message, dict) or message.get("type") != HEARD:
            return False
        event_id = client_events.event_id(message)
        try:
            response_id = checks.name(message.get("response_id"), "response_id")
            delay_ms = checks.number(message.get("delay_ms"), "delay_ms", 0, MAX_DELAY_MS)
        except ProtocolError as error:
            error.event_id = event_id
            raise
        self._on_heard(response_id, delay_ms)
        return True

    # -- to the client ----------------------------------------------------------------------------

    def _opening(self) -> list[str]:
        if self._line is None:
            return self._codec.opening()
        return self._line.opening(self._codec, self._after)

    def _texts(self, event: ev.SessionEvent) -> list[str]:
        if self._channel is None or isinstance(event, ev.AudioDelta):
            return []  # audio never goes over the channel
        texts = self._codec.send(event)
        if not self._all_fit(texts) and isinstance(event, ev.ItemRetrieved):
            texts = self._codec.send(ev.ItemRetrieved(_without_audio(event.item)))
        return texts if self._all_fit(texts) else [self._too_large()]

    def _all_fit(self, texts: list[str]) -> bool:
        return all(len(text) <= self._max_message_bytes for text in texts)  # ASCII: bytes

    def _too_large(self) -> str:
        message = f"a message of over {self._max_message_bytes} bytes was not sent"
        return self._codec.error(ev.SessionError(message, "message_too_large"))

    async def _until_there_is_room(self) -> None:
        channel = self._channel
        while channel is not None and channel.readyState == "open":
            if channel.bufferedAmount <= HIGH_WATER:
                return
            self._room.clear()
            await self._room.wait()  # owner: the peer; the outbox ends a call that reads nothing

    def _put(self, text: str) -> None:
        if self._channel is None or len(text) > self._max_message_bytes:
            return
        try:
            self._channel.send(text)
        except (InvalidStateError, ConnectionError):
            log.debug("an event came after the channel's end")


def _without_audio(item: Any) -> Any:
    if not isinstance(item, MessageItem):
        return item
    parts = [replace(p, pcm=None) if isinstance(p, AudioPart) else p for p in item.content]
    return replace(item, content=tuple(parts))
