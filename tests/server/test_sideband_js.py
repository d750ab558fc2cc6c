"""A program joins a running call with OpenAI's SDK for JavaScript, over TLS as it insists on."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.browser.node_packages import INSTALLED, package_file
from tests.server.harness import RunningServer
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_live_calls import only_call
from tests.server.test_sideband import weather_engines
from tests.server.test_tls import write_certificate

PROGRAM = Path(__file__).parents[1] / "browser" / "sideband_program.cjs"
DEADLINE_S = 60.0


class Program:
    """The one in node, and what it has told."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def next(self) -> dict[str, Any]:
        """What it tells next."""
        assert self._process.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            line = await self._process.stdout.readline()
        assert line, await self._last_words()
        found: dict[str, Any] = json.loads(line)
        return found

    async def told(self, event: str) -> Any:
        """The value of that, which must be of `event`."""
        found = await self.next()
        assert found["event"] == event, found
        return found["value"]

    async def _last_words(self) -> str:
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode()


@asynccontextmanager
async def program(server: RunningServer, certificate: str, call_id: str) -> AsyncIterator[Program]:
    package_file("openai/realtime/ws.js")  # says how to get it
    process = await asyncio.create_subprocess_exec(
        "node",
        str(PROGRAM),
        f"https://localhost:{server.port}/v1",
        call_id,
        env={**os.environ, "NODE_PATH": str(INSTALLED), "NODE_EXTRA_CA_CERTS": certificate},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Program(process)
        async with asyncio.timeout(DEADLINE_S):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_the_javascript_sdk_gives_a_telephone_call_a_tool_and_ends_it(
    tmp_path: Path,
) -> None:
    files = write_certificate(tmp_path, 1)
    async with phone_server(weather_engines(), server=files) as server:
        async with call(server, "audiosocket") as phone:  # which knows no TLS
            await phone.say(tone(20))
            live = await only_call(server)
            session = await live.connected()
            assert session is not None
            async with program(server, files["tls_cert"], live.id) as js:
                assert await js.told("joined") == session.id
                assert await js.told("updated") == "get_weather"
                assert session.settings.instructions == "Be brief."
                await phone.say(tone(600))
                assert await js.told("called") == "Paris"
                assert await js.told("said") == "It is sunny in Paris."
                last = {(await js.next())["event"], (await js.next())["event"]}
                assert last == {"hung up", "closed"}
            await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
        assert not len(server.service.live_calls)
