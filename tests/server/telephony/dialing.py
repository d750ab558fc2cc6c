"""A server that may call people, a carrier's interface whose requests are judged, and who picks
up."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import httpx

from tests.server.harness import RunningServer, simulated_engines
from tests.server.telephony.harness import phone_server
from tests.server.telephony.rest_server import Asked, RestServer, rest_server
from tests.server.telephony.signing import PEM, PUBLIC, SECRETS
from voicepipe.lab.carriers.call import EmulatedCall, ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.lab.carriers.dialing import Placed, Request, answer_to, placed
from voicepipe.protocols.telephony.carriers import plivo, twilio

NAMES = ("twilio", "signalwire", "telnyx", "plivo", "vonage")
DEADLINE_S = 45.0
TO, FROM = "+15550123", "+15550100"
AGENTS = {
    "poll": {
        "instructions": "You ask {{guest}}.",
        "variables": {"guest": ""},
        "greeting": "Hello {{guest}}, this is the poll.",
        "voicemail": "Please call us back, {{guest}}.",
    }
}


def credentials(name: str, url: str) -> dict[str, Any]:
    return {
        "twilio": {"account_sid": "AC1", "auth_token": "KEY1"},
        "signalwire": {"project_id": "AC1", "api_token": "KEY1", "signing_key": "S1"},
        "telnyx": {"api_key": "KEY1", "connection_id": "C1", **SECRETS["telnyx"]},
        "plivo": {"auth_id": "AC1", "auth_token": "KEY1"},
        "vonage": {"application_id": "APP1", "private_key": PEM, "signature_secret": "S1"},
    }[name] | {"api_url": url}


@asynccontextmanager
async def dialing(
    name: str = "twilio", *, status: int = 201, **telephony: Any
) -> AsyncIterator[tuple[RunningServer, RestServer, httpx.AsyncClient]]:
    """A server that may call by `name`, the carrier's interface, and a program."""
    sections = {"agents": telephony.pop("agents", AGENTS), **telephony.pop("sections", {})}
    answer = json.dumps(answer_to(name, "CALL1"))
    async with rest_server(status, answer) as rest:
        settings = {
            "insecure": False,
            "public_url": PUBLIC,
            "replay_days": 0,
            "outbound_carrier": name,
            "outbound_from": FROM,
            name: credentials(name, rest.url),
            **telephony,
        }
        engines = simulated_engines(answers=("Thank you.",))
        async with (
            phone_server(engines, settings, **sections) as server,
            httpx.AsyncClient(base_url=server.http, trust_env=False, timeout=30) as program,
        ):
            yield server, rest, program


def judged(name: str, asked: Asked) -> Placed:
    request = Request(asked.method, asked.path, asked.authorization, asked.content_type, asked.body)
    return placed(name, request)


async def stream_url(name: str, call: Placed, program: httpx.AsyncClient) -> str:
    """Where the carrier streams the call to; Plivo asks as soon as somebody picks up."""
    if call.stream_url:
        return call.stream_url
    return next((await answered(call, program)).iter("Stream")).text or ""


async def answered(call: Placed, program: httpx.AsyncClient) -> ElementTree.Element:
    """The document that Plivo is given."""
    form = {"CallUUID": "CALL1", "From": FROM, "To": TO, "Direction": "outbound"}
    signature = plivo.sign(call.answer_url, "KEY1", "n1", form.items())
    headers = {"x-plivo-signature-v3": signature, "x-plivo-signature-v3-nonce": "n1"}
    answer = await program.post(call.answer_url.removeprefix(PUBLIC), data=form, headers=headers)
    assert answer.status_code == 200, answer.text
    return ElementTree.fromstring(answer.text)


@asynccontextmanager
async def picked_up(server: RunningServer, name: str, url: str) -> AsyncIterator[EmulatedCall]:
    headers: Mapping[str, str] = {}
    if name == "twilio":
        headers = {"x-twilio-signature": twilio.sign(url, "KEY1")}
    local = url.replace("wss://voice.example.com", f"ws://127.0.0.1:{server.port}")
    details = replace(CallDetails(), caller=FROM, called=TO)
    async with ring(carrier(name, details), local, headers=headers) as phone:
        yield phone
