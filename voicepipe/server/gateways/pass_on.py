"""A request or a WebSocket, carried to another gateway by its Unix socket and back, as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from voicepipe.server.authorization import refusal

CONNECT_S = 5.0
ANSWER_S = 60.0
"""For an answer to begin: a call may take its time to end, an answer to an offer too."""

Headers = tuple[tuple[bytes, bytes], ...]

_OF_THE_CONNECTION = frozenset((
    b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"te", b"trailer", b"expect",
))  # fmt: skip
_OF_THE_HANDSHAKE = frozenset((
    b"host", b"sec-websocket-key", b"sec-websocket-version", b"sec-websocket-extensions",
    b"sec-websocket-protocol",
))  # fmt: skip
_SAY_A_BODY_COMES = frozenset((b"content-length", b"transfer-encoding"))


@dataclass(frozen=True, slots=True)
class Door:
    """Of the gateway that it goes to; `headers`: what is sent along."""

    socket: Path
    headers: Headers


async def pass_on_request(door: Door, scope: Scope, receive: Receive, send: Send) -> None:
    """502, if the other gateway dies before it answers; 504, if it does not in time."""
    request = httpx.Request(
        scope["method"],
        f"http://gateway{_target(scope)}",
        headers=_kept(door.headers),
        content=_body(receive) if _has_body(door.headers) else None,
        extensions={"timeout": {"connect": CONNECT_S, "read": ANSWER_S, "write": ANSWER_S}},
    )
    started = False
    try:
        async with httpx.AsyncHTTPTransport(uds=str(door.socket), verify=False) as transport:
            answer = await transport.handle_async_request(request)
            headers = [(name.lower(), value) for name, value in answer.headers.raw]
            start = {"type": "http.response.start", "status": answer.status_code}
            await send({**start, "headers": _kept(headers)})
            started = True
            assert isinstance(answer.stream, httpx.AsyncByteStream)
            async for piece in answer.stream:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await answer.aclose()
            await send({"type": "http.response.body"})
    except httpx.HTTPError as error:
        if started:
            raise
        late = isinstance(error, httpx.TimeoutException)
        await (_late() if late else _gone())(scope, receive, send)


class PassedOn(Response):
    """The other gateway's answer to a request whose `content` was read here already."""

    def __init__(self, door: Door, content: bytes) -> None:
        super().__init__()
        self._door, self._content = door, content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def read_already() -> Message:
            return {"type": "http.request", "body": self._content}

        await pass_on_request(self._door, scope, read_already, send)


async def pass_on_websocket(door: Door, scope: Scope, receive: Receive, send: Send) -> None:
    """Until either side closes; the other hears the same."""
    await receive()  # websocket.connect
    try:
        there = await unix_connect(
            str(door.socket),
            f"ws://{_host(scope)}{_target(scope)}",
            additional_headers=_texts(_kept(door.headers, _OF_THE_HANDSHAKE)),
            subprotocols=[Subprotocol(name) for name in scope["subprotocols"]] or None,
            user_agent_header=None,
            compression=None,
            max_size=None,  # what clients are told has other bounds than what they send
            open_timeout=ANSWER_S,
            ping_interval=None,  # the first gateway asks the client itself
        )
    except InvalidStatus as error:
        await _denied(error, send)
    except TimeoutError:
        await _late()(scope, receive, send)
    except (OSError, WebSocketException):
        await _gone()(scope, receive, send)
    else:
        async with there:
            try:
                await send({"type": "websocket.accept", "subprotocol": there.subprotocol})
            except OSError:  # the client has left meanwhile
                there.transport.abort()
            else:
                await _pump(there, receive, send)


async def _pump(there: ClientConnection, receive: Receive, send: Send) -> None:
    ways = {
        asyncio.create_task(_inwards(there, receive), name="forwarded-in"),
        asyncio.create_task(_outwards(there, send), name="forwarded-out"),
    }
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _inwards(there: ClientConnection, receive: Receive) -> None:
    """A client that vanished without a word vanishes there too: its session may be kept for it."""
    with suppress(ConnectionClosed):
        while (message := await receive())["type"] != "websocket.disconnect":
            text: str | None = message.get("text")
            with suppress(ConnectionClosed):  # `_outwards` tells the client, who may go meanwhile
                await there.send(message["bytes"] if text is None else text)
        if "reason" in message:
            await there.close(message.get("code") or 1000, message["reason"] or "")
        else:
            there.transport.abort()


async def _outwards(there: ClientConnection, send: Send) -> None:
    with suppress(OSError, RuntimeError):  # the client is gone: `_inwards` sees it
        try:
            async for frame in there:
                kind = "text" if isinstance(frame, str) else "bytes"
                await send({"type": "websocket.send", kind: frame})
        except ConnectionClosed:
            pass
        code = there.close_code
        code = 1011 if code in (None, 1005, 1006) else code
        await send({"type": "websocket.close", "code": code, "reason": there.close_reason or ""})


async def _denied(error: InvalidStatus, send: Send) -> None:
    """The other gateway has refused; so do we."""
    answer = error.response
    headers = [
        (name.lower().encode(), value.encode()) for name, value in answer.headers.raw_items()
    ]
    kind = "websocket.http.response"
    start: Message = {"type": f"{kind}.start", "status": answer.status_code}
    await send({**start, "headers": _kept(headers)})
    await send({"type": f"{kind}.body", "body": bytes(answer.body or b"")})


def _gone() -> JSONResponse:
    return refusal(502, "The process that held this call has ended.", "gateway_ended")


def _late() -> JSONResponse:
    return refusal(504, "The process that holds this call does not answer.", "gateway_timeout")


def _target(scope: Scope) -> str:
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    query: bytes = scope["query_string"]
    return (raw + b"?" + query if query else raw).decode("latin-1")


def _host(scope: Scope) -> str:
    named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    return named[0] if named else "gateway"


def _kept(
    headers: Iterable[tuple[bytes, bytes]], besides: frozenset[bytes] = frozenset()
) -> list[tuple[bytes, bytes]]:
    dropped = _OF_THE_CONNECTION | besides
    return [(name, value) for name, value in headers if name not in dropped]


def _texts(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]


def _has_body(headers: Headers) -> bool:
    return any(name in _SAY_A_BODY_COMES for name, _ in headers)


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return
        yield message.get("body", b"")
        more = message.get("more_body", False)
