"""The built-in model's tokenizer cuts a word alike wherever it stands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from twin_tokens import SPACE, WORD, TwinTokens, bare, capital

SHIPPED = Path(__file__).parents[2] / "models" / "builtin" / "llm" / "tokenizer.json"


def shipped() -> Tokenizer:
    return Tokenizer.from_file(str(SHIPPED))


def cut(tokenizer: Tokenizer, text: str) -> list[str]:
    tokens = tokenizer.encode(text, add_special_tokens=False).tokens
    return [token.removeprefix(SPACE).lower() for token in tokens]


def test_every_word_that_is_one_token_has_its_twins() -> None:
    vocabulary = shipped().get_vocab()
    words = [word for word in vocabulary if WORD.fullmatch(word)]
    assert len(words) > 500
    assert [word for word in words if not {bare(word), capital(word)} <= vocabulary.keys()] == []


@pytest.mark.parametrize("name", ["chamomile", "okafor", "priya", "kitchen", "macchiato"])
def test_names_and_things_are_cut_alike_wherever_they_stand(name: str) -> None:
    tokenizer = shipped()
    said = cut(tokenizer, f" {name}")
    assert cut(tokenizer, name) == said
    assert cut(tokenizer, f" {name.capitalize()}") == said


def before() -> Tokenizer:
    """Byte-level BPE that knows a few words, mostly behind a space."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["set a kitchen timer in the kitchen", "Kim set it"] * 9, trainer)
    return tokenizer


def test_a_twin_is_one_token_and_nothing_else_changes() -> None:
    twins = TwinTokens(before())
    twins.add_all()
    assert len(cut(before(), "kitchen")) > 1
    assert cut(twins.tokenizer, "kitchen") == cut(twins.tokenizer, " Kitchen") == ["kitchen"]
    new = twins.tokenizer.get_vocab().keys() - before().get_vocab().keys()
    assert new == twins.parts.keys()
    for token, number in before().get_vocab().items():
        assert twins.tokenizer.token_to_id(token) == number
    for text in (" set a kitchen timer", " in the kitchen"):
        assert twins.tokenizer.encode(text).ids == before().encode(text).ids
