"""Peers whose certificate is an RSA one: GStreamer's, many gateways'."""

from __future__ import annotations

from typing import Any

import pytest
from aiortc import RTCCertificate, RTCConfiguration, RTCPeerConnection
from aiortc.rtcdtlstransport import SRTP_PROFILES, generate_certificate
from cryptography.hazmat.primitives.asymmetric import rsa
from OpenSSL import SSL

from tests.server.harness import running_server
from tests.server.webrtc.caller import call, tone
from voicepipe.server.webrtc import ciphers


class RsaCertificate(RTCCertificate):
    """What GStreamer brings."""

    @classmethod
    def generateCertificate(cls) -> RsaCertificate:  # noqa: N802 (aiortc's name)
        key: Any = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        return cls(key=key, cert=generate_certificate(key))

    def _create_ssl_context(self, *args: Any, **named: Any) -> SSL.Context:
        context = super()._create_ssl_context(*args, **named)
        context.set_cipher_list(b"ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA")
        return context


async def test_a_peer_with_an_rsa_certificate_talks() -> None:
    certificate = RsaCertificate.generateCertificate()
    async with running_server() as server, call(server, certificate=certificate) as one:
        one.microphone.say(tone(600))
        await one.until_loud()


async def test_aiortc_still_has_its_certificates_where_they_are_replaced() -> None:
    """When this fails, aiortc has moved: fix `ciphers.py`, else GStreamer cannot call."""
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    (stock,) = getattr(connection, ciphers.ATTRIBUTE)
    assert ciphers.accept_rsa(connection)
    (ours,) = getattr(connection, ciphers.ATTRIBUTE)
    offered = [ciphers.suites(one._create_ssl_context(SRTP_PROFILES)) for one in (stock, ours)]
    assert offered[1] == [*offered[0], *ciphers.RSA_SUITES]  # added to, nothing lost
    await connection.close()


@pytest.mark.parametrize("moved", ["the list", "the context"])
async def test_a_call_goes_on_with_aiortcs_own_suites_if_they_have_moved(
    moved: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    name = "ATTRIBUTE" if moved == "the list" else "METHOD"
    monkeypatch.setattr(ciphers, name, "_somewhere_else")
    async with running_server() as server, call(server) as one:
        one.microphone.say(tone(600))
        await one.until_loud()
    assert "aiortc's certificates are not where they were" in caplog.text
