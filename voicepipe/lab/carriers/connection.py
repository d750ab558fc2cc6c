"""How an emulated carrier reaches the server: a WebSocket, or TCP for AudioSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.errors import VoicepipeError

CONNECT_DEADLINE_S = 10.0
CLOSE_DEADLINE_S = 2.0
READ_BYTES = 64 * 1024


class CallRefused(VoicepipeError):
    """The server cannot be reached or does not take the call; the message says which and why."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status  # of HTTP, where that was the answer


class Connection(Protocol):
    """Frames both ways."""

    async def send(self, frame: Frame) -> None:
        """Does nothing on a connection that is closed."""
        ...

    async def receive(self) -> Frame | None:
        """The next one; None: the other side has closed."""
        ...

    async def close(self) -> None:
        """In good order."""
        ...

    def abort(self) -> None:
        """Drop the transport, as a broken line does."""
        ...

    def why_closed(self) -> str: ...


class WebSocketLine:
    """A carrier's WebSocket; see `Connection`."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, frame: Frame) -> None:
        """See `Connection`."""
        try:
            await self._socket.send(frame)
        except ConnectionClosed:
            return  # the reader says so

    async def receive(self) -> Frame | None:
        """See `Connection`."""
        try:
            return await self._socket.recv()
        except ConnectionClosed:
            return None

    async def close(self) -> None:
        """See `Connection`."""
        await self._socket.close()

    def abort(self) -> None:
        """See `Connection`."""
        self._socket.transport.abort()

    def why_closed(self) -> str:
        """Code and reason."""
        return f"{self._socket.close_code} {self._socket.close_reason or ''}".strip()


class TcpLine:
    """Asterisk's AudioSocket; see `Connection`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, frame: Frame) -> None:
        """See `Connection`."""
        assert isinstance(frame, bytes)
        if self._writer.is_closing():
            return
        self._writer.write(frame)
        try:
            await self._writer.drain()
        except ConnectionError:
            return

    async def receive(self) -> Frame | None:
        """See `Connection`."""
        try:
            return await self._reader.read(READ_BYTES) or None
        except ConnectionError:
            return None

    async def close(self) -> None:
        """See `Connection`."""
        self._writer.close()
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self._writer.transport.abort()

    def abort(self) -> None:
        """See `Connection`."""
        self._writer.transport.abort()

    def why_closed(self) -> str:
        """TCP gives no reason."""
        return "closed"


async def open_connection(url: str, headers: Mapping[str, str]) -> Connection:
    """Connect to ws://, wss:// or tcp://host:port. Raises CallRefused."""
    try:
        async with asyncio.timeout(CONNECT_DEADLINE_S):
            if urlsplit(url).scheme == "tcp":
                return await _tcp(url)
            # Uncompressed and of any size, as carriers take it.
            socket = await connect(
                url,
                additional_headers=dict(headers),
                compression=None,
                max_size=None,
                close_timeout=CLOSE_DEADLINE_S,
                proxy=None,
            )
            return WebSocketLine(socket)
    except InvalidStatus as error:
        status = error.response.status_code
        body = bytes(error.response.body or b"").decode(errors="replace").strip()[:200]
        raise CallRefused(f"{url}: refused with status {status}: {body}", status=status) from None
    except (InvalidURI, InvalidHandshake, ValueError) as error:
        raise CallRefused(f"{url}: {error}") from None
    except (OSError, TimeoutError) as error:
        why = str(error) or f"no answer within {CONNECT_DEADLINE_S:.0f} s"
        raise CallRefused(f"{url}: {why}") from None


async def _tcp(url: str) -> TcpLine:
    parts = urlsplit(url)
    if parts.hostname is None or parts.port is None:
        raise ValueError("not an address like tcp://host:port")
    return TcpLine(*await asyncio.open_connection(parts.hostname, parts.port))
