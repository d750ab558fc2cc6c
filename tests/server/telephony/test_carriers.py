"""Requests to carriers' REST interfaces, as a local stand-in sees them."""

from __future__ import annotations

import base64
import json
import logging

import pytest
from pydantic import SecretStr

from tests.server.telephony.rest_server import rest_server
from voicepipe.config import PlivoSettings, SignalWireSettings, TelnyxSettings, TwilioSettings
from voicepipe.server.telephony import carriers
from voicepipe.server.telephony.carriers import Carrier, CarrierError, NoCarrier

TOKEN = SecretStr("s3cret")


def basic(user: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:s3cret".encode()).decode()


def twilio(url: str) -> Carrier:
    return carriers.twilio(TwilioSettings(account_sid="AC1", auth_token=TOKEN, api_url=url))


async def test_twilio_hangs_up_and_transfers() -> None:
    async with rest_server() as rest:
        await twilio(rest.url).hang_up("CA/1")
        await twilio(rest.url).transfer("CA2", "+1555<&>")
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
        settings = SignalWireSettings(project_id="P1", api_token=TOKEN, api_url=rest.url + "/")
        await carriers.signalwire(settings).hang_up("c1")
    (asked,) = rest.asked
    assert asked.path == "/api/laml/2010-04-01/Accounts/P1/Calls/c1.json"
    assert asked.authorization == basic("P1")


async def test_telnyx_hangs_up_and_transfers() -> None:
    async with rest_server() as rest:
        carrier = carriers.telnyx(TelnyxSettings(api_key=TOKEN, api_url=rest.url))
        await carrier.hang_up("v3:a b")
        await carrier.transfer("v3:a", "+15550100")
    hang_up, transfer = rest.asked
    assert hang_up.path == "/v2/calls/v3%3Aa%20b/actions/hangup"
    assert hang_up.authorization == "Bearer s3cret"
    assert transfer.path == "/v2/calls/v3%3Aa/actions/transfer"
    assert json.loads(transfer.body) == {"to": "+15550100"}


async def test_plivo_hangs_up_and_says_that_it_cannot_transfer() -> None:
    async with rest_server(status=204, answer="") as rest:
        settings = PlivoSettings(auth_id="MA1", auth_token=TOKEN, api_url=rest.url)
        carrier = carriers.plivo(settings)
        await carrier.hang_up("c1")
        with pytest.raises(CarrierError, match="cannot be put through"):
            await carrier.transfer("c1", "+15550100")
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("DELETE", "/v1/Account/MA1/Call/c1/")
    assert asked.authorization == basic("MA1")


async def test_call_that_is_over_needs_no_hang_up_but_cannot_be_transferred() -> None:
    async with rest_server(status=404, answer="no such call") as rest:
        await twilio(rest.url).hang_up("CA1")
        with pytest.raises(CarrierError, match="status 404"):
            await twilio(rest.url).transfer("CA1", "+15550100")


async def test_what_a_carrier_says_of_a_failed_transfer_stays_out_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with rest_server(status=400, answer="+15550100 is not reachable") as rest:
        with pytest.raises(CarrierError) as failed:
            await twilio(rest.url).transfer("CA1", "+15550100")
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
    "carrier",
    [
        carriers.twilio(TwilioSettings(account_sid="AC1")),
        carriers.signalwire(SignalWireSettings(project_id="P", api_token=TOKEN)),
        carriers.telnyx(TelnyxSettings()),
        carriers.plivo(PlivoSettings(auth_token=TOKEN)),
    ],
)
async def test_without_credentials_nothing_is_asked(carrier: Carrier) -> None:
    assert isinstance(carrier, NoCarrier)
    await carrier.hang_up("c1")
    with pytest.raises(CarrierError, match="no credentials"):
        await carrier.transfer("c1", "+15550100")
