"""Piper through piper-tts. Runs in a worker process only: the package is GPL-3.

piper-tts gives phonemes and their ids; the sound is made here, in windows if the voice could be cut
(`vits/`), else a sentence at a time. Requests take turns at every chunk, whoever's listener runs
dry first going first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voicepipe.tts.engines.vits.parts import CutFailed, parts_of
from voicepipe.tts.engines.vits.stream import Sentence, Session, VitsVoice, WholeVoice
from voicepipe.tts.engines.vits.words import id_indices, place_words
from voicepipe.workers.engine import BadRequest, Cancelled, Emit, Unavailable

MAX_PHONEMES = 400
"""Of a sentence at a time: attention grows with its square. Longer ones are cut at a space."""


class PiperEngine:
    """One voice. `info["windows"]` says how it speaks: "" if in windows, else why not."""

    def __init__(self, model: Path, default_voice: str, threads: int, windows: bool) -> None:
        try:
            from piper import PiperConfig, PiperVoice
        except ImportError:
            raise Unavailable(
                "the piper engine needs the package 'piper-tts', which is not installed: "
                "pip install piper-tts onnx"
            ) from None
        self._threads = threads
        try:
            settings = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
            self._config = PiperConfig.from_dict(settings)
            self._vits, why_not = self._load(model, windows)
        except Exception as error:  # whatever onnxruntime or the config's reader makes of it
            raise Unavailable(f"the Piper voice {model} cannot be loaded: {error}") from None
        # It only phonemizes: the sound is made by `_vits`.
        self._phonemizer = PiperVoice(session=None, config=self._config)
        speakers = dict(self._config.speaker_id_map)
        self._speakers: dict[str, int | None] = speakers or {model.stem: None}
        if default_voice and default_voice not in self._speakers:
            raise Unavailable(f"tts.voice: {model.name} has no speaker {default_voice!r}")
        self._default_voice = default_voice or next(iter(self._speakers))
        self.info: Mapping[str, Any] = {
            "sample_rate": self._config.sample_rate,
            "voices": list(self._speakers),
            "windows": why_not,
        }
        # The first run allocates, the first phonemization loads the dictionary: not on a turn.
        ready = {"text": "Ready when you are.", "voice": "", "speed": 1.0}
        for _ in self.handle(ready, lambda *_: None, lambda: False):
            pass

    def _load(self, model: Path, windows: bool) -> tuple[VitsVoice, str]:
        """The voice, and why it is not in windows ("" if it is)."""
        why_not = "switched off"
        if windows:
            try:
                return parts_of(model, self._session).load(self._session), ""
            except CutFailed as error:
                why_not = str(error)
        return WholeVoice(self._session(model), self._config.hop_length), why_not

    def handle(
        self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled
    ) -> Iterator[float]:
        """Speak `request["text"]`, chunk by chunk; yields when its listener will run dry."""
        name = request["voice"] or self._default_voice
        if name not in self._speakers:
            raise BadRequest(f"this Piper voice has no speaker {name!r}")
        text = request["text"]
        sentences = [
            part for whole in self._phonemizer.phonemize(text) for part in _cut_long(whole)
        ]
        words = place_words(text, sentences, self._phonemizer.phonemize)
        rate = self._config.sample_rate
        sent, first_s = 0, 0.0
        for phonemes, starts in zip(sentences, words, strict=True):
            if not phonemes or cancelled():
                continue
            sentence, begins = self._begin(phonemes, starts, self._speakers[name], request["speed"])
            at = 0
            for audio in sentence.chunks:
                first_s = first_s or time.monotonic()
                inside = [(c, sent + s) for c, s in begins if at <= s < at + audio.size]
                emit({"words": inside}, _pcm(audio))
                at += audio.size
                yield first_s + (sent + at) / rate
                if cancelled():
                    return
            sent += at

    def _begin(
        self,
        phonemes: Sequence[str],
        words: Sequence[tuple[int, int]],
        speaker: int | None,
        speed: float,
    ) -> tuple[Sentence, list[tuple[int, int]]]:
        """The sentence under way, and (offset into the text, sample) of its words."""
        import numpy as np

        config = self._config
        ids = self._phonemizer.phonemes_to_ids(list(phonemes))
        scales = (config.noise_scale, config.length_scale / speed, config.noise_w_scale)
        feeds: dict[str, Any] = {
            "input": np.array([ids], np.int64),
            "input_lengths": np.array([len(ids)], np.int64),
            "scales": np.array(scales, np.float32),
        }
        if config.num_speakers > 1:
            feeds["sid"] = np.array([speaker or 0], np.int64)
        sentence = self._vits.speak(feeds)
        indices = id_indices(phonemes, config.phoneme_id_map, len(ids))
        if sentence.samples is None or indices is None:
            return sentence, []
        starts = np.concatenate(([0], np.cumsum(sentence.samples)))
        return sentence, [(char, int(starts[indices[phoneme]])) for char, phoneme in words]

    def _session(self, model: Path) -> Session:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors; its warnings are about shapes that vary
        # Idle threads that spin would take the core from the other engines.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session: Session = onnxruntime.InferenceSession(
            str(model), sess_options=options, providers=["CPUExecutionProvider"]
        )
        return session


def create(options: Mapping[str, Any]) -> PiperEngine:
    """The worker's factory. Options: `model` (.onnx), `voice`, `threads`, `windows`.

    Raises Unavailable.
    """
    return PiperEngine(
        Path(options["model"]), options["voice"], options["threads"], options["windows"]
    )


def _pcm(audio: Any) -> bytes:
    """s16le, as loud as the voice made it: normalized, each clause would have another gain."""
    import numpy as np

    pcm: bytes = (np.clip(audio, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
    return pcm


def _cut_long(phonemes: list[str]) -> Iterator[list[str]]:
    """Pieces of at most `MAX_PHONEMES`, cut at the last space before that if there is one."""
    while len(phonemes) > MAX_PHONEMES:
        space = MAX_PHONEMES - 1
        while space and phonemes[space] != " ":
            space -= 1
        end = space or MAX_PHONEMES
        yield phonemes[:end]
        phonemes = phonemes[end:]
    yield phonemes
