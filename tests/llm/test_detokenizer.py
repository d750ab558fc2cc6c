from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tests.llm.tiny_tokenizer import write_tokenizer
from voicepipe.llm.detokenizer import Detokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    directory = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(directory)
    return Tokenizer.from_file(str(directory / "tokenizer.json"))


@settings(deadline=None)
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="�"), max_size=30))
def test_pieces_add_up_and_are_whole_characters(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    detokenizer = Detokenizer(tokenizer)
    pieces = [detokenizer.feed(i) for i in ids] + [detokenizer.close()]
    assert "".join(pieces) == text
    assert not any("�" in piece for piece in pieces)


def test_a_character_of_four_tokens_comes_with_the_last(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("😀", add_special_tokens=False).ids
    assert len(ids) == 4
    detokenizer = Detokenizer(tokenizer)
    assert [detokenizer.feed(i) for i in ids] == ["", "", "", "😀"]


def test_cut_off_character_is_dropped_at_the_end(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("it 😀", add_special_tokens=False).ids
    detokenizer = Detokenizer(tokenizer)
    assert "".join(detokenizer.feed(i) for i in ids[:-1]).strip() == "it"
    assert detokenizer.close().strip() == ""


def test_bytes_that_never_become_a_character_do_not_hold_the_text_for_ever(
    tokenizer: Tokenizer,
) -> None:
    broken = tokenizer.encode("😀", add_special_tokens=False).ids[1]  # a continuation byte
    detokenizer = Detokenizer(tokenizer)
    held = [detokenizer.feed(broken) for _ in range(40)]
    assert any(held)
    word = tokenizer.encode("time", add_special_tokens=False).ids
    assert "".join(detokenizer.feed(i) for i in word).endswith("time")


def test_control_tokens_are_not_text_but_call_tags_are(tokenizer: Tokenizer) -> None:
    start = tokenizer.token_to_id("<|im_start|>")
    assert start is not None
    tag = tokenizer.token_to_id("<tool_call>")
    assert tag is not None
    detokenizer = Detokenizer(tokenizer, {start})
    assert [detokenizer.feed(i) for i in (start, tag, start)] == ["", "<tool_call>", ""]
