"""`examples/in_charge.py` as the guide tells it: takes a customer's call, answers its tool."""

from __future__ import annotations

import asyncio
import importlib.util
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from openai import AsyncOpenAI

from tests.call_log.harness import sqlite_url
from tests.quick_server import QuickServer
from tests.server.harness import RunningServer, simulated_engines
from tests.server.telephony.harness import phone_server, tone
from tests.server.telephony.signing import CLOSED, signed
from tests.server.telephony.test_webhooks import stream, stream_of
from tests.server.test_live_calls import only_call
from tests.server.webhook_receiver import DEADLINE_S, SECRET
from voicepipe.llm.engines.simulated import Answer

EXAMPLE = Path(__file__).parents[2] / "examples" / "in_charge.py"


@asynccontextmanager
async def program(app: Any, listener: socket.socket) -> AsyncIterator[None]:
    server = QuickServer(uvicorn.Config(app, log_config=None, lifespan="off"))
    task = asyncio.create_task(server.serve([listener]), name="Task-program")
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        yield
    finally:
        await server.stop(task)


async def test_example_decides_gives_a_tool_and_hears_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", SECRET)
    spec = importlib.util.spec_from_file_location("in_charge", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/voicepipe"
        engines = simulated_engines(
            heard=("how much is left",),
            answers=(Answer(tool=("account_balance", "{}")), "You have 12 euros left."),
        )
        async with (
            program(example.app, listener),
            phone_server(
                engines,
                CLOSED,
                calls={"enabled": True, "database": sqlite_url(tmp_path)},
                webhooks={"mine": {"url": url, "secret": SECRET}},
                agents={"desk": {"instructions": "{{guest}} calls.", "variables": {"guest": ""}}},
            ) as server,
            AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1") as client,
        ):
            example.server = client
            await a_customer_asks(server, example)
    assert "You have 12 euros left." in capsys.readouterr().out


async def a_customer_asks(server: RunningServer, example: Any) -> None:
    async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
        document = (await signed("twilio").send(http)).text
        async with stream(server, "twilio", stream_of("twilio", document)) as phone:
            session = await (await only_call(server)).connected()
            assert session is not None
            assert session.settings.instructions == "Ann calls."
            async with asyncio.timeout(DEADLINE_S):
                while not session.settings.tools:
                    await asyncio.sleep(0.02)
            await phone.say(tone(400))
            heard_at = await phone.sound(phone.clock.now(), DEADLINE_S)
            await phone.silence(heard_at, 500, DEADLINE_S)
    async with asyncio.timeout(DEADLINE_S):
        while example.calls or server.service.sessions:
            await asyncio.sleep(0.02)
        outbox = server.service.calls.outbox
        assert outbox is not None
        while server.service.deliveries and server.service.deliveries.delivered < 3:
            await asyncio.sleep(0.02)
