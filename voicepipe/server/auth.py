"""Who may connect: an optional bearer key, and the origins of browser pages."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from urllib.parse import urlsplit

from pydantic import SecretStr
from starlette.requests import HTTPConnection

from voicepipe.server.hosts import LOOPBACK, host_name

KEY_SUBPROTOCOL = "openai-insecure-api-key."
"""Browsers cannot set headers on a WebSocket; they offer the key as a subprotocol."""


def subprotocols(connection: HTTPConnection) -> list[str]:
    """What the client offers, in order."""
    offered = connection.headers.get("sec-websocket-protocol", "")
    return [name.strip() for name in offered.split(",") if name.strip()]


def offered_key(connection: HTTPConnection) -> str | None:
    """The client's key, from the header or the browser's subprotocol list."""
    scheme, _, value = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return _as_utf8(value.strip())
    if connection.scope["type"] != "websocket":
        return None
    for name in subprotocols(connection):
        if name.startswith(KEY_SUBPROTOCOL):
            return name[len(KEY_SUBPROTOCOL) :]
    return None


def key_is_right(wanted: SecretStr | None, offered: str | None) -> bool:
    """Takes the same time wherever the two differ."""
    if wanted is None:
        return True
    return hmac.compare_digest(
        wanted.get_secret_value().encode(), (offered or "").encode("utf-8", "replace")
    )


def origin_is_allowed(connection: HTTPConnection, allowed: Sequence[str]) -> bool:
    """Programs send no Origin and are not browsers; pages must be the server's own, of this
    machine, or on the list."""
    origin = connection.headers.get("origin")
    if origin is None or "*" in allowed or origin in allowed:
        return True
    netloc = _place(origin)
    own = bool(netloc) and netloc == connection.headers.get("host")
    return own or host_name(netloc) in LOOPBACK


def _place(origin: str) -> str:
    """Host and port in it; "": it names none, or is no address at all."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _as_utf8(value: str) -> str:
    """A header's value was read as Latin-1, which is how pages send it; programs send UTF-8."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value
