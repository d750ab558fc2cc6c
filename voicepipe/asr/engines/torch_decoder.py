"""Whisper on torch, called part by part with short windows (`generate` of Whisper's own class wants
30 s). Blocking; runs in the scheduler's one thread."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn.functional import gelu
from transformers import WhisperForConditionalGeneration
from transformers.generation import GenerationMixin
from transformers.modeling_outputs import BaseModelOutput

from voicepipe.asr.alignment import monotonic_path
from voicepipe.asr.contract import Word
from voicepipe.asr.decoding import Decoded, DecodeRequest, heard_language
from voicepipe.asr.engines.model_file import ModelFile
from voicepipe.asr.engines.whisper_text import (
    SECONDS_PER_POSITION,
    WhisperText,
    estimated_words,
    measured_words,
    split_words,
)
from voicepipe.asr.mel import LogMel
from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.config import AsrSettings
from voicepipe.runtime.errors import EngineUnavailable

_MIN_ALIGN_POSITIONS = 10  # the aligner smooths over 7


class _Heard(NamedTuple):
    """What the model says after the start token, before any text."""

    language: str | None
    language_probability: float
    no_speech_prob: float


class TorchDecoder:
    """A loaded model. `decode` takes a batch whose requests share their `batch_key`."""

    def __init__(self, settings: AsrSettings, model_dir: Path, rules: ModelFile) -> None:
        """Load the model. Raises EngineUnavailable when it cannot be loaded here."""
        self._settings = settings
        try:
            self._device = device(settings.device)
            self._dtype = dtype(settings.compute_type, self._device)
            self._model: Any = WhisperForConditionalGeneration.from_pretrained(
                model_dir, dtype=self._dtype, local_files_only=True
            ).to(self._device)
            hf_tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
        except Exception as error:  # safetensors and tokenizers raise kinds of their own
            raise EngineUnavailable(
                f"the ASR model in {model_dir} cannot be loaded (device {settings.device}, compute "
                f"type {settings.compute_type}): {error}",
                stage="asr",
            ) from error
        self._model.eval()
        if self._device.type == "cpu":
            torch.set_num_threads(settings.threads)
        generation = self._model.generation_config
        self._languages: dict[str, int] = getattr(generation, "lang_to_id", None) or {}
        self._heads: list[list[int]] | None = getattr(generation, "alignment_heads", None)
        self._log_mel = LogMel(self._model.config.num_mel_bins)
        self.text = WhisperText(
            hf_tokenizer,
            model_dir,
            rules,
            multilingual=bool(getattr(generation, "is_multilingual", len(self._languages) > 1)),
            hotwords=settings.hotwords,
        )

    def decode(self, requests: Sequence[DecodeRequest]) -> list[Decoded]:
        """Decode a batch; results in the same order."""
        started_s = time.perf_counter()
        with torch.inference_mode():
            encoded = self._encode(requests)
            heard = self._listen(requests, encoded)
            tokenizers = [self.text.tokenizer(one.language) for one in heard]
            tokens, logprobs = self._generate(requests, tokenizers, encoded)
            words = [
                estimated_words(tokenizers[n], ids, len(requests[n].pcm), logprobs[n])
                for n, ids in enumerate(tokens)
            ]
            if requests[0].timed and any(tokens):
                words = self._measured(requests, tokenizers, encoded, tokens)
        work_s = time.perf_counter() - started_s
        return [
            Decoded(
                words=tuple(words[n]),
                tokens=len(tokens[n]),
                avg_logprob=logprobs[n],
                no_speech_prob=one.no_speech_prob,
                language=tokenizers[n].language_code,
                language_probability=one.language_probability,
                work_s=work_s,
            )
            for n, one in enumerate(heard)
        ]

    def unload(self) -> None:
        """Free the weights."""
        self._model = None
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    def _encode(self, requests: Sequence[DecodeRequest]) -> Any:
        """Encoder output [B, positions, width] of the requests' windows. The encoder's own forward
        takes only windows as long as its table of positions; a shorter one uses its beginning."""
        mels = self._log_mel([request.pcm for request in requests], requests[0].window)
        encoder = self._model.model.encoder
        x = torch.from_numpy(mels).to(self._device, self._dtype)
        x = gelu(encoder.conv2(gelu(encoder.conv1(x)))).transpose(1, 2)
        x = x + encoder.embed_positions.weight[: x.shape[1]]
        for layer in encoder.layers:
            x = layer(x, None)
        return encoder.layer_norm(x)

    def _listen(self, requests: Sequence[DecodeRequest], encoded: Any) -> list[_Heard]:
        """One step after the start token: languages that nobody has named, and whether there is
        speech at all."""
        known = [request.language or self._settings.language for request in requests]
        start = self._model.config.decoder_start_token_id
        opening = torch.full((len(requests), 1), start, device=self._device)
        chances = self._logits(opening, encoded)[:, 0].softmax(-1)
        silent = chances[:, self._no_speech_token()].tolist()
        codes = list(self._languages)
        if all(known) or not self.text.multilingual:
            return [_Heard(code, 1.0, prob) for code, prob in zip(known, silent, strict=True)]
        among = chances[:, [self._languages[code] for code in codes]]
        best, which = (among / among.sum(-1, keepdim=True)).max(-1)
        detected = [
            heard_language(codes[which[n]].strip("<|>"), float(best[n]), request.kept_language)
            for n, request in enumerate(requests)
        ]
        return [
            _Heard(*((code, 1.0) if code else found), prob)
            for code, found, prob in zip(known, detected, silent, strict=True)
        ]

    def _no_speech_token(self) -> int:
        """It stands right before the one that switches timestamps off, under several names."""
        return int(self._model.generation_config.no_timestamps_token_id) - 1

    def _logits(self, tokens: Any, encoded: Any, **options: Any) -> Any:
        out = self._model.model.decoder(input_ids=tokens, encoder_hidden_states=encoded, **options)
        logits = self._model.proj_out(out.last_hidden_state).float()
        return (logits, out.cross_attentions) if options.get("output_attentions") else logits

    def _generate(
        self, requests: Sequence[DecodeRequest], tokenizers: Sequence[Any], encoded: Any
    ) -> tuple[list[list[int]], list[float]]:
        """Text tokens of each and their mean log probability, the end's included in the sum."""
        prompts = [
            self.text.prompt(tokenizer, request.prompt)
            for tokenizer, request in zip(tokenizers, requests, strict=True)
        ]
        out = GenerationMixin.generate(  # Whisper's own cuts audio into windows of 30 s
            self._model,
            decoder_input_ids=torch.tensor(prompts, device=self._device),
            encoder_outputs=BaseModelOutput(last_hidden_state=encoded),
            num_beams=self._settings.beam_size,
            do_sample=False,
            max_length=None,
            max_new_tokens=max(request.max_tokens for request in requests),
            renormalize_logits=True,  # probabilities among the tokens that may come, as CTranslate2
            output_scores=True,
            return_dict_in_generate=True,
        )
        steps = self._model.compute_transition_scores(
            out.sequences, out.scores, getattr(out, "beam_indices", None)
        ).tolist()
        tokens, logprobs = [], []
        for request, tokenizer, row, scores in zip(
            requests, tokenizers, out.sequences[:, len(prompts[0]) :].tolist(), steps, strict=True
        ):
            length = row.index(tokenizer.eot) if tokenizer.eot in row else len(row)
            ids = [token for token in row[:length] if token < tokenizer.eot][: request.max_tokens]
            tokens.append(ids)
            logprobs.append(sum(scores[: length + 1]) / length if ids else 0.0)
        return tokens, logprobs

    def _measured(
        self,
        requests: Sequence[DecodeRequest],
        tokenizers: Sequence[Any],
        encoded: Any,
        tokens: Sequence[list[int]],
    ) -> list[list[Word]]:
        """Word times and confidences from the cross-attention (a pass over the known text)."""
        start = [*tokenizers[0].sot_sequence, tokenizers[0].no_timestamps]
        longest, end = max(len(ids) for ids in tokens), tokenizers[0].eot
        rows = [[*start, *ids, *[end] * (longest - len(ids) + 1)] for ids in tokens]
        with self._visible_attention():
            logits, attention = self._logits(
                torch.tensor(rows, device=self._device), encoded, output_attentions=True
            )
        words = []
        for n, (request, ids) in enumerate(zip(requests, tokens, strict=True)):
            seconds = len(request.pcm) / SAMPLE_RATE
            frames = max(round(seconds / SECONDS_PER_POSITION), _MIN_ALIGN_POSITIONS)
            weights = self._weights(attention, n)[:, : len(start) + len(ids) + 1, :frames]
            text = slice(len(start) - 1, len(start) - 1 + len(ids))
            chances = logits[n, text, :end].softmax(-1)[range(len(ids)), ids].tolist()
            path = monotonic_path(weights, len(start)) if ids else []
            words.append(
                measured_words(split_words(tokenizers[n], ids), path, chances) if ids else []
            )
        return words

    def _weights(self, attention: Any, n: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        """The alignment heads' attention to the audio of request `n`: float32 [heads, tokens,
        positions]. A model that names none: all heads of the later half of the layers."""
        layers = len(attention)
        heads = self._heads or [
            [layer, head]
            for layer in range(layers // 2, layers)
            for head in range(attention[0].shape[1])
        ]
        stacked = torch.stack([attention[layer][n, head] for layer, head in heads])
        weights: np.ndarray[Any, np.dtype[np.float32]] = stacked.float().cpu().numpy()
        return weights

    @contextmanager
    def _visible_attention(self) -> Iterator[None]:
        """Fused kernels do not show what attends to what."""
        usual = self._model.config._attn_implementation
        self._model.set_attn_implementation("eager")
        try:
            yield
        finally:
            self._model.set_attn_implementation(usual)


def device(name: str) -> Any:
    """The torch device of `asr.device`; "auto": the GPU where there is one."""
    wanted = name if name != "auto" else ("cuda" if torch.cuda.is_available() else "cpu")
    if wanted == "cuda" and not torch.cuda.is_available():
        raise EngineUnavailable("torch sees no CUDA device here: set asr.device=cpu", stage="asr")
    return torch.device(wanted)


def dtype(compute_type: str, device: Any) -> Any:
    """The weights' type for `asr.compute_type`. torch has no int8 kernels for Whisper: "int8", the
    setting's default, gives what suits the device, "int8_float16" float16 and so on."""
    name = compute_type.removeprefix("int8_")
    if name in ("int8", "default", "auto"):
        name = "float16" if device.type == "cuda" else "float32"
    if name not in ("float32", "float16", "bfloat16"):
        raise ValueError("asr.compute_type must be float32, float16, bfloat16 or int8")
    return getattr(torch, name)
