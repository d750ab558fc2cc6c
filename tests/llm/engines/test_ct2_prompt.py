from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.llm.reading import GET_TIME, ask
from tests.llm.tiny_tokenizer import TEMPLATE, write_tokenizer
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest, Message
from voicepipe.llm.engines.ct2_prompt import (
    MAX_CANDIDATES,
    MIN_STATIC_TOKENS,
    Prompt,
    PromptMaker,
    StaticPrompts,
)
from voicepipe.llm.token_prompt import stop_token_ids
from voicepipe.runtime.errors import EngineError


@pytest.fixture
def maker(tmp_path: Path) -> PromptMaker:
    write_tokenizer(tmp_path)
    return PromptMaker(ChatTemplate(tmp_path), tmp_path)


def whole(prompt: Prompt) -> str:
    return "".join((*prompt.static, *prompt.tokens)).replace("Ġ", " ").replace("Ċ", "\n")


def test_a_system_message_is_kept_from_its_second_use_on(maker: PromptMaker) -> None:
    first = maker.make(ask("hello"))
    assert first.static == []
    maker.kept(first)
    second = maker.make(ask("what time is it"))
    assert second.static[0] == "<|im_start|>"
    assert "".join(second.static).count("<|im_end|>") == 1
    assert not second.cached
    maker.kept(second)
    third = maker.make(ask("hello"))
    assert third.static == second.static
    assert third.cached
    assert third.static + third.tokens == first.tokens


def test_warming_keeps_it_at_once(maker: PromptMaker) -> None:
    assert maker.worth_warming(ask("hello"))
    maker.kept(maker.make(ask("hello"), keep=True))
    assert not maker.worth_warming(ask("hello"))
    assert maker.make(ask("hello")).cached
    assert maker.worth_warming(ask("hello", GET_TIME)), "tools are part of the system message"


def test_a_prompt_without_system_message_has_nothing_to_keep(maker: PromptMaker) -> None:
    request = ChatRequest((Message("user", "hello"),))
    for _ in range(3):
        assert maker.make(request).static == []
    assert not maker.worth_warming(request)


def test_template_that_cannot_render_a_system_message_alone(tmp_path: Path) -> None:
    write_tokenizer(
        tmp_path, '{% if messages | length < 2 %}{{ raise_exception("no") }}{% endif %}' + TEMPLATE
    )
    maker = PromptMaker(ChatTemplate(tmp_path), tmp_path)
    for _ in range(3):
        assert maker.make(ask("hello")).static == []


def test_kept_prompts_are_few_for_ever() -> None:
    prompts = StaticPrompts(limit=3)
    used = [prompts.use((f"p{n}", *"x" * MIN_STATIC_TOKENS), at_once=True) for n in range(10)]
    assert used == [True] * 3 + [False] * 7
    assert len(prompts) == 3
    assert prompts.use(("p0", *"x" * MIN_STATIC_TOKENS), at_once=False)
    assert not prompts.may_take(("p9", *"x" * MIN_STATIC_TOKENS))


def test_prompts_seen_once_are_forgotten_and_short_ones_not_kept() -> None:
    prompts = StaticPrompts()
    long = [(f"p{n}", *"x" * MIN_STATIC_TOKENS) for n in range(MAX_CANDIDATES + 1)]
    for prefix in long:
        assert not prompts.use(prefix, at_once=False)
    assert not prompts.use(long[0], at_once=False), "forgotten: this is a first use again"
    assert prompts.use(long[-1], at_once=False)
    assert not prompts.use(("short",), at_once=True)


def test_forced_calls_begin_the_answer(maker: PromptMaker) -> None:
    prompt = maker.make(ask("time", GET_TIME, tool_choice="get_time"))
    assert prompt.answer_prefix == '<tool_call>\n{"name": "get_time'
    assert whole(prompt).endswith("assistant\n" + prompt.answer_prefix)
    required = maker.make(ask("time", GET_TIME, tool_choice="required"))
    assert required.answer_prefix == "<tool_call>"
    assert "get_time" not in whole(maker.make(ask("hello", GET_TIME, tool_choice="none")))
    with pytest.raises(EngineError, match=r"'get_weather' must be called.*get_time"):
        maker.make(ask("time", GET_TIME, tool_choice="get_weather"))
    with pytest.raises(EngineError, match="no tools"):
        maker.make(ask("time", tool_choice="required"))


def test_a_history_too_long_for_the_model_loses_its_oldest_turns(maker: PromptMaker) -> None:
    prompts = []
    for turns in range(1, 60):
        history = [
            Message(role, f"{role} says number {n:02}")
            for n in range(turns)
            for role in ("user", "assistant")
        ]
        messages = (Message("system", "You help."), *history, Message("user", "what time is it"))
        prompt = maker.make(ChatRequest(messages, max_tokens=64))
        assert len(prompt.static) + len(prompt.tokens) + 64 <= 512  # the limit in its config
        text = whole(prompt)
        assert text.startswith("<|im_start|>system\nYou help.<|im_end|>\n<|im_start|>user\n")
        assert text.endswith("what time is it<|im_end|>\n<|im_start|>assistant\n")
        prompts.append(text)
    new_beginnings = sum(a[:120] != b[:120] for a, b in pairwise(prompts))
    assert 0 < new_beginnings <= 20, "the beginning must change rarely, not at each of 59 turns"


def test_a_last_turn_too_long_for_the_model_is_an_error(maker: PromptMaker) -> None:
    with pytest.raises(EngineError, match="do not fit the model's 512 tokens"):
        maker.make(ask("x " * 1000))
    with pytest.raises(EngineError, match="do not fit"):
        maker.make(ask("hello", max_tokens=600))


def test_all_files_may_name_end_tokens(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    tokenizer = ChatTemplate(tmp_path).tokenizer
    turn, text = tokenizer.token_to_id("<|im_end|>"), tokenizer.token_to_id("<|endoftext|>")
    assert stop_token_ids(tokenizer, tmp_path) == {turn, text}
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [7, 9]}))
    assert stop_token_ids(tokenizer, tmp_path) == {turn, text, 7, 9}
