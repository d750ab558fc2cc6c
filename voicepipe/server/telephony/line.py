"""The connection to a carrier: frames out and in, whatever carries them."""

from __future__ import annotations

import asyncio
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.errors import VoicepipeError

CLOSE_DEADLINE_S = 2.0
"""A peer that does not take the end in this time is dropped."""

WS_BROKEN = (1005, 1006)
"""What uvicorn reports where no close frame came (or one that says nothing)."""

READ_SIZE = 4096  # bytes of a TCP stream at a time: 256 ms of 8 kHz PCM


class LineLost(VoicepipeError):
    """The connection broke; nobody hears what would be sent."""


class Line(Protocol):
    """One carrier connection."""

    @property
    def broken(self) -> bool:
        """It ended without a goodbye."""
        ...

    async def receive(self) -> Frame | None:
        """The next frame; None when the peer has closed or is gone."""
        ...

    async def send(self, frame: Frame) -> None:
        """Hand a frame to the network, waiting for a slow reader. Raises LineLost."""
        ...

    async def close(self) -> None:
        """End the connection in good order, within `CLOSE_DEADLINE_S`."""
        ...


class WebSocketLine:
    """A `Line` on an accepted WebSocket."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self.broken = False

    async def receive(self) -> Frame | None:
        """See `Line`."""
        try:
            message = await self._websocket.receive()
        except RuntimeError:  # it was closed from here
            return None
        if message["type"] == "websocket.disconnect":
            self.broken = message.get("code") in WS_BROKEN
            return None
        text: str | None = message.get("text")
        data: bytes = message.get("bytes") or b""
        return data if text is None else text

    async def send(self, frame: Frame) -> None:
        """See `Line`."""
        try:
            if isinstance(frame, str):
                await self._websocket.send_text(frame)
            else:
                await self._websocket.send_bytes(frame)
        except (WebSocketDisconnect, RuntimeError, OSError) as error:
            raise LineLost(f"the carrier's connection broke: {error}") from None

    async def close(self) -> None:
        """See `Line`."""
        if self._websocket.client_state is not WebSocketState.CONNECTED:
            return
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                await self._websocket.close()
        except (TimeoutError, WebSocketDisconnect, RuntimeError, OSError):
            pass  # it was gone before


class TcpLine:
    """A `Line` on a TCP connection; its frames are whatever bytes arrive together."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.broken = False

    async def receive(self) -> Frame | None:
        """See `Line`."""
        try:
            return await self._reader.read(READ_SIZE) or None
        except OSError:
            self.broken = True
            return None

    async def send(self, frame: Frame) -> None:
        """See `Line`."""
        assert isinstance(frame, bytes)
        try:
            self._writer.write(frame)
            await self._writer.drain()
        except OSError as error:
            raise LineLost(f"the carrier's connection broke: {error}") from None

    async def close(self) -> None:
        """See `Line`."""
        self._writer.close()
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                await self._writer.wait_closed()
        except (TimeoutError, OSError):
            self._writer.transport.abort()
