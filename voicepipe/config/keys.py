"""Keys of others: who may come in beside the owner, as whom, and how much."""

from __future__ import annotations

from pydantic import Field, SecretStr

from voicepipe.config.section import Section


class KeySettings(Section):
    """One key of the Realtime API. `server.api_key`, which must be set too, is the owner's and has
    no limits; a named key opens sessions and nothing else."""

    key: SecretStr = Field(min_length=8)
    agent: str = ""  # who answers it where it names nobody; "" = as for everybody
    agents: tuple[str, ...] | None = None  # those that it may name; None = all
    max_sessions: int | None = Field(None, ge=1)  # at once
    sessions_a_minute: int | None = Field(None, ge=1, le=10_000)  # that may be opened
    minutes_a_day: float | None = Field(None, gt=0)  # of sessions, by the server's clock from
    # midnight UTC; a session that runs is not cut off by it
