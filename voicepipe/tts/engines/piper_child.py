"""Piper through piper-tts. Runs in a worker process only: the package is GPL-3.

Text goes sentence by sentence through `_audio_of_sentence`: phonemes -> ids -> the whole VITS
graph. That one method is where a voice split into encoder and decoder can stream inside a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from voicepipe.workers.engine import BadRequest, Cancelled, Emit, Unavailable


class PiperEngine:
    """One voice, one ONNX session."""

    def __init__(self, model: Path, default_voice: str, threads: int) -> None:
        try:
            from piper import PiperConfig, PiperVoice, SynthesisConfig
        except ImportError:
            raise Unavailable(
                "the piper engine needs the package 'piper-tts', which is not installed: "
                "pip install 'voicepipe[piper]'"
            ) from None
        self._synthesis_config = SynthesisConfig
        try:
            config = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
            self._voice = PiperVoice(
                session=_session(model, threads), config=PiperConfig.from_dict(config)
            )
        except Exception as error:  # whatever onnxruntime or the config's reader makes of it
            raise Unavailable(f"the Piper voice {model} cannot be loaded: {error}") from None
        speakers = dict(self._voice.config.speaker_id_map)
        self._speakers: dict[str, int | None] = speakers or {model.stem: None}
        if default_voice and default_voice not in self._speakers:
            raise Unavailable(f"tts.voice: {model.name} has no speaker {default_voice!r}")
        self._default_voice = default_voice or next(iter(self._speakers))
        self.info: Mapping[str, Any] = {
            "sample_rate": self._voice.config.sample_rate,
            "voices": list(self._speakers),
        }
        # The first run allocates, the first phonemization loads the dictionary: not on a turn.
        self.handle({"text": "Ready.", "voice": "", "speed": 1.0}, lambda *_: None, lambda: False)

    def handle(self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled) -> None:
        """Speak `request["text"]`, one reply per sentence; cancels between them."""
        name = request["voice"] or self._default_voice
        if name not in self._speakers:
            raise BadRequest(f"this Piper voice has no speaker {name!r}")
        config = self._synthesis_config(
            speaker_id=self._speakers[name],
            length_scale=self._voice.config.length_scale / request["speed"],
            normalize_audio=False,  # else every clause would be as loud as its loudest sample
        )
        for phonemes in self._voice.phonemize(request["text"]):
            for pcm in self._audio_of_sentence(phonemes, config):
                if cancelled():
                    return
                emit({}, pcm)

    def _audio_of_sentence(self, phonemes: list[str], config: Any) -> Iterator[bytes]:
        """s16le pieces of one sentence; here it is one piece."""
        import numpy as np

        if not phonemes:
            return
        audio = self._voice.phoneme_ids_to_audio(self._voice.phonemes_to_ids(phonemes), config)
        yield (np.clip(audio, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()


def create(options: Mapping[str, Any]) -> PiperEngine:
    """The worker's factory. Options: `model` (.onnx), `voice`, `threads`. Raises Unavailable."""
    return PiperEngine(Path(options["model"]), options["voice"], options["threads"])


def _session(model: Path, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin would take the core from the other engines.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(
        str(model), sess_options=options, providers=["CPUExecutionProvider"]
    )
