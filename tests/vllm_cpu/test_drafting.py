"""Speculative decoding and quantised weights: the same words in fewer steps."""

from __future__ import annotations

import pytest

from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.reading import Read, read_all
from tests.vllm_cpu.conftest import Serve, new_model, running
from voicepipe.llm.engines.vllm import VllmModel
from voicepipe.runtime import progress as startup
from voicepipe.runtime.errors import EngineUnavailable

QUESTIONS = ("hello", "tell me a joke", "how are you")


@pytest.fixture(scope="module")
def drafted(serve: Serve) -> VllmModel:
    return serve(vllm__speculative={"method": "draft_model", "model": "set", "tokens": 3})


def drafts(reads: list[Read]) -> tuple[int, int]:
    """Guessed and right."""
    usages = [read.finish.usage for read in reads if read.finish]
    return sum(u.drafted_tokens for u in usages), sum(u.accepted_tokens for u in usages)


async def test_a_draft_model_guesses_and_is_right_at_times(drafted: VllmModel) -> None:
    reads = [await read_all(drafted, chat(question)) for question in QUESTIONS]
    guessed, right = drafts(reads)
    assert 0 < right <= guessed
    assert all(read.finish and read.finish.reason == "stop" for read in reads)
    tokens = sum(read.finish.usage.completion_tokens for read in reads if read.finish)
    assert right < tokens


async def test_copying_from_the_prompt_with_int8_weights() -> None:
    steps: list[str] = []
    with startup.told(steps.append):
        async with running(
            vllm__quantization="int8_per_channel_weight_only",
            vllm__speculative={"method": "ngram", "tokens": 3},
        ) as model:
            first = await read_all(model, chat("tell me a joke"))
            assert first.text.endswith((".", "?", "!"))
            again = await read_all(model, chat("tell me a joke", first.text, "tell me a joke"))
            more = await read_all(model, chat(*["tell me a joke", first.text] * 3, "say it again"))
            guessed, right = drafts([first, again, more])
            assert 0 < right <= guessed
    assert {"importing vLLM", "loading weights", "warming up"} <= set(steps)


async def test_settings_that_vllm_refuses_are_told_with_its_reason() -> None:
    model = new_model(vllm__quantization="no_such_thing")
    with pytest.raises(EngineUnavailable, match="no_such_thing"):
        await model.start()
    await model.aclose()
