"""A client that sends the session back as it was shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocols.realtime_kit import make_codec, receive, session_of
from voicepipe.protocols.openai_realtime.codec import Dialect
from voicepipe.session.settings import TurnDetection


@pytest.mark.parametrize("dialect", ["ga", "beta"])
@pytest.mark.parametrize("named_ms", [None, 500, 200])
def test_the_servers_policy_or_the_clients_own_wait_stays(
    dialect: Dialect, named_ms: int | None
) -> None:
    """Where no client has named a silence, one is shown all the same."""
    codec = make_codec(dialect)
    codec.session_object.update(silence(named_ms))
    shown = session_of(codec)
    receive(codec, type="session.update", session={**shown, "instructions": "x"})
    assert codec.settings.turn_detection == TurnDetection(silence_duration_ms=named_ms)
    assert codec.settings.instructions == "x"


def silence(named_ms: int | None) -> dict[str, Any]:
    return {"audio": {"input": {"turn_detection": {"silence_duration_ms": named_ms}}}}
