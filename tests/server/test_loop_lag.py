"""What the settings put around the engines, and a server that refuses while it is late."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets

from tests.llm.reading import ask, read_all
from tests.server.harness import FAST, running_server, simulated_engines
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.asr.fallback import FallbackRecognizer
from voicepipe.config import Settings
from voicepipe.config.loading import load_settings
from voicepipe.llm.cache.model import CachingModel
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.llm.routing.cascade import CascadeModel
from voicepipe.llm.routing.guarded import GuardedModel
from voicepipe.llm.routing.hedged import HedgedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.assembly import build_engines
from voicepipe.server.loop_lag import say_once
from voicepipe.server.service import Service
from voicepipe.session.language import SessionLanguage
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer
from voicepipe.tts.fallback import FallbackSynthesizer
from voicepipe.tts.phrase_cache import CachingSynthesizer

EVERYTHING = """
[asr.fallback]
engine = "simulated"
final_ms = 500
[llm.fallback]
engine = "simulated"
first_token_ms = 150
breaker = { p95_ms = 400, open_s = 3 }
[llm.cascade]
engine = "simulated"
large_patterns = ["\\\\bwhy\\\\b"]
[llm.cache]
exact = true
semantic = true
embedder = { base_url = "http://127.0.0.1:9/v1" }
[tts]
cache_mb = 1
[tts.fallback]
engine = "simulated"
"""


def test_by_default_nothing_stands_around_the_engines_but_the_phrase_cache() -> None:
    simulated = {"engine": "simulated"}
    settings = Settings(asr=simulated, llm=simulated, tts=simulated)
    engines = build_engines(settings, MonotonicClock())
    assert type(engines.recognizer) is SimulatedRecognizer
    assert type(engines.model) is SimulatedModel
    assert type(engines.synthesizer) is CachingSynthesizer
    assert type(engines.synthesizer.inner) is SimulatedSynthesizer
    assert engines.breakers == {}
    plain = build_engines(load_settings("simulated", environ={}), MonotonicClock())
    assert type(plain.synthesizer) is SimulatedSynthesizer  # each clause takes its time


async def test_settings_put_each_layer_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text(EVERYTHING)
    settings = load_settings("simulated", file, {"VOICEPIPE_LLM__FALLBACK__BREAKER__CALLS": "7"})
    engines = build_engines(settings, MonotonicClock())
    assert isinstance(engines.recognizer, FallbackRecognizer)
    cache = engines.model
    assert isinstance(cache, CachingModel)
    assert isinstance(cache.inner, CascadeModel)
    hedge = cache.inner.large
    assert isinstance(hedge, HedgedModel)
    assert isinstance(hedge.primary, GuardedModel)
    assert isinstance(engines.synthesizer, CachingSynthesizer)
    assert isinstance(engines.synthesizer.inner, FallbackSynthesizer)
    assert set(engines.breakers) == {"asr", "llm", "tts"}
    options = engines.breakers["llm"].options
    assert (options.p95_ms, options.open_s, options.calls) == (400, 3, 7)
    await engines.start()
    answer = await read_all(engines.model, ask("why is the sky blue"))
    assert answer.finish is not None
    assert answer.finish.route["cascade"] == "large_rule"
    assert answer.finish.route["llm"] in ("primary", "fallback_late")
    await engines.aclose()


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            {"llm": {"engine": "simulated", "fallback": {"engine": "nosuch"}}},
            r"llm\.fallback\.engine",
        ),
        (
            {
                "llm": {
                    "engine": "simulated",
                    "cascade": {"engine": "simulated", "large_patterns": ["("]},
                }
            },
            r"llm\.cascade\.large_patterns",
        ),
    ],
)
def test_mistakes_in_a_layer_are_named(section: dict[str, Any], message: str) -> None:
    plain = {"asr": {"engine": "simulated"}, "tts": {"engine": "simulated"}}
    with pytest.raises(ConfigError, match=message):
        build_engines(Settings(**plain, **section), MonotonicClock())


async def test_stock_phrases_are_in_the_cache_before_the_first_caller() -> None:
    settings = Settings(
        asr={"engine": "simulated"},
        llm={"engine": "simulated"},
        tts={"engine": "simulated"},
        greeting={"text": "Good morning. How can I help?"},
        filler={"after_ms": 500},
        turns={"listening_after_ms": 500},
        tools={"http": [{"name": "order", "url": "http://x/", "say": "I place the order."}]},
        agents={
            "bar": {"greeting": "Welcome to the bar."},
            "desk": {"greeting": "Hello {{caller}}."},  # differs from call to call
        },
        simulated=FAST,
    )
    engines = build_engines(settings, MonotonicClock())
    await engines.start()
    assert await say_once(engines, settings) == 7
    assert isinstance(engines.synthesizer, CachingSynthesizer)
    assert len(engines.synthesizer.cache) == 7
    await engines.aclose()


async def test_stock_phrases_of_an_agent_are_in_its_own_language_and_voice() -> None:
    settings = Settings(
        asr={"engine": "simulated", "language": "en"},
        tts={"engine": "simulated", "voice": "simulated"},
        turns={"listening_after_ms": 500},
        agents={
            "bar": {"greeting": "Guten Abend.", "language": "de"},
            "desk": {"greeting": "Hello.", "voice": "nobody"},  # the default voice speaks
        },
    )
    asked: list[tuple[str, Voice]] = []

    class Noting(SimulatedSynthesizer):
        def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
            asked.append((clause, voice))
            return super().stream(clause, voice)

    engines = replace(simulated_engines(), synthesizer=Noting(FAST))
    assert await say_once(engines, settings) == len(asked)
    english, german = (Voice("simulated", 1.0, code) for code in ("en", "de"))
    listening = {code: SessionLanguage(code).prompts.listening for code in ("en", "de")}
    assert set(asked) == {
        ("Guten Abend.", german),
        ("Hello.", english),
        *((word, english) for word in listening["en"]),
        *((word, german) for word in listening["de"]),
    }


async def test_a_voice_that_fails_beforehand_keeps_no_watch_from_its_work(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Faulty(SimulatedSynthesizer):
        async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
            raise RuntimeError("a library's own")
            yield

    engines = replace(simulated_engines(), synthesizer=Faulty(FAST))
    settings = Settings(greeting={"text": "Hello."}, admission={"max_loop_lag_ms": 100})
    service = Service(settings, engines)
    await service.start()
    assert service._watches
    assert "could not be said beforehand: RuntimeError: a library's own" in caplog.text
    await service.aclose()


async def test_a_late_server_refuses_new_sessions_keeps_its_own_and_recovers() -> None:
    admission = {"max_loop_lag_ms": 100, "window_s": 2.5, "retry_after_s": 7}
    async with running_server(admission=admission) as server, raw(server) as first:
        for _ in range(6):
            time.sleep(0.3)  # noqa: ASYNC251 - this is the overload
            await send(first, type="input_audio_buffer.clear")
            await next_of(first, "input_audio_buffer.cleared")
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with raw(server):
                pass
        response = refused.value.response
        assert response.status_code == 429
        assert response.headers["Retry-After"] == "7"
        error = json.loads(response.body)["error"]
        assert error["code"] == "server_overloaded"
        assert "admission.max_loop_lag_ms" in error["message"]
        await send(first, type="input_audio_buffer.clear")  # who was there is served
        await next_of(first, "input_audio_buffer.cleared")
        async with httpx.AsyncClient(base_url=server.http) as http:
            text = (await http.get("/metrics")).text
            assert 'voicepipe_sessions_refused_total{cause="loop_lag"} 1.0' in text
            assert "voicepipe_loop_lag_seconds" in text
            async with asyncio.timeout(30):  # the machine may be busy with other things too
                while server.service.admission.check() is not None:
                    await asyncio.sleep(0.2)
        async with raw(server):
            pass
        assert server.service.sessions_refused == 1


async def test_slow_turns_refuse_new_sessions_too() -> None:
    async with running_server(admission={"max_overhead_ms": 50}) as server:
        for _ in range(5):
            server.service.admission.overhead_ms.add(80)
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with raw(server):
                pass
        assert (
            "admission.max_overhead_ms"
            in json.loads(refused.value.response.body)["error"]["message"]
        )


async def test_routes_and_breakers_are_in_the_metrics_and_the_pages() -> None:
    settings = load_settings(
        "simulated",
        environ={},
        overrides={
            "llm.fallback.engine": "simulated",
            "llm.cache.exact": "true",
            "simulated.llm_first_token.mean_ms": "5",
            "simulated.asr.mean_ms": "5",
            "simulated.tts.mean_ms": "5",
        },
    )
    built = build_engines(settings, MonotonicClock())
    engines = simulated_engines(heard=("tell me a joke",))
    engines.model, engines.breakers = built.model, built.breakers
    async with running_server(engines) as server, httpx.AsyncClient(base_url=server.http) as http:
        for _ in range(2):  # two callers, the same first question
            async with raw(server) as ws:
                await send(ws, type="input_audio_buffer.append", audio=tone(600))
                await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
                await next_of(ws, "response.done")
                await ws.close()
        text = (await http.get("/metrics")).text
        assert 'voicepipe_route_total{decision="primary",stage="llm"} 1.0' in text
        assert 'voicepipe_route_total{decision="exact",stage="cache"} 1.0' in text
        assert 'voicepipe_breaker_state{stage="llm"} 0.0' in text
        assert (await http.get("/readyz")).json()["breakers"] == {"llm": "closed"}
        rows = [json.loads(row) for row in (await http.get("/v1/turns")).text.splitlines()]
        assert [row["route"] for row in rows] == [{"llm": "primary"}, {"cache": "exact"}]


async def test_a_realtime_client_is_greeted_once_it_has_spoken() -> None:
    greeting = {"text": "Good morning."}
    async with running_server(greeting=greeting) as server, raw(server) as ws:
        await send(ws, type="session.update", session={"type": "realtime"})
        assert (await next_of(ws, "session.updated", "response.created"))["type"] == (
            "session.updated"
        )
        done = await next_of(ws, "response.done")
        (item,) = done["response"]["output"]
        assert item["content"][0]["transcript"] == "Good morning."
        await send(ws, type="input_audio_buffer.append", audio=tone(600))
        await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
        again = await next_of(ws, "response.done")
        assert again["response"]["output"][0]["content"][0]["transcript"] != "Good morning."
