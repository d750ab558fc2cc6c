"""Whole calls over a real WebSocket, their engines behind a socket."""

from __future__ import annotations

import json

import httpx

from tests.cluster.through_host import Rig, hosting
from tests.server.harness import running_server, simulated_engines
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from voicepipe.session.engines import Engines


def own() -> Engines:
    return simulated_engines()


def hosted_engines(rig: Rig) -> Engines:
    """As a gateway has them."""
    return Engines(
        recognizer=rig.adapter("asr"),
        model=rig.adapter("llm"),
        synthesizer=rig.adapter("tts"),
        new_detector=own().new_detector,
    )


async def test_a_call_is_answered_and_its_ledger_tells_the_way() -> None:
    mine = own()
    async with hosting(asr=mine.recognizer, llm=mine.model, tts=mine.synthesizer) as rig:
        async with running_server(hosted_engines(rig)) as server:
            async with raw(server) as ws, httpx.AsyncClient(base_url=server.http) as http:
                await send(ws, type="input_audio_buffer.append", audio=tone(600))
                await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
                done = await next_of(ws, "response.done")
                await ws.close()
                rows = [json.loads(r) for r in (await http.get("/v1/turns")).text.splitlines()]
                text = (await http.get("/metrics")).text
    assert done["response"]["status"] == "completed"
    (row,) = [row for row in rows if row["voice_to_voice_ms"] is not None]
    for stage in ("asr", "llm", "tts"):
        assert 0 <= float(row["route"][f"{stage}.hop_ms"]) < 1000
        assert f'voicepipe_engine_way_seconds_count{{part="hop",stage="{stage}"}} 1.0' in text
    assert "hop_ms" not in text
