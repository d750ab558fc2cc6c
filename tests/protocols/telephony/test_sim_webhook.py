"""Emulated carriers ring a real server's webhooks, signed, and follow the documents."""

from __future__ import annotations

import asyncio
import base64

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.server.harness import running_server
from voicepipe.lab.carriers.call import ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.lab.carriers.connection import CallRefused
from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.lab.carriers.webhook import announce

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
SECRETS = {
    "twilio": "token",
    "signalwire": "key",
    "telnyx": base64.b64encode(bytes(range(32))).decode(),
    "plivo": "token",
    "vonage": "secret",
}
SETTINGS = {
    "twilio": {"auth_token": "token"},
    "signalwire": {"signing_key": "key"},
    "telnyx": {"public_key": base64.b64encode(PUBLIC).decode()},
    "plivo": {"auth_token": "token"},
    "vonage": {"signature_secret": "secret"},
}


@pytest.mark.parametrize("name", SECRETS)
async def test_a_signed_ring_becomes_a_call_and_an_unsigned_one_does_not(name: str) -> None:
    details = CallDetails(caller="+15550001", called="+15550002")
    async with running_server(telephony=SETTINGS) as server:
        path = "answer" if name == "vonage" else "voice"
        url = f"{server.http}/telephony/{name}/{path}"
        for secret in ("", base64.b64encode(b"wrong" * 6 + b"12").decode()):
            with pytest.raises(CallRefused, match="status 403") as caught:
                await announce(name, url, details, secret)
            assert caught.value.status == 403
        stream = await announce(name, url, details, SECRETS[name])
        assert stream.details.parameters["caller"] == "+15550001"
        dialect = carrier(name, stream.details)
        async with ring(dialect, stream.url, headers=stream.headers) as call:
            async with asyncio.timeout(20):
                while not server.service.sessions:
                    await asyncio.sleep(0.01)
            assert not call.ended.is_set()
        with pytest.raises(CallRefused, match="status 403"):  # the ticket is good once
            async with ring(dialect, stream.url, headers=stream.headers):
                pass


async def test_a_proxy_of_the_environment_does_not_come_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with running_server() as server:
        with pytest.raises(CallRefused, match="status 404"):
            await announce("twilio", f"{server.http}/nowhere", CallDetails())


async def test_no_document() -> None:
    async with running_server() as server:
        for path, match in (("/healthz", "405|404"), ("/nowhere", "404")):
            with pytest.raises(CallRefused, match=match):
                await announce("twilio", server.http + path, CallDetails())
    with pytest.raises(CallRefused, match="127"):
        await announce("twilio", server.http, CallDetails())
