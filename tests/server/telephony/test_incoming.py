"""A program decides on calls that come in: asked by a webhook, or over REST while they ring."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from openai import APIStatusError, AsyncOpenAI
from openai.types.realtime import SessionCreatedEvent

from tests.server.harness import RunningServer, simulated_engines
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.telephony.rest_server import rest_server
from tests.server.telephony.signing import CLOSED, PEM, PUBLIC, SECRET, signed
from tests.server.telephony.test_webhooks import NAMES, stream, stream_of
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import DEADLINE_S, only_call
from tests.server.test_sdk import client, until
from tests.server.webhook_receiver import receiver
from voicepipe.protocols.telephony.carriers import plivo
from voicepipe.protocols.telephony.contract import CallEnded, CallEvent
from voicepipe.server.decision import Decision
from voicepipe.server.live_calls import LiveCall, Parties, State
from voicepipe.server.telephony.call_events import CallEvents
from voicepipe.server.telephony.ringing_line import decision_on

AGENTS = {
    "desk": {"instructions": "You are the desk of {{company}}.", "variables": {"company": "us"}},
    "bar": {"instructions": "You are the bar. The guest is {{guest}}.", "variables": {"guest": ""}},
}
INCOMING = {"events": ["call.incoming"]}
WAIT = {"wait_for_program": True, "incoming_ms": 10_000}


def closed(**telephony: Any) -> dict[str, Any]:
    return {"telephony": {**CLOSED, **telephony}, "agents": AGENTS, "server": {"agent": "desk"}}


@pytest.mark.parametrize("name", NAMES)
async def test_webhooks_answer_chooses_agent_and_variables(name: str) -> None:
    async with receiver() as program:
        program.answer = lambda event: (200, json.dumps({"agent": "bar", "variables": VARIABLES}))
        sections = closed()
        async with (
            phone_server(webhooks=program.settings(**INCOMING), **sections) as server,
            httpx.AsyncClient(base_url=server.http, trust_env=False) as http,
        ):
            answer = await signed(name).send(http)
            assert answer.status_code == 200, answer.text
            live = await only_call(server)
            assert live.state is State.RINGING
            (event,) = program.events
            assert event["data"]["call_id"] == live.id
            assert event["data"]["transport"] == name
            assert event["data"]["caller"] == "+15550001"
            async with stream(server, name, stream_of(name, answer.text)):
                session = await live.connected()
                assert session is not None
                assert live.agent == "bar"
                assert session.settings.instructions == "You are the bar. The guest is Ann."
                assert server.service.live_calls.find(live.id) is live
            await nothing_left(server)


VARIABLES = {"guest": "Ann"}


@pytest.mark.parametrize("name", NAMES)
async def test_webhooks_answer_may_reject(name: str) -> None:
    async with receiver() as program:
        program.answer = lambda event: (200, '{"reject": true}')
        async with (
            phone_server(webhooks=program.settings(**INCOMING), **closed()) as server,
            httpx.AsyncClient(base_url=server.http, trust_env=False) as http,
        ):
            answer = await signed(name).send(http)
            assert answer.status_code == 200
            assert "/telephony/" not in answer.text, "there is no stream in it"
            assert not len(server.service.live_calls)


@pytest.mark.parametrize(
    ("answer", "default", "taken"),
    [
        ((500, ""), "answer", True),
        ((500, ""), "reject", False),
        ((200, "<html>"), "reject", False),
        ((200, '{"agent": "nobody"}'), "reject", False),
        ((302, ""), "reject", False),
        ((204, ""), "reject", True),  # it was asked and has nothing to say
    ],
)
async def test_program_that_does_not_answer_leaves_it_to_the_settings(
    answer: tuple[int, str], default: str, taken: bool
) -> None:
    async with receiver() as program:
        program.answer = lambda event: answer
        async with (
            phone_server(
                webhooks=program.settings(**INCOMING), **closed(incoming_default=default)
            ) as server,
            httpx.AsyncClient(base_url=server.http, trust_env=False) as http,
        ):
            document = (await signed("twilio").send(http)).text
            assert ("<Stream" in document) == taken


async def test_program_that_is_too_slow_is_not_waited_for() -> None:
    async with receiver() as program:
        program.pause_s = 3.0
        async with (
            phone_server(
                webhooks=program.settings(**INCOMING), **closed(incoming_ms=200)
            ) as server,
            httpx.AsyncClient(base_url=server.http, trust_env=False) as http,
        ):
            began = asyncio.get_running_loop().time()
            assert "<Stream" in (await signed("twilio").send(http)).text
            assert asyncio.get_running_loop().time() - began < program.pause_s


async def test_carrier_that_asks_again_does_not_ring_twice() -> None:
    async with phone_server(**closed(**WAIT)) as server:
        async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
            webhook = signed("twilio")
            both = [asyncio.create_task(webhook.send(http)) for _ in range(2)]
            live = await only_call(server)
            async with client(server) as openai:
                await openai.realtime.calls.accept(live.id, type="realtime")
            first, second = await asyncio.gather(*both)
            assert first.text == second.text
            assert len(server.service.live_calls) == 1


async def test_sdk_accepts_a_ringing_call_with_its_session_and_joins_it() -> None:
    async with phone_server(**closed(**WAIT)) as server:
        async with (
            httpx.AsyncClient(base_url=server.http, trust_env=False) as http,
            client(server) as openai,
        ):
            ringing = asyncio.create_task(signed("twilio").send(http))
            live = await only_call(server)
            await openai.realtime.calls.accept(
                live.id,
                type="realtime",
                instructions="You are mine.",
                audio={"input": {"format": {"type": "audio/pcm", "rate": 24000}}},
                extra_body={"variables": {"company": "ACME"}},
            )
            with pytest.raises(APIStatusError) as late:
                await openai.realtime.calls.reject(live.id)
            assert late.value.status_code == 409
            async with openai.realtime.connect(call_id=live.id) as program:
                async with stream(server, "twilio", stream_of("twilio", (await ringing).text)):
                    created = await until(program, "session.created", [])
                    assert isinstance(created, SessionCreatedEvent)
                    assert live.session is not None
                    assert live.session.settings.instructions == "You are mine."
                    wire = live.session.settings.input_format
                    assert wire.encoding == "pcmu", "the line's format stays"
        await nothing_left(server)


@pytest.mark.parametrize("name", ["asterisk", "plain", "audiosocket"])
async def test_bridge_rings_on_its_line(name: str) -> None:
    async with phone_server(telephony=WAIT, agents=AGENTS) as server:
        async with call(server, name) as phone, client(server) as openai:
            if name == "audiosocket":
                await phone.say(tone(20))
            live = await only_call(server)
            assert live.state is State.RINGING
            await phone.say(tone(200))  # nobody hears it
            await openai.realtime.calls.accept(
                live.id, type="realtime", extra_body={"agent": "bar"}
            )
            session = await live.connected()
            assert session is not None
            assert live.agent == "bar"
            await phone.sound(await phone.say(tone(400)), DEADLINE_S)


async def test_bridge_that_is_rejected_is_hung_up_and_one_that_hangs_up_rings_no_more() -> None:
    async with phone_server(telephony=WAIT) as server:
        async with call(server, "asterisk") as phone, client(server) as openai:
            await openai.realtime.calls.reject((await only_call(server)).id, status_code=486)
            await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
            assert any(h.what == "hangup" for h in phone.heard.time_line)
        async with call(server, "asterisk"):
            await only_call(server)
        await nothing_left(server)
        async with asyncio.timeout(DEADLINE_S):
            while len(server.service.live_calls):
                await asyncio.sleep(0.01)


async def test_caller_who_hangs_up_as_the_program_accepts_is_not_talked_to() -> None:
    class Left(CallEvents):
        def __init__(self) -> None: ...

        async def next(self) -> list[CallEvent]:
            return [CallEnded("hangup")]

    ringing = LiveCall("rtc_1", Parties("asterisk"))
    ringing.decide(Decision(accepted=True))
    decision = await decision_on(ringing, ringing.decided(), Left())
    assert (decision.accepted, decision.reason) == (False, "caller hung up")


async def test_bridge_that_is_hung_up_as_soon_as_it_is_accepted_is_not_answered() -> None:
    async with phone_server(telephony=WAIT) as server, call(server, "asterisk") as phone:
        live = await only_call(server)
        assert live.decide(Decision(accepted=True))
        assert await live.hang_up()
        await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
        assert any(h.what == "hangup" for h in phone.heard.time_line)
        assert not server.service.sessions_opened
        assert not len(server.service.live_calls)


async def ask(openai: AsyncOpenAI, path: str, body: Any) -> APIStatusError:
    with pytest.raises(APIStatusError) as refused:
        await openai.post(path, body=body, cast_to=object)
    return refused.value


@pytest.mark.parametrize(
    ("action", "body", "param"),
    [
        ("accept", {"agent": "nobody"}, "agent"),
        ("accept", {"agent": 3}, "agent"),
        ("accept", {"variables": []}, "variables"),
        ("accept", {"variables": {"a b": "x"}}, "variables"),
        ("accept", {"variables": {"a": {}}}, "variables.a"),
        ("accept", {"variables": {"a": "x" * 501}}, "variables.a"),
        ("accept", {"tools": 3}, "session.tools"),
        ("reject", {"status_code": 99}, "status_code"),
        ("refer", {}, "target_uri"),
        ("refer", {"target_uri": "sip:me@example.com"}, "target_uri"),
    ],
)
async def test_wrong_fields_are_named_and_the_call_rings_on(
    action: str, body: dict[str, Any], param: str
) -> None:
    async with phone_server(telephony=WAIT) as server, call(server, "asterisk"):
        live = await only_call(server)
        async with client(server) as openai:
            error = await ask(openai, f"/realtime/calls/{live.id}/{action}", body)
        assert error.status_code == 400
        assert error.param == param
        assert live.state is State.RINGING


async def test_refer_has_the_carrier_put_the_call_through() -> None:
    async with rest_server() as rest:
        account = {"account_sid": "AC1", "auth_token": "t", "api_url": rest.url}
        async with phone_server(telephony={"twilio": account}) as server:
            async with call(server) as phone, client(server) as openai:
                live = await only_call(server)
                await openai.realtime.calls.refer(live.id, target_uri="tel:+15550177")
                await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
            await nothing_left(server)
    (asked,) = rest.asked
    assert "<Dial>+15550177</Dial>" in asked.form["Twiml"], "and no hang-up behind it"


async def test_plivo_fetches_the_document_that_puts_a_call_through() -> None:
    async with rest_server() as rest:
        account = {"auth_id": "MA1", "auth_token": SECRET, "api_url": rest.url}
        settings = {**CLOSED, "plivo": account}
        async with phone_server(telephony=settings) as server, client(server) as openai:
            async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
                document = (await signed("plivo").send(http)).text
                async with stream(server, "plivo", stream_of("plivo", document)) as phone:
                    live = await only_call(server)
                    await live.connected()
                    await openai.realtime.calls.refer(live.id, target_uri="tel:+15550177")
                    await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
                url = json.loads(rest.asked[0].body)["aleg_url"]
                form = {"CallUUID": "CA1"}
                sign = {
                    "x-plivo-signature-v3": plivo.sign(url, SECRET, "n2", form.items()),
                    "x-plivo-signature-v3-nonce": "n2",
                }
                path = url.removeprefix(PUBLIC)
                fetched = await http.post(path, data=form, headers=sign)
                other = path.replace("177", "178")
                assert (await http.post(other, data=form, headers=sign)).status_code == 403
            await nothing_left(server)
    assert "<Dial><Number>+15550177</Number></Dial>" in fetched.text


async def test_vonage_is_given_the_document_that_puts_a_call_through() -> None:
    async with rest_server(status=204, answer="") as rest:
        account = {"application_id": "APP1", "private_key": PEM, "api_url": rest.url}
        settings = {**CLOSED, "vonage": {**account, "signature_secret": SECRET}}
        async with phone_server(telephony=settings) as server, client(server) as openai:
            async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
                document = (await signed("vonage").send(http)).text
            async with stream(server, "vonage", stream_of("vonage", document)) as phone:
                live = await only_call(server)
                await live.connected()
                await openai.realtime.calls.refer(live.id, target_uri="tel:+15550177")
                await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
            await nothing_left(server)
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("PUT", f"/v1/calls/{live.parties.carrier_call_id}")
    connect = {
        "action": "connect",
        "endpoint": [{"type": "phone", "number": "15550177"}],
        "from": "15550002",  # the number that was called
    }
    wanted = {"action": "transfer", "destination": {"type": "ncco", "ncco": [connect]}}
    assert json.loads(asked.body) == wanted


async def test_refer_that_fails_is_told_and_the_call_goes_on() -> None:
    async def refused(server: RunningServer, name: str) -> APIStatusError:
        async with call(server, name), client(server) as openai:
            live = await only_call(server)
            path = f"/realtime/calls/{live.id}/refer"
            error = await ask(openai.with_options(max_retries=0), path, {"target_uri": "+15550177"})
            assert live.state is State.ACTIVE
            return error

    async with rest_server(status=500) as rest:
        account = {"account_sid": "AC1", "auth_token": "t", "api_url": rest.url}
        async with phone_server(simulated_engines(), {"twilio": account}) as server:
            assert "failed with status 500" in (await refused(server, "twilio")).message
            told = (await refused(server, "asterisk")).message
            assert "asterisk cannot be put through: it has no REST interface" in told
            told = (await refused(server, "plivo")).message
            assert "telephony.plivo has no credentials" in told
