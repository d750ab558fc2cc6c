"""The server calls people: by each carrier's REST interface, whose requests are judged."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import jwt
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.call_log.harness import sqlite_url
from tests.server.harness import RunningServer
from tests.server.telephony.dialing import (
    DEADLINE_S,
    FROM,
    NAMES,
    TO,
    answered,
    credentials,
    dialing,
    judged,
    picked_up,
    stream_url,
)
from tests.server.telephony.harness import phone_server
from tests.server.telephony.rest_server import RestServer, rest_server
from tests.server.telephony.signing import KEY, PUBLIC, telnyx_signed
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import only_call
from tests.server.webhook_receiver import receiver
from voicepipe.config import Settings
from voicepipe.lab.carriers.call import ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.lab.carriers.dialing import Placed, Request, placed
from voicepipe.protocols.telephony.carrier import Dial, Transfer
from voicepipe.protocols.telephony.carriers import plivo, twilio, vonage
from voicepipe.protocols.telephony.carriers.telnyx import TELNYX
from voicepipe.protocols.telephony.carriers.twilio import TWILIO
from voicepipe.protocols.telephony.carriers.vonage import VONAGE
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.live_calls import LiveCall, State
from voicepipe.server.telephony.outbound import Outbound
from voicepipe.server.telephony.rest import CarrierError, RestInterface


@pytest.mark.parametrize("name", NAMES)
async def test_carrier_is_asked_as_its_documents_say_and_the_call_is_up(name: str) -> None:
    async with dialing(name) as (server, rest, program):
        wanted = {"to": TO, "agent": "poll", "variables": {"guest": "Ann"}}
        answer = await program.post("/v1/calls", json=wanted)
        assert answer.status_code == 201, answer.text
        told = answer.json()
        assert told["state"] == "dialing"
        assert told["carrier_call_id"] == "CALL1"
        assert answer.headers["location"] == f"/v1/calls/{told['id']}"
        (asked,) = rest.asked
        call = judged(name, asked)
        assert call.problems == []
        assert (call.to.removeprefix("+"), call.caller.removeprefix("+")) == (TO[1:], FROM[1:])
        assert call.ring_s == 45
        if name == "vonage":
            token = asked.authorization.removeprefix("Bearer ")
            assert jwt.decode(token, KEY.public_key(), ["RS256"])["application_id"] == "APP1"
        live = server.service.live_calls.find(told["id"])
        assert live is server.service.live_calls.find("CALL1")
        url = await stream_url(name, call, program)
        async with picked_up(server, name, url) as phone:
            session = await live.connected()
            assert session is not None
            assert live.agent == "poll"
            assert session.settings.instructions == "You ask Ann."
            assert (live.parties.caller, live.parties.called) == (FROM, TO)
            assert phone.problems == []
        await nothing_left(server)


@pytest.mark.parametrize("how", ["server stops", "line breaks", "callee hangs up"])
async def test_call_that_is_only_streamed_here_ends_with_its_stream(how: str) -> None:
    """Telnyx has no document by which it would go on to the call's end: whoever was called would
    hear silence until they hang up."""
    async with dialing("telnyx", detect_machine=False) as (server, rest, program):
        assert (await program.post("/v1/calls", json={"to": TO})).status_code == 201
        live = await only_call(server)
        url = judged("telnyx", rest.asked[0]).stream_url
        async with picked_up(server, "telnyx", url) as phone:
            session = await live.connected()
            assert session is not None
            if how == "server stops":
                await server.service.close_session(session)
            elif how == "line breaks":
                phone.lose()
            else:
                await phone.hang_up()
            await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
        await nothing_left(server)
        ended = [asked.path.rpartition("/")[2] for asked in rest.asked[1:]]
        assert ended == ([] if how == "callee hangs up" else ["hangup"])


@pytest.mark.parametrize("how", ["server is full", "stream says nothing"])
async def test_call_that_is_picked_up_and_cannot_be_answered_is_given_up_at_once(how: str) -> None:
    full = how == "server is full"
    sections = {"limits": {"max_sessions": 1}}
    async with dialing(sections=sections, start_timeout_s=0.2) as (server, rest, program):
        assert (await program.post("/v1/calls", json={"to": TO})).status_code == 201
        url = judged("twilio", rest.asked[0]).stream_url
        headers = {"x-twilio-signature": twilio.sign(url, "KEY1")}
        local = url.replace("wss://voice.example.com", f"ws://127.0.0.1:{server.port}")
        if full:
            server.service.seats.take("sess_other")
        with pytest.raises(InvalidStatus if full else ConnectionClosed):
            async with connect(local, additional_headers=headers) as stream:
                await stream.recv()
        async with asyncio.timeout(5):
            while len(server.service.live_calls) or len(rest.asked) < 2:
                await asyncio.sleep(0.01)
        assert rest.asked[1].form == {"Status": "completed"}
        server.service.seats.free("sess_other")
        await nothing_left(server)


async def test_nobody_picks_up(tmp_path: Path) -> None:
    async with receiver() as program:
        sections = {
            "calls": {"enabled": True, "database": sqlite_url(tmp_path)},
            "webhooks": program.settings(events=["call.answered", "call.ended"]),
        }
        async with dialing(ring_s=5, sections=sections) as (server, rest, http):
            created = await http.post("/v1/calls", json={"to": TO})
            live = server.service.live_calls.find(created.json()["id"])
            outbound: Outbound = server.app.state.telephony.outbound
            timer = outbound._expiry[live.id]
            assert 15 < timer.when() - asyncio.get_running_loop().time() <= 20
            timer._run()  # nobody waits so long
            ended = await program.until("call.ended")
            assert ended["data"]["call_id"] == live.id
            assert ended["data"]["end_reason"] == "not answered"
            assert program.types() == ["call.ended"]
            async with asyncio.timeout(DEADLINE_S):
                while len(rest.asked) < 2:
                    await asyncio.sleep(0.01)
            assert rest.asked[1].form == {"Status": "completed"}
            assert live.state is State.ENDED


async def test_a_server_that_stops_rings_nobody_any_more() -> None:
    """Its calls may go on for a while, but who picked up now would be hung up on."""
    async with dialing() as (server, rest, program):
        assert (await program.post("/v1/calls", json={"to": TO})).status_code == 201
        server.service.refuse_newcomers()
        async with asyncio.timeout(5):
            while len(server.service.live_calls) or len(rest.asked) < 2:
                await asyncio.sleep(0.01)
        assert rest.asked[1].form == {"Status": "completed"}
        await nothing_left(server)


def status_request(
    name: str, call: Placed, word: str, call_id: str = "CALL1"
) -> tuple[bytes, dict[str, str]]:
    """What the carrier tells `status_url`, as its documents have it; signed."""
    url = call.status_url
    if name == "telnyx":
        event = {"event_type": "call.hangup", "payload": {"call_control_id": call_id}}
        event["payload"]["hangup_cause"] = word  # type: ignore[index]
        return telnyx_signed(json.dumps({"data": event}).encode())
    if name == "vonage":
        body = json.dumps({"status": word, "uuid": call_id}).encode()
        claims = {"iat": int(time.time()), "payload_hash": hashlib.sha256(body).hexdigest()}
        token = vonage.sign("S1", claims)
        return body, {"authorization": f"Bearer {token}", "content-type": "application/json"}
    form = {"CallStatus": word, "CallUUID" if name == "plivo" else "CallSid": call_id}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    if name == "plivo":
        headers["x-plivo-signature-v3"] = plivo.sign(url, "KEY1", "n1", form.items())
        headers["x-plivo-signature-v3-nonce"] = "n1"
    elif name == "signalwire":
        headers["x-signalwire-signature"] = twilio.sign(url, "S1", form.items())
    else:
        headers["x-twilio-signature"] = twilio.sign(url, "KEY1", form.items())
    return urlencode(form).encode(), headers


STATUSES = [
    ("twilio", "busy", "busy"),
    ("signalwire", "failed", "failed"),
    ("telnyx", "user_busy", "busy"),
    ("plivo", "no-answer", "not answered"),
    ("vonage", "rejected", "rejected"),
]


@pytest.mark.parametrize(("name", "word", "reason"), STATUSES)
async def test_why_nobody_picked_up_is_told_apart(
    name: str, word: str, reason: str, tmp_path: Path
) -> None:
    async with receiver() as told:
        sections = {
            "calls": {"enabled": True, "database": sqlite_url(tmp_path)},
            "webhooks": told.settings(events=["call.answered", "call.ended"]),
        }
        async with dialing(name, sections=sections) as (server, rest, program):
            created = (await program.post("/v1/calls", json={"to": TO})).json()
            call = judged(name, rest.asked[0])
            path = call.status_url.removeprefix(PUBLIC)
            body, headers = status_request(name, call, word)
            forged = {**headers, **{h: "AAAA" for h in headers if "sign" in h or "auth" in h}}
            assert (await program.post(path, content=body, headers=forged)).status_code == 403
            assert len(server.service.live_calls)
            answer = await program.post(path, content=body, headers=headers)
            assert answer.status_code == 200, answer.text
            ended = await told.until("call.ended")
            assert ended["data"]["call_id"] == created["id"]
            assert ended["data"]["end_reason"] == reason
            assert told.types() == ["call.ended"]
            assert not len(server.service.live_calls)
            assert len(rest.asked) == 1, "there is nothing to hang up"
            again = await program.post(path, content=body, headers=headers)
            assert again.status_code == 200


async def test_a_status_of_another_call_or_of_none_changes_nothing() -> None:
    async with dialing("vonage") as (server, rest, program):
        await program.post("/v1/calls", json={"to": TO})
        call = judged("vonage", rest.asked[0])
        path = call.status_url.removeprefix(PUBLIC)  # its query is not signed, so not believed
        for word, call_id, status in (("busy", "CALL2", 200), ("ringing", "CALL1", 200)):
            body, headers = status_request("vonage", call, word, call_id)
            answer = await program.post(path, content=body, headers=headers)
            assert answer.status_code == status
        body, headers = status_request("vonage", call, "busy")
        claims = {"iat": int(time.time())}
        headers["authorization"] = f"Bearer {vonage.sign('S1', claims)}"
        for body in (b'{"uuid": 3}', b'{"status": "busy", "uuid": {}}'):
            assert (await program.post(path, content=body, headers=headers)).status_code == 400
        assert [live.state for live in server.service.live_calls] == [State.DIALING]


async def test_program_takes_its_call_back_while_it_rings() -> None:
    async with dialing() as (server, rest, program):
        created = (await program.post("/v1/calls", json={"to": TO})).json()
        answer = await program.post(f"/v1/realtime/calls/{created['id']}/hangup")
        assert answer.status_code == 200
        assert not len(server.service.live_calls)
        url = judged("twilio", rest.asked[0]).stream_url
        async with picked_up(server, "twilio", url) as phone:  # picked up just then
            await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
        await nothing_left(server)


@pytest.mark.parametrize("status", [204, 404, 400])
async def test_plivo_ends_what_rings_by_its_request_and_else_by_the_call(status: int) -> None:
    """Until somebody picks up there is no CallUUID, and a 404 of the call would mean nothing."""
    async with dialing("plivo") as (server, rest, program):
        created = (await program.post("/v1/calls", json={"to": TO})).json()
        rest.status = status
        await program.post(f"/v1/realtime/calls/{created['id']}/hangup")
        requests = ["Request"] if status == 204 else ["Request", "Call"]
        async with asyncio.timeout(DEADLINE_S):
            while len(rest.asked) < 1 + len(requests):
                await asyncio.sleep(0.01)
        await nothing_left(server)
    asked = [(one.method, one.path) for one in rest.asked[1:]]
    assert asked == [("DELETE", f"/v1/Account/AC1/{one}/CALL1/") for one in requests]


async def being_asked(
    server: RunningServer, rest: RestServer, program: httpx.AsyncClient
) -> tuple[asyncio.Task[httpx.Response], LiveCall]:
    """A call that the carrier has been asked for and has not answered yet."""
    rest.answers.clear()
    asking = asyncio.create_task(program.post("/v1/calls", json={"to": TO}))
    live = await only_call(server)
    async with asyncio.timeout(DEADLINE_S):
        while not rest.asked:
            await asyncio.sleep(0.01)
    return asking, live


async def test_call_that_is_taken_back_while_the_carrier_is_asked_does_not_ring_on() -> None:
    async with dialing() as (server, rest, program):
        asking, live = await being_asked(server, rest, program)
        answer = await program.post(f"/v1/realtime/calls/{live.id}/hangup")
        assert answer.status_code == 200
        rest.answers.set()
        assert (await asking).json()["state"] == "ended"
        assert not len(server.service.live_calls)
        async with asyncio.timeout(DEADLINE_S):
            while len(rest.asked) < 2:
                await asyncio.sleep(0.01)
        assert rest.asked[1].path.endswith("/Calls/CALL1.json")
        assert rest.asked[1].form == {"Status": "completed"}
        await nothing_left(server)


async def test_nothing_is_kept_of_a_call_whose_stream_was_faster_than_the_carriers_answer() -> None:
    async with dialing() as (server, rest, program):
        asking, live = await being_asked(server, rest, program)
        async with picked_up(server, "twilio", judged("twilio", rest.asked[0]).stream_url):
            await live.connected()
            rest.answers.set()
            assert (await asking).json()["state"] == "active"
        await nothing_left(server)
        outbound: Outbound = server.app.state.telephony.outbound
        assert outbound.known(live.id) is None


async def test_call_whose_stream_was_faster_can_be_put_through_as_soon_as_its_id_is_known() -> None:
    """Vonage's streams do not say it: only the answer to our request does."""
    async with dialing("vonage") as (server, rest, program):
        asking, live = await being_asked(server, rest, program)
        url = judged("vonage", rest.asked[0]).stream_url
        local = url.replace("wss://voice.example.com", f"ws://127.0.0.1:{server.port}")
        async with ring(carrier("vonage", CallDetails(call_id="")), local) as phone:
            await live.connected()
            rest.answers.set()
            assert (await asking).json()["carrier_call_id"] == "CALL1"
            await live.refer("+15550177")
            assert rest.asked[1].path == "/v1/calls/CALL1"
            await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
        await nothing_left(server)


@pytest.mark.parametrize("said", ['{"sid": null}', '{"sid": ""}', '{"sid": {}}', "[]", "queued"])
async def test_carrier_that_does_not_say_which_call_it_makes_is_named(said: str) -> None:
    """Nobody could end it."""
    async with rest_server(201, said) as carriers:
        own = credentials("twilio", carriers.url)
        settings = Settings.model_validate({"telephony": {"twilio": own}})
        dialed = RestInterface(TWILIO, settings.telephony).dial(Dial(TO, FROM, "wss://x", "x", 45))
        with pytest.raises(CarrierError, match="twilio has not said which call it makes"):
            await dialed


async def test_who_picks_up_a_call_that_was_taken_back_is_no_caller() -> None:
    """Plivo asks for the document as soon as somebody picks up; nobody has called us."""
    async with dialing("plivo") as (server, rest, program):
        created = (await program.post("/v1/calls", json={"to": TO, "agent": "poll"})).json()
        call = judged("plivo", rest.asked[0])
        answer = await program.post(f"/v1/realtime/calls/{created['id']}/hangup")
        assert answer.status_code == 200
        document = await answered(call, program)
        assert [one.tag for one in document] == ["Hangup"]
        await nothing_left(server)


async def test_call_that_is_picked_up_where_there_is_no_room_rings_no_more() -> None:
    """Its carrier is told so when it asks for the document."""
    sections = {"limits": {"max_sessions": 1}}
    async with dialing("plivo", sections=sections) as (server, rest, program):
        assert (await program.post("/v1/calls", json={"to": TO})).status_code == 201
        server.service.seats.take("sess_other")
        document = await answered(judged("plivo", rest.asked[0]), program)
        assert [one.tag for one in document] == ["Hangup"]
        assert not len(server.service.live_calls)
        server.service.seats.free("sess_other")
        await nothing_left(server)


@pytest.mark.parametrize(
    ("wanted", "status", "words"),
    [
        ({}, 400, "to must be"),
        ({"to": "0171 555"}, 400, "to must be"),
        ({"to": "+1900555"}, 403, "outbound_to"),
        ({"to": TO, "agent": "nobody"}, 400, "no agent"),
        ({"to": TO, "variables": {"a": []}}, 400, "variables.a"),
        ({"to": TO, "from": FROM}, 400, "from is none of"),
        ({"to": TO, "session": {"tools": 3}}, 400, "session.tools"),
    ],
)
async def test_what_cannot_be_is_refused_by_name(
    wanted: dict[str, Any], status: int, words: str
) -> None:
    async with dialing(outbound_to=["+1555"]) as (server, rest, program):
        answer = await program.post("/v1/calls", json=wanted)
        assert answer.status_code == status, answer.text
        assert words in answer.json()["error"]["message"]
        assert rest.asked == []
        assert not len(server.service.live_calls)


async def test_request_that_is_too_long_is_not_called_a_full_server() -> None:
    async with dialing() as (_, rest, program):
        wanted = {"to": TO, "session": {"instructions": "a" * 300_000}}
        answer = await program.post("/v1/calls", json=wanted)
        assert answer.status_code == 413, answer.text
        assert answer.json()["error"]["code"] == "request_too_large"
        assert "retry-after" not in answer.headers
        assert rest.asked == []


async def test_no_more_people_are_called_than_can_be_talked_to() -> None:
    async with dialing(sections={"limits": {"max_sessions": 2}}) as (server, rest, program):
        answers = [await program.post("/v1/calls", json={"to": TO}) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [201, 201, 503]
        assert "limits.max_sessions" in answers[2].json()["error"]["message"]
        assert len(rest.asked) == 2
        assert len(server.service.live_calls) == 2


@pytest.mark.parametrize("what", ["hang_up", "transfer"])
async def test_vonages_key_that_is_none_does_not_end_a_call_in_an_error(what: str) -> None:
    settings = Settings.model_validate(
        {"telephony": {"vonage": {"application_id": "APP1", "private_key": "-----"}}}
    )
    rest = RestInterface(VONAGE, settings.telephony)
    asking = rest.hang_up("c1") if what == "hang_up" else rest.transfer(Transfer("c1", TO))
    with pytest.raises(CarrierError, match=r"telephony\.vonage\.private_key"):
        await asking


async def test_telnyx_without_its_application_is_not_told_that_it_has_no_credentials() -> None:
    own = credentials("telnyx", "http://127.0.0.1:9") | {"connection_id": ""}
    settings = Settings.model_validate({"telephony": {"telnyx": own}})
    dialed = RestInterface(TELNYX, settings.telephony).dial(Dial(TO, FROM, "wss://x", "x", 45))
    with pytest.raises(CarrierError, match=r"telephony\.telnyx lacks") as failed:
        await dialed
    assert "no credentials" not in str(failed.value)


@pytest.mark.parametrize("key", ["K3Y\n", "K3Y "])
async def test_key_that_no_header_can_hold_is_named_and_not_told(key: str) -> None:
    async with rest_server() as carriers:
        own = credentials("telnyx", carriers.url) | {"api_key": key}
        settings = Settings.model_validate({"telephony": {"telnyx": own}})
        with pytest.raises(CarrierError, match=r"telephony\.telnyx") as failed:
            await RestInterface(TELNYX, settings.telephony).hang_up("c1")
        assert "K3Y" not in str(failed.value)
        assert carriers.asked == []


async def test_carrier_that_refuses_is_quoted_and_leaves_no_call() -> None:
    async with dialing(status=401) as (server, _, program):
        answer = await program.post("/v1/calls", json={"to": TO})
        assert answer.status_code == 502
        assert "are the credentials right?" in answer.json()["error"]["message"]
        assert not len(server.service.live_calls)


async def test_without_settings_or_the_owners_key_nobody_is_called() -> None:
    async with phone_server(server={"api_key": "owner-key"}) as server:
        async with httpx.AsyncClient(base_url=server.http, trust_env=False) as program:
            assert (await program.post("/v1/calls", json={"to": TO})).status_code == 401
            program.headers["authorization"] = "Bearer owner-key"
            answer = await program.post("/v1/calls", json={"to": TO})
            assert answer.status_code == 403
            assert "telephony.outbound_carrier" in answer.json()["error"]["message"]


@pytest.mark.parametrize("name", NAMES)
def test_judge_of_the_requests_sees_what_is_wrong(name: str) -> None:
    wrong = Request("GET", "/", "Basic AAAA", "text/plain", b"{}")
    assert placed(name, wrong).problems


def test_vonages_key_that_is_none_is_named() -> None:
    settings = Settings.model_validate(
        {"telephony": {"vonage": {"application_id": "APP1", "private_key": "-----"}}}
    )
    control = VONAGE.control(settings.telephony)
    assert control is not None
    assert control.dialing is not None
    with pytest.raises(ConfigError, match=r"telephony\.vonage\.private_key"):
        control.dialing.request(Dial(TO, FROM, "wss://x", "https://x", 45))
