"""Whisper on CTranslate2, called directly with short windows (`WhisperModel.transcribe` would pad
every one to 30 s). Blocking and thread-safe: runs in the scheduler's threads."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.asr.contract import Word
from voicepipe.asr.decoding import UNSPACED, Decoded, DecodeRequest
from voicepipe.asr.engines.model_file import FILE_NAME, ModelFile
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.config import AsrSettings
from voicepipe.errors import EngineError, EngineUnavailable

_SECONDS_PER_POSITION = 0.02  # encoder output: one position for two mel frames of 10 ms
_MAX_PROMPT_TOKENS = 64  # every one is prefilled in every decode
_MAX_LENGTH = 448
_MIN_ALIGN_FRAMES = 20  # the aligner smooths over 7 encoder positions


class WhisperDecoder:
    """A loaded model. `decode` takes a batch whose requests share their `batch_key`."""

    def __init__(self, settings: AsrSettings, model_dir: Path, rules: ModelFile, workers: int):
        """Load the model. Raises EngineUnavailable when it cannot be loaded here."""
        from faster_whisper import WhisperModel

        self._settings = settings
        self._rules = rules
        try:
            self._whisper: Any = WhisperModel(
                str(model_dir),
                device=settings.device,
                compute_type=settings.compute_type,
                cpu_threads=settings.threads,
                num_workers=workers,
                local_files_only=True,
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise EngineUnavailable(
                f"the ASR model in {model_dir} cannot be loaded (device {settings.device}, compute "
                f"type {settings.compute_type}): {error}",
                stage="asr",
            ) from error
        self._model: Any = self._whisper.model
        self._tokenizers: dict[str | None, Any] = {}
        unknown = [
            t for t in rules.prompt or () if self._whisper.hf_tokenizer.token_to_id(t) is None
        ]
        if unknown:
            raise EngineUnavailable(
                f"{model_dir}: {FILE_NAME} names prompt tokens that tokenizer.json does not hold: "
                + ", ".join(unknown),
                stage="asr",
            )

    def decode(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        """Decode a batch; results in the same order."""
        started_s = time.perf_counter()
        encoded = self._model.encode(self._features(requests))
        first = requests[0]
        tokenizer = self._tokenizer(first.language or self._language(encoded))
        prompt = self._prompt(tokenizer, first.prompt)
        cap = max(request.max_tokens for request in requests)
        results = self._model.generate(
            encoded,
            [prompt] * len(requests),
            beam_size=self._settings.beam_size,
            # CTranslate2 generates at most min(max_length / 2, max_length - (prompt - 1)) tokens.
            max_length=min(_MAX_LENGTH, max(2 * cap, cap + len(prompt) - 1)),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
        )
        tokens = [
            [token for token in result.sequences_ids[0] if token < tokenizer.eot]
            for result in results
        ]
        words = [
            self._estimated(tokenizer, ids, len(request.pcm), _mean_logprob(result))
            for ids, request, result in zip(tokens, requests, results, strict=True)
        ]
        if first.timed and all(tokens):
            words = self._aligned(tokenizer, encoded, tokens, requests)
        work_s = time.perf_counter() - started_s
        return [
            Decoded(
                words=tuple(word),
                tokens=len(ids),
                avg_logprob=_mean_logprob(result),
                no_speech_prob=float(result.no_speech_prob),
                language=tokenizer.language_code,
                work_s=work_s,
            )
            for word, ids, result in zip(words, tokens, results, strict=True)
        ]

    def unload(self) -> None:
        """Free the weights. A model still alive when the process exits may abort it."""
        self._model.unload_model()
        self._model = None
        self._whisper = None

    def _features(self, requests: Sequence[DecodeRequest]) -> Any:
        """Log-mel of the windows: float32 [B, mels, window / 160]. Zeros fill the window *before*
        the mel, as in training; the shared extractor is only read (no chunk_length)."""
        import ctranslate2

        extract = self._whisper.feature_extractor
        mels = [extract(_padded(r.pcm, r.window), padding=0) for r in requests]
        batch = np.ascontiguousarray(np.stack(mels), dtype=np.float32)
        return ctranslate2.StorageView.from_array(batch)

    def _tokenizer(self, language: str | None) -> Any:
        """The tokenizer for a language ("de", "de-AT"), made once each. English-only models have
        one for all. Raises EngineError for a language the model does not know."""
        from faster_whisper.tokenizer import Tokenizer

        multilingual = self._model.is_multilingual
        code = (
            language.lower().replace("_", "-").split("-")[0] if language and multilingual else None
        )
        if code not in self._tokenizers:
            if multilingual and self._whisper.hf_tokenizer.token_to_id(f"<|{code}|>") is None:
                raise EngineError(
                    f"the ASR model does not know the language {language!r}", stage="asr"
                )
            self._tokenizers[code] = Tokenizer(
                self._whisper.hf_tokenizer, multilingual, task="transcribe", language=code
            )
        return self._tokenizers[code]

    def _language(self, encoded: Any) -> str | None:
        if self._settings.language or not self._model.is_multilingual:
            return self._settings.language
        token: str = self._model.detect_language(encoded)[0][0][0]  # the likeliest, "<|de|>"
        return token[2:-2]

    def _prompt(self, tokenizer: Any, text: str | None) -> list[int]:
        """Earlier text (cut from the left), start, language and task, no timestamps; or the tokens
        that the model's own file names."""
        if self._rules.prompt is not None:
            return [self._whisper.hf_tokenizer.token_to_id(name) for name in self._rules.prompt]
        expected = " ".join(part for part in (self._settings.hotwords, text) if part).strip()
        earlier: list[int] = []
        if expected and tokenizer.sot_prev is not None:
            expected = expected.lower() if self._rules.lowercase else expected
            earlier = [tokenizer.sot_prev, *tokenizer.encode(" " + expected)[-_MAX_PROMPT_TOKENS:]]
        return [*earlier, *tokenizer.sot_sequence, tokenizer.no_timestamps]

    def _estimated(
        self, tokenizer: Any, tokens: list[int], samples: int, logprob: float
    ) -> list[Word]:
        """Word times in proportion to the words' lengths; every word gets the mean confidence."""
        texts = [text for text, _ in _split(tokenizer, tokens)]
        letters = sum(len(text) for text in texts)
        confidence, at, words = min(1.0, math.exp(logprob)), 0, []
        for text in texts:
            start_s, at = at / letters * samples / SAMPLE_RATE, at + len(text)
            words.append(Word(text, start_s, at / letters * samples / SAMPLE_RATE, confidence))
        return words

    def _aligned(
        self,
        tokenizer: Any,
        encoded: Any,
        tokens: list[list[int]],
        requests: Sequence[DecodeRequest],
    ) -> list[list[Word]]:
        """Word times and confidences from the cross-attention (a pass over the known text)."""
        frames = [max(len(request.pcm) // 160, _MIN_ALIGN_FRAMES) for request in requests]
        results = self._model.align(encoded, tokenizer.sot_sequence, tokens, frames)
        return [
            _timed_words(_split(tokenizer, ids), result)
            for ids, result in zip(tokens, results, strict=True)
        ]


def _padded(pcm: Int16, window: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    padded: np.ndarray[tuple[int], np.dtype[np.float32]] = np.zeros(window, dtype=np.float32)
    padded[: min(len(pcm), window)] = pcm[:window]
    padded /= 32768.0
    return padded


def _mean_logprob(result: Any) -> float:
    """The score as CTranslate2 normalizes it: sum over tokens and end, by the number of tokens."""
    return float(result.scores[0]) if result.sequences_ids[0] else 0.0


def _split(tokenizer: Any, tokens: list[int]) -> list[tuple[str, int]]:
    """Words with their number of tokens: what stands between spaces, so "don't" and "it." are one
    word each (the tokenizer's own splitter parts signs off). A blank goes to the word after it."""
    spaced = tokenizer.language_code not in UNSPACED
    words: list[tuple[str, int]] = []
    text, count = "", 0
    for part, group in zip(*tokenizer.split_tokens_on_unicode(tokens), strict=True):
        if text.strip() and (part[:1].isspace() or not spaced):
            words.append((text.strip(), count))
            text, count = "", 0
        text, count = text + part, count + len(group)
    if text.strip():
        words.append((text.strip(), count))
    return words


def _timed_words(words: list[tuple[str, int]], result: Any) -> list[Word]:
    """Turn an alignment (pairs of text token and encoder position) into word times."""
    text_index, position = np.array(result.alignments).T
    first = np.flatnonzero(np.diff(text_index, prepend=-1))
    starts = np.append(position[first], position[-1]) * _SECONDS_PER_POSITION
    timed, at = [], 0
    for text, count in words:
        end = min(at + count, len(starts) - 1)
        chance = float(np.mean(result.text_token_probs[at : at + count]))
        timed.append(Word(text, float(starts[min(at, end)]), float(starts[end]), chance))
        at += count
    return timed
