"""The built-in model's tokenizer cuts a word alike wherever it stands; nothing said is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from voicepipe.llm.detokenizer import Detokenizer

SHIPPED = Path(__file__).parents[2] / "models" / "builtin" / "llm" / "tokenizer.json"
MARKS = "⇧⇤"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(SHIPPED))


def cut(tokenizer: Tokenizer, text: str) -> list[str]:
    tokens: list[str] = tokenizer.encode(text, add_special_tokens=False).tokens
    return tokens


@pytest.mark.parametrize("name", ["chamomile", "ravensworth", "brownie", "priya", "macchiato"])
def test_a_word_is_cut_alike_wherever_it_stands(tokenizer: Tokenizer, name: str) -> None:
    said = cut(tokenizer, f"a {name}")[1:]
    assert "".join(said) == f"Ġ{name}"
    for around in (
        "my name is {}",
        "<|im_start|>user\n{}",
        '<tool_call>\n{{"name": "add_to_order", "arguments": {{"items": "{}"}}}}',
        "two ({})",
        "a non-{}",
    ):
        for word in (name, name.capitalize()):
            tokens = cut(tokenizer, around.format(word))
            at = len(tokens) - len(said)
            while at and tokens[at : at + len(said)] != said:
                at -= 1
            assert at, tokens


CHARACTERS = "abzéABZÉ019 \n.,-/('\"{}:_\t€漢😀"
# Without blanks at the start of a line, which the tokenizer does lose.
TEXTS = st.text(st.sampled_from(CHARACTERS), max_size=40).map(
    lambda text: re.sub(r"\n +", "\n", f"|{text}")
)


@given(TEXTS)
def test_nothing_is_lost(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


@given(TEXTS)
def test_what_streams_adds_up(tokenizer: Tokenizer, text: str) -> None:
    detokenizer = Detokenizer(tokenizer)
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    pieces = [*map(detokenizer.feed, ids), detokenizer.close()]
    assert "".join(pieces) == text
    assert not any(mark in piece for piece in pieces for mark in MARKS)


def test_an_answer_begins_without_the_space_of_its_first_word(tokenizer: Tokenizer) -> None:
    prompt = "<|im_start|>assistant\n"
    known = len(cut(tokenizer, prompt))
    detokenizer = Detokenizer(tokenizer)
    ids = tokenizer.encode(prompt + "Okay, Sam. Two.", add_special_tokens=False).ids[known:]
    assert [*map(detokenizer.feed, ids)] == ["", "Okay", ",", "", " Sam", ".", "", " Two", "."]
