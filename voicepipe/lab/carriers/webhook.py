"""The ring before the stream: the carrier tells the server that somebody calls, signed as the
vendor signs, and is told in a document where to stream the call to."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from voicepipe.lab.carriers.connection import CONNECT_DEADLINE_S, CallRefused
from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.protocols.telephony.signatures import sign_plivo, sign_twilio, sign_vonage

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MAX_DOCUMENT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """A webhook's request: a POST."""

    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Stream:
    """What the document asks for. `headers`: of the upgrade."""

    url: str
    details: CallDetails  # with the document's parameters
    headers: Mapping[str, str] = field(default_factory=dict)


async def announce(
    name: str,
    url: str,
    details: CallDetails,
    secret: str = "",
    wall_s: Callable[[], float] = time.time,
) -> Stream:
    """Tell the webhook at `url` of a call; where it is to be streamed.

    `secret`: the one that the carrier signs with (Telnyx: base64 of an Ed25519 private key); "":
    unsigned. `wall_s`: seconds since 1970, which some signatures hold. Raises CallRefused.
    """
    ring = request(name, url, details, secret, wall_s())
    try:
        async with httpx.AsyncClient(timeout=CONNECT_DEADLINE_S) as client:
            answer = await client.post(url, content=ring.body, headers=dict(ring.headers))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CallRefused(f"{url}: {error or 'no answer'}") from None
    if not answer.is_success:
        status, why = answer.status_code, answer.text.strip()[:200]
        raise CallRefused(f"{url}: refused with status {status}: {why}", status=status)
    try:
        return stream(name, answer.text[:MAX_DOCUMENT], details, secret)
    except (ValueError, KeyError, TypeError, ElementTree.ParseError):
        raise CallRefused(f"{url}: the answer is no document that streams a call") from None


def request(name: str, url: str, details: CallDetails, secret: str, now_s: float) -> Request:
    """The POST that `name` sends, signed where `secret` is set."""
    if name == "vonage":
        return _vonage_request(details, secret, now_s)
    if name == "plivo":
        fields = {"CallUUID": details.call_id, "Direction": "inbound", "CallStatus": "ringing"}
    else:
        fields = {"CallSid": f"CA{details.call_id}", "CallStatus": "ringing"}
    fields |= {"From": details.caller, "To": details.called}
    form, body = tuple(fields.items()), urlencode(fields).encode()
    headers = dict(FORM)
    if secret and name == "plivo":
        nonce = secrets.token_hex(10)
        signature = sign_plivo(url, secret, nonce, form)
        headers |= {"X-Plivo-Signature-V3": signature, "X-Plivo-Signature-V3-Nonce": nonce}
    elif secret and name == "telnyx":
        headers |= _telnyx_headers(body, secret, now_s)
    elif secret:
        headers["X-Twilio-Signature"] = sign_twilio(url, secret, form)
    return Request(body, headers)


def stream(name: str, document: str, details: CallDetails, secret: str) -> Stream:
    """What the document says. Raises ValueError, KeyError, TypeError or ParseError."""
    if name == "vonage":
        (endpoint,) = json.loads(document)[0]["endpoint"]
        return Stream(str(endpoint["uri"]), replace(details, parameters=endpoint["headers"]))
    element = ElementTree.fromstring(document).find(".//Stream")
    if element is None:
        raise ValueError("no Stream")
    if name == "plivo":
        url = (element.text or "").strip()
        pairs = (pair.partition("=") for pair in element.get("extraHeaders", "").split(","))
        parameters = {key: value for key, _, value in pairs if key}
        signed = _plivo_upgrade(url, secret) if secret else {}
        return Stream(url, replace(details, parameters=parameters), signed)
    url = element.attrib["url"]
    parameters = {child.attrib["name"]: child.attrib["value"] for child in element}
    headers = {"X-Twilio-Signature": sign_twilio(url, secret)} if secret else {}
    if name == "telnyx":
        headers = {}  # nothing on Telnyx's upgrade is signed
    return Stream(url, replace(details, parameters=parameters), headers)


def _vonage_request(details: CallDetails, secret: str, now_s: float) -> Request:
    fields = {"uuid": details.call_id, "from": details.caller, "to": details.called}
    body = json.dumps(fields).encode()
    headers = {"Content-Type": "application/json"}
    if secret:
        claims: dict[str, Any] = {
            "iat": int(now_s),
            "jti": secrets.token_hex(8),
            "payload_hash": hashlib.sha256(body).hexdigest(),
        }
        headers["Authorization"] = f"Bearer {sign_vonage(secret, claims)}"
    return Request(body, headers)


def _plivo_upgrade(url: str, secret: str) -> dict[str, str]:
    nonce = secrets.token_hex(10)
    return {
        "X-Plivo-Signature-V3": sign_plivo(url, secret, nonce),
        "X-Plivo-Signature-V3-Nonce": nonce,
    }


def _telnyx_headers(body: bytes, secret: str, now_s: float) -> dict[str, str]:
    stamp = str(int(now_s))
    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(secret))
    signature = base64.b64encode(key.sign(f"{stamp}|".encode() + body)).decode()
    return {"telnyx-signature-ed25519": signature, "telnyx-timestamp": stamp}
