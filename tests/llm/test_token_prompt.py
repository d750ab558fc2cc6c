from __future__ import annotations

from pathlib import Path

import pytest

from tests.llm.reading import GET_TIME, ask
from tests.llm.tiny_tokenizer import TEMPLATE, write_tokenizer
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest, Message, Tool, ToolCall
from voicepipe.llm.said_tokens import SaidTokens
from voicepipe.llm.token_prompt import MOST_CHARS_PER_TOKEN, TokenPrompts
from voicepipe.models.registry import packaged_models_dir
from voicepipe.runtime.errors import EngineError

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


def test_so_does_one_of_the_built_in_model_whose_first_word_is_cut_by_the_line_before_it(
    said: SaidTokens,
) -> None:
    prompts = TokenPrompts(ChatTemplate(packaged_models_dir() / "builtin" / "llm"), 512, said)
    asked = prompts.make(ChatRequest(QUESTION, max_tokens=16)).ids
    generated = letter_by_letter(prompts, LETTERS)
    said.remember(LETTERS, (), generated)
    ids = prompts.make(after(Message("assistant", LETTERS))).ids
    assert ids[: len(asked) + len(generated)] == [*asked, *generated]


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


@pytest.fixture
def encoded(prompts: TokenPrompts, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long the texts were that were encoded."""
    lengths: list[int] = []
    encode = ChatTemplate.encode

    def noting(template: ChatTemplate, text: str) -> list[int]:
        lengths.append(len(text))
        return encode(template, text)

    monkeypatch.setattr(ChatTemplate, "encode", noting)
    return lengths


LONG = "word " * 200_000


@pytest.mark.parametrize(
    "messages",
    [
        (Message("system", LONG), Message("user", "time?")),
        (Message("system", "Help."), Message("user", LONG)),
    ],
)
def test_text_that_cannot_fit_is_refused_by_its_length_and_never_encoded(
    prompts: TokenPrompts, encoded: list[int], messages: tuple[Message, ...]
) -> None:
    with pytest.raises(EngineError, match=r"1000005 characters .* the model's 512 tokens"):
        prompts.make(ChatRequest(messages, max_tokens=16))
    assert sum(encoded) == 0


def test_instructions_that_cannot_fit_are_not_encoded_by_themselves_either(
    prompts: TokenPrompts, encoded: list[int]
) -> None:
    request = ChatRequest((Message("system", LONG), Message("user", "time?")), max_tokens=16)
    assert prompts.system_ids(request) == []
    assert sum(encoded) == 0


def test_tools_count_too(prompts: TokenPrompts, encoded: list[int]) -> None:
    tool = Tool("long", "word " * 1000, {"type": "object", "description": "word " * 1000})
    with pytest.raises(EngineError, match="the tools"):
        prompts.make(ChatRequest(QUESTION, (tool,), max_tokens=16))
    assert sum(encoded) == 0


def test_long_history_is_cut_before_its_first_encoding(
    prompts: TokenPrompts, encoded: list[int]
) -> None:
    turn = [Message("user", "some words " * 50), Message("assistant", "other words " * 50)]
    history = turn * 50
    prompts.make(ChatRequest((*history, Message("user", "time?")), max_tokens=16))
    assert max(encoded) <= 512 * MOST_CHARS_PER_TOKEN + 1000


def test_a_history_that_must_stay_whole_is_refused_and_not_cut(prompts: TokenPrompts) -> None:
    messages = (*[Message("user", "some words " * 50)] * 50, Message("user", "time?"))
    with pytest.raises(EngineError, match="do not fit"):
        prompts.make(ChatRequest(messages, max_tokens=16, whole=True))


def test_nothing_is_encoded_for_somebody_who_has_gone(
    prompts: TokenPrompts, encoded: list[int]
) -> None:
    with pytest.raises(EngineError, match="waits"):
        prompts.make(ask("time?"), lambda: True)
    assert sum(encoded) == 0
