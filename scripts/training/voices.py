"""Which voices there are, which of them training never hears, and how each is drawn."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence

from sound import RATE
from synthesizers import Espeak, Flite, Speech, festival_batch, resample, trim

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
