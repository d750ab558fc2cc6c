"""The recognizer's vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

#: Whisper's special tokens, in the order that CTranslate2 and faster-whisper expect.
SPECIALS = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    "<|en|>",
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)
TIMESTAMPS = 1501
LETTERS = " abcdefghijklmnopqrstuvwxyz'"  # CTC classes 1..28; 0 is the blank


def train_tokenizer(texts: Sequence[str], size: int) -> Tokenizer:
    """Byte-level BPE of `size` entries on `texts`, then the special tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    # faster-whisper suppresses the first token of " -", " '" and " ♩". Were that the bare space,
    # every word without a merge for its first letter would become impossible; so merge these.
    # Seven symbols share their first bytes: together frequent enough, each alone too rare.
    guards = [" - ' ♩", " - ' ♪", " - ' ♫", " - ' ♬", " - ' ♭", " - ' ♮", " - ' ♯"]
    guards *= len(texts) // 140 + 1
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[],
        show_progress=False,
    )
    tokenizer.train_from_iterator([f" {text}" for text in texts] + guards, trainer)
    tokenizer.add_special_tokens(list(SPECIALS))
    if tokenizer.get_vocab_size() != size + len(SPECIALS):
        raise RuntimeError(f"tokenizer has {tokenizer.get_vocab_size()} entries")
    return tokenizer


def token_id(tokenizer: Tokenizer, name: str) -> int:
    """The number of a special token that must be there."""
    found = tokenizer.token_to_id(name)
    if found is None:
        raise KeyError(f"the tokenizer has no {name}")
    return int(found)
