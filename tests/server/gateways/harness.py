"""`voicepipe serve --processes 2` as it is run, and what a test asks of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from tests.forked import Voicepipe
from tests.serving import free_port

START_S, DEADLINE_S = 90.0, 20.0
TOO_MANY = 429
OWNER = {"Authorization": "Bearer the-owners-key"}

SETTINGS = """
profile = "simulated"
[server]
api_key = "the-owners-key"
processes = 2
[limits]
max_sessions = 12
[keys.shop]
key = "key-of-the-shop"
max_sessions = 2
[keys.hour]
key = "key-of-an-hour"
minutes_a_day = 0.001
[telephony]
wait_for_program = true
incoming_ms = 10000
silence_ms = 0
replay_days = 0
public_url = "https://voice.example.com"
[telephony.twilio]
auth_token = "s3cret"
[telephony.audiosocket]
port = {audiosocket}
[webrtc]
loopback = "on"
"""


class Server:
    """The parent process, seen from outside."""

    def __init__(self, process: Voicepipe, port: int, audiosocket: int) -> None:
        self.process, self.port, self.audiosocket = process, port, audiosocket

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}/v1"

    def client(self) -> httpx.AsyncClient:
        """One connection for all its requests, so one gateway answers them."""
        limits = httpx.Limits(max_connections=1)
        return httpx.AsyncClient(
            base_url=self.http, headers=OWNER, limits=limits, timeout=DEADLINE_S, trust_env=False
        )

    async def get(self, path: str) -> Any:
        """As JSON, by whichever gateway."""
        async with self.client() as http:
            return (await http.get(path)).json()

    async def gateways(self) -> list[dict[str, Any]]:
        """As `/readyz` lists them."""
        found: list[dict[str, Any]] = (await self.get("/readyz"))["gateways"]
        return found

    async def sessions(self) -> list[int]:
        """Of each gateway."""
        return [one["sessions"] for one in await self.gateways()]

    async def holder(self, call_id: str) -> str:
        """Id of the gateway that holds a call."""
        live = (await self.get("/v1/calls"))["live"]
        return next(str(call["gateway"]) for call in live if call["id"] == call_id)

    @asynccontextmanager
    async def by_another(self, gateway: str) -> AsyncIterator[httpx.AsyncClient]:
        """A client whose requests another gateway takes."""
        async with AsyncExitStack() as opened:
            async with asyncio.timeout(DEADLINE_S):
                while True:
                    http = await opened.enter_async_context(self.client())
                    if (await http.get("/readyz")).json()["gateway"] != gateway:
                        break
            yield http

    async def until(self, true: Callable[[list[dict[str, Any]]], bool]) -> None:
        """The gateways are so."""
        async with asyncio.timeout(DEADLINE_S):
            while not true(await self.gateways()):
                await asyncio.sleep(0.05)

    async def total(self, name: str) -> float:
        """Of a metric: all its lines together."""
        async with self.client() as http:
            text = (await http.get("/metrics")).text
        lines = [line for line in text.splitlines() if line.startswith((name + "{", name + " "))]
        return sum(float(line.rpartition(" ")[2]) for line in lines)


class Talker:
    """A client on a WebSocket, which remembers what came."""

    def __init__(self, ws: ClientConnection) -> None:
        self.ws = ws
        self.id = self.token = ""  # the token: where it may be resumed

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(DEADLINE_S):
            event: dict[str, Any] = json.loads(await self.ws.recv())
        return event

    async def until(self, kind: str) -> dict[str, Any]:
        while (event := await self.next())["type"] != kind:
            pass
        return event

    async def say(self, **event: Any) -> None:
        await self.ws.send(json.dumps(event))

    async def turn(self) -> dict[str, Any]:
        """Ask for an answer in text, and have it."""
        item = {"type": "message", "role": "user", "content": []}
        await self.say(
            type="conversation.item.create",
            item={**item, "content": [{"type": "input_text", "text": "what time is it"}]},
        )
        await self.say(type="response.create", response={"output_modalities": ["text"]})
        done = await self.until("response.done")
        assert done["response"]["status"] == "completed", done
        return done


@asynccontextmanager
async def talker(
    server: Server, query: str = "model=m", key: str = "the-owners-key"
) -> AsyncIterator[Talker]:
    """Connected, and told its session."""
    headers = {"Authorization": f"Bearer {key}"}
    url = f"{server.ws}/realtime?{query}"
    async with connect(
        url,
        additional_headers=headers,
        max_size=None,
        max_queue=None,  # a test may leave events unread, and the end must come all the same
        proxy=None,
    ) as ws:
        one = Talker(ws)
        session = (await one.next())["session"]
        one.id = session["id"]
        one.token = session.get("voicepipe", {}).get("resume", {}).get("token", "")
        yield one


@asynccontextmanager
async def apart(
    server: Server, key: str = "the-owners-key"
) -> AsyncIterator[tuple[Talker, Talker]]:
    """Two whose calls are held by two gateways. The parent knows of a connection that has just
    ended a moment later, so that may need a second try; and so do limits, which may refuse it
    until then."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            async with AsyncExitStack() as opened:
                try:
                    one = await opened.enter_async_context(talker(server, key=key))
                    other = await opened.enter_async_context(talker(server, key=key))
                except InvalidStatus as refused:
                    if refused.response.status_code != TOO_MANY:
                        raise
                    await asyncio.sleep(0.05)
                    continue
                if await server.holder(one.id) != await server.holder(other.id):
                    kept = opened.pop_all()
                    break
    async with kept:
        yield one, other


@contextmanager
def gateways(
    folder: Path, *options: str, settings: str = SETTINGS, is_killed: bool = False
) -> Iterator[Server]:
    """The server, ready. Its end must be clean, without a traceback, and leave nothing.
    `is_killed`: the test kills the parent."""
    port, audiosocket = free_port(), free_port()
    (folder / "voicepipe.toml").write_text(settings.format(audiosocket=audiosocket))
    log_path = folder / "log.txt"
    environ = {**os.environ, "XDG_DATA_HOME": str(folder), "TMPDIR": str(folder)}
    words = ("serve", "--port", str(port), *options)
    process = Voicepipe(*words, output=log_path, cwd=folder, env=environ)
    server = Server(process, port, audiosocket)
    try:
        _await_ready(server, log_path)
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(timeout=60)
        finally:
            process.kill()
    text = log_path.read_text()
    assert status == (-signal.SIGKILL if is_killed else 0), text
    assert "Traceback" not in text, text
    assert not list(folder.glob("voicepipe-*")), "the shared folder is left"


def _await_ready(server: Server, log_path: Path) -> None:
    until = time.monotonic() + START_S
    while "voicepipe is listening" not in log_path.read_text():
        if server.process.poll() is not None or time.monotonic() > until:
            server.process.kill()
            server.process.wait()
            raise RuntimeError(f"the server has not started:\n{log_path.read_text()}")
        time.sleep(0.05)
