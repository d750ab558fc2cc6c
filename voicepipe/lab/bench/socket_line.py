"""Callers on a WebSocket: the OpenAI Realtime protocol as a client speaks it.

Built on the sans-I/O half of `websockets`, so that a frame is one synchronous write: the load
client shares the machine with the server it measures. What it sends is put into WebSocket frames
once, for all callers, mask and all; of the sound it hears it reads what it counts.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import ssl
from collections.abc import Mapping
from typing import Any, cast

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import WebSocketURI, parse_uri

from voicepipe.lab.bench.caller import Caller
from voicepipe.lab.bench.recordings import WIRE
from voicepipe.runtime.errors import VoicepipeError

CONNECT_DEADLINE_S = 20.0
CLOSE_DEADLINE_S = 2.0
MAX_MESSAGE = 32 * 1024 * 1024

SESSION_UPDATE = json.dumps(
    {
        "type": "session.update",
        "session": {
            "type": "realtime",
            "voicepipe": {"turn_events": True},
            "audio": {
                "input": {"format": {"type": "audio/pcm", "rate": WIRE.rate}},
                "output": {"format": {"type": "audio/pcm", "rate": WIRE.rate}},
            },
        },
    }
).encode()


class ConnectError(VoicepipeError):
    """The server could not be reached or refused; the message says which and why."""


def message(frame: bytes) -> bytes:
    """A frame of sound as the text of an append message."""
    return b'{"type":"input_audio_buffer.append","audio":"' + base64.b64encode(frame) + b'"}'


def encode(frame: bytes) -> bytes:
    """The same as the bytes of a WebSocket frame, masked as a client's are."""
    return Frame(Opcode.TEXT, message(frame)).serialize(mask=True)


class SocketLine(asyncio.Protocol):
    """A `Line` to `URL/realtime`; make it with `connect`."""

    def __init__(self, uri: WebSocketURI, url: str, key: str | None, caller: Caller[bytes]) -> None:
        self._url, self._caller = url, caller
        self._protocol = ClientProtocol(uri, max_size=MAX_MESSAGE)
        self._request = self._protocol.connect()
        if key:
            self._request.headers["Authorization"] = f"Bearer {key}"
        self._transport: asyncio.Transport | None = None
        self._pieces: list[bytes] = []  # of a fragmented message
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    # -- the line ---------------------------------------------------------------------------------

    def send(self, frame: bytes) -> None:
        """See `Line`. `frame`: as `encode` makes it."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if self._protocol.state is State.OPEN:
            transport.write(frame)

    async def aclose(self) -> None:
        """Close in good order, or at the latest after `CLOSE_DEADLINE_S`."""
        if self._transport is None:
            return
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(1000)
            self._flush()
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                await asyncio.shield(self._lost)
        except TimeoutError:
            self._transport.abort()
            await self._lost

    def abort(self) -> None:
        """Drop the connection, if there is one."""
        self.ready.cancel()
        if self._transport is not None:
            self._transport.abort()

    # -- asyncio.Protocol -------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._protocol.send_request(self._request)
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if isinstance(event, Response):
                self._on_response(event)
            elif isinstance(event, Frame):
                self._on_frame(event)
        self._flush()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        code, reason = self._protocol.close_code, self._protocol.close_reason
        why = f"the connection closed ({code or 'no close frame'}{': ' if reason else ''}{reason})"
        if not self._lost.done():
            self._lost.set_result(None)
        self._fail(ConnectError(f"{self._url}: {why}"))
        self._caller.on_closed(why)

    def _flush(self) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:  # the protocol's way to say: no more from us
                self._transport.close()

    # -- messages ---------------------------------------------------------------------------------

    def _on_response(self, response: Response) -> None:
        if self._protocol.handshake_exc is not None:
            body = bytes(response.body or b"").decode(errors="replace")
            self._fail(ConnectError(f"{self._url}: {refusal(response.status_code, body)}"))

    def _on_frame(self, frame: Frame) -> None:
        if frame.opcode not in (Opcode.TEXT, Opcode.CONT):
            return
        self._pieces.append(bytes(frame.data))
        if frame.fin:
            text, self._pieces = b"".join(self._pieces), []
            self._on_message(json.loads(text))

    def _on_message(self, message: Mapping[str, Any]) -> None:
        match message["type"]:
            case "response.output_audio.delta":
                audio = binascii.a2b_base64(message["delta"])
                self._caller.on_audio(message["response_id"], audio)
            case "response.output_audio_transcript.delta":
                self._caller.on_words(message["response_id"], message["delta"])
            case "voicepipe.turn":
                self._caller.on_record(message["turn"])
            case "session.created":
                self._protocol.send_text(SESSION_UPDATE)
            case "session.updated":
                if not self.ready.done():
                    self.ready.set_result(None)
            case "response.done" if message["response"]["status"] == "failed":
                self._caller.on_problem(failure(message["response"]))
            case "error":
                text = str(message["error"]["message"])
                self._caller.on_problem(text)
                self._fail(ConnectError(f"{self._url}: {text}"))
            case _:
                pass

    def _fail(self, error: ConnectError) -> None:
        if not self.ready.done():
            self.ready.set_exception(error)


async def connect(url: str, key: str | None, caller: Caller[bytes]) -> SocketLine:
    """Open a session at `url` (such as ws://host:port/v1, or with the /realtime that the server
    prints at its start), set up and ready for audio. Raises ConnectError."""
    target = f"{base_of(url)}/realtime?model=voicepipe"
    try:
        uri = parse_uri(target)
    except (InvalidURI, ValueError):  # the latter: of "ws://[" and of port 99999
        raise ConnectError(f"{url}: not an address like ws://host:port/v1") from None
    line = SocketLine(uri, url, key, caller)
    try:
        async with asyncio.timeout(CONNECT_DEADLINE_S):
            await asyncio.get_running_loop().create_connection(
                lambda: line,
                uri.host,
                uri.port,
                ssl=ssl.create_default_context() if uri.secure else None,
            )
            await line.ready
    except (OSError, TimeoutError, UnicodeError) as error:  # the last: of a name that is no host
        line.abort()
        why = str(error) or f"no answer within {CONNECT_DEADLINE_S:.0f} s"
        raise ConnectError(f"{url}: {why}") from None
    except BaseException:
        line.abort()
        raise
    return line


def base_of(url: str) -> str:
    """A server's address without the /realtime that it prints at its start."""
    return url.rstrip("/").removesuffix("/realtime")


def refusal(status: int, body: str) -> str:
    """A refused request in words."""
    try:
        message = str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        message = body.strip()[:200]
    return f"the server refused with status {status}{': ' if message else ''}{message}"


def failure(response: Mapping[str, Any]) -> str:
    """Why a response has failed, in words."""
    error = (response.get("status_details") or {}).get("error") or {}
    return str(error.get("message") or "the response failed")
