"""ICE servers as aiortc, browsers and Link headers want them, and our own addresses."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Literal

import aioice.ice
from aiortc import RTCConfiguration, RTCIceServer

from voicepipe.config import IceServerSettings

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
_stock_addresses = aioice.ice.get_host_addresses


def offer_loopback(when: Literal["auto", "on", "off"]) -> None:
    """Whether 127.0.0.1 is among the addresses that this process offers; "auto": only if it has no
    other. aioice has no setting for it, so its own function is replaced, for the whole process.
    """

    def addresses(use_ipv4: bool, use_ipv6: bool) -> list[str]:
        found = _stock_addresses(use_ipv4, use_ipv6)
        if use_ipv4 and LOOPBACK not in found and (when == "on" or not found):
            found = [*found, LOOPBACK]
        return found

    aioice.ice.get_host_addresses = _stock_addresses if when == "off" else addresses


def configuration(servers: Sequence[IceServerSettings]) -> RTCConfiguration:
    """Always an explicit list: none at all would mean somebody else's STUN server to aiortc."""
    return RTCConfiguration(
        iceServers=[RTCIceServer(list(s.urls), s.username, _credential(s)) for s in servers]
    )


def for_browsers(servers: Sequence[IceServerSettings]) -> list[dict[str, Any]]:
    """`RTCConfiguration.iceServers` of a page."""
    shown = []
    for server in servers:
        entry: dict[str, Any] = {"urls": list(server.urls)}
        if server.username is not None:
            entry["username"] = server.username
        if server.credential is not None:
            entry["credential"] = _credential(server)
        shown.append(entry)
    return shown


def link_headers(servers: Sequence[IceServerSettings]) -> list[str]:
    """One `Link` value for each URL (RFC 9725, section 4.6)."""
    links = []
    for server in servers:
        extra = ""
        if server.username is not None:
            extra += f'; username="{_quoted(server.username)}"'
        if server.credential is not None:
            extra += f'; credential="{_quoted(_credential(server) or "")}"'
            extra += '; credential-type="password"'
        links += [f'<{url}>; rel="ice-server"{extra}' for url in server.urls]
    return links


def _credential(server: IceServerSettings) -> str | None:
    return None if server.credential is None else server.credential.get_secret_value()


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
