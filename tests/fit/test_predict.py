"""What a machine of known speeds is said to do: no engine, no clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from voicepipe.config.loading import load_settings
from voicepipe.fit.choose import P50_MS, Choice, advice, best, choices, keeps_window
from voicepipe.fit.machine import DECODE_HINDERED, PROMPT_HINDERED, Job, Machine
from voicepipe.fit.predict import HOPELESS_MS, Prediction, predict
from voicepipe.fit.settings_file import as_toml
from voicepipe.fit.speeds import AsrSpeed, LlmSpeed, Setup, Speeds, TtsSpeed, on_more_cores
from voicepipe.fit.table import Probe, from_table, scaled
from voicepipe.fit.talk import Exchange, Talk

BASE, SMALL = AsrSpeed("base", 90, 2), AsrSpeed("small", 500, 2)
HALF = LlmSpeed("half", 5, 22, 40, 5, 2)
LARGE = LlmSpeed("large", 28, 100, 180, 20, 2)
SPEEDS = Speeds(2, (SMALL, BASE), (LARGE, HALF), TtsSpeed("voice", 40, 55))
NOTHING = LlmSpeed("nothing", 0.001, 0.001, 0.001, 0, 2)
ONE = Exchange("what time is it", 1200, "It is ten past nine in the morning. What else?")
EXACT = Talk(exchanges=(ONE,), spread=0.0)
WAIT_MS = EXACT.turns.endpoint_complete_ms
CLAUSE_TOKENS = 9  # "It is ten past nine in the morning." by whole sentence, full stop included


@cache
def found_here() -> tuple[Choice, ...]:
    """They take seconds."""
    return tuple(choices(SPEEDS))


def setup(asr: AsrSpeed = BASE, llm: LlmSpeed = HALF, partial_ms: int = 240) -> Setup:
    return Setup(asr, llm, partial_ms)


def test_engines_that_take_no_time_leave_the_wait_for_the_end_of_the_turn() -> None:
    quick = replace(SPEEDS, tts=TtsSpeed("voice", 0.01, 0.01))
    found = predict(quick, setup(AsrSpeed("quick", 0.01, 1), NOTHING), 1, EXACT)
    assert found.p50_ms == pytest.approx(WAIT_MS, abs=5)
    assert found.p95_ms == pytest.approx(WAIT_MS, abs=5)
    assert found.parts["endpoint"] == pytest.approx(WAIT_MS, abs=5)


def test_what_ends_within_that_wait_costs_nothing_and_the_rest_counts_in_full() -> None:
    """Decode, prompt, clause and voice begin at the eager end."""
    llm = replace(HALF, request_ms=0, prefill_ms=1, step_ms=10)
    new = EXACT.new_tokens(ONE.question, known_words=0)
    ready = EXACT.turns.eager_end_ms + 90 + new * 1 + CLAUSE_TOKENS * 10 + 40
    found = predict(SPEEDS, setup(llm=llm, partial_ms=0), 1, EXACT)
    assert found.p50_ms == pytest.approx(max(WAIT_MS, ready), abs=20)
    assert sum(found.parts.values()) == pytest.approx(found.p50_ms, rel=0.1)
    slower = predict(SPEEDS, setup(llm=replace(llm, step_ms=30), partial_ms=0), 1, EXACT)
    assert slower.p50_ms - found.p50_ms == pytest.approx(CLAUSE_TOKENS * 20, abs=30)


def test_more_callers_wait_longer_until_nobody_is_answered() -> None:
    waits = [predict(SPEEDS, setup(), callers).p50_ms for callers in (1, 4, 64)]
    assert waits == sorted(waits)
    assert waits[-1] == HOPELESS_MS
    assert predict(SPEEDS, setup(), 4) == predict(SPEEDS, setup(), 4), "the same every time"


@pytest.mark.parametrize(("threads", "crowded"), [(2, 1.0), (1, 0.5)])
def test_recognizer_and_language_model_hinder_each_other(threads: int, crowded: float) -> None:
    """By how far their threads outnumber the cores; tokens wait for memory, so they are not."""
    machine = Machine(2, replace(BASE, threads=threads), HALF)
    machine.asr_jobs.append(Job(100, lambda _: None))
    machine.llm_jobs += [Job(100, lambda _: None), Job(100, lambda _: None, steps=True)]
    machine.advance(0, 10)
    (asr,), (prompt, steps) = machine.asr_jobs, machine.llm_jobs
    assert 100 - asr.left_ms == pytest.approx(10 / (1 + crowded * DECODE_HINDERED))
    answers = 10 / (1 + HALF.company)
    assert 100 - prompt.left_ms == pytest.approx(answers / (1 + crowded * PROMPT_HINDERED))
    assert 100 - steps.left_ms == pytest.approx(answers)


def test_answers_share_each_step() -> None:
    ended: dict[str, float] = {}
    pair = Machine(2, BASE, HALF)
    for name in ("one", "two"):
        pair.llm_jobs.append(Job(90, lambda now, name=name: ended.update({name: now})))  # type: ignore[misc]
    now = 0.0
    while pair.llm_jobs:
        pair.advance(now, 1.0)
        now += 1.0
    assert ended["one"] == ended["two"] == pytest.approx(90 * (1 + HALF.company), abs=3)


def test_finals_go_before_partials() -> None:
    order: list[str] = []
    machine = Machine(2, BASE, HALF)
    machine.asr_jobs.append(Job(10, lambda _: order.append("partial"), urgent=False))
    machine.asr_jobs.append(Job(10, lambda _: order.append("final")))
    for now in range(30):
        machine.advance(now, 1.0)
    assert order == ["final", "partial"]


def test_the_best_models_that_keep_the_window_are_chosen() -> None:
    found = list(found_here())
    large, half = found
    assert not large.in_time
    assert half.in_time
    assert keeps_window(half.alone)
    assert best(found) is half
    assert half.setup.asr is BASE, "the better recognizer would be too slow"
    assert 1 <= half.callers < 64
    line = advice(found)
    assert "half answers in 0.4 s, large in 0.9 s." in line
    nobody = choices(replace(SPEEDS, llm=(LARGE,)))
    assert best(nobody) is nobody[0], "the quickest of those that are too slow"
    assert advice(nobody).startswith("What takes longest is the first clause: ")


def test_more_cores_answer_sooner_and_let_the_better_models_in() -> None:
    eight = on_more_cores(SPEEDS, 8)
    assert eight.asr[0].decode_ms < SPEEDS.asr[0].decode_ms / 2
    assert eight.llm[0].step_ms > SPEEDS.llm[0].step_ms / 4, "memory does not grow with cores"
    assert eight.llm[0].request_ms < SPEEDS.llm[0].request_ms / 2, "it computes too"
    assert on_more_cores(SPEEDS, 2).llm == SPEEDS.llm
    chosen = best(choices(on_more_cores(SPEEDS, 16)))
    assert chosen.setup.llm.model == "large"
    assert chosen.alone.p50_ms <= P50_MS


def test_the_settings_written_are_settings(tmp_path: Path) -> None:
    chosen = best(list(found_here()))
    text = as_toml(chosen, "piper-en_US-ljspeech-medium", date(2026, 11, 22))
    (tmp_path / "voicepipe.toml").write_text(text, "utf-8")
    settings = load_settings(None, tmp_path / "voicepipe.toml", {}, {})
    assert settings.profile == "cpu"
    assert (settings.asr.model, settings.asr.partial_ms) == ("base", chosen.setup.partial_ms)
    assert (settings.llm.engine, settings.llm.model) == ("llama_cpp", "half")
    assert settings.llm.llama_cpp.slots == chosen.callers + 1
    assert settings.limits.max_sessions == chosen.callers
    assert settings.budget.act
    assert f"one caller waits {chosen.alone.p50_ms:.0f} ms" in text


def test_a_table_is_scaled_by_what_bounds_each_stage() -> None:
    there = Probe(gflops=100, gbytes=10)
    twice = scaled(SPEEDS, there, Probe(gflops=200, gbytes=10))
    assert twice.asr[0].decode_ms == SPEEDS.asr[0].decode_ms / 2
    assert twice.llm[0].prefill_ms == SPEEDS.llm[0].prefill_ms / 2
    assert twice.llm[0].step_ms == SPEEDS.llm[0].step_ms, "a token waits for memory"
    memory = scaled(SPEEDS, there, Probe(gflops=100, gbytes=20))
    assert memory.llm[0].step_ms == SPEEDS.llm[0].step_ms / 2
    shipped = from_table(Probe(gflops=100, gbytes=10), cores_here=2)
    assert {one.model for one in shipped.asr} >= {"whisper-base.en", "whisper-tiny.en"}
    assert shipped.llm[0].step_ms > shipped.llm[-1].step_ms, "from the best to the quickest"


def test_a_prediction_keeps_the_window_at_both_percentiles() -> None:
    assert keeps_window(Prediction(1, 720, 990, {}))
    assert not keeps_window(Prediction(1, 700, 1010, {}))
    assert not keeps_window(Prediction(1, 740, 900, {}))
