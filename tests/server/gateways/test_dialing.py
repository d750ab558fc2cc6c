"""Calls that the server makes, of all gateways together."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.server.gateways.test_shared import Pair, pair
from voicepipe.config import Settings
from voicepipe.runtime.clock import ManualClock
from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server.live_calls import LiveCall, LiveCalls, Parties, State
from voicepipe.server.service import Service
from voicepipe.server.shared.directory import Directory
from voicepipe.server.shared.seats import Seats
from voicepipe.server.shared.state import SharedState, forget
from voicepipe.server.telephony.outbound import Outbound, Wanted
from voicepipe.server.telephony.rest import CarrierError
from voicepipe.server.telephony.tickets import Tickets

__all__ = ["pair"]


def outbound(state: SharedState) -> tuple[Outbound, LiveCalls]:
    """Of a gateway whose server has two seats."""
    directory = Directory(state)
    calls = LiveCalls(directory)
    twilio = {"account_sid": "AC1", "auth_token": "KEY1", "api_url": "http://127.0.0.1:9"}
    telephony = {"outbound_carrier": "twilio", "outbound_from": "+15550100", "twilio": twilio}
    service = SimpleNamespace(
        settings=Settings.model_validate({"limits": {"max_sessions": 2}, "telephony": telephony}),
        seats=Seats(state, 2),
        directory=directory,
        live_calls=calls,
        closing=False,
        ready=True,
        engines=SimpleNamespace(full=lambda: None),
        admission=SimpleNamespace(check=lambda: None),
    )
    return Outbound(cast(Service, service), Tickets(ManualClock(), 60, state=state)), calls


@pytest.mark.parametrize("then", ["ends", "is picked up", "dies with its gateway"])
async def test_what_another_gateway_rings_takes_room(pair: Pair, tmp_path: Path, then: str) -> None:
    """Who picks up where there is no seat left hears nobody."""
    (ours, own), (_, others) = map(outbound, pair)
    own.add(LiveCall("rtc_1", Parties("twilio"), State.DIALING))
    assert ours._full() is None
    call = others.add(LiveCall("rtc_2", Parties("twilio"), State.DIALING))
    assert "limits.max_sessions" in (ours._full() or "")
    if then == "ends":
        others.over(call)
    elif then == "is picked up":  # it has a seat of its own from now on
        call.state = State.ACTIVE
        others.add(call)
    else:
        forget(tmp_path, "2-2")
    assert ours._full() is None


async def test_two_gateways_that_dial_in_the_same_instant_ring_no_more_than_can_be_answered(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one counts, the other takes the last room, then the one would ring."""
    (ours, own), (_, others) = map(outbound, pair)
    own.add(LiveCall("rtc_1", Parties("twilio"), State.DIALING))
    counted = ours._full

    def and_then_another_rings() -> str | None:
        found = counted()
        others.add(LiveCall("rtc_2", Parties("twilio"), State.DIALING))
        return found

    monkeypatch.setattr(ours, "_full", and_then_another_rings)
    with pytest.raises(LimitExceeded, match=r"limits\.max_sessions"):
        await ours.dial(Wanted("+15550123"), "https://voice.example.com")
    assert [call.id for call in own] == ["rtc_1"]
    assert others.directory.dialing_elsewhere() == 1
    own.over(own.find("rtc_1"))
    monkeypatch.setattr(ours, "_full", counted)
    with pytest.raises(CarrierError):  # there is room, and nobody at that address
        await ours.dial(Wanted("+15550123"), "https://voice.example.com")
    assert others.directory.dialing_elsewhere() == 0
