"""One question asked aloud of a server whose answer means nothing: what must be true of the way."""

from __future__ import annotations

import json
from typing import Any

import httpx
import numpy as np

from tests.e2e.speaking import RATE, recording_of
from tests.e2e.test_builtin import spoken_session, turn_events


async def engines_of(address: str, profile: str) -> dict[str, str]:
    """Stage to engine of a server that must run that profile."""
    async with httpx.AsyncClient(base_url=f"http://{address}") as client:
        ready = (await client.get("/readyz")).json()
    assert ready["profile"] == profile
    return {stage: row["engine"] for stage, row in ready["engines"].items()}


async def ask_aloud(address: str, question: str) -> dict[str, Any]:
    """Ask one of the recorded questions of a server that nobody has talked to; the ledger's record.

    The question is heard word for word, the answer has words and can be heard, and its turn is
    accounted for."""
    async with spoken_session(address) as (connection, speaker):
        speaker.say(recording_of(question))
        heard = await turn_events(connection)
    assert heard["question"] == question
    assert heard["status"] == "completed"
    assert len(heard["said"].split()) >= 2
    samples = np.frombuffer(heard["audio"], dtype="<i2").astype(np.int32)
    assert samples.size > RATE // 4
    assert np.abs(samples).max() > 1000

    async with httpx.AsyncClient(base_url=f"http://{address}") as client:
        lines = (await client.get("/v1/turns")).text.splitlines()
    (record,) = map(json.loads, lines)
    assert record["turn_id"] == heard["turn"]["turn_id"]
    assert abs(sum(record["critical_ms"].values()) - record["voice_to_voice_ms"]) < 0.01
    assert record["tokens"]["prompt"] > 0
    found: dict[str, Any] = record
    return found
