"""The doors: for each the messages of good clients, and how one case is delivered."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from voicepipe.lab.carriers.carriers import CARRIERS, carrier
from voicepipe.lab.fuzz.mutation import dumped, mutated_bytes, mutated_json, mutated_text

EVENTS = 12
"""Messages of one case."""

SETTLE_S = 0.05
"""How long a case waits for answers before it goes: hasty clients find what patient ones do not."""

Case = Sequence[str | bytes]
"""What is sent, in order. It can be kept and sent again."""

_AUDIO = base64.b64encode(bytes(4800)).decode()
_SPEECH = base64.b64encode(b"\x00\x20\x00\xe0" * 2400).decode()
_ITEM = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
_TOOL = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}}
_CALL = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
_OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "{}"}
_DETECTION = {"type": "server_vad", "threshold": 0.5, "silence_duration_ms": 300}
_INPUT = {"format": {"type": "audio/pcm", "rate": 24000}, "turn_detection": _DETECTION}
_OUTPUT_AUDIO = {"format": {"type": "audio/pcmu"}, "voice": "alloy", "speed": 1.0}

REALTIME: list[dict[str, Any]] = [
    {
        "type": "session.update",
        "event_id": "e1",
        "session": {
            "type": "realtime",
            "instructions": "Be brief.",
            "output_modalities": ["audio"],
            "tools": [_TOOL],
            "tool_choice": "auto",
            "max_output_tokens": 100,
            "audio": {"input": _INPUT, "output": _OUTPUT_AUDIO},
            "voicepipe": {"turn_events": True, "turns": {"pause_ms": 100}},
        },
    },
    {"type": "session.update", "session": {"modalities": ["text"], "voice": "ash"}},  # beta's shape
    {"type": "input_audio_buffer.append", "audio": _AUDIO},
    {"type": "input_audio_buffer.append", "audio": _SPEECH},
    {"type": "input_audio_buffer.commit"},
    {"type": "input_audio_buffer.clear"},
    {"type": "output_audio_buffer.clear"},
    {"type": "conversation.item.create", "previous_item_id": "root", "item": {**_ITEM, "id": "i1"}},
    {"type": "conversation.item.create", "item": _CALL},
    {"type": "conversation.item.create", "item": _OUTPUT},
    {"type": "conversation.item.retrieve", "item_id": "i1"},
    {"type": "conversation.item.delete", "item_id": "i1"},
    {
        "type": "conversation.item.truncate",
        "item_id": "i1",
        "content_index": 0,
        "audio_end_ms": 10,
    },
    {
        "type": "response.create",
        "response": {
            "conversation": "none",
            "output_modalities": ["text"],
            "input": [_ITEM, {"type": "item_reference", "id": "i1"}],
            "metadata": {"k": "v"},
        },
    },
    {"type": "response.create"},
    {"type": "response.cancel", "response_id": "resp_1"},
]

SDP = (
    "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\n"
    "m=audio 9 UDP/TLS/RTP/SAVPF 111 0\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=sendrecv\r\n"
    "a=rtcp-mux\r\na=rtpmap:111 opus/48000/2\r\na=rtpmap:0 PCMU/8000\r\na=fmtp:111 useinbandfec=1"
    "\r\na=setup:actpass\r\na=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\n"
    "a=fingerprint:sha-256 " + ":".join(["AB"] * 32) + "\r\n"
    "a=candidate:1 1 udp 2130706431 127.0.0.1 9 typ host\r\n"
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=mid:1\r\n"
    "a=setup:actpass\r\na=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\n"
    "a=fingerprint:sha-256 " + ":".join(["AB"] * 32) + "\r\na=sctp-port:5000\r\n"
)

REQUESTS = tuple(
    f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n{body}".encode()
    for method, path, headers, body in (
        ("GET", "/readyz", "Authorization: Bearer x\r\n", ""),
        ("GET", "/v1/turns?limit=5&session=a", "Accept: */*\r\n", ""),
        ("GET", "/web/app.js", "Range: bytes=0-10\r\nIf-None-Match: x\r\n", ""),
        ("POST", "/v1/realtime/client_secrets", "Content-Length: 2\r\n", "{}"),
        ("POST", "/v1/realtime/calls/x/hangup", "Content-Length: 0\r\n", ""),
        ("POST", "/whip", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"),
        (
            "GET",
            "/v1/realtime?model=m",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
            "\x81\x82mask{}",
        ),
    )
)

FORM = {"From": "+15550001", "To": "+15550002", "CallSid": "CA1", "AccountSid": "AC1"}


Deliver = Callable[[int, Case], Awaitable[None]]
"""To the port of a server on this machine. Raises AssertionError where it answers with a fault."""


@dataclass(frozen=True, slots=True)
class Door:
    """`make` a case, `deliver` it: apart, so that a case that broke something can be kept."""

    make: Callable[[random.Random], Case]
    deliver: Deliver


def _realtime_case(rng: random.Random) -> Case:
    def one() -> str:
        message: Any = rng.choice(REALTIME)
        if rng.random() < 0.6:
            message = mutated_json(message, rng, REALTIME)
        text = dumped(message)
        return mutated_text(text, rng) if rng.random() < 0.1 else text

    return [one() for _ in range(EVENTS)]


def _stream_case(name: str) -> Callable[[random.Random], Case]:
    """A call of that carrier's, some frames of it wrong."""

    def make(rng: random.Random) -> Case:
        dialect = carrier(name)
        good = [*dialect.opening(), *(dialect.media(bytes(320)) for _ in range(EVENTS))]
        good += [*dialect.dtmf("5"), *dialect.cleared(), *dialect.stop()]
        good.insert(rng.randrange(len(good)), dialect.malformed())
        return [_wrong(frame, rng) if rng.random() < 0.3 else frame for frame in good]

    return make


def _wrong(frame: str | bytes, rng: random.Random) -> str | bytes:
    if isinstance(frame, bytes):
        return mutated_bytes(frame, rng)
    try:
        message = json.loads(frame)
    except ValueError:
        return mutated_text(frame, rng)
    if rng.random() < 0.2:
        return mutated_text(frame, rng)
    return dumped(mutated_json(message, rng, [message]))


def _websocket(path: str, headers: dict[str, str] | None = None) -> Deliver:
    async def deliver(port: int, case: Case) -> None:
        url = f"ws://127.0.0.1:{port}{path}"
        with contextlib.suppress(WebSocketException, OSError, TimeoutError, EOFError):
            async with asyncio.timeout(20), connect(url, additional_headers=headers) as socket:
                for frame in case:
                    await socket.send(frame)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SETTLE_S):
                        async for _ in socket:
                            pass

    return deliver


def _sdp_case(rng: random.Random) -> Case:
    lines = SDP.split("\r\n")
    if rng.random() < 0.5:
        at = rng.randrange(len(lines))
        lines[at : at + rng.randint(0, 3)] = rng.choices(lines, k=rng.randint(0, 3))
    text = "\r\n".join(lines)
    return [mutated_text(text, rng) if rng.random() < 0.8 else text]


async def _post_sdp(port: int, case: Case) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
        head = {"Content-Type": "application/sdp"}
        answer = await http.post("/v1/realtime/calls", content=case[0], headers=head)
        _expect_no_fault(answer)
        if answer.status_code == 201:
            await http.delete(answer.headers["Location"])


def _webhook_case(rng: random.Random) -> Case:
    name = rng.choice(("twilio", "signalwire", "telnyx", "plivo", "vonage"))
    path = f"/telephony/{name}/{'answer' if name == 'vonage' else 'voice'}"
    form: Any = mutated_json(FORM, rng, [FORM])
    pairs = form if isinstance(form, dict) else {"From": dumped(form)}
    if rng.random() < 0.3:
        return [path, "application/json", mutated_text(dumped(form), rng)]
    texts = {k: v if isinstance(v, str) else dumped(v) for k, v in pairs.items()}
    body = urlencode(texts, errors="replace")
    kind = "application/x-www-form-urlencoded"
    return [path, kind, mutated_bytes(body.encode(), rng)]


async def _post_webhook(port: int, case: Case) -> None:
    path, kind, body = case
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
        answer = await http.post(str(path), content=body, headers={"Content-Type": str(kind)})
        _expect_no_fault(answer)


def _expect_no_fault(answer: httpx.Response) -> None:
    if answer.status_code == 500:
        raise AssertionError(f"{answer.request.url} answered {answer.status_code}")


def _http_case(rng: random.Random) -> Case:
    return [mutated_bytes(rng.choice(REQUESTS), rng) for _ in range(2)]


async def _raw(port: int, case: Case) -> None:
    with contextlib.suppress(OSError, TimeoutError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for data in case:
                writer.write(data.encode() if isinstance(data, str) else data)
            await writer.drain()
            writer.write_eof()
            async with asyncio.timeout(SETTLE_S * 4):
                answer = await reader.read(65536)
            if answer.startswith(b"HTTP/1.1 500"):
                raise AssertionError("the server answered 500")
        finally:
            writer.close()


AUDIOSOCKET = "audiosocket"
"""The door that is not at the server's own port."""

DOORS: dict[str, Door] = {
    "realtime": Door(_realtime_case, _websocket("/v1/realtime?model=m")),
    "realtime-beta": Door(
        _realtime_case, _websocket("/v1/realtime?model=m", {"OpenAI-Beta": "realtime=v1"})
    ),
    **{
        name: Door(
            _stream_case(name),
            _websocket({"plain": "/v1/pcm"}.get(name, f"/telephony/{name}")),
        )
        for name in CARRIERS
        if name != AUDIOSOCKET
    },
    AUDIOSOCKET: Door(_stream_case(AUDIOSOCKET), _raw),
    "webhooks": Door(_webhook_case, _post_webhook),
    "sdp": Door(_sdp_case, _post_sdp),
    "http": Door(_http_case, _raw),
}
