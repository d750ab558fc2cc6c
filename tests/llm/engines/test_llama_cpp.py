"""The openai engine against llama.cpp itself, which serves the built-in model as a GGUF file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from scripts.stand_in_gguf import write_gguf
from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.llama_server import llama_server
from tests.llm.reading import read_all
from tests.serving import free_port
from voicepipe.config import LlmSettings
from voicepipe.llm.engines.openai import OpenAICompatibleModel
from voicepipe.runtime.errors import EngineError

JOKE = "tell me a joke"


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its base URL."""
    folder = tmp_path_factory.mktemp("llama")
    write_gguf(folder / "model.gguf")
    with llama_server(folder / "model.gguf", free_port(), folder / "log") as url:
        yield url


async def test_an_answer_streams_and_its_tokens_are_counted(llama: str) -> None:
    model = OpenAICompatibleModel(LlmSettings(engine="openai", model="", base_url=llama))
    await model.start()
    try:
        first = await read_all(model, chat(JOKE))
        assert len(first.texts) > 2, "the answer must stream"
        assert first.text.endswith((".", "?", "!"))
        assert first.finish is not None
        assert first.finish.reason == "stop"
        again = await read_all(model, chat(JOKE, first.text, "another one"))
        assert again.finish is not None
        known = first.finish.usage.prompt_tokens + first.finish.usage.completion_tokens
        assert known - 4 <= again.finish.usage.cached_tokens < again.finish.usage.prompt_tokens
        short = await read_all(model, chat(JOKE, max_tokens=3))
        assert short.finish is not None
        assert (short.finish.reason, short.finish.usage.completion_tokens) == ("length", 3)
    finally:
        await model.aclose()


async def test_log_probabilities_beside_tools_are_refused_by_name(llama: str) -> None:
    """A limit of llama.cpp's that docs/engines/openai.md tells."""
    settings = LlmSettings(engine="openai", base_url=llama, logprobs=True)
    model = OpenAICompatibleModel(settings)
    await model.start()
    try:
        with pytest.raises(EngineError, match="logprobs is not supported with tools"):
            await read_all(model, chat(JOKE))
        plain = await read_all(model, replace(chat(JOKE), tools=()))
        assert plain.text
    finally:
        await model.aclose()
