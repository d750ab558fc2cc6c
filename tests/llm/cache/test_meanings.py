"""Questions that mean the same: the index, a real embeddings server, and what its faults cost."""

from __future__ import annotations

import asyncio

import pytest

from tests.llm.cache.embeddings_server import embedded, embeddings_server, spelled
from tests.llm.reading import ask, read_all
from tests.scripted_server import Reply
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.config.llm import EmbedderSettings
from voicepipe.llm.cache.embedding import ServerEmbedder
from voicepipe.llm.cache.model import CachingModel, Meanings
from voicepipe.llm.cache.question import Question
from voicepipe.llm.cache.semantic import SemanticIndex
from voicepipe.llm.cache.store import Answer
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.clock import ManualClock, MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.runtime.text import normalize_text


def add(index: SemanticIndex, asked: Question, answer: Answer) -> None:
    index.add(asked, spelled(asked.text), answer)


def find(index: SemanticIndex, asked: Question) -> Answer | None:
    return index.find(asked, spelled(asked.text))


def question(text: str, scope: str = "s") -> Question:
    return Question(scope, normalize_text(text))


SAME = [
    ("what's the capital of France", "tell me the capital of France please"),
    ("how do I reset my password", "how can I reset the password"),
    ("where do you deliver to", "where do you deliver"),
    ("what payment methods do you accept", "which payment methods are accepted"),
]
OTHER = [
    ("what's the capital of France", "what's the capital of Germany"),
    ("what is twelve plus seven", "what is twelve plus eight"),
    ("turn on the lights", "turn off the lights"),
    ("do you ship to Norway", "do you not ship to Norway"),
    ("how do I reset my password", "how do I change my address"),
    ("what is 12 times 3", "what is 13 times 3"),
]


@pytest.mark.parametrize(("asked", "again"), OTHER)
def test_a_different_question_never_gets_its_neighbours_answer(asked: str, again: str) -> None:
    index = SemanticIndex(ManualClock(), threshold=0.88, max_entries=9, ttl_s=60)
    add(index, question(asked), Answer("no"))
    assert find(index, question(again)) is None


def test_the_same_question_in_other_words_is_found_mostly() -> None:
    found = 0
    for asked, again in SAME:
        index = SemanticIndex(ManualClock(), threshold=0.88, max_entries=9, ttl_s=60)
        add(index, question(asked), Answer("yes"))
        found += find(index, question(again)) is not None
        assert find(index, question(again, scope="other prompt")) is None
    assert found >= 3


def test_the_index_is_bounded_and_forgets() -> None:
    clock = ManualClock()
    index = SemanticIndex(clock, threshold=0.9, max_entries=2, ttl_s=60)
    for text in ("red apples", "green pears", "blue plums"):
        add(index, question(text), Answer(text))
    assert len(index) == 2
    assert find(index, question("red apples")) is None
    assert find(index, question("green pears")) == Answer("green pears")
    add(index, question("green pears"), Answer("newer"))
    assert len(index) == 2
    assert find(index, question("green pears")) == Answer("newer")
    clock.advance(61)
    assert find(index, question("green pears")) is None
    assert len(index) == 1


def test_an_old_answer_does_not_hide_a_younger_one_to_nearly_the_same() -> None:
    clock = ManualClock()
    index = SemanticIndex(clock, threshold=0.88, max_entries=9, ttl_s=60)
    add(index, question("where do you deliver"), Answer("old"))
    clock.advance(59)
    add(index, question("where do you deliver to"), Answer("young"))
    assert find(index, question("where do you deliver")) == Answer("old")
    clock.advance(2)
    assert find(index, question("where do you deliver")) == Answer("young")


def test_rows_are_used_again_and_never_mixed_up() -> None:
    """More questions than rows, over and over: each finds its own answer or none."""
    index = SemanticIndex(ManualClock(), threshold=0.99, max_entries=70, ttl_s=60)
    words = [f"{first}{second}ology" for first in "bcdfghjklm" for second in "aeiouvwxyz"]
    for text in (*words, *words[:30]):
        add(index, question(text), Answer(text))
        assert find(index, question(text)) == Answer(text)
        assert len(index) <= 70
    found = [text for text in words if find(index, question(text)) is not None]
    assert all(find(index, question(text)) == Answer(text) for text in found)
    assert len(found) == 70


def test_vectors_of_another_model_are_neither_compared_nor_kept() -> None:
    index = SemanticIndex(ManualClock(), threshold=0.5, max_entries=9, ttl_s=60)
    asked = question("where do you deliver")
    add(index, asked, Answer("here"))
    other = spelled(asked.text)[:100]
    assert index.find(asked, other) is None
    index.add(question("do you deliver"), other, Answer("there"))
    assert len(index) == 1


# -- The server ----------------------------------------------------------------------------------


def embedder(base_url: str, timeout_ms: float = 2000) -> ServerEmbedder:
    settings = EmbedderSettings(base_url=base_url, model="letters", timeout_ms=timeout_ms)
    return ServerEmbedder(settings, MonotonicClock())


def caching(asked: ServerEmbedder) -> tuple[CachingModel, SimulatedModel]:
    fast = SimulatedSettings(llm_first_token=LatencySettings(mean_ms=1))
    inner = SimulatedModel(fast, ("It is Paris, on the Seine.",))
    index = SemanticIndex(MonotonicClock(), threshold=0.7, max_entries=3, ttl_s=60)
    return CachingModel(inner, exact=None, meanings=Meanings(asked, index)), inner


async def test_a_question_in_other_words_is_answered_from_memory_and_marked() -> None:
    async with embeddings_server() as server:
        model, inner = caching(embedder(server.base_url))
        await read_all(model, ask("what's the capital of France"))
        again = await read_all(model, ask("tell me the capital of France please"))
        assert again.text == "It is Paris, on the Seine."
        assert again.finish is not None
        assert again.finish.route == {"cache": "semantic"}
        assert inner.started_requests == 1
        assert [body["model"] for body in server.bodies] == ["letters", "letters"]
        await model.aclose()


BROKEN = [
    pytest.param(Reply((b"{}",)), id="nothing in it"),
    pytest.param(Reply((b"<html>",)), id="no JSON"),
    pytest.param(Reply((b"[" * 100_000,)), id="nested without end"),
    pytest.param(Reply((b'{"data": [{"embedding": [1%s]}]}' % (b"0" * 400),)), id="huge"),
    pytest.param(Reply((b"{}",), status=500), id="an error"),
    pytest.param(Reply((None,)), id="cut off"),
    pytest.param(Reply((b" " * (1 << 20), b"{}")), id="endless"),
    pytest.param(embedded(0 * spelled("nothing")), id="no direction"),
    pytest.param(Reply((5.0, b"{}")), id="late"),
]


@pytest.mark.parametrize("reply", BROKEN)
async def test_a_server_in_trouble_costs_its_deadline_and_no_answer(reply: Reply) -> None:
    async with embeddings_server(reply) as server:
        model, inner = caching(embedder(server.base_url, timeout_ms=300))
        async with asyncio.timeout(4):
            read = await read_all(model, ask("what's the capital of France"))
        assert read.text == "It is Paris, on the Seine."
        await read_all(model, ask("what's the capital of France"))
        assert inner.started_requests == 2  # nothing was kept under a vector that never came
        await model.aclose()


async def test_a_server_that_is_not_there_is_soon_left_alone() -> None:
    async with embeddings_server() as server:
        gone = server.base_url
    asked = embedder(gone)
    for _ in range(3):
        assert await asked.embed("hello") is None
    assert asked.breaker.state.value == "open"
    await asked.aclose()


def test_comparing_meanings_without_a_server_says_which_setting_is_missing() -> None:
    with pytest.raises(EngineUnavailable, match=r"llm\.cache\.embedder\.base_url"):
        ServerEmbedder(EmbedderSettings(), MonotonicClock())
