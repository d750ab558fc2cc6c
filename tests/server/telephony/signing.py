"""Requests as each carrier signs them."""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from voicepipe.protocols.telephony.carriers import plivo, twilio, vonage

PUBLIC = "https://voice.example.com"
SECRET = "s3cret"
FORM = {"From": "+15550001", "To": "+15550002", "CallSid": "CA1"}
KEY = generate_private_key(65537, 2048)
"""Of a Vonage application."""
PEM = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
_TELNYX = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))

SECRETS: dict[str, dict[str, str]] = {
    "twilio": {"auth_token": SECRET},
    "signalwire": {"signing_key": SECRET},
    "telnyx": {
        "public_key": base64.b64encode(
            _TELNYX.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        ).decode()
    },
    "plivo": {"auth_token": SECRET},
    "vonage": {"signature_secret": SECRET},
}
CLOSED: dict[str, Any] = {
    "insecure": False,
    "public_url": PUBLIC,
    "replay_days": 0,  # nothing is written to the home of whoever runs the tests
    **SECRETS,
}
"""Telephony settings of a server on the internet."""


def telnyx_signed(body: bytes) -> tuple[bytes, dict[str, str]]:
    """A JSON request of Telnyx's, and its headers."""
    now = str(int(time.time()))
    signature = base64.b64encode(_TELNYX.sign(now.encode() + b"|" + body)).decode()
    headers = {"telnyx-timestamp": now, "telnyx-signature-ed25519": signature}
    return body, {**headers, "content-type": "application/json"}


def path_of(name: str) -> str:
    return f"/telephony/{name}/{'answer' if name == 'vonage' else 'voice'}"


@dataclass(slots=True)
class Webhook:
    """One request; change it before it is sent, and it is forged."""

    path: str
    headers: dict[str, str]
    body: bytes = b""
    method: str = "POST"
    query: Mapping[str, str] = field(default_factory=dict)

    async def send(self, http: httpx.AsyncClient) -> httpx.Response:
        return await http.request(
            self.method, self.path, headers=self.headers, content=self.body, params=self.query
        )


def signed(name: str, form: Mapping[str, str] = FORM, nonce: str = "n1") -> Webhook:
    """A genuine request of that carrier's."""
    url, body = PUBLIC + path_of(name), urlencode(form).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    fields = tuple(form.items())
    match name:
        case "twilio":
            headers["x-twilio-signature"] = twilio.sign(url, SECRET, fields)
        case "signalwire":
            headers["x-signalwire-signature"] = twilio.sign(url, SECRET, fields)
        case "telnyx":
            now = str(int(time.time()))
            signature = _TELNYX.sign(now.encode() + b"|" + body)
            headers["telnyx-timestamp"] = now
            headers["telnyx-signature-ed25519"] = base64.b64encode(signature).decode()
        case "plivo":
            headers["x-plivo-signature-v3"] = plivo.sign(url, SECRET, nonce, fields)
            headers["x-plivo-signature-v3-nonce"] = nonce
        case "vonage":
            claims = {"iat": int(time.time()), "jti": nonce}
            headers = {"authorization": f"Bearer {vonage.sign(SECRET, claims)}"}
            query = {"from": form["From"], "to": form["To"], "uuid": form["CallSid"]}
            return Webhook(path_of(name), headers, method="GET", query=query)
    return Webhook(path_of(name), headers, body)
