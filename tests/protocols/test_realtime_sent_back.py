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


def test_what_is_not_shown_of_an_mcp_server_stays() -> None:
    """Its key would be lost, and with it the server's tools."""
    url = "https://tools.example.com/mcp"
    codec = make_codec(mcp_servers=(url,))
    tool = {"type": "mcp", "server_label": "shop", "server_url": url, "authorization": "secret"}
    receive(codec, type="session.update", session={"type": "realtime", "tools": [tool]})
    shown = session_of(codec)
    assert "secret" not in str(shown)
    receive(codec, type="session.update", session={**shown, "instructions": "x"})
    assert codec.settings.mcp[0].authorization == "secret"
    del tool["authorization"]
    receive(codec, type="session.update", session={"type": "realtime", "tools": [tool]})
    assert codec.settings.mcp[0].authorization == ""
