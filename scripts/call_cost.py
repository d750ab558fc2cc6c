"""CPU time of calls in the server, on a machine that need not be quiet: the same work each time.

    python -m scripts.call_cost                     # 40 calls that begin within 8 s
    python -m scripts.call_cost --calls 80 --seconds 20

Callers speak the bench's questions at the pace of speech, in virtual time, on WebSocket connections
without sockets: from the bytes that a socket would bring to the bytes that it would take. Kernel
and selector are left out; the callers' own part, a sleep for each frame, is in it. Engines are
simulated. Compare two checkouts in turn, several times: whatever else runs takes its caches.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import time
from typing import Any

from uvicorn.config import Config
from uvicorn.server import ServerState
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from voicepipe.config.loading import load_settings
from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.virtual_time import LoopClock, run_virtual
from voicepipe.runtime.gc_tuning import spare
from voicepipe.server.app import create_app
from voicepipe.server.run import uvicorn_server
from voicepipe.server.service import Service

FRAME_S = 0.02
ANSWER_FRAMES = 225
"""Silence behind a question: its answer is played meanwhile."""

SPREAD_S = 4.0
"""The callers begin within it."""


class Wire(asyncio.Transport):
    """Takes what the server sends."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] | None = []  # None: nobody reads it any more

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """See the base class."""
        return {"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 8080)}.get(name, default)

    def write(self, data: Any) -> None:
        """See the base class."""
        if self.sent is not None:
            self.sent.append(bytes(data))

    def pause_reading(self) -> None:
        """See the base class."""

    def resume_reading(self) -> None:
        """See the base class."""

    def is_closing(self) -> bool:
        """See the base class."""
        return False

    def close(self) -> None:
        """See the base class."""


def text(message: bytes) -> bytes:
    """A WebSocket frame as a client sends it."""
    return Frame(Opcode.TEXT, message).serialize(mask=True)


def append(pcm: bytes) -> bytes:
    """20 ms of sound as such a frame."""
    audio = base64.b64encode(pcm)
    return text(b'{"type":"input_audio_buffer.append","audio":"' + audio + b'"}')


async def connected(config: Config) -> Any:
    """A connection of the server's with a session on it."""
    new: Any = config.ws_protocol_class
    server = new(config=config, server_state=ServerState(), app_state={})
    wire = Wire()
    assert wire.sent is not None
    server.connection_made(wire)
    client = ClientProtocol(parse_uri("ws://localhost/v1/realtime?model=x"), max_size=None)
    client.send_request(client.connect())
    server.data_received(b"".join(client.data_to_send()).replace(b"Host:", b"host:"))
    while len(wire.sent) < 2:  # noqa: ASYNC110 - the handshake, and `session.created`
        await asyncio.sleep(0.001)
    wire.sent = None
    session = {"type": "realtime", "voicepipe": {"turn_events": True}}
    server.data_received(text(json.dumps({"type": "session.update", "session": session}).encode()))
    return server


class Talk:
    """All callers of a run. `frames`, `turns`: how many they have sent, and asked."""

    def __init__(self) -> None:
        self._silence = append(recordings.SILENCE)
        self._questions = [list(map(append, one.frames)) for one in recordings.load()]
        self.frames = self.turns = 0

    async def all(self, connections: list[Any], seconds: float) -> float:
        """CPU seconds of this thread while each calls for so long."""
        self.frames = self.turns = 0
        began_s, until_s = time.thread_time(), asyncio.get_running_loop().time() + seconds
        await asyncio.gather(*(self._one(n, c, until_s) for n, c in enumerate(connections)))
        return time.thread_time() - began_s

    async def _one(self, number: int, connection: Any, until_s: float) -> None:
        loop, luck, turn = asyncio.get_running_loop(), random.Random(number), 0
        await asyncio.sleep(luck.random() * SPREAD_S)
        due_s = loop.time()
        while loop.time() < until_s:
            question = self._questions[(number + turn) % len(self._questions)]
            pause = [self._silence] * luck.randint(10, 35)
            for frame in (*pause, *question, *[self._silence] * ANSWER_FRAMES):
                await asyncio.sleep(max(0.0, due_s - loop.time()))
                connection.data_received(frame)
                self.frames, due_s = self.frames + 1, due_s + FRAME_S
            self.turns, turn = self.turns + 1, turn + 1


async def measured(calls: int, seconds: float) -> str:
    """The cost of so many calls, in words."""
    limits = {"server.port": 8080, "limits.max_sessions": calls}
    settings = load_settings("simulated", overrides=limits)
    service = Service(settings)
    service.clock = LoopClock()
    app = create_app(service)
    async with app.router.lifespan_context(app):
        while not service.ready:  # noqa: ASYNC110 - it has no event for it
            await asyncio.sleep(0.01)
        config = uvicorn_server(app, settings).config
        config.load()
        config.ws_ping_interval = None  # nobody answers
        connections = [await connected(config) for _ in range(calls)]
        talk = Talk()
        await talk.all(connections, 1.0)  # all is loaded and warm
        spare()
        cpu_s = await talk.all(connections, seconds)
        for one in connections:
            one.connection_lost(None)
        await asyncio.sleep(1)
    share = cpu_s / (talk.frames * FRAME_S) * 100
    return (
        f"{calls} calls, {talk.turns} turns: {share:.3f} % of a core a call, "
        f"{cpu_s / talk.frames * 1e6:.1f} us a frame"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=8.0, help="in which callers begin a turn")
    given = parser.parse_args()
    print(run_virtual(measured(given.calls, given.seconds)))


if __name__ == "__main__":
    main()
