"""Make the speech corpus of the built-in recognizer: synthetic voices, noise, and silence.

Every sample is 16 kHz mono int16. Sentences come from ``domain.user_sentence`` and from the
patterns below; voices come from espeak-ng (formant synthesis, through ctypes and the
``espeakng-loader`` wheel), flite (awb, slt and rms are built from human recordings) and festival
(HTS slt and two diphone voices), the last two from Debian packages. No recorded data is read.

Run ``python scripts/training/speech.py`` to fill ``.cache/training/asr/``, then once more with
``--tests`` to write ``tests/data``. A split is made of parts:
``<split>-<part>.i16`` (raw samples, one after the other) and ``<split>-<part>.jsonl`` (one line a
sample: text, kind, voice, offset and length in samples, word times in seconds where espeak gave
them). The voices in the HELD_OUT_* and DEV_* constants never occur in the ``train`` split, and no
sentence of ``dev`` or ``test`` does.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import multiprocessing
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import espeakng_loader
import numpy as np
import numpy.typing as npt
import scipy.io.wavfile
import scipy.signal
import soundfile
from domain import VOCABULARY, user_sentence

Int16 = npt.NDArray[np.int16]
Float32 = npt.NDArray[np.float32]

RATE = 16_000
ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "training" / "asr"
#: Longest speech in one sample. The model's window is 8 s; the rest is left for lead and tail.
MAX_SPEECH_S = 7.3
#: Peak of a stored sample (of 32767): quantisation noise stays 80 dB down at any training gain.
STORED_PEAK = 16_000

# Voices that training never hears: what the evaluation speaks with.
HELD_OUT_ESPEAK: tuple[tuple[str, str], ...] = (
    ("en-us", "m3"),
    ("en-us", "f2"),
    ("en-gb", "f4"),
    ("en-gb-x-rp", "m7"),
    ("en-029", "linda"),
    ("en-gb-scotland", "Andy"),
    ("en-us", "Michael"),
    ("en-gb", "robosoft3"),  # the odd one
)
HELD_OUT_FLITE: tuple[str, ...] = ("rms",)
HELD_OUT_FESTIVAL: tuple[str, ...] = ("ked_diphone",)
# Voices for thresholds and progress lines; neither in training nor in the evaluation.
DEV_ESPEAK: tuple[tuple[str, str], ...] = (("en-us", "m5"), ("en-gb", "f3"), ("en-us", "steph2"))

#: Accent (espeak language) and its share of the espeak samples.
ACCENTS: dict[str, float] = {
    "en-us": 0.36,
    "en-gb": 0.20,
    "en-gb-x-rp": 0.12,
    "en-us-nyc": 0.09,
    "en-gb-scotland": 0.08,
    "en-029": 0.05,
    "en-gb-x-gbclan": 0.05,
    "en-gb-x-gbcwmd": 0.05,
}
#: espeak-ng variants used for training; the plain voice ("") is what the built-in profile speaks.
VARIANTS: tuple[str, ...] = tuple(
    """m1 m2 m4 m6 m8 f1 f5 Alex Alicia Andrea Annie AnxiousAndy Denis Diogo Gene Gene2 Henrique
    Hugo Jacky Lee Marco Mario Mike Nguyen Reed RicishayMax RicishayMax2 RicishayMax3 Storm Tweaky
    adam anika announcer antonio aunty belinda benjamin boris caleb croak david ed edward edward2
    grandma grandpa gustave ian iven iven2 iven3 iven4 john kaukovalta klatt klatt2 klatt3 klatt4
    klatt5 klatt6 marcelo max michel miguel mike2 norbert pablo paul pedro quincy rob robert
    robosoft robosoft2 robosoft4 robosoft5 robosoft6 robosoft7 robosoft8 sandro shelby steph steph3
    travis victor whisper whisperf zac""".split()
)
PLAIN_SHARE = 0.12
FLITE_TRAIN: dict[str, float] = {"slt": 0.42, "awb": 0.40, "kal16": 0.12, "kal": 0.06}
FESTIVAL_TRAIN: dict[str, float] = {"cmu_us_slt_arctic_hts": 0.8, "kal_diphone": 0.2}
#: Share of espeak, flite and festival among the spoken samples of the train split.
SYNTH_SHARE: dict[str, float] = {"espeak": 0.58, "flite": 0.32, "festival": 0.10}
#: Share of each kind of sample in the train split; "truncated" is cut out of an espeak sentence.
KIND_SHARE: dict[str, float] = {
    "domain": 0.555,
    "words": 0.11,
    "digits": 0.025,
    "other": 0.075,
    "joined": 0.045,
    "truncated": 0.10,
    "none": 0.09,
}

NUMBERS = """zero oh one two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
ninety hundred thousand half quarter first second third fourth fifth""".split()
DIGITS = "zero oh one two three four five six seven eight nine".split()

# Words outside the domain, so that the model must spell what it hears instead of the nearest
# phrase it knows. Common English, by part of speech for the patterns below.
NOUNS = """ability account action age agreement animal answer apple army art article aunt author
baby bank battle beach bear beauty bed belief bird blood board body bone border bottle bottom
boundary box brain branch bread breath bridge brother building bullet butter camera camp capital
captain castle cause century chain chance chapter child choice church circle citizen class climate
cloth cloud coast college color command common community company condition corn cotton council
country courage court cousin creature crime crowd crown culture danger daughter death debt decade
decision degree desert devil dirt disease distance doctor dollar dream dress drink duty earth east
edge education effort egg election empire energy engine enemy evidence evil example exercise
experience face fact factory failure faith farm farmer fashion father fear feather feeling field
finger fish flag flesh flower force forest freedom friend fruit future garden gas gentleman ghost
giant gift girl glass glory goal gold government grain grass ground growth guest guide gun habit
hair hand harbor harvest health heart heaven height history hole honor hope horse human husband
idea industry influence insect instrument interest iron island issue judge jungle justice king
knee knife knowledge labor lake language law leader leaf leather liberty library limit lion lip
liquid literature lock loss luck lunch machine magic majority manner mark market marriage master
material matter meaning measure medicine member memory metal mind mirror mistake moment money moon
mother mountain mouth movement muscle mystery nation nature neck needle neighbor nerve novel ocean
officer opinion orange origin owner ox page pain palace parent part path patience peace pepper
period planet plant pleasure pocket poem poet poison police population pound poverty power prayer
president price pride prince prison problem process profit promise proof property public purpose
queen quality question race railway rain reason religion respect result rhythm rice river road
rock root rope rule sail salt sand scale science sea seed sense servant shadow shame shape sheep
shell ship shoulder sign silver sister skill skin sky slave smile smoke snake society soil soldier
solution son song soul south spirit spring star state station stomach stone storm story stranger
stream strength student success sugar summer sun surface surprise sword system tail teacher tear
temple theory thief thing thought thread throat thunder title tongue tool tooth top town trade
tradition treasure tree tribe trouble truth uncle union universe valley value victory village
virtue vision voice wage war wave wealth weapon west wheat wheel wife wind window wine wing winter
wisdom wolf woman wonder wood wool worker world worm wound writer yard youth""".split()
VERBS = """accept admit advise agree allow appear argue arrive attack avoid beat become begin
believe belong bend bite blame bless blow borrow break breathe bring build burn bury carry catch
celebrate choose climb collect compare complain conquer consider continue create cross cry dance
dare decide defend deny depend describe destroy die discover divide doubt draw drive eat elect
escape explain fail fall feed fight flow fly follow forget forgive gather give govern grow guess
hang hate hear hide hit hold hunt imagine improve invent invite join jump kill kiss knock laugh
lead learn lie lift love marry mean measure melt mention move obey observe offer owe paint pass
perform permit prefer prepare pretend protect prove punish push realize receive refuse remain
remember replace rise ruin sail save seek sell serve share shine shoot sing sink sleep speak spend
spread stand steal suffer suggest swim teach tell think throw touch travel trust try understand
vote walk wander win wish worry write""".split()
ADJECTIVES = """able ancient angry bare beautiful bitter blind bold brave brief broken calm careful
certain cheap civil clear clever common cruel curious dark dead deaf dear deep different divine
dull eager early eastern empty equal eternal fair false famous fellow fine firm foolish foreign
free fresh gentle golden grand grateful great happy harsh holy honest human humble hungry idle
jealous just keen lazy local lonely loose loud mad mean modern narrow natural noble northern
obvious odd old ordinary pale patient perfect plain pleasant poor precious private proud pure
quick quiet rare real rich rough royal sacred sad separate serious severe sharp silent simple
single smooth social solid southern special stiff strange strict sudden sweet tall tender thick
thin tired true ugly universal useful vain violent weak whole wicked wide wild wise young""".split()
NAMES = """africa america asia china egypt england europe france germany greece india ireland italy
japan mexico rome russia spain washington lincoln newton einstein shakespeare mozart napoleon
edward george henry james mary sarah william elizabeth""".split()
PATTERNS: tuple[str, ...] = (
    "who V the N",
    "who was the A N of P",
    "what is the N of P",
    "what does the N V",
    "where does the A N V",
    "why do N s V the N",
    "how do you V a N",
    "how many N s are in the N",
    "when did P V the N",
    "the N of the N will never V",
    "we V the A N and the N of P",
    "my A N the N is in your N",
    "do not V the N that you V",
    "it is a A N to V for P",
    "i V that every N can V",
    "in the N of A N we V",
    "there is no N like a A N",
    "to V or to V that is my N",
    "all N s are A but some N s are A",
    "let us V the N and V our N",
    "they said the N was A and A",
    "A N s V A N s",
    "tell me about the N of P",
    "P and P V in the N",
    "she has a A N and he has a N",
    "the only N we have is the N to V",
    "with N and N for the A N",
    "V V and V",
    "N N N",
    "the A A N",
)


def write_other(rng: random.Random) -> str:
    """A sentence of words outside the domain, e.g. "how many wolves ..." style questions."""
    slots = {"N": NOUNS, "V": VERBS, "A": ADJECTIVES, "P": NAMES}
    words: list[str] = []
    for item in rng.choice(PATTERNS).split():
        if item == "s":
            words[-1] = plural(words[-1])
        else:
            words.append(rng.choice(slots[item]) if item in slots else item)
    return " ".join(words)


def plural(noun: str) -> str:
    """Regular English plural; a wrong one ("wolfs") is harmless, it is spoken as it is spelt."""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "sh", "ch")) else "s")


SORTED_VOCABULARY = sorted(VOCABULARY)
SENTENCE = re.compile(r"[a-z']+( [a-z']+)*")


def write_text(kind: str, rng: random.Random) -> str:
    """One text of `kind` (see KIND_SHARE), in spoken normal form."""
    if kind == "words":
        pools = (SORTED_VOCABULARY, NUMBERS, NOUNS + VERBS + ADJECTIVES)
        picks = rng.choices(pools, (0.65, 0.2, 0.15), k=rng.randint(1, 8))
        return " ".join(rng.choice(pool) for pool in picks)
    if kind == "digits":
        return " ".join(rng.choice(DIGITS) for _ in range(rng.randint(3, 10)))
    if kind == "other":
        return write_other(rng)
    return user_sentence(rng)


# ---------------------------------------------------------------------------------------- synthesis


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


# ---------------------------------------------------------------------------------------- no speech


def coloured_noise(count: int, slope: float, rng: np.random.Generator) -> Float32:
    """Noise whose power falls as f^-slope (0 white, 1 pink, 2 brown), unit RMS."""
    size = scipy.fft.next_fast_len(max(count, 256), real=True)
    spectrum = rng.standard_normal(size // 2 + 1) + 1j * rng.standard_normal(size // 2 + 1)
    frequency = np.maximum(np.fft.rfftfreq(size, 1 / RATE), 20.0)
    noise = np.fft.irfft(spectrum * frequency ** (-slope / 2), size)[:count]
    return (noise / (noise.std() + 1e-9)).astype(np.float32)


def hum(count: int, rng: np.random.Generator) -> Float32:
    """Mains hum (50 or 60 Hz and harmonics) or a fan's whine, unit RMS."""
    at = np.arange(count) / RATE
    base = rng.choice((50.0, 60.0, rng.uniform(90, 400)))
    sound = np.zeros(count)
    for harmonic in range(1, int(rng.integers(3, 12))):
        level = rng.uniform(0.1, 1.0) / harmonic
        sound += level * np.sin(2 * np.pi * (base * harmonic * at + rng.uniform()))
    sound += rng.uniform(0, 0.3) * coloured_noise(count, 1.0, rng)
    return (sound / (sound.std() + 1e-9)).astype(np.float32)


def clicks(count: int, rng: np.random.Generator) -> Float32:
    """Keyboard, mouse and knock sounds: short decaying bursts, peak about 1."""
    sound = np.zeros(count, np.float32)
    at = 0
    gap = rng.uniform(0.05, 0.6)
    while True:
        at += int(RATE * gap * rng.uniform(0.3, 1.8)) + 1
        if at >= count:
            return sound
        size = min(int(RATE * rng.uniform(0.002, 0.05)), count - at)
        decay = np.exp(-np.arange(size) / (size / 5 + 1))
        burst = coloured_noise(size, rng.uniform(0, 2), rng) * decay * rng.uniform(0.2, 1)
        sound[at : at + size] += burst.astype(np.float32)


def chords(count: int, rng: np.random.Generator) -> Float32:
    """Music-like notes and chords, ring tones, DTMF and beeps, unit RMS."""
    sound = np.zeros(count)
    at = 0
    while at < count:
        size = min(int(RATE * rng.uniform(0.06, 1.2)), count - at)
        t = np.arange(size) / RATE
        root = 110.0 * 2 ** (rng.integers(0, 36) / 12)
        decay = np.exp(-t * rng.uniform(0, 5))
        for step in rng.choice((0, 3, 4, 7, 12), size=int(rng.integers(1, 4)), replace=False):
            for harmonic in range(1, int(rng.integers(2, 6))):
                tone = root * 2 ** (step / 12) * harmonic
                if tone < RATE / 2:
                    sound[at : at + size] += decay * np.sin(2 * np.pi * tone * t) / harmonic**1.5
        at += size + int(RATE * rng.choice((0.0, 0.0, rng.uniform(0, 0.5))))
    return (sound / (sound.std() + 1e-9)).astype(np.float32)


def swells(count: int, rng: np.random.Generator) -> Float32:
    """Breath, wind and passing cars: coloured noise under a slow envelope, unit peak envelope."""
    knots = rng.uniform(0, 1, max(2, count * 3 // RATE + 2)) ** 2
    envelope = np.interp(np.linspace(0, len(knots) - 1, count), np.arange(len(knots)), knots)
    noise = coloured_noise(count, rng.uniform(0, 2.5), rng)
    low = rng.uniform(80, 3000)
    band = scipy.signal.butter(
        2, (low, min(7900, low * rng.uniform(2, 6))), "band", fs=RATE, output="sos"
    )
    shaped = scipy.signal.sosfilt(band, noise) if rng.random() < 0.5 else noise
    return (shaped / (shaped.std() + 1e-9) * envelope).astype(np.float32)


NOISE_KINDS = ("white", "pink", "brown", "hum", "clicks", "chords", "swells")


def make_noise(kind: str, count: int, rng: np.random.Generator) -> Float32:
    """`count` samples of one of NOISE_KINDS, RMS or peak about 1."""
    slopes = {"white": 0.0, "pink": 1.0, "brown": 2.0}
    if kind in slopes:
        return coloured_noise(count, slopes[kind], rng)
    return {"hum": hum, "clicks": clicks, "chords": chords, "swells": swells}[kind](count, rng)


def make_nothing(rng: np.random.Generator, fragment: Float32 | None) -> tuple[str, Float32]:
    """A clip without words and its kind: silence, noise, or `fragment` (< 80 ms of a voice)."""
    count = int(RATE * rng.uniform(0.3, 4.0))
    roll = rng.random()
    if roll < 0.10:
        return "silence", np.zeros(count, np.float32)
    if roll < 0.28 and fragment is not None and len(fragment):
        sound = coloured_noise(count, 1.0, rng) * 10 ** rng.uniform(-4.5, -2.0)
        at = int(rng.integers(0, max(1, count - len(fragment))))
        sound[at : at + len(fragment)] += 0.3 * fragment / (np.abs(fragment).max() + 1e-9)
        return "fragment", sound.astype(np.float32)
    kinds = rng.choice(NOISE_KINDS, size=1 if rng.random() < 0.6 else 2, replace=False)
    sound = np.zeros(count, np.float32)
    for kind in kinds:
        sound += make_noise(str(kind), count, rng) * np.float32(10 ** rng.uniform(-1.5, 0))
    level = 10 ** (rng.uniform(-65, -10) / 20)
    return "+".join(sorted(map(str, kinds))), (sound * level).astype(np.float32)


# ------------------------------------------------------------------------------------------- corpus


@dataclass
class Sample:
    """One corpus entry before it is written; `words` are word starts in seconds."""

    text: str
    kind: str
    voice: str
    pcm: Int16
    words: list[float] = field(default_factory=list)


def to_int16(pcm: Float32) -> Int16:
    """Speech at a fixed peak."""
    peak = float(np.abs(pcm).max(initial=0.0)) + 1e-9
    return np.asarray(np.round(pcm * (STORED_PEAK / peak)), np.int16)


class Voices:
    """Picks a voice and its settings for a split, and speaks."""

    def __init__(self, split: str, rng: random.Random) -> None:
        self.split = split
        self.rng = rng
        self.espeak = Espeak()
        self.flite = Flite() if split != "dev" else None
        self._festival: dict[str, Speech] = {}

    def pick(self, kind: str) -> str:
        """A voice name: "espeak:en-us+m3", "flite:slt", "festival:ked_diphone"."""
        rng = self.rng
        if self.split == "dev":
            return "espeak:{}+{}".format(*rng.choice(DEV_ESPEAK))
        if self.split == "test":
            names = ["espeak:{}+{}".format(*pair) for pair in HELD_OUT_ESPEAK]
            names += [f"flite:{name}" for name in HELD_OUT_FLITE]
            names += [f"festival:{name}" for name in HELD_OUT_FESTIVAL]
            return rng.choice(names)
        synth = "espeak" if kind == "truncated" else draw(SYNTH_SHARE, rng)
        if synth == "flite":
            return f"flite:{draw(FLITE_TRAIN, rng)}"
        if synth == "festival":
            return f"festival:{draw(FESTIVAL_TRAIN, rng)}"
        accent = draw(ACCENTS, rng)
        plain = rng.random() < PLAIN_SHARE
        return f"espeak:{accent}" if plain else f"espeak:{accent}+{rng.choice(VARIANTS)}"

    def prepare_festival(self, plan: Sequence[tuple[str, str, str]]) -> None:
        """Speak all festival entries of a plan of (kind, voice, text) at once."""
        for voice in (*FESTIVAL_TRAIN, *HELD_OUT_FESTIVAL):
            texts = [text for _, name, text in plan if name == f"festival:{voice}"]
            if texts and shutil.which("festival"):
                stretch = self.rng.choice((0.9, 1.0, 1.1, 1.25, 1.4))
                for text, speech in zip(texts, festival_batch(voice, texts, stretch), strict=True):
                    self._festival[f"festival:{voice}|{text}"] = speech

    def speak(self, name: str, text: str) -> Speech | None:
        """Trimmed 16 kHz speech in that voice with drawn settings; None if it is not to be had."""
        rng = self.rng
        synth, _, voice = name.partition(":")
        vary = self.split == "train"
        if synth == "espeak":
            settings = (rng.randint(105, 205), rng.randint(20, 85), rng.randint(30, 80))
            if name.endswith(("en-us", "en-gb")) and rng.random() < 0.5:
                settings = (rng.randint(150, 185), 50, 50)  # the plain voice as it is served
            speech = self.espeak.speak(voice, text, *settings)
            factor = rng.uniform(0.92, 1.08) if vary else 1.0
        elif synth == "flite":
            assert self.flite is not None
            factor = rng.uniform(0.86, 1.16) if vary else 1.0
            shift = rng.uniform(0.8, 1.25) / factor if vary else rng.uniform(0.95, 1.05)
            speech = self.flite.speak(voice, text, rng.uniform(0.85, 1.45) * factor, shift)
        else:
            found = self._festival.get(f"{name}|{text}")
            if found is None:
                return None
            speech, factor = found, rng.uniform(0.86, 1.16) if vary else 1.0
        result = trim(resample(speech, factor))
        return result if len(result.pcm) > RATE // 10 else None


def draw(shares: dict[str, float], rng: random.Random) -> str:
    """A key, with its value as the weight."""
    return rng.choices(list(shares), list(shares.values()))[0]


def truncate(text: str, speech: Speech, rng: random.Random) -> tuple[str, Speech] | None:
    """Cut inside a word (its first half) or at its start; keep the words completed before it."""
    cuts = [index for index, (position, _) in enumerate(speech.words) if position > 0]
    if not cuts:
        return None
    index = rng.choice(cuts)
    position, start = speech.words[index]
    following = speech.words[index + 1][1] if index + 1 < len(speech.words) else len(speech.pcm)
    cut = int(start + rng.uniform(0.0, 0.5) * min(following - start, 0.4 * RATE))
    kept = Speech(speech.pcm[:cut], speech.rate, speech.words[:index])
    return (text[:position].strip(), kept) if cut > RATE // 8 else None


def make_sample(kind: str, name: str, text: str, voices: Voices, np_rng: Any) -> Sample | None:
    """Speak one entry of the plan; None when it does not fit."""
    rng = voices.rng
    if kind == "none":
        speech = voices.speak("espeak:en-us", text)
        fragment = None
        if speech is not None:
            size = rng.randint(RATE // 50, RATE * 8 // 100)
            at = rng.randint(0, max(0, len(speech.pcm) - size))
            fragment = speech.pcm[at : at + size]
        detail, sound = make_nothing(np_rng, fragment)
        pcm = np.asarray(np.clip(np.round(sound * 32767), -32768, 32767), np.int16)
        return Sample("", "none", f"noise:{detail}", pcm)
    speech = voices.speak(name, text)
    if speech is None:
        return None
    if kind == "truncated":
        cut = truncate(text, speech, rng)
        if cut is None:
            return None
        text, speech = cut
    if kind == "joined":
        second = user_sentence(rng)
        more = voices.speak(name, second)
        if more is not None and SENTENCE.fullmatch(second):
            pause = np.zeros(int(RATE * rng.uniform(0.2, 0.7)), np.float32)
            more_pcm = more.pcm * (np.abs(speech.pcm).max() / (np.abs(more.pcm).max() + 1e-9))
            speech = Speech(np.concatenate((speech.pcm, pause, more_pcm)), RATE)
            text = f"{text} {second}"
    if len(speech.pcm) > MAX_SPEECH_S * RATE:
        return None
    starts = [round(at / RATE, 3) for _, at in speech.words]
    return Sample(text, kind, name, to_int16(speech.pcm), starts)


def make_part(job: tuple[str, int, int, int, frozenset[str]]) -> tuple[str, int, float]:
    """Write one part of a split; returns its name, its samples, and its hours."""
    split, part, count, seed, banned = job
    rng = random.Random(f"{seed}/{split}/{part}")
    np_rng = np.random.default_rng(rng.getrandbits(63))
    voices = Voices(split, rng)
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"{split}-{part:03d}.i16"
    offset = written = 0
    with open(f"{path}.tmp", "wb") as audio, open(path.with_suffix(".jsonl.tmp"), "w") as meta:
        for sample in samples(voices, np_rng, count, banned):
            entry = {
                "text": sample.text,
                "kind": sample.kind,
                "voice": sample.voice,
                "offset": offset,
                "length": len(sample.pcm),
                "words": sample.words,
            }
            meta.write(json.dumps(entry) + "\n")
            audio.write(sample.pcm.tobytes())
            offset += len(sample.pcm)
            written += 1
    Path(f"{path}.tmp").rename(path)
    path.with_suffix(".jsonl.tmp").rename(path.with_suffix(".jsonl"))
    return path.stem, written, offset / RATE / 3600


def samples(voices: Voices, np_rng: Any, count: int, banned: frozenset[str]) -> Iterator[Sample]:
    """Plan and speak about `count` samples whose texts are not `banned`."""
    rng = voices.rng
    plan: list[tuple[str, str, str]] = []
    while len(plan) < count:
        kind = draw(KIND_SHARE, rng)
        text = write_text(kind, rng)
        if not SENTENCE.fullmatch(text):
            continue
        if text in banned and kind != "none":
            continue
        plan.append((kind, voices.pick(kind), text))
    voices.prepare_festival([entry for entry in plan if entry[0] != "joined"])
    for kind, name, text in plan:
        sample = make_sample(kind, name, text, voices, np_rng)
        if sample is not None:
            yield sample


def read_meta(split: str) -> list[dict[str, Any]]:
    """All entries of a split, each with its part's audio file under "path"."""
    entries = []
    for path in sorted(CACHE.glob(f"{split}-*.jsonl")):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            entry["path"] = str(path.with_suffix(".i16"))
            entries.append(entry)
    return entries


# ---------------------------------------------------------------------------------------- test data

#: What the end-to-end tests and benches ask, in the voice QUESTION_VOICE.
QUESTIONS = (
    "what time is it",
    "set a timer for five minutes",
    "turn on the lights in the kitchen",
    "i would like to book a table for two at seven",
    "what is the weather in paris",
    "play some music please",
    "remind me to call the doctor tomorrow",
    "cancel all the timers",
    "how are you today",
    "order a pizza for me",
    "what day of the week is it",
    "tell me a joke",
)
QUESTION_VOICE = f"flite:{HELD_OUT_FLITE[0]}"


def write_questions(folder: Path) -> None:
    """`folder`: the questions as FLAC, 0.3 s of silence before and none after the last sound."""
    folder.mkdir(parents=True, exist_ok=True)
    flite = Flite()
    lines = []
    for text in QUESTIONS:
        speech = flite.speak(QUESTION_VOICE.partition(":")[2], text, 1.1, 1.0)
        pcm = to_int16(trim(resample(speech, 1.0), margin_s=0.0).pcm)
        lead = RATE * 3 // 10
        name = text.replace(" ", "_") + ".flac"
        soundfile.write(folder / name, np.pad(pcm, (lead, 0)), RATE)
        end_s = round((lead + len(pcm)) / RATE, 3)
        entry = {
            "file": name,
            "text": text,
            "voice": QUESTION_VOICE,
            "speech_start_s": 0.3,
            "speech_end_s": end_s,
        }
        lines.append(json.dumps(entry))
    (folder / "manifest.jsonl").write_text("\n".join(lines) + "\n")


def write_tests(folder: Path, clean: int = 60, noisy: int = 40, empty: int = 10) -> None:
    """`folder`: short clips of the test split, some at 15 dB SNR, and clips without words."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(4)
    entries = read_meta("test")
    spoken = [
        entry
        for entry in entries
        if entry["kind"] in ("domain", "digits", "words")
        and len(entry["text"].split()) >= 3
        and entry["length"] < 1.9 * RATE
    ]
    rng.shuffle(spoken)
    voices = sorted({entry["voice"] for entry in spoken})
    spoken.sort(key=lambda entry: entry["kind"] != "domain")  # mostly sentences of the domain
    lines = []
    for index in range(clean + noisy):
        voice = voices[index % len(voices)]  # every voice in turn
        entry = next(entry for entry in spoken if entry["voice"] == voice)
        spoken.remove(entry)
        pcm = np.pad(stored(entry).astype(np.float32) / 32768, RATE // 5)
        snr_db = 15 if index >= clean else None
        if snr_db is not None:
            noise = make_noise(("pink", "white", "hum")[index % 3], len(pcm), np_generator(index))
            loud = pcm[np.abs(pcm) > 0.01 * np.abs(pcm).max()]
            pcm = pcm + noise / noise.std() * loud.std() * np.float32(10 ** (-snr_db / 20))
        name = f"{index:02d}.flac"
        soundfile.write(folder / name, np.asarray(pcm * 0.25 * 32767, np.int16), RATE)
        lines.append({"file": name, "text": entry["text"], "voice": voice, "snr_db": snr_db})
    nothing = [entry for entry in entries if entry["kind"] == "none"]
    nothing.sort(key=lambda entry: entry["voice"])
    for index in range(empty):
        entry = nothing[index * len(nothing) // empty]  # one of each kind of sound
        name = f"none-{index:02d}.flac"
        soundfile.write(folder / name, stored(entry)[: 5 * RATE // 4], RATE)
        lines.append({"file": name, "text": "", "voice": entry["voice"], "snr_db": None})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def np_generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(5000 + seed)


def stored(entry: dict[str, Any]) -> Int16:
    """The samples of a corpus entry."""
    return np.fromfile(entry["path"], np.int16, count=entry["length"], offset=2 * entry["offset"])


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the speech corpus of the recognizer.")
    parser.add_argument("--tests", action="store_true", help="write tests/data instead")
    parser.add_argument("--train", type=int, default=48_000, help="samples in the train split")
    parser.add_argument("--first-part", type=int, default=0, help="number of the first train part")
    parser.add_argument("--part", type=int, default=1_000, help="samples in a part")
    parser.add_argument("--held-out", type=int, default=1_000, help="samples in dev and in test")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if options.tests:
        write_tests(ROOT / "tests" / "data" / "asr")
        write_questions(ROOT / "tests" / "data" / "questions")
        return
    began = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with context.Pool(options.processes) as pool:
        if options.first_part == 0:
            jobs: list[tuple[str, int, int, int, frozenset[str]]] = [
                (split, 0, options.held_out, options.seed, frozenset()) for split in ("dev", "test")
            ]
            for line in pool.imap_unordered(make_part, jobs):
                print(*line, flush=True)
        banned = frozenset(
            entry["text"]
            for split in ("dev", "test")
            for entry in read_meta(split)
            if len(entry["text"].split()) >= 3
        )
        parts = range(options.first_part, options.first_part + options.train // options.part)
        work = [("train", part, options.part, options.seed, banned) for part in parts]
        hours = 0.0
        for name, count, length in pool.imap_unordered(make_part, work):
            hours += length
            minutes = (time.monotonic() - began) / 60
            print(f"{name}: {count} samples; {hours:.1f} h so far, {minutes:.1f} min", flush=True)


if __name__ == "__main__":
    assert math.isclose(sum(KIND_SHARE.values()), 1.0)
    main()
