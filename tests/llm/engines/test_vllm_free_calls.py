"""Calls that a model makes by itself: where one opens, vLLM is asked to go on under a grammar. The
engine is played; the real one is in tests/vllm_cpu."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer

from tests.llm.reading import ask, read_all
from tests.llm.tiny_tokenizer import write_tokenizer
from voicepipe.config import LlmSettings
from voicepipe.llm.contract import Tool, ToolCallUnusable
from voicepipe.llm.engines import vllm
from voicepipe.llm.engines.vllm import VllmModel
from voicepipe.llm.tool_parser import OPEN

BOOK = Tool("book", "", {"type": "object", "properties": {"table": {"type": "integer"}}})
CALL = '\n{"name": "book", "arguments": {"table": 4}}\n</tool_call>'


@dataclass
class Asked:
    """One request that the engine had."""

    ids: list[int]
    grammar: str
    max_tokens: int
    aborted: bool = True
    given: list[int] = field(default_factory=list)


class Engine:
    """Gives each request the tokens of the next script, `size` in an output."""

    def __init__(self, tokenizer: Tokenizer, scripts: list[str], size: int) -> None:
        self._tokenizer, self._scripts, self._size = tokenizer, scripts, size
        self.asked: list[Asked] = []

    async def generate(
        self, prompt: Any, sampling_params: Any, request_id: str, *, priority: int = 0
    ) -> AsyncGenerator[Any, None]:
        asked = Asked(prompt["prompt_token_ids"], *sampling_params)
        self.asked.append(asked)
        ids = self._tokenizer.encode(self._scripts.pop(0), add_special_tokens=False).ids
        for start in range(0, len(ids), self._size):
            part = ids[start : start + self._size]
            asked.given += part
            last = start + self._size >= len(ids)
            one = SimpleNamespace(
                token_ids=part, logprobs=None, finish_reason="stop" if last else None
            )
            yield SimpleNamespace(outputs=[one], num_cached_tokens=7)
        asked.aborted = False


def made(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    scripts: list[str],
    *,
    size: int = 1,
    merged: str = "",
    problem: str = "",
    **own: object,
) -> tuple[VllmModel, Engine]:
    """`merged`: a token of this text is in the vocabulary, and no tag is."""
    write_tokenizer(folder)
    file = folder / "tokenizer.json"
    if merged:
        stored = json.loads(file.read_text())
        stored["added_tokens"] = [t for t in stored["added_tokens"] if "tool" not in t["content"]]
        file.write_text(json.dumps(stored))
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.add_tokens([AddedToken(merged)])
        tokenizer.save(str(file))
    model = VllmModel(LlmSettings.model_validate({"vllm": own}), folder)
    model._read_tokenizer()
    engine = Engine(model._tokenizer, scripts, size)
    model._keeper = SimpleNamespace(engine=engine, suspect=lambda: None)  # type: ignore[assignment]

    def sampling(max_tokens: int, temperature: float, seed: int | None, grammar: str) -> Any:
        return grammar, max_tokens

    monkeypatch.setattr(model, "_sampling", sampling)
    monkeypatch.setattr(vllm, "grammar_problem", lambda grammar: problem)
    return model, engine


REQUEST = replace(ask("a table please", BOOK), max_tokens=200)


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_a_call_goes_on_under_the_grammar(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = [f"Let me see.{OPEN}\n{{nonsense", CALL]
    model, engine = made(tmp_path, monkeypatch, scripts, size=size)
    read = await read_all(model, REQUEST)
    assert read.text == "Let me see."
    assert [(c.name, json.loads(c.arguments)) for c in read.calls] == [("book", {"table": 4})]
    free, forced = engine.asked
    assert (free.grammar, free.aborted or size == 100) == ("", True)
    assert forced.grammar.startswith("%llguidance")
    said = model._tokenizer.encode(f"Let me see.{OPEN}", add_special_tokens=False).ids
    assert forced.ids == [*free.ids, *said], "the second continues the first"
    assert forced.max_tokens == 200 - len(said)
    assert read.finish is not None
    assert read.finish.usage.prompt_tokens == len(free.ids)


@pytest.mark.parametrize("merged", [">\n", '>\n{"', "call>\n"])
async def test_a_token_that_holds_more_than_the_tag_is_made_anew(
    merged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = merged.partition("\n")[0]
    scripts = [f'Let me see.{OPEN}\n{{"nonsense', missing + CALL]
    model, engine = made(tmp_path, monkeypatch, scripts, merged=merged)
    read = await read_all(model, REQUEST)
    assert read.text == "Let me see."
    assert [(c.name, json.loads(c.arguments)) for c in read.calls] == [("book", {"table": 4})]
    forced = engine.asked[1]
    assert f'start: {json.dumps(missing)} "\\n" call' in forced.grammar
    assert model._tokenizer.decode(forced.ids).endswith(OPEN.removesuffix(missing))


async def test_words_alone_are_never_under_a_grammar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, engine = made(tmp_path, monkeypatch, ["You are welcome."])
    assert (await read_all(model, REQUEST)).text == "You are welcome."
    assert [(one.grammar, one.aborted) for one in engine.asked] == [("", False)]


@pytest.mark.parametrize("why", ["schema", "setting"])
async def test_a_call_without_a_grammar_is_one_request(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The backend refuses all of them, or nobody wants one."""
    problem, constrain = ("too odd", True) if why == "schema" else ("", False)
    model, engine = made(
        tmp_path, monkeypatch, [OPEN + CALL] * 2, problem=problem, constrain_tools=constrain
    )
    for _ in range(2):
        assert len((await read_all(model, REQUEST)).calls) == 1
    assert [one.grammar for one in engine.asked] == ["", ""]
    assert caplog.text.count("makes no grammar") == (2 if why == "schema" else 0), "once for each"


async def test_a_schema_that_makes_no_grammar_takes_that_of_no_other_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, engine = made(tmp_path, monkeypatch, [OPEN + "nonsense", CALL])
    monkeypatch.setattr(
        vllm, "grammar_problem", lambda grammar: "odd" if "strange" in grammar else ""
    )
    odd = Tool("odd", "", {"type": "object", "properties": {"strange": {"type": "string"}}})
    read = await read_all(model, replace(REQUEST, tools=(odd, BOOK)))
    assert [call.name for call in read.calls] == ["book"]
    grammar = engine.asked[-1].grammar
    assert '{"const": "odd"}, "arguments": {"type": "object"}' in grammar
    assert "table" in grammar, "the other tool's schema holds"


@pytest.mark.parametrize("parallel", [True, False])
async def test_more_calls_may_follow_where_several_are_wanted(
    parallel: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = f"\n{OPEN}{CALL}" if parallel else ""
    model, engine = made(tmp_path, monkeypatch, [OPEN, CALL + more])
    read = await read_all(model, replace(REQUEST, parallel_tools=parallel))
    assert len(read.calls) == (2 if parallel else 1)
    assert (")*" in engine.asked[1].grammar) is parallel


async def test_an_answer_that_is_full_where_a_call_opens_has_no_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, engine = made(tmp_path, monkeypatch, [f"hello{OPEN}\n"])
    words = len(model._tokenizer.encode(f"hello{OPEN}", add_special_tokens=False).ids)
    read = await read_all(model, replace(REQUEST, max_tokens=words))
    assert (read.text, read.calls, len(engine.asked)) == ("hello", [], 1)
    assert read.finish is not None
    assert read.finish.reason == "length"


@pytest.mark.parametrize("tool_choice", ["required", "book"])
async def test_a_forced_call_that_ends_at_once_is_no_empty_answer(
    tool_choice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no grammar keeps the model from it."""
    model, _ = made(tmp_path, monkeypatch, ["<|im_end|>"], constrain_tools=False)
    with pytest.raises(ToolCallUnusable):
        await read_all(model, replace(REQUEST, tool_choice=tool_choice))
