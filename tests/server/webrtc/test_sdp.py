"""What is taken out of offers and put into answers."""

from __future__ import annotations

import re

import aioice.ice
import pytest

from tests.server.webrtc.caller import caller
from voicepipe.config import IceServerSettings
from voicepipe.runtime.errors import ProtocolError
from voicepipe.server.webrtc import ice, sdp

MDNS = "a=candidate:1 1 udp 2113937151 0e5b-11.local 51472 typ host"
HOST = "a=candidate:2 1 udp 2130706431 192.0.2.2 40000 typ host"
HOST6 = "a=candidate:3 1 udp 2130706431 fd00::2 40001 typ host"


async def offered(*extra: str, **options: object) -> str:
    async with caller(**options) as one:
        text = await one.offer()
    lines = text.splitlines()
    at = lines.index("a=end-of-candidates")
    return "\r\n".join([*lines[:at], *extra, *lines[at:]]) + "\r\n"


async def test_offer_is_read_and_names_that_take_time_are_dropped() -> None:
    offer = sdp.read_offer(await offered(MDNS, HOST))
    assert offer.hears
    assert offer.speaks
    assert offer.has_channel
    assert offer.max_message_bytes == 262_144
    assert ".local" not in offer.sdp
    assert HOST in offer.sdp
    assert "end-of-candidates" not in offer.sdp


async def test_candidates_are_bounded() -> None:
    many = [HOST.replace("40000", str(port)) for port in range(1000, 1200)]
    offer = sdp.read_offer(await offered(*many))
    assert offer.sdp.count("a=candidate:") == sdp.MAX_CANDIDATES


async def test_media_lines_are_bounded() -> None:
    """aiortc compares each with all others: hundreds of them hold up every call."""
    text = await offered()
    line = "m=video 0 UDP/TLS/RTP/SAVPF 97\r\na=mid:{}\r\na=inactive\r\n"
    more = sdp.MAX_LINES - 2
    assert sdp.read_offer(text + "".join(line.format(n) for n in range(9, 9 + more))).hears
    with pytest.raises(ProtocolError, match=f"{sdp.MAX_LINES + 1} media lines"):
        sdp.read_offer(text + "".join(line.format(n) for n in range(9, 10 + more)))


@pytest.mark.parametrize(
    ("direction", "hears", "speaks"), [("sendonly", False, True), ("recvonly", True, False)]
)
async def test_directions(direction: str, hears: bool, speaks: bool) -> None:
    offer = sdp.read_offer(await offered(direction=direction, channel=False))
    assert (offer.hears, offer.speaks, offer.has_channel) == (hears, speaks, False)


async def test_inactive_or_missing_audio_is_unusable() -> None:
    text = await offered()
    for wrong in (
        text.replace("a=sendrecv", "a=inactive"),
        re.sub(r"m=audio \d+", "m=audio 0", text),
    ):
        assert wrong != text
        with pytest.raises(sdp.Unusable, match="no active audio"):
            sdp.read_offer(wrong)


async def test_what_the_parser_chokes_on_is_a_protocol_error() -> None:
    text = await offered()
    for wrong in (
        text.replace("a=rtpmap:96", "a=rtpmap:xx"),
        text.replace("IN IP4", "IN IP9"),
        text.replace("a=fingerprint:sha-256", "a=fingerprint:"),
        text.replace("a=ice-ufrag", "a=ice-nothing"),
    ):
        with pytest.raises(ProtocolError, match="not a session description"):
            sdp.read_offer(wrong)


def test_public_address_is_offered_beside_the_hosts_own() -> None:
    answer = sdp.with_public_address(f"v=0\r\n{HOST}\r\n{HOST6}\r\na=mid:0\r\n", "198.51.100.7")
    added = (
        "a=candidate:21 1 udp 2130706431 198.51.100.7 40000 typ srflx raddr 192.0.2.2 rport 40000"
    )
    assert answer.splitlines() == ["v=0", HOST, added, HOST6, "a=mid:0"]


def test_loopback_is_offered_when_wanted_or_when_there_is_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And aiortc still asks the function that is replaced."""
    monkeypatch.setattr(aioice.ice, "get_host_addresses", ice._stock_addresses)
    assert aioice.ice.Connection.gather_candidates.__globals__ is vars(aioice.ice)
    for stock, when, expected in (
        (["192.0.2.2"], "auto", ["192.0.2.2"]),
        ([], "auto", ["127.0.0.1"]),
        (["192.0.2.2"], "on", ["192.0.2.2", "127.0.0.1"]),
        ([], "off", []),
    ):
        monkeypatch.setattr(ice, "_stock_addresses", lambda v4, v6, found=stock: list(found))
        ice.offer_loopback(when)  # type: ignore[arg-type]
        assert aioice.ice.get_host_addresses(True, True) == expected


def test_ice_servers_are_always_an_explicit_list() -> None:
    assert ice.configuration(()).iceServers == []
    servers = [IceServerSettings(urls=("stun:a.invalid",))]
    assert ice.configuration(servers).iceServers[0].urls == ["stun:a.invalid"]  # type: ignore[index]
