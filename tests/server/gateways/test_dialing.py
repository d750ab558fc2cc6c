"""Calls that the server makes, of all gateways together."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.server.gateways.test_shared import Pair, pair
from voicepipe.config import Settings
from voicepipe.runtime.clock import ManualClock
from voicepipe.server.live_calls import LiveCall, LiveCalls, Parties, State
from voicepipe.server.service import Service
from voicepipe.server.shared.directory import Directory
from voicepipe.server.shared.seats import Seats
from voicepipe.server.shared.state import SharedState, forget
from voicepipe.server.telephony.outbound import Outbound
from voicepipe.server.telephony.tickets import Tickets

__all__ = ["pair"]


def outbound(state: SharedState) -> tuple[Outbound, LiveCalls]:
    """Of a gateway whose server has two seats."""
    directory = Directory(state)
    calls = LiveCalls(directory)
    service = SimpleNamespace(
        settings=Settings.model_validate({"limits": {"max_sessions": 2}}),
        seats=Seats(state, 2),
        directory=directory,
        live_calls=calls,
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
