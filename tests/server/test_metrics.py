"""`/metrics` of the recognizer's decode queue."""

from __future__ import annotations

from pathlib import Path

import httpx
import numpy as np
import pytest
import websockets

from tests.call_log.test_realtime import calls_section, ended_call
from tests.server.harness import running_server
from tests.server.test_limits import raw
from voicepipe.asr.contract import AsrOptions
from voicepipe.config.loading import load_settings
from voicepipe.server.metrics import Metrics
from voicepipe.server.service import Service


async def test_decodes_are_counted() -> None:
    service = Service(load_settings("builtin", environ={}))
    metrics, recognizer = Metrics(service), service.engines.recognizer
    assert b'voicepipe_asr_decodes_total{engine="primary"} 0.0' in metrics.render()[0]
    await recognizer.start()
    utterance = recognizer.open(AsrOptions(partials=False))
    utterance.feed(np.random.default_rng(1).integers(-3000, 3000, 16_000).astype(np.int16))
    await utterance.final()
    utterance.cancel()
    text = metrics.render()[0].decode()
    for name in ("decodes", "final_decodes", "batches"):
        assert f'voicepipe_asr_{name}_total{{engine="primary"}} 1.0' in text
    for name in ("shared_decodes", "decode_failures", "stale_partials"):
        assert f'voicepipe_asr_{name}_total{{engine="primary"}} 0.0' in text
    assert 'voicepipe_asr_queued{engine="primary"} 0.0' in text
    await service.aclose()


async def test_a_recognizer_and_its_fallback_are_told_apart() -> None:
    overrides = {"asr.fallback.engine": "faster_whisper"}
    service = Service(load_settings("builtin", environ={}, overrides=overrides))
    text = Metrics(service).render()[0].decode()
    for role in ("primary", "fallback"):
        assert f'voicepipe_asr_batches_total{{engine="{role}"}} 0.0' in text
    await service.aclose()


async def test_engines_without_a_queue_have_no_samples() -> None:
    service = Service(load_settings("simulated", environ={}))
    assert b"voicepipe_asr_decodes_total{" not in Metrics(service).render()[0]
    await service.aclose()


@pytest.mark.parametrize(
    "accept", ["text/plain; version=x", "application/openmetrics-text;version=x"]
)
async def test_a_version_that_is_none_gets_a_format_that_everybody_reads(accept: str) -> None:
    """prometheus-client 0.21 looks at no version: OpenMetrics is OpenMetrics 1.0 there."""
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as client:
        answer = await client.get("/metrics", headers={"Accept": accept})
    oldest = ("text/plain; version=0.0.4", "application/openmetrics-text; version=1.0.0")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(oldest)
    assert "voicepipe_sessions 0.0" in answer.text


async def test_what_became_of_the_calls_records_is_counted(tmp_path: Path) -> None:
    async with running_server(calls=calls_section(tmp_path)) as server:
        async with raw(server):
            pass
        await ended_call(server, tmp_path)
        server.service.calls.counts.add(lost_turns=2, lost_sound_s=1.5)
        text = server.app.state.metrics.render()[0].decode()
    assert "voicepipe_calls_written_total 1.0" in text
    assert "voicepipe_calls_turns_written_total 0.0" in text
    assert "voicepipe_calls_lost_turns_total 2.0" in text
    assert "voicepipe_calls_lost_sound_seconds_total 1.5" in text
    assert "voicepipe_calls_failing 0.0" in text


async def test_a_server_that_keeps_no_calls_counts_none() -> None:
    service = Service(load_settings("simulated", environ={}))
    assert b"voicepipe_calls_" not in Metrics(service).render()[0]
    await service.aclose()


async def test_a_full_servers_refusals_are_counted() -> None:
    async with running_server(limits={"max_sessions": 1}) as server, raw(server):
        with pytest.raises(websockets.InvalidStatus):
            async with raw(server):
                pass
        text = server.app.state.metrics.render()[0].decode()
    assert 'voicepipe_sessions_refused_total{cause="full"} 1.0' in text
    assert 'voicepipe_sessions_refused_total{cause="loop_lag"} 0.0' in text
