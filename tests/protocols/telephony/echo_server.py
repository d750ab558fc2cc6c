"""A server for emulated calls: gives back what it hears, by the codecs under test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from voicepipe.audio.codec import Decoder, Encoder
from voicepipe.protocols.telephony.contract import (
    CallAudio,
    CallCodec,
    CallEvent,
    CallStarted,
    Frame,
)
from voicepipe.runtime.errors import ProtocolError

E = TypeVar("E", bound=CallEvent)


@dataclass
class Echo:
    """One call as the server sees it."""

    codec: CallCodec
    events: list[CallEvent] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    decoder: Decoder | None = None
    encoder: Encoder | None = None

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def receive(
        self, frame: Frame, answer: Callable[[Echo, CallEvent], Sequence[Frame]]
    ) -> list[Frame]:
        frames: list[Frame] = []
        try:
            events = self.codec.receive(frame)
        except ProtocolError as error:
            self.errors.append(str(error))
            return []
        for event in events:
            self.events.append(event)
            frames += answer(self, event)
        return frames


def echo(call: Echo, event: CallEvent) -> Sequence[Frame]:
    """In the format that the caller hears."""
    if isinstance(event, CallStarted):
        call.decoder = Decoder(event.input_format, event.output_format.rate)
        call.encoder = Encoder(event.output_format.rate, event.output_format)
    if not isinstance(event, CallAudio):
        return ()
    assert call.decoder is not None
    assert call.encoder is not None
    if call.decoder.wire == call.encoder.wire:
        return call.codec.audio(event.data)
    return call.codec.audio(call.encoder.encode(call.decoder.decode(event.data)))


def mute(call: Echo, event: CallEvent) -> Sequence[Frame]:
    return ()


Answer = Callable[[Echo, CallEvent], Sequence[Frame]]


@dataclass
class EchoServer:
    url: str = ""
    calls: list[Echo] = field(default_factory=list)


@asynccontextmanager
async def echo_server(
    make: Callable[[], CallCodec], answer: Answer = echo
) -> AsyncIterator[EchoServer]:
    """Over WebSocket."""
    state = EchoServer()

    async def handle(socket: ServerConnection) -> None:
        call = Echo(make())
        state.calls.append(call)
        try:
            async for frame in socket:
                for reply in call.receive(frame, answer):
                    with suppress(ConnectionClosed):  # what came before is still read
                        await socket.send(reply)
        except ConnectionClosed:
            pass
        finally:
            call.closed.set()

    async with serve(handle, "127.0.0.1", 0, max_size=2**20) as server:
        host, port = next(iter(server.sockets)).getsockname()[:2]
        state.url = f"ws://{host}:{port}/"
        yield state


@asynccontextmanager
async def echo_tcp_server(
    make: Callable[[], CallCodec], answer: Answer = echo
) -> AsyncIterator[EchoServer]:
    """Over TCP."""
    state = EchoServer()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = Echo(make())
        state.calls.append(call)
        try:
            while data := await reader.read(4096):
                for reply in call.receive(data, answer):
                    assert isinstance(reply, bytes)
                    writer.write(reply)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()
            call.closed.set()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()[:2]
        state.url = f"tcp://{host}:{port}"
        yield state
