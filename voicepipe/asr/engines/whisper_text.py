"""The text side of a Whisper model, whatever runs it: prompts in, words with times out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.asr.contract import Word
from voicepipe.asr.decoding import UNSPACED
from voicepipe.asr.engines.model_file import FILE_NAME, ModelFile
from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.languages.known import language_of
from voicepipe.runtime.errors import EngineUnavailable, RequestRefused

SECONDS_PER_POSITION = 0.02
"""Encoder output: one position for two mel frames of 10 ms."""

MAX_PROMPT_TOKENS = 64
"""Of hotwords and earlier text together; every one is prefilled in every decode."""

OTHER_NAMES = {"nb": "no", "fil": "tl", "jv": "jw"}
"""What Whisper calls languages beyond the tables of `languages/`, which know of their own."""


class WhisperText:
    """The tokenizer of one model with its rules and the settings' hotwords."""

    def __init__(
        self,
        hf_tokenizer: Any,
        model_dir: Path,
        rules: ModelFile,
        *,
        multilingual: bool,
        hotwords: str | None,
    ) -> None:
        """`hf_tokenizer`: a `tokenizers.Tokenizer`. Raises EngineUnavailable for prompt tokens that
        it does not hold."""
        self.multilingual = multilingual
        self._hf = hf_tokenizer
        self._rules = rules
        self._hotwords = hotwords or ""
        self._tokenizers: dict[str | None, Any] = {}
        unknown = [t for t in rules.prompt or () if hf_tokenizer.token_to_id(t) is None]
        if unknown:
            raise EngineUnavailable(
                f"{model_dir}: {FILE_NAME} names prompt tokens that tokenizer.json does not hold: "
                + ", ".join(unknown),
                stage="asr",
            )

    def tokenizer(self, language: str | None) -> Any:
        """The tokenizer for a language ("de", "de-AT"), made once each. English-only models have
        one for all. Raises RequestRefused for a language the model does not know."""
        from faster_whisper.tokenizer import Tokenizer

        code = self._model_code(language) if language and self.multilingual else None
        if code not in self._tokenizers:
            if self.multilingual and self._hf.token_to_id(f"<|{code}|>") is None:
                raise RequestRefused(
                    f"the ASR model does not know the language {language!r}", stage="asr"
                )
            self._tokenizers[code] = Tokenizer(
                self._hf, self.multilingual, task="transcribe", language=code
            )
        return self._tokenizers[code]

    def _model_code(self, language: str) -> str:
        """As the model calls it, which knows "no" and "zh" where others say "nb" and "cmn"."""
        own = language.lower().replace("_", "-").split("-")[0]
        names = (own, OTHER_NAMES.get(own, own), language_of(language).code)
        known = (name for name in names if self._hf.token_to_id(f"<|{name}|>") is not None)
        return next(known, own)

    def prompt(self, tokenizer: Any, text: str | None) -> list[int]:
        """Hotwords and earlier text, start, language and task, no timestamps; or the tokens that
        the model's own file names. What is too long of the earlier text is cut from its left."""
        if self._rules.prompt is not None:
            return [self._hf.token_to_id(name) for name in self._rules.prompt]
        hot, earlier = self._encode(tokenizer, self._hotwords), self._encode(tokenizer, text or "")
        room = MAX_PROMPT_TOKENS - len(hot[:MAX_PROMPT_TOKENS])
        shown = [*hot[:MAX_PROMPT_TOKENS], *(earlier[-room:] if room else ())]
        opening = [tokenizer.sot_prev, *shown] if shown and tokenizer.sot_prev is not None else []
        return [*opening, *tokenizer.sot_sequence, tokenizer.no_timestamps]

    def _encode(self, tokenizer: Any, text: str) -> list[int]:
        text = text.strip().lower() if self._rules.lowercase else text.strip()
        tokens: list[int] = tokenizer.encode(" " + text) if text else []
        return tokens


def split_words(tokenizer: Any, tokens: Sequence[int]) -> list[tuple[str, int]]:
    """Words with their number of tokens: what stands between spaces, so "don't" and "it." are one
    word each (the tokenizer's own splitter parts signs off). A blank goes to the word after it, and
    stays where none is put between words and both are of another script: "Visual", " Studio"."""
    spaced = tokenizer.language_code not in UNSPACED
    words: list[tuple[str, int]] = []
    text, count = "", 0
    for part, group in zip(*tokenizer.split_tokens_on_unicode(tokens), strict=True):
        if text.strip() and (part[:1].isspace() or not spaced):
            words.append((_bare(text, words, spaced), count))
            text, count = "", 0
        text, count = text + part, count + len(group)
    if text.strip():
        words.append((_bare(text, words, spaced), count))
    return words


def _bare(text: str, before: Sequence[tuple[str, int]], spaced: bool) -> str:
    """`text` as a word behind those `before` it."""
    word = text.strip()
    parted = not spaced and before and text[0].isspace()
    return f" {word}" if parted and _is_latin(before[-1][0][-1]) and _is_latin(word[0]) else word


def _is_latin(char: str) -> bool:
    """A letter, a digit or a sign of the alphabets of Europe."""
    return char <= "\u024f"


def estimated_words(
    tokenizer: Any, tokens: Sequence[int], samples: int, logprob: float
) -> list[Word]:
    """Word times in proportion to the words' lengths; every word gets the mean confidence."""
    texts = [text for text, _ in split_words(tokenizer, tokens)]
    letters = sum(len(text) for text in texts)
    confidence, at, words = min(1.0, math.exp(logprob)), 0, []
    for text in texts:
        start_s, at = at / letters * samples / SAMPLE_RATE, at + len(text)
        words.append(Word(text, start_s, at / letters * samples / SAMPLE_RATE, confidence))
    return words


def measured_words(
    words: Sequence[tuple[str, int]],
    path: Sequence[tuple[int, int]],
    probabilities: Sequence[float],
) -> list[Word]:
    """Turn an alignment (pairs of text token and encoder position) and the tokens' probabilities
    into words with times and confidences."""
    text_index, position = np.array(path).T
    first = np.flatnonzero(np.diff(text_index, prepend=-1))
    starts = np.append(position[first], position[-1]) * SECONDS_PER_POSITION
    timed, at = [], 0
    for text, count in words:
        end = min(at + count, len(starts) - 1)
        chance = float(np.mean(probabilities[at : at + count]))
        timed.append(Word(text, float(starts[min(at, end)]), float(starts[end]), chance))
        at += count
    return timed
