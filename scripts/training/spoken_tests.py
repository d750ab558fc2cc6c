"""The recordings in ``tests/data``: clips of the held-out voices, and questions to ask."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import soundfile
from corpus import read_meta, stored, to_int16
from noises import make_noise
from sound import RATE
from synthesizers import Flite, resample, trim
from voices import HELD_OUT_FLITE

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
