"""Lets peers in whose certificate is an RSA one: GStreamer's `webrtcbin`, many gateways.

We are the DTLS client, so the suites that we offer must fit the peer's certificate, and aiortc
offers those of ECDSA alone. It has no way to set others: `accept_rsa` replaces the certificate of a
connection, a private attribute of aiortc's, if it is still there, and says whether it was.
"""

from __future__ import annotations

import logging
from typing import Any

from aiortc import RTCCertificate, RTCPeerConnection
from OpenSSL import SSL

log = logging.getLogger(__name__)

ATTRIBUTE = "_RTCPeerConnection__certificates"
METHOD = "_create_ssl_context"

RSA_SUITES = ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA")
"""With forward secrecy, like aiortc's own; the second for what is old."""


class _Certificate(RTCCertificate):
    """aiortc's, still of ECDSA, which offers `RSA_SUITES` behind aiortc's own suites."""

    def _create_ssl_context(self, *args: Any, **named: Any) -> SSL.Context:
        stock = suites(super()._create_ssl_context(*args, **named))
        context = super()._create_ssl_context(*args, **named)  # one that was asked is frozen
        context.set_cipher_list(":".join([*stock, *RSA_SUITES]).encode())
        return context


def accept_rsa(connection: RTCPeerConnection) -> bool:
    """Before the connection has any track; False where aiortc has moved what is replaced."""
    stock = getattr(connection, ATTRIBUTE, None)
    if not isinstance(stock, list) or not callable(getattr(RTCCertificate, METHOD, None)):
        log.warning("aiortc's certificates are not where they were: RSA peers cannot connect")
        return False
    setattr(connection, ATTRIBUTE, [_Certificate.generateCertificate()])
    return True


def suites(context: SSL.Context) -> list[str]:
    """What a connection in this context offers, by OpenSSL's names."""
    return SSL.Connection(context, None).get_cipher_list()
