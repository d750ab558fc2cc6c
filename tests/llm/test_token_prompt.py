from __future__ import annotations

from pathlib import Path

import pytest

from tests.llm.reading import GET_TIME, ask
from tests.llm.tiny_tokenizer import TEMPLATE, write_tokenizer
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest, Message, ToolCall
from voicepipe.llm.said_tokens import SaidTokens
from voicepipe.llm.token_prompt import TokenPrompts

QUESTION = (Message("system", "You help."), Message("user", "time?"))
LETTERS = "half past"


@pytest.fixture
def said() -> SaidTokens:
    return SaidTokens()


@pytest.fixture
def prompts(tmp_path: Path, said: SaidTokens) -> TokenPrompts:
    write_tokenizer(tmp_path)
    return TokenPrompts(ChatTemplate(tmp_path), 512, said)


def letter_by_letter(prompts: TokenPrompts, text: str) -> list[int]:
    """A tokenisation that a model may choose and the tokenizer never would."""
    return [i for c in text for i in prompts.tokenizer.encode(c, add_special_tokens=False).ids]


def after(answer: Message) -> ChatRequest:
    return ChatRequest((*QUESTION, answer, Message("user", "thanks")), max_tokens=16)


def test_an_answer_keeps_the_tokens_by_which_it_was_generated(
    prompts: TokenPrompts, said: SaidTokens
) -> None:
    asked = prompts.make(ChatRequest(QUESTION, max_tokens=16)).ids
    generated = letter_by_letter(prompts, LETTERS)
    request = after(Message("assistant", LETTERS))
    anew = prompts.make(request).ids
    assert anew[: len(asked) + len(generated)] != [*asked, *generated]
    said.remember(LETTERS, (), generated)
    exact = prompts.make(request).ids
    assert exact[: len(asked) + len(generated)] == [*asked, *generated]
    decode = prompts.tokenizer.decode
    assert decode(exact, skip_special_tokens=False) == decode(anew, skip_special_tokens=False)


def test_a_call_keeps_the_spacing_in_which_it_was_generated(
    prompts: TokenPrompts, said: SaidTokens
) -> None:
    text = '<tool_call>{ "name":"get_time" }</tool_call>'
    generated = prompts.tokenizer.encode(text, add_special_tokens=False).ids
    call = ToolCall("call_1", "get_time", "{}")
    request = after(Message("assistant", "", tool_calls=(call,)))
    said.remember("", (call,), generated)
    ids = prompts.make(request).ids
    assert text in prompts.tokenizer.decode(ids, skip_special_tokens=False)


def test_an_answer_cut_short_is_encoded_anew(prompts: TokenPrompts, said: SaidTokens) -> None:
    request = after(Message("assistant", "half"))
    before = prompts.make(request).ids
    said.remember(LETTERS, (), letter_by_letter(prompts, LETTERS))
    assert prompts.make(request).ids == before


def test_a_user_who_says_the_same_is_not_mistaken(prompts: TokenPrompts, said: SaidTokens) -> None:
    request = ChatRequest((Message("user", LETTERS),), max_tokens=16)
    before = prompts.make(request).ids
    said.remember(LETTERS, (), letter_by_letter(prompts, LETTERS))
    assert prompts.make(request).ids == before


def test_a_template_that_rewrites_answers_gets_them_as_text(
    tmp_path: Path, said: SaidTokens
) -> None:
    changed = TEMPLATE.replace("{{ message.content }}", "{{ message.content[:4] }}")
    write_tokenizer(tmp_path, changed)
    prompts = TokenPrompts(ChatTemplate(tmp_path), 512, said)
    said.remember(LETTERS, (), letter_by_letter(prompts, LETTERS))
    request = after(Message("assistant", LETTERS))
    assert prompts.make(request).ids == TokenPrompts(ChatTemplate(tmp_path), 512).make(request).ids


def test_only_the_last_answers_are_remembered(prompts: TokenPrompts) -> None:
    said = SaidTokens(limit=2)
    for text in ("one", "two", "three"):
        said.remember(text, (), [1])
    kept = [said.ids_of(Message("assistant", text)) for text in ("one", "two", "three")]
    assert kept == [None, (1,), (1,)]


def test_a_forced_beginning_is_part_of_the_prompt(prompts: TokenPrompts) -> None:
    free = prompts.make(ask("time", GET_TIME))
    forced = prompts.make(ask("time", GET_TIME, tool_choice="required"))
    assert (free.forced, free.answer_prefix) == (0, "")
    assert forced.ids[: len(free.ids)] == free.ids
    assert len(forced.ids) == len(free.ids) + forced.forced
    assert forced.answer_prefix.startswith("<tool_call>")
