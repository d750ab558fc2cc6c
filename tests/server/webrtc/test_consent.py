"""A peer whose answers take long is still there, one that answers nothing is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aioice.ice
import pytest
from aioice.ice import Connection, StunProtocol

from voicepipe.server.webrtc import consent, ice

EVERY_S, EXPIRES_S = 0.2, 4.0
SLOW_S = 0.7
"""Longer than aioice waits for an answer."""


@pytest.fixture
def stock(monkeypatch: pytest.MonkeyPatch) -> None:
    """aioice as it comes, with shorter times: six answers missed are 4.2 s."""
    monkeypatch.setattr(Connection, "query_consent", consent.STOCK)  # as it was before any server
    monkeypatch.setattr(aioice.ice, "CONSENT_INTERVAL", EVERY_S)
    monkeypatch.setattr(consent, "EVERY_S", EVERY_S)
    monkeypatch.setattr(consent, "EXPIRES_S", EXPIRES_S)
    monkeypatch.setattr(aioice.ice, "get_host_addresses", aioice.ice.get_host_addresses)
    ice.offer_loopback("on")


@asynccontextmanager
async def connected(monkeypatch: pytest.MonkeyPatch, delay_s: float) -> AsyncIterator[Connection]:
    """One of two that are; from then on what it hears comes so much later, or never (inf)."""
    near, far = Connection(ice_controlling=True), Connection(ice_controlling=False)
    for one, other in ((near, far), (far, near)):
        await one.gather_candidates()
        for candidate in one.local_candidates:
            await other.add_remote_candidate(candidate)
        await other.add_remote_candidate(None)
        other.remote_username, other.remote_password = one.local_username, one.local_password
    await asyncio.gather(near.connect(), far.connect())
    received, loop = StunProtocol.datagram_received, asyncio.get_running_loop()

    def later(self: StunProtocol, data: Any, addr: Any) -> None:
        if self.receiver is not near:
            received(self, data, addr)
        elif delay_s < 60:
            loop.call_later(delay_s, received, self, data, addr)

    monkeypatch.setattr(StunProtocol, "datagram_received", later)
    try:
        yield near
    finally:
        await near.close()
        await far.close()


async def lasts(connection: Connection, seconds: float) -> bool:
    """Whether it is still open then."""
    with pytest.raises((ConnectionError, TimeoutError)) as ended:
        async with asyncio.timeout(seconds):
            await connection.recv()
    return ended.type is TimeoutError


@pytest.mark.usefixtures("stock")
async def test_slow_answers_end_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected(monkeypatch, SLOW_S) as near:
        assert not await lasts(near, 20), "else nothing needs to be replaced"


@pytest.mark.usefixtures("stock")
async def test_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    consent.be_patient()
    async with connected(monkeypatch, SLOW_S) as near:
        assert await lasts(near, 6)


@pytest.mark.usefixtures("stock")
async def test_a_peer_that_answers_nothing_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    consent.be_patient()
    async with connected(monkeypatch, float("inf")) as near:
        assert not await lasts(near, 3 * EXPIRES_S)
