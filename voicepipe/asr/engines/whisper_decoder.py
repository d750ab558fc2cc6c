"""Whisper on CTranslate2, called directly with short windows (`WhisperModel.transcribe` would pad
every one to 30 s). Blocking and thread-safe: runs in the scheduler's threads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voicepipe.asr.contract import Word
from voicepipe.asr.decoding import Decoded, DecodeRequest, heard_language
from voicepipe.asr.engines.model_file import ModelFile
from voicepipe.asr.engines.whisper_text import (
    WhisperText,
    estimated_words,
    measured_words,
    split_words,
)
from voicepipe.asr.mel import LogMel
from voicepipe.config import AsrSettings
from voicepipe.runtime.errors import EngineUnavailable

_MAX_LENGTH = 448
_PATIENCE = 2.0
"""A search goes on until twice as many texts as beams have ended. With as many, CTranslate2's own
rule, it ends too soon: with it the built-in model's word errors on tests/data/asr fall from 5.2 to
4.6 % at 5 beams, about as low as torch's exhaustive search gets them."""
_MIN_ALIGN_FRAMES = 20  # the aligner smooths over 7 encoder positions


class WhisperDecoder:
    """A loaded model. `decode` takes a batch whose requests share their `batch_key`."""

    def __init__(self, settings: AsrSettings, model_dir: Path, rules: ModelFile) -> None:
        """Load the model. Raises EngineUnavailable when it cannot be loaded here."""
        from faster_whisper import WhisperModel

        self._settings = settings
        try:
            self._whisper: Any = WhisperModel(
                str(model_dir),
                device=settings.device,
                compute_type=settings.compute_type,
                cpu_threads=settings.threads,
                num_workers=settings.workers,
                local_files_only=True,
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise EngineUnavailable(
                f"the ASR model in {model_dir} cannot be loaded (device {settings.device}, compute "
                f"type {settings.compute_type}): {error}",
                stage="asr",
            ) from error
        self._model: Any = self._whisper.model
        self._log_mel = LogMel(self._model.n_mels)
        self.text = WhisperText(
            self._whisper.hf_tokenizer,
            model_dir,
            rules,
            multilingual=self._model.is_multilingual,
            hotwords=settings.hotwords,
        )

    def decode(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        """Decode a batch; results in the same order."""
        started_s = time.perf_counter()
        encoded = self._model.encode(self._features(requests))
        languages = self._languages(requests, encoded)
        tokenizers = [self.text.tokenizer(code) for code, _ in languages]
        prompts = [
            self.text.prompt(tokenizer, request.prompt)
            for tokenizer, request in zip(tokenizers, requests, strict=True)
        ]
        cap = max(request.max_tokens for request in requests)
        results = self._model.generate(
            encoded,
            prompts,
            beam_size=self._settings.beam_size,
            patience=_PATIENCE,
            # CTranslate2 generates at most min(max_length / 2, max_length - (prompt - 1)) tokens.
            max_length=min(_MAX_LENGTH, max(2 * cap, cap + len(prompts[0]) - 1)),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
        )
        tokens = [
            [token for token in result.sequences_ids[0] if token < tokenizer.eot][
                : request.max_tokens
            ]
            for request, tokenizer, result in zip(requests, tokenizers, results, strict=True)
        ]
        words = [
            estimated_words(tokenizer, ids, len(request.pcm), _mean_logprob(result))
            for request, tokenizer, ids, result in zip(
                requests, tokenizers, tokens, results, strict=True
            )
        ]
        if requests[0].timed and any(tokens):
            words = self._measured(tokenizers, encoded, tokens, requests)
        work_s = time.perf_counter() - started_s
        return [
            Decoded(
                words=tuple(words[n]),
                tokens=len(tokens[n]),
                avg_logprob=_mean_logprob(result),
                no_speech_prob=float(result.no_speech_prob),
                language=tokenizers[n].language_code,
                language_probability=languages[n][1],
                work_s=work_s,
            )
            for n, result in enumerate(results)
        ]

    def unload(self) -> None:
        """Free the weights. A model still alive when the process exits may abort it."""
        self._model.unload_model()
        self._model = None
        self._whisper = None

    def _features(self, requests: Sequence[DecodeRequest]) -> Any:
        """Log-mel of the windows: float32 [B, mels, window / 160]."""
        import ctranslate2

        mels = self._log_mel([request.pcm for request in requests], requests[0].window)
        return ctranslate2.StorageView.from_array(mels)

    def _languages(
        self, requests: Sequence[DecodeRequest], encoded: Any
    ) -> list[tuple[str | None, float]]:
        """Language and how sure it is, for each: the request's, the settings', or what is heard."""
        known = [request.language or self._settings.language for request in requests]
        if all(known) or not self.text.multilingual:
            return [(code, 1.0) for code in known]
        heard = [found[0] for found in self._model.detect_language(encoded)]  # the likeliest
        return [
            (code, 1.0)
            if code
            else heard_language(token[2:-2], chance, request.kept_language)  # "<|de|>"
            for code, (token, chance), request in zip(known, heard, requests, strict=True)
        ]

    def _measured(
        self,
        tokenizers: Sequence[Any],
        encoded: Any,
        tokens: Sequence[list[int]],
        requests: Sequence[DecodeRequest],
    ) -> list[list[Word]]:
        """Word times and confidences from the cross-attention (a pass over the known text). A
        request that heard nothing is given a token to align, for the batch's sake."""
        frames = [max(len(request.pcm) // 160, _MIN_ALIGN_FRAMES) for request in requests]
        texts = [ids or [0] for ids in tokens]
        results = self._model.align(encoded, tokenizers[0].sot_sequence, texts, frames)
        return [
            measured_words(split_words(tokenizer, ids), result.alignments, result.text_token_probs)
            if ids
            else []
            for tokenizer, ids, result in zip(tokenizers, tokens, results, strict=True)
        ]


def _mean_logprob(result: Any) -> float:
    """The score as CTranslate2 normalizes it: sum over tokens and end, by the number of tokens."""
    return float(result.scores[0]) if result.sequences_ids[0] else 0.0
