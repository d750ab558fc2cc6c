"""Who may call: signed webhooks get a document, its stream gets in once, all others get 403."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import httpx
import pytest

from tests.server.harness import RunningServer
from tests.server.telephony.harness import call, phone_server, stream_url, tone
from tests.server.telephony.signing import (
    CLOSED,
    FORM,
    PUBLIC,
    SECRET,
    Webhook,
    path_of,
    signed,
    telnyx_signed,
)
from voicepipe.lab.carriers.call import EmulatedCall, ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.lab.carriers.connection import CallRefused
from voicepipe.protocols.telephony.carriers import twilio, vonage
from voicepipe.server.telephony.spent_requests import SpentRequests

NAMES = ("twilio", "signalwire", "telnyx", "plivo", "vonage")
ANSWER_S = 20.0
OTHER = {"From": "+15550003", "To": "+15550002", "CallSid": "CA2"}


@asynccontextmanager
async def closed_server(**sections: Any) -> AsyncIterator[tuple[RunningServer, httpx.AsyncClient]]:
    """A server that checks everything, and a client at its port."""
    telephony = {**CLOSED, **sections.pop("telephony", {})}
    async with phone_server(telephony=telephony, **sections) as server:
        async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
            yield server, http


def stream_of(name: str, document: str) -> str:
    """The stream's address in a call document."""
    if name == "vonage":
        (action,) = json.loads(document)
        assert action["action"] == "connect"
        assert action["from"] == action["endpoint"][0]["headers"]["called"]
        return str(action["endpoint"][0]["uri"])
    stream = next(ElementTree.fromstring(document).iter("Stream"))
    return stream.get("url") or stream.text or ""


@asynccontextmanager
async def stream(
    server: RunningServer, name: str, url: str, headers: dict[str, str] | None = None
) -> AsyncIterator[EmulatedCall]:
    """Ring the stream of a document; Twilio signs it."""
    if headers is None:
        signature = twilio.sign(url, SECRET)
        headers = {"x-twilio-signature": signature} if name == "twilio" else {}
    local = url.replace("wss://voice.example.com", f"ws://127.0.0.1:{server.port}")
    async with ring(carrier(name), local, headers=headers) as phone:
        yield phone


@pytest.mark.parametrize("name", NAMES)
async def test_signed_webhook_leads_to_an_answered_call(name: str) -> None:
    async with closed_server() as (server, http):
        answer = await signed(name).send(http)
        assert answer.status_code == 200, answer.text
        url = stream_of(name, answer.text)
        assert re.fullmatch(rf"wss://voice\.example\.com/telephony/{name}/[\w-]{{32}}", url)
        async with stream(server, name, url) as phone:
            await phone.sound(await phone.say(tone(300)), ANSWER_S)
            assert phone.problems == []


@pytest.mark.parametrize("name", NAMES)
async def test_ticket_is_good_for_one_stream(name: str) -> None:
    async with closed_server() as (server, http):
        url = stream_of(name, (await signed(name).send(http)).text)
        async with stream(server, name, url):
            with pytest.raises(CallRefused, match="ticket") as refused:
                async with stream(server, name, url):
                    pass
            assert refused.value.status == 403


@pytest.mark.parametrize("name", NAMES)
async def test_webhook_may_be_sent_twice_before_its_call_and_never_after(name: str) -> None:
    async with closed_server() as (server, http):
        webhook = signed(name)
        first, second = await webhook.send(http), await webhook.send(http)
        assert first.text == second.text, "the carrier heard no answer and asked again"
        async with stream(server, name, stream_of(name, first.text)):
            replayed = await webhook.send(http)
        assert replayed.status_code == 403
        assert "answered before" in replayed.json()["error"]["message"]


def _reordered(webhook: Webhook) -> None:
    webhook.body = b"&".join(reversed(webhook.body.split(b"&")))


def _with_a_second_signature(webhook: Webhook) -> None:
    name = "x-plivo-signature-v3"
    webhook.headers[name] = f"AAAA,{webhook.headers[name]}"


def _with_another_scheme(webhook: Webhook) -> None:
    webhook.headers["authorization"] = webhook.headers["authorization"].replace("Bearer", "bearer ")


@pytest.mark.parametrize(
    ("name", "disguise"),
    [
        ("twilio", _reordered),
        ("signalwire", _reordered),
        ("plivo", _with_a_second_signature),
        ("vonage", _with_another_scheme),
    ],
)
async def test_replay_in_disguise_is_still_one(
    name: str, disguise: Callable[[Webhook], None]
) -> None:
    async with closed_server() as (server, http):
        webhook = signed(name)
        answer = await webhook.send(http)
        async with stream(server, name, stream_of(name, answer.text)):
            disguise(webhook)
            replayed = await webhook.send(http)
        assert replayed.status_code == 403
        assert "answered before" in replayed.json()["error"]["message"]


def _forged(webhook: Webhook) -> None:
    for name, value in webhook.headers.items():
        if "signature" in name and "nonce" not in name:
            webhook.headers[name] = ("B" if value[0] == "A" else "A") + value[1:]
        if name == "authorization":
            webhook.headers[name] = value[:-4] + ("AAAA" if value[-4:] != "AAAA" else "BBBB")


def _unsigned(webhook: Webhook) -> None:
    for name in list(webhook.headers):
        if "signature" in name or name == "authorization":
            del webhook.headers[name]


def _changed(webhook: Webhook) -> None:
    webhook.body = webhook.body.replace(b"15550001", b"15559999")


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        (name, spoil)
        for name in NAMES
        for spoil in (_forged, _unsigned, _changed)
        if (name, spoil) != ("vonage", _changed)  # a GET has no body; its query is not signed
    ],
)
async def test_forged_missing_and_altered_webhooks_are_refused(name: str, spoil: Any) -> None:
    async with closed_server() as (_, http):
        webhook = signed(name)
        spoil(webhook)
        answer = await webhook.send(http)
        assert answer.status_code == 403
        assert f"telephony.{name}." in answer.json()["error"]["message"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ticket", ["", "/", "/guessed"])
async def test_stream_without_a_ticket_is_refused(name: str, ticket: str) -> None:
    url = f"wss://voice.example.com/telephony/{name}{ticket}"
    async with closed_server() as (server, _):
        with pytest.raises(CallRefused) as refused:
            async with stream(server, name, url):
                pass
        assert refused.value.status in (403, 404)


@pytest.mark.parametrize("headers", [{}, {"x-twilio-signature": "AAAA"}])
async def test_twilio_stream_with_a_ticket_but_no_signature_is_refused(
    headers: dict[str, str],
) -> None:
    async with closed_server() as (server, http):
        url = stream_of("twilio", (await signed("twilio").send(http)).text)
        with pytest.raises(CallRefused, match="X-Twilio-Signature"):
            async with stream(server, "twilio", url, headers):
                pass
        async with stream(server, "twilio", url):  # the ticket was not spent on that
            pass


async def test_ticket_of_one_carrier_opens_no_other_path() -> None:
    async with closed_server() as (server, http):
        url = stream_of("plivo", (await signed("plivo").send(http)).text)
        with pytest.raises(CallRefused, match="ticket"):
            async with stream(server, "telnyx", url.replace("plivo", "telnyx")):
                pass


async def test_ticket_grows_old() -> None:
    async with closed_server(telephony={"ticket_s": 0.05}) as (server, http):
        url = stream_of("plivo", (await signed("plivo").send(http)).text)
        await _later(server, 0.1)
        with pytest.raises(CallRefused, match="too old"):
            async with stream(server, "plivo", url):
                pass


async def _later(server: RunningServer, seconds: float) -> None:
    until = server.service.clock.now() + seconds
    while server.service.clock.now() < until:
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("name", NAMES)
async def test_carrier_without_a_secret_is_shut_and_the_setting_named(name: str) -> None:
    async with phone_server(telephony={"insecure": False}) as server:
        async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
            answer = await signed(name).send(http)
        assert answer.status_code == 403
        assert f"telephony.{name}." in answer.text
        assert "telephony.insecure" in answer.text
        with pytest.raises(CallRefused, match=r"telephony\.insecure"):
            async with call(server, name):
                pass


async def test_stream_of_ones_own_brings_the_servers_key() -> None:
    headers = {"authorization": "Bearer k3y"}
    async with closed_server(server={"api_key": "k3y"}) as (server, _):
        url = "wss://voice.example.com/telephony/telnyx"
        async with stream(server, "telnyx", url, headers) as phone:
            await phone.sound(await phone.say(tone(300)), ANSWER_S)


@pytest.mark.parametrize("name", ["plain", "asterisk"])
async def test_bridges_are_asked_for_the_servers_key(name: str) -> None:
    basic = base64.b64encode(b"asterisk:k3y").decode()
    async with phone_server(telephony={"insecure": False}, server={"api_key": "k3y"}) as server:
        for wrong in ({}, {"authorization": "Bearer no"}, {"authorization": "Basic !"}):
            with pytest.raises(CallRefused) as refused:
                async with ring(carrier(name), stream_url(server, name), headers=wrong):
                    pass
            assert refused.value.status == 401
        for right in ({"authorization": "Bearer k3y"}, {"authorization": f"Basic {basic}"}):
            async with ring(carrier(name), stream_url(server, name), headers=right) as phone:
                await phone.sound(await phone.say(tone(300)), ANSWER_S)


@pytest.mark.parametrize(
    ("name", "busy"),
    [
        ("twilio", '<Reject reason="busy"/>'),
        ("signalwire", '<Reject reason="busy"/>'),
        ("telnyx", '<Reject reason="busy"/>'),
        ("plivo", '<Hangup reason="busy"/>'),
        ("vonage", "All lines are busy"),
    ],
)
async def test_full_server_answers_that_it_is_busy(name: str, busy: str) -> None:
    async with closed_server(limits={"max_sessions": 1}) as (server, http):
        url = stream_of("plivo", (await signed("plivo", nonce="n0").send(http)).text)
        async with stream(server, "plivo", url) as phone:
            await phone.say(tone(20))
            assert server.service.sessions
            answer = await signed(name).send(http)
        assert answer.status_code == 200
        assert busy in answer.text
        assert "/telephony/" not in answer.text


async def test_caller_and_called_go_into_the_document_and_harm_nothing_there() -> None:
    form = {"From": '+1555<&">\x07', "To": "+15550002", "CallSid": "CA1"}
    async with closed_server() as (_, http):
        document = (await signed("twilio", form).send(http)).text
    parameters = {p.get("name"): p.get("value") for p in ElementTree.fromstring(document).iter()}
    assert parameters["caller"] == '+1555<&">'
    assert parameters["called"] == "+15550002"


async def test_address_comes_from_forwarded_headers_only_where_they_are_trusted() -> None:
    forwarded = {"x-forwarded-proto": "https", "x-forwarded-host": "voice.example.com, inner"}
    for trusted in (True, False):
        telephony = {"public_url": "", "trust_forwarded": trusted}
        async with closed_server(telephony=telephony) as (_, http):
            webhook = signed("twilio")
            webhook.headers |= forwarded
            answer = await webhook.send(http)
            assert answer.status_code == (200 if trusted else 403)
            if trusted:
                assert stream_of("twilio", answer.text).startswith("wss://voice.example.com/")


async def test_long_body_is_refused_by_its_length() -> None:
    async with closed_server() as (_, http):
        answer = await http.post(path_of("twilio"), content=b"x" * 100_000)
        assert answer.status_code == 413


async def test_twilio_get_with_its_query_is_signed_too() -> None:
    url = f"{PUBLIC}{path_of('twilio')}?From=%2B1555&CallSid=CA1"
    async with closed_server() as (_, http):
        headers = {"x-twilio-signature": twilio.sign(url, SECRET)}
        answer = await http.get(url.removeprefix(PUBLIC), headers=headers)
        assert answer.status_code == 200, answer.text
        other = url.removeprefix(PUBLIC).replace("CA1", "CA2")
        assert (await http.get(other, headers=headers)).status_code == 403


async def test_telnyx_signature_of_nothing_but_the_time_vouches_for_no_query() -> None:
    """Two who call by GET in one second would be the same caller, and one of them refused."""
    _, headers = telnyx_signed(b"")
    async with closed_server() as (_, http):
        for method in ("GET", "POST"):
            for form in (FORM, OTHER):
                webhook = Webhook(path_of("telnyx"), headers, method=method, query=form)
                assert (await webhook.send(http)).status_code == 403


def _with_a_field_twice(webhook: Webhook) -> None:
    webhook.body += b"&To=%2B15550002"


def _split_elsewhere(webhook: Webhook) -> None:
    """The same signed text: CallSidCA1From+15550001To+15550002."""
    webhook.body = urlencode({"CallSid": "CA1", "Fro": "m+15550001", "To": "+15550002"}).encode()


def _with_the_caller_swallowing_the_called(webhook: Webhook) -> None:
    webhook.body = urlencode({"CallSid": "CA1", "From": "+15550001To+15550002"}).encode()


@pytest.mark.parametrize("name", ["twilio", "signalwire", "plivo"])
@pytest.mark.parametrize(
    "respell", [_with_a_field_twice, _split_elsewhere, _with_the_caller_swallowing_the_called]
)
async def test_request_whose_call_has_begun_is_spent_however_its_fields_are_split(
    name: str, respell: Callable[[Webhook], None]
) -> None:
    async with closed_server() as (server, http):
        webhook = signed(name)
        answer = await webhook.send(http)
        async with stream(server, name, stream_of(name, answer.text)):
            respell(webhook)
            assert (await webhook.send(http)).status_code == 403


async def test_plivo_nonce_that_took_a_field_in_is_refused() -> None:
    """With a dot before the moved piece, the signed text is the same."""
    form = {"CallSid": "CA1", "From": "+15550001", "SessionStart": "2026-11-22 03:00:00.33"}
    async with closed_server() as (_, http):
        webhook = signed("plivo", form)
        cut = {**form, "SessionStart": "2026-11-22 03:00:00"}
        webhook.body = urlencode(cut).encode()
        webhook.headers["x-plivo-signature-v3-nonce"] = "33.n1"
        assert (await webhook.send(http)).status_code == 403


async def test_vonage_token_for_a_body_is_refused_without_it() -> None:
    body = b'{"from":"15550001","to":"15550002","uuid":"u1"}'
    claims = {"iat": int(time.time()), "payload_hash": hashlib.sha256(body).hexdigest()}
    headers = {
        "authorization": f"Bearer {vonage.sign(SECRET, claims)}",
        "content-type": "application/json",
    }
    forged = {"from": "666", "to": "7"}
    async with closed_server() as (_, http):
        for method in ("GET", "POST"):
            answer = await http.request(method, path_of("vonage"), headers=headers, params=forged)
            assert answer.status_code == 403
        answer = await http.post(path_of("vonage"), headers=headers, params=forged, content=body)
        assert answer.status_code == 200
        assert "15550001" in answer.text
        assert "666" not in answer.text, "the query is not signed"


async def test_twilio_signature_of_a_bare_address_vouches_for_no_json_body() -> None:
    url = PUBLIC + path_of("twilio")
    headers = {"x-twilio-signature": twilio.sign(url, SECRET), "content-type": "application/json"}
    async with closed_server() as (_, http):
        answer = await http.post(path_of("twilio"), headers=headers, content=b'{"From":"666"}')
        assert answer.status_code == 403


@pytest.mark.parametrize("name", NAMES)
async def test_replay_is_refused_after_a_restart(name: str, tmp_path: Path) -> None:
    file = tmp_path / "new" / "spent.sqlite3"
    remembering = {"replay_days": 30, "replay_file": str(file)}
    webhook = signed(name)
    async with closed_server(telephony=remembering) as (server, http):
        answer = await webhook.send(http)
        async with stream(server, name, stream_of(name, answer.text)):
            pass
    assert file.stat().st_mode & 0o777 == 0o600
    async with closed_server(telephony=remembering) as (_, http):
        replayed = await webhook.send(http)
        assert replayed.status_code == 403
        assert "answered before" in replayed.json()["error"]["message"]
        assert (await signed(name, nonce="n2", form=OTHER).send(http)).status_code == 200


async def test_what_is_spent_for_longer_than_it_is_remembered_leaves_the_file_of_a_server_that_runs(
    tmp_path: Path,
) -> None:
    file, now = tmp_path / "spent.sqlite3", [1e9]
    spent = SpentRequests(file, 30, lambda: now[0])
    for _ in range(100):  # a request a day
        spent.add(f"of {now[0]}")
        assert await spent.holds(f"of {now[0]}")
        now[0] += 86_400
    assert await spent.holds(f"of {now[0] - 29 * 86_400}")
    await spent.aclose()
    with closing(sqlite3.connect(file)) as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM spent")
    assert rows <= 32


async def test_calls_come_in_where_replays_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    nowhere = {"replay_days": 30, "replay_file": str(tmp_path / "file" / "spent.sqlite3")}
    async with closed_server(telephony=nowhere) as (server, http):
        answer = await signed("twilio").send(http)
        async with stream(server, "twilio", stream_of("twilio", answer.text)):
            assert (await signed("twilio").send(http)).status_code == 403
    assert caplog.text.count("cannot be remembered") == 1


async def test_webhook_that_never_ends_its_body_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voicepipe.server.bodies.DEADLINE_S", 0.2)
    async with closed_server() as (server, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = f"POST {path_of('twilio')} HTTP/1.1\r\nHost: voice.example.com\r\n"
        writer.write(f"{head}Content-Length: 10\r\n\r\nFrom".encode())
        async with asyncio.timeout(5):
            assert b" 400 " in await reader.readline()
        writer.close()
