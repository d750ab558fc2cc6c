"""espeak-ng, flite and festival as functions from text to samples."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import espeakng_loader
import numpy as np
import scipy.io.wavfile
import scipy.signal
from sound import RATE, Float32, Int16


@dataclass
class Speech:
    """Synthesised audio at `rate` Hz; `words` are (character offset, start in samples)."""

    pcm: Float32
    rate: int
    words: list[tuple[int, float]] = field(default_factory=list)


class EspeakEvent(ctypes.Structure):
    """``espeak_EVENT`` of espeak-ng's speak_lib.h."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position_ms", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", ctypes.c_char * 8),
    ]


class Espeak:
    """espeak-ng in this process, synchronous; word events give the word times (ms)."""

    EVENT_WORD = 1
    PARAM_RATE_WPM, PARAM_PITCH, PARAM_RANGE = 1, 3, 4

    def __init__(self) -> None:
        self._lib = ctypes.CDLL(espeakng_loader.get_library_path())
        data = espeakng_loader.get_data_path().encode()
        self.rate: int = self._lib.espeak_Initialize(2, 0, data, 0)
        if self.rate <= 0:
            raise RuntimeError("espeak-ng did not start")
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(EspeakEvent)
        )
        self._chunks: list[Int16] = []
        self._words: list[tuple[int, float]] = []
        self._callback = prototype(self._receive)  # kept: the library holds only a pointer
        self._lib.espeak_SetSynthCallback(self._callback)

    def _receive(self, wav: int | None, samples: int, events: Any) -> int:
        if wav and samples > 0:
            view = (ctypes.c_int16 * samples).from_address(wav)
            self._chunks.append(np.ctypeslib.as_array(view).copy())
        index = 0
        while events[index].type != 0:
            event = events[index]
            if event.type == self.EVENT_WORD:
                start = event.audio_position_ms * self.rate / 1000
                self._words.append((event.text_position - 1, start))
            index += 1
        return 0

    def speak(self, voice: str, text: str, wpm: int, pitch: int, pitch_range: int) -> Speech:
        """`voice` is "accent" or "accent+variant"; pitch and its range are 0-100."""
        accent, plus, variant = voice.partition("+")
        file = "en" if accent == "en-gb" else accent  # British English is espeak's plain "en"
        if self._lib.espeak_SetVoiceByName(f"{file}{plus}{variant}".encode()) != 0:
            raise ValueError(f"espeak-ng has no voice {voice!r}")
        for parameter, value in (
            (self.PARAM_RATE_WPM, wpm),
            (self.PARAM_PITCH, pitch),
            (self.PARAM_RANGE, pitch_range),
        ):
            self._lib.espeak_SetParameter(parameter, value, 0)
        self._chunks, self._words = [], []
        raw = text.encode()
        self._lib.espeak_Synth(raw, len(raw) + 1, 0, 1, 0, 1, None, None)
        pcm = np.concatenate(self._chunks) if self._chunks else np.zeros(0, np.int16)
        return Speech(pcm.astype(np.float32), self.rate, list(self._words))


class FliteWave(ctypes.Structure):
    """``cst_wave`` of flite's cst_wave.h."""

    _fields_ = [
        ("type", ctypes.c_char_p),
        ("sample_rate", ctypes.c_int),
        ("num_samples", ctypes.c_int),
        ("num_channels", ctypes.c_int),
        ("samples", ctypes.POINTER(ctypes.c_int16)),
    ]


class FliteVoice(ctypes.Structure):
    """The head of ``cst_voice`` of flite's cst_voice.h."""

    _fields_ = [("name", ctypes.c_char_p), ("features", ctypes.c_void_p)]


class Flite:
    """flite 2.2 of Debian in this process."""

    STRETCH, SHIFT, MEAN = b"duration_stretch", b"f0_shift", b"int_f0_target_mean"

    def __init__(self) -> None:
        self._lib = ctypes.CDLL("libflite.so.1", mode=ctypes.RTLD_GLOBAL)
        self._lib.flite_init()
        self._lib.flite_text_to_wave.restype = ctypes.POINTER(FliteWave)
        self._lib.flite_text_to_wave.argtypes = [ctypes.c_char_p, ctypes.POINTER(FliteVoice)]
        self._lib.delete_wave.argtypes = [ctypes.POINTER(FliteWave)]
        self._lib.flite_feat_set_float.argtypes = [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_float,
        ]
        for name in ("libflite_usenglish.so.1", "libflite_cmulex.so.1"):
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        self._voices: dict[str, Any] = {}

    def _voice(self, name: str) -> Any:
        if name not in self._voices:
            lib = ctypes.CDLL(f"libflite_cmu_us_{name}.so.1", mode=ctypes.RTLD_GLOBAL)
            register = getattr(lib, f"register_cmu_us_{name}")
            register.restype = ctypes.POINTER(FliteVoice)
            register.argtypes = [ctypes.c_char_p]
            self._voices[name] = register(None)
        return self._voices[name]

    def speak(self, name: str, text: str, stretch: float, shift: float) -> Speech:
        """`stretch` lengthens sounds, `shift` multiplies the pitch (both 1.0 = the voice's own)."""
        voice = self._voice(name)
        features = voice.contents.features
        self._lib.flite_feat_set_float(features, self.STRETCH, stretch)
        if name.startswith("kal"):  # a diphone voice: pitch is set in Hz
            self._lib.flite_feat_set_float(features, self.MEAN, 95.0 * shift)
        else:
            self._lib.flite_feat_set_float(features, self.SHIFT, shift)
        wave = self._lib.flite_text_to_wave(text.encode(), voice)
        head = wave.contents
        pcm = np.ctypeslib.as_array(head.samples, (head.num_samples,)).astype(np.float32)
        rate = int(head.sample_rate)
        self._lib.delete_wave(wave)
        return Speech(pcm, rate)


def festival_batch(voice: str, texts: Sequence[str], stretch: float = 1.0) -> list[Speech]:
    """Speak many texts in one festival process (its start costs more than a sentence)."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"(voice_{voice})", f"(Parameter.set 'Duration_Stretch {stretch})"]
        for index, text in enumerate(texts):
            path = f"{folder}/{index}.wav"
            lines.append(f'(utt.save.wave (utt.synth (Utterance Text "{text}")) "{path}" \'riff)')
        script = Path(folder, "batch.scm")
        script.write_text("\n".join(lines))
        subprocess.run(["festival", "-b", str(script)], check=True, capture_output=True)
        speeches = []
        for index in range(len(texts)):
            rate, pcm = scipy.io.wavfile.read(f"{folder}/{index}.wav")
            speeches.append(Speech(pcm.astype(np.float32), int(rate)))
        return speeches


def resample(speech: Speech, factor: float) -> Speech:
    """To 16 kHz, `factor` times faster: pitch, tempo and formants move together (a new speaker)."""
    ratio = Fraction(RATE / (speech.rate * factor)).limit_denominator(250)
    pcm = scipy.signal.resample_poly(speech.pcm, ratio.numerator, ratio.denominator)
    words = [(position, start * float(ratio)) for position, start in speech.words]
    return Speech(pcm.astype(np.float32), RATE, words)


def trim(speech: Speech, margin_s: float = 0.03) -> Speech:
    """Cut the synthesiser's own silence at both ends, all but `margin_s`."""
    peak = float(np.abs(speech.pcm).max(initial=0.0))
    loud = np.flatnonzero(np.abs(speech.pcm) > 0.01 * peak)
    if peak == 0.0 or loud.size == 0:
        return Speech(np.zeros(0, np.float32), speech.rate)
    margin = int(margin_s * speech.rate)
    start = max(0, int(loud[0]) - margin)
    end = min(len(speech.pcm), int(loud[-1]) + margin)
    words = [(position, max(0.0, at - start)) for position, at in speech.words]
    return Speech(speech.pcm[start:end], speech.rate, words)
