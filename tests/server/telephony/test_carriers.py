"""Requests to carriers' REST interfaces, as a local stand-in sees them."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import ssl
import threading
from contextlib import suppress
from typing import Any

import pytest
from pydantic import SecretStr

from tests.server.telephony.rest_server import rest_server
from voicepipe.config import TelephonySettings
from voicepipe.protocols.telephony.carrier import Carrier, Transfer
from voicepipe.protocols.telephony.carriers import CARRIERS
from voicepipe.protocols.telephony.carriers.audiosocket import AUDIOSOCKET
from voicepipe.server.telephony import access
from voicepipe.server.telephony import rest as rest_interface
from voicepipe.server.telephony.rest import CarrierError, RestInterface

TOKEN = SecretStr("s3cret")
BY_NAME = {carrier.name: carrier for carrier in (*CARRIERS, AUDIOSOCKET)}


def rest_of(name: str, **settings: object) -> RestInterface:
    """Of a carrier set up so."""
    telephony = TelephonySettings.model_validate({name: settings})
    return RestInterface(BY_NAME[name], telephony)


def basic(user: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:s3cret".encode()).decode()


def twilio(url: str) -> RestInterface:
    return rest_of("twilio", account_sid="AC1", auth_token=TOKEN, api_url=url)


async def test_a_request_reads_no_certificates_on_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """20 ms, at each call that the agent ends, for which all other callers would wait."""
    readers: list[bool] = []
    read = ssl.create_default_context

    def noted(*args: Any, **given: Any) -> ssl.SSLContext:
        readers.append(threading.current_thread() is threading.main_thread())
        return read(*args, **given)

    monkeypatch.setattr(ssl, "create_default_context", noted)
    async with rest_server() as rest:
        for _ in range(2):
            await twilio(rest.url).hang_up("CA1")
    assert len(rest.asked) == 2
    assert readers in ([], [False]), "once, and beside the loop"


async def test_twilio_hangs_up_and_transfers() -> None:
    async with rest_server() as rest:
        await twilio(rest.url).hang_up("CA/1")
        await twilio(rest.url).transfer(Transfer("CA2", "+1555<&>"))
    hang_up, transfer = rest.asked
    assert (hang_up.method, hang_up.path) == (
        "POST",
        "/2010-04-01/Accounts/AC1/Calls/CA%2F1.json",
    )
    assert hang_up.authorization == transfer.authorization == basic("AC1")
    assert hang_up.form == {"Status": "completed"}
    assert transfer.path == "/2010-04-01/Accounts/AC1/Calls/CA2.json"
    assert transfer.form == {"Twiml": "<Response><Dial>+1555&lt;&amp;&gt;</Dial></Response>"}


async def test_signalwire_has_the_same_under_its_own_path() -> None:
    async with rest_server() as rest:
        space = rest_of("signalwire", project_id="P1", api_token=TOKEN, api_url=rest.url + "/")
        await space.hang_up("c1")
    (asked,) = rest.asked
    assert asked.path == "/api/laml/2010-04-01/Accounts/P1/Calls/c1.json"
    assert asked.authorization == basic("P1")


async def test_telnyx_hangs_up_and_transfers() -> None:
    async with rest_server() as rest:
        carrier = rest_of("telnyx", api_key=TOKEN, api_url=rest.url)
        await carrier.hang_up("v3:a b")
        await carrier.transfer(Transfer("v3:a", "+15550100"))
    hang_up, transfer = rest.asked
    assert hang_up.path == "/v2/calls/v3%3Aa%20b/actions/hangup"
    assert hang_up.authorization == "Bearer s3cret"
    assert transfer.path == "/v2/calls/v3%3Aa/actions/transfer"
    assert json.loads(transfer.body) == {"to": "+15550100"}


async def test_plivo_hangs_up_and_fetches_a_document_to_transfer() -> None:
    async with rest_server(status=204, answer="") as rest:
        carrier = rest_of("plivo", auth_id="MA1", auth_token=TOKEN, api_url=rest.url)
        await carrier.hang_up("c1")
        document = "https://voice.example.com/telephony/plivo/transfer?to=%2B15550100"
        await carrier.transfer(Transfer("c1", "+15550100", document_url=document))
    hang_up, transfer = rest.asked
    assert (hang_up.method, hang_up.path) == ("DELETE", "/v1/Account/MA1/Call/c1/")
    assert hang_up.authorization == transfer.authorization == basic("MA1")
    assert (transfer.method, transfer.path) == ("POST", "/v1/Account/MA1/Call/c1/")
    assert json.loads(transfer.body) == {
        "legs": "aleg",
        "aleg_url": document,
        "aleg_method": "POST",
    }


@pytest.mark.parametrize("name", ["asterisk", "audiosocket", "pcm"])
async def test_what_has_no_interface_is_named(name: str) -> None:
    carrier = RestInterface(BY_NAME[name], TelephonySettings())
    assert not carrier.transfers
    with pytest.raises(CarrierError, match=f"over {name} .* no REST interface"):
        await carrier.transfer(Transfer("c1", "+15550100"))


async def test_call_that_is_over_needs_no_hang_up_but_cannot_be_transferred() -> None:
    async with rest_server(status=404, answer="no such call") as rest:
        await twilio(rest.url).hang_up("CA1")
        with pytest.raises(CarrierError, match="status 404"):
            await twilio(rest.url).transfer(Transfer("CA1", "+15550100"))


OVER = {"errors": [{"code": "90018", "title": "Call has already ended"}]}
"""As Telnyx answers with 422 where the other end was faster."""


async def test_telnyx_call_that_is_over_needs_no_hang_up_either() -> None:
    async with rest_server(status=422, answer=json.dumps(OVER)) as rest:
        carrier = rest_of("telnyx", api_key=TOKEN, api_url=rest.url)
        await carrier.hang_up("v3:a")
        with pytest.raises(CarrierError, match="status 422"):
            await carrier.transfer(Transfer("v3:a", "+15550100"))
        rest.answer = json.dumps({"errors": [{"code": "10015", "title": "Bad Request"}]})
        with pytest.raises(CarrierError, match="status 422"):
            await carrier.hang_up("v3:a")


async def test_carrier_that_answers_in_drops_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every byte would be another deadline; meanwhile the caller's line stays open."""
    monkeypatch.setattr(rest_interface, "DEADLINE_S", 0.5)

    gone = asyncio.Event()

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
        with suppress(OSError):
            for _ in range(20):
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.2)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        gone.set()

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as carriers:
        url = f"http://127.0.0.1:{carriers.sockets[0].getsockname()[1]}"
        began = asyncio.get_running_loop().time()
        with pytest.raises(CarrierError, match="twilio: hang-up failed: no answer within"):
            await twilio(url).hang_up("CA1")
        assert asyncio.get_running_loop().time() - began < 2
        await asyncio.wait_for(gone.wait(), 10)


async def test_what_a_carrier_says_of_a_failed_transfer_stays_out_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with rest_server(status=400, answer="+15550100 is not reachable") as rest:
        with pytest.raises(CarrierError) as failed:
            await twilio(rest.url).transfer(Transfer("CA1", "+15550100"))
    assert "15550100" not in str(failed.value) + caplog.text


async def test_wrong_credentials_are_guessed_at_and_no_secret_is_shown() -> None:
    async with rest_server(status=401, answer="Authenticate") as rest:
        with pytest.raises(CarrierError, match="are the credentials right") as failed:
            await twilio(rest.url).hang_up("CA1")
    assert "s3cret" not in str(failed.value)


async def test_carrier_that_cannot_be_reached_is_named() -> None:
    with pytest.raises(CarrierError, match="twilio: hang-up failed"):
        await twilio("http://127.0.0.1:9").hang_up("CA1")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("twilio", {"account_sid": "AC1"}),
        ("signalwire", {"project_id": "P", "api_token": TOKEN}),
        ("telnyx", {}),
        ("plivo", {"auth_token": TOKEN}),
        ("vonage", {"signature_secret": TOKEN}),
    ],
)
async def test_without_credentials_nothing_is_asked(name: str, settings: dict[str, object]) -> None:
    carrier = rest_of(name, **settings)
    assert not carrier.transfers
    await carrier.hang_up("c1")
    with pytest.raises(CarrierError, match="no credentials"):
        await carrier.transfer(Transfer("c1", "+15550100"))


@pytest.mark.parametrize("carrier", [c for c in CARRIERS if c.webhook], ids=lambda c: c.name)
def test_the_secret_that_a_carrier_names_is_a_setting_of_its_own(carrier: Carrier) -> None:
    assert carrier.webhook is not None
    assert access.secret_of(carrier, carrier.webhook, TelephonySettings()) == ""
    told = TelephonySettings.model_validate({carrier.name: {carrier.webhook.secret: "s3cret"}})
    assert access.secret_of(carrier, carrier.webhook, told) == "s3cret"
