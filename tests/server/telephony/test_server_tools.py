"""A telephone call whose tools the server runs: the caller's order reaches a service of one's own,
and whatever that service does the call lives."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.scripted_server import Reply
from tests.server.harness import simulated_engines
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_limits import nothing_left
from tests.tools.service import JSON, Service, json_reply, service
from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer

ANSWER_S = 20.0
ORDER = Answer(tool=("order", '{"drink": "coffee"}'))
DETAILS = CallDetails(caller="+15550123", called="+15550199")


def order_tool(bar: Service, **given: Any) -> dict[str, Any]:
    parameters = {"properties": {"drink": {"type": "string"}}, "required": ["drink"]}
    tool = {"name": "order", "url": f"{bar.origin}/orders", "parameters": parameters}
    return {"http": [{**tool, "facts": ["caller", "call_id"], **given}]}


async def test_an_order_reaches_the_service_and_its_answer_the_model() -> None:
    engines = simulated_engines(answers=(ORDER, "Your number is seven."))
    async with service(orders=json_reply({"number": 7})) as bar:
        async with phone_server(engines, tools=order_tool(bar)) as server:
            async with call(server, "telnyx", details=DETAILS) as phone:
                said = await phone.say(tone(400))
                await phone.sound(said, ANSWER_S)
            await nothing_left(server)
    (asked,) = bar.asked
    assert asked.json["drink"] == "coffee"
    assert asked.json["caller"] == DETAILS.caller
    assert asked.json["call_id"]
    requests: list[ChatRequest] = engines.model.requests  # type: ignore[attr-defined]
    assert "order" in [tool.name for tool in requests[0].tools]
    assert DETAILS.caller not in str(requests)  # the model need not know it
    assert json.loads(requests[-1].messages[-1].content) == {"number": 7}


BAD = {
    "hangs": Reply((30.0, b"{}"), 200, JSON),
    "ten megabytes": Reply([b"x" * 65536] * 160, 200, JSON),
    "invalid": Reply((b"{",), 200, JSON),
    "html": Reply((b"<html>",), 200, {"content-type": "text/html"}),
    "redirects": Reply((), 302, {"location": "http://169.254.169.254/latest/meta-data/"}),
    "cut": Reply((b"{", None), 200, JSON),
}


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD)
async def test_a_bad_service_is_told_to_the_model_and_the_call_lives(
    reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    engines = simulated_engines(answers=(ORDER, "I cannot take orders now."))
    async with service(orders=reply) as bar:
        async with phone_server(engines, tools=order_tool(bar, deadline_ms=500)) as server:
            async with call(server, details=DETAILS) as phone:
                said = await phone.say(tone(400))
                heard = await phone.sound(said, ANSWER_S)
                await phone.silence(heard, 500, ANSWER_S)
                assert not phone.ended.is_set()
            await nothing_left(server)
    requests: list[ChatRequest] = engines.model.requests  # type: ignore[attr-defined]
    assert json.loads(requests[1].messages[-1].content)["error"]
    assert "tools.http[0] (order)) failed after" in caplog.text


async def test_a_caller_who_hangs_up_leaves_no_call_of_a_tool_behind() -> None:
    engines = simulated_engines(answers=(ORDER,))
    async with service(orders=Reply((30.0, b"{}"), 200, JSON)) as bar:
        async with phone_server(engines, tools=order_tool(bar)) as server:
            async with call(server, details=DETAILS) as phone:
                await phone.say(tone(400))
                async with asyncio.timeout(ANSWER_S):
                    while not bar.asked:
                        await asyncio.sleep(0.01)
            await nothing_left(server)
            await asyncio.wait_for(bar.client_gone.wait(), ANSWER_S)
