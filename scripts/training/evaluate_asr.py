"""Score the built-in recognizer as it is served: CTranslate2 int8, short windows, greedy.

The ``test`` split of ``speech.py`` is sentences that training never had, in voices that it never
heard. Thresholds are chosen on the ``dev`` split (other unseen sentences, other unseen voices), and
``--tune`` writes them to ``voicepipe.json`` beside the model, in both its formats.

Commands::

    python scripts/training/evaluate_asr.py                    # every figure of the model card
    python scripts/training/evaluate_asr.py --tune             # thresholds from the dev split
    python scripts/training/evaluate_asr.py --heads            # alignment heads from word times
    python scripts/training/evaluate_asr.py --recording a.wav "what was said"
    python scripts/training/evaluate_asr.py --folder tests/data/asr     # score a manifest
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
import numpy.typing as npt
import scipy.signal
import soundfile
from asr_scoring import word_errors
from asr_tuned import RULES, copy_tuned
from corpus import CACHE, ROOT, read_meta
from faster_whisper import WhisperModel
from noises import make_noise
from sound import RATE

Float32 = npt.NDArray[np.float32]
HOP = 160
#: Window limits of the model, in seconds: at least `min`, speech plus `margin`, at most `max`.
WINDOW_S = {"min": 1.0, "max": 8.0, "margin": 0.2}
BEAM_SIZE = 5  # as the built-in profile decodes (voicepipe/profiles/builtin.toml)
TOKENS_PER_S = 9


@dataclass(frozen=True)
class Decoded:
    """What one window yielded; `ms` is features, encoder and decoder together."""

    text: str
    no_speech: float
    logprob: float
    ms: float


class Recognizer:
    """The model of a directory, decoded greedily on short windows through CTranslate2."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self.whisper = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads
        )
        tokenizer = self.whisper.hf_tokenizer
        names = ("<|startoftranscript|>", "<|notimestamps|>")
        self.prompt = [tokenizer.token_to_id(name) for name in names]
        self.end = tokenizer.token_to_id("<|endoftext|>")

    def encode(self, audio: Float32, window_s: float | None = None) -> tuple[Any, float]:
        """Encoder output of `audio` (16 kHz) padded with digital silence, and the window (s)."""
        seconds = len(audio) / RATE
        wanted = max(WINDOW_S["min"], seconds + WINDOW_S["margin"])
        window = min(WINDOW_S["max"], window_s or wanted)
        count = int(window * RATE) // (2 * HOP) * 2 * HOP
        padded = np.zeros(count, np.float32)
        padded[: min(count, len(audio))] = audio[:count]
        mel = self.whisper.feature_extractor(padded, padding=0)[None]
        view = ctranslate2.StorageView.from_array(np.ascontiguousarray(mel, np.float32))
        return self.whisper.model.encode(view), count / RATE

    def decode(self, audio: Float32, window_s: float | None = None) -> Decoded:
        began = time.perf_counter()
        encoded, window = self.encode(audio, window_s)
        result = self.whisper.model.generate(
            encoded,
            [self.prompt],
            beam_size=BEAM_SIZE,
            # The cap that counts is half of it (CTranslate2), so twice the wanted tokens.
            max_length=2 * (int(window * TOKENS_PER_S) + 4),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        ids = [token for token in result.sequences_ids[0] if token < self.end]
        text = self.whisper.hf_tokenizer.decode(ids).strip()
        ms = (time.perf_counter() - began) * 1000
        return Decoded(text, float(result.no_speech_prob), float(result.scores[0]), ms)


@dataclass(frozen=True)
class Limits:
    """The refusal thresholds: no text if either is crossed."""

    no_speech: float
    logprob: float

    def accept(self, decoded: Decoded) -> str:
        refused = decoded.no_speech > self.no_speech or decoded.logprob < self.logprob
        return "" if refused else decoded.text


# --------------------------------------------------------------------------------------- conditions


def load(entry: dict[str, Any]) -> Float32:
    """A corpus sample as float32 in -1..1, with 0.25 s of silence around speech."""
    pcm = np.fromfile(
        entry["path"], np.int16, count=entry["length"], offset=2 * entry["offset"]
    ).astype(np.float32)
    around = RATE // 4 if entry["text"] else 0
    return np.pad(pcm / 32768, (around, around))


def add_noise(audio: Float32, kind: str, snr_db: float, rng: np.random.Generator) -> Float32:
    """`audio` plus noise, `snr_db` below the speech's RMS (measured where it is not silent)."""
    loud = audio[np.abs(audio) > 0.01 * np.abs(audio).max()]
    level = float(np.sqrt(np.mean(loud**2)))
    noise = make_noise(kind, len(audio), rng)
    noise = noise / (noise.std() + 1e-9)
    return (audio + noise * level * 10 ** (-snr_db / 20)).astype(np.float32)


def telephone(audio: Float32) -> Float32:
    """8 kHz and mu-law and back: a call."""
    narrow = scipy.signal.resample_poly(audio, 1, 2).clip(-1, 1)
    law = np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log1p(255)
    law = np.round(law * 127) / 127
    narrow = np.sign(law) * np.expm1(np.abs(law) * np.log1p(255)) / 255
    return np.asarray(scipy.signal.resample_poly(narrow, 2, 1), np.float32)


NOISY = ("pink", "white", "swells", "brown", "hum")


def conditions() -> dict[str, Callable[[Float32, int], Float32]]:
    """Name and (audio, index) -> audio of each acoustic condition; noise is fixed by the index."""

    def noisy(snr_db: float) -> Callable[[Float32, int], Float32]:
        def apply(audio: Float32, index: int) -> Float32:
            rng = np.random.default_rng(9000 + index)
            return add_noise(audio, NOISY[index % len(NOISY)], snr_db, rng)

        return apply

    return {
        "clean": lambda audio, index: audio,
        "15 dB SNR": noisy(15.0),
        "5 dB SNR": noisy(5.0),
        "8 kHz mu-law": lambda audio, index: telephone(audio),
    }


# ------------------------------------------------------------------------------------------ figures


@dataclass
class Tally:
    """Word errors over words, and how often nothing was answered."""

    errors: int = 0
    words: int = 0
    items: int = 0
    refused: int = 0
    exact: int = 0

    def add(self, reference: str, answer: str) -> None:
        self.errors += word_errors(reference, answer)
        self.words += len(reference.split())
        self.items += 1
        self.refused += not answer
        self.exact += reference == answer

    @property
    def wer(self) -> float:
        return self.errors / max(1, self.words)

    def __str__(self) -> str:
        return (
            f"WER {100 * self.wer:5.1f} %  exact {100 * self.exact / max(1, self.items):5.1f} %"
            f"  refused {100 * self.refused / max(1, self.items):4.1f} %  ({self.items} items)"
        )


WHOLE = ("domain", "words", "digits", "other")


def spoken_figures(recognizer: Recognizer, limits: Limits, count: int) -> dict[str, Any]:
    """WER by condition, and for clean speech by kind of sentence and by voice."""
    entries = [entry for entry in read_meta("test") if entry["kind"] in WHOLE][:count]
    figures: dict[str, Any] = {}
    for name, apply in conditions().items():
        tallies: dict[str, Tally] = defaultdict(Tally)
        wrong = []
        for index, entry in enumerate(entries):
            decoded = recognizer.decode(apply(load(entry), index))
            answer = limits.accept(decoded)
            keys = ["all", f"kind {entry['kind']}"]
            if entry["kind"] == "domain":
                keys.append(f"voice {entry['voice']}")
            for key in keys:
                tallies[key].add(entry["text"], answer)
            if answer != entry["text"] and entry["kind"] == "domain":
                wrong.append(f"{entry['voice']}: {entry['text']} -> {answer}")
        for key in sorted(tallies):
            if name == "clean" or not key.startswith("voice"):
                print(f"{name:14s} {key:40s} {tallies[key]}", flush=True)
                figures[f"{name} | {key}"] = round(tallies[key].wer, 4)
        if name == "clean":
            print("  some misses:", *wrong[:12], sep="\n    ")
    return figures


def nothing_figures(recognizer: Recognizer, limits: Limits) -> dict[str, Any]:
    """Share of wordless clips of the test split that yield text, by kind of sound."""
    by_kind: dict[str, list[str]] = defaultdict(list)
    for entry in read_meta("test"):
        if entry["kind"] == "none":
            answer = limits.accept(recognizer.decode(load(entry)))
            by_kind[entry["voice"]].append(answer)
            by_kind["all"].append(answer)
    for kind in sorted(by_kind):
        heard = [answer for answer in by_kind[kind] if answer]
        if heard or kind == "all":
            print(f"text on {kind}: {len(heard)} of {len(by_kind[kind])} {heard[:4]}")
    answers = by_kind["all"]
    return {"text on nothing": sum(map(bool, answers)) / len(answers), "clips": len(answers)}


def partial_figures(recognizer: Recognizer, limits: Limits) -> dict[str, Any]:
    """WER on unfinished utterances, against the words completed before the cut."""
    tally = Tally()
    for entry in read_meta("test"):
        if entry["kind"] == "truncated":
            tally.add(entry["text"], limits.accept(recognizer.decode(load(entry)[: -RATE // 4])))
    print(f"unfinished speech: {tally}")
    return {"unfinished": round(tally.wer, 4)}


def speed_figures(recognizer: Recognizer) -> dict[str, Any]:
    """Median decode time (ms, one thread) of a sentence of the test split by window length (s)."""
    entry = next(e for e in read_meta("test") if e["kind"] == "domain" and e["length"] < 2 * RATE)
    audio = load(entry)
    figures = {}
    for window in (2.0, 3.0, 5.0, 8.0):
        times = sorted(recognizer.decode(audio, window).ms for _ in range(15))
        figures[f"{window:.0f} s window"] = round(times[7], 1)
    print(f"decode ms, one thread, {len(entry['text'].split())} words: {figures}")
    return figures


def tune(recognizer: Recognizer, out: Path) -> Limits:
    """Choose the thresholds on dev: no text on wordless clips, then the fewest word errors."""
    answers: list[tuple[str, Decoded]] = []
    for index, entry in enumerate(read_meta("dev")):
        if entry["kind"] in (*WHOLE, "none"):
            audio = load(entry)
            if entry["text"] and index % 2:
                audio = add_noise(audio, NOISY[index % 5], 12.0, np.random.default_rng(index))
            answers.append((entry["text"], recognizer.decode(audio)))
    for clip in more_nothing(200):
        answers.append(("", recognizer.decode(clip)))
    best: tuple[float, Limits] | None = None
    for no_speech in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        for logprob in (-0.5, -0.6, -0.7, -0.8, -0.9, -1.0, -1.2, -1.5, -2.0):
            limits = Limits(no_speech, logprob)
            cost = 0.0
            for text, decoded in answers:
                answer = limits.accept(decoded)
                # A word out of nothing starts a turn: as bad as ten words wrong.
                cost += word_errors(text, answer) if text else 10.0 * bool(answer)
            if best is None or cost < best[0]:
                best = (cost, limits)
    assert best is not None
    limits = best[1]
    heard = sum(bool(limits.accept(decoded)) for text, decoded in answers if not text)
    lost = sum(not limits.accept(decoded) for text, decoded in answers if text)
    spoken = sum(bool(text) for text, _ in answers)
    print(f"{limits}: text on {heard} of {len(answers) - spoken} wordless dev clips,")
    print(f"  {lost} of {spoken} spoken ones refused")
    write_settings(out, limits)
    return limits


def more_nothing(count: int) -> list[Float32]:
    """Fresh wordless clips, other seeds than the corpus."""
    from noises import make_nothing

    rng = np.random.default_rng(77)
    return [make_nothing(rng, None)[1] for _ in range(count)]


def write_settings(out: Path, limits: Limits) -> None:
    """The file that voicepipe's engine reads beside the model."""
    settings = {
        "window_s": WINDOW_S,
        "sample_rate": RATE,
        "lowercase": True,
        "no_speech_threshold": limits.no_speech,
        "log_prob_threshold": limits.logprob,
        "tokens_per_s": TOKENS_PER_S,
        "prompt": ["<|startoftranscript|>", "<|notimestamps|>"],
    }
    (out / RULES).write_text(json.dumps(settings, indent=2) + "\n")
    copy_tuned(out)


def read_limits(folder: Path) -> Limits:
    path = folder / RULES
    if not path.exists():
        return Limits(0.5, -1.0)
    settings = json.loads(path.read_text())
    return Limits(settings["no_speech_threshold"], settings["log_prob_threshold"])


# --------------------------------------------------------------------------------------- word times


def word_starts(recognizer: Recognizer, audio: Float32, text: str) -> list[float]:
    """Start of each word (s) by CTranslate2's alignment of a known text."""
    tokenizer = recognizer.whisper.hf_tokenizer
    ids = tokenizer.encode(f" {text}").ids
    encoded, _ = recognizer.encode(audio)
    # Only the frames of the audio: the padding must not draw words.
    aligned = recognizer.whisper.model.align(
        encoded, recognizer.prompt[:1], [ids], len(audio) // HOP
    )[0]
    first: dict[int, int] = {}
    for token, frame in aligned.alignments:
        first.setdefault(token, frame)
    starts = [index for index, one in enumerate(ids) if tokenizer.id_to_token(one)[0] == "Ġ"]
    return [first.get(index, 0) * 0.02 for index in starts]


def alignment_error(folder: Path, entries: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Median absolute error of word starts (s), and the share within 100 ms."""
    recognizer = Recognizer(folder)
    errors = []
    for entry in entries:
        found = word_starts(recognizer, load(entry), entry["text"])
        if len(found) == len(entry["words"]):
            errors += [
                abs(at - 0.25 - true)
                for at, true in zip(found[1:], entry["words"][1:], strict=True)
            ]
    if not errors:
        return 9.0, 0.0
    return float(np.median(errors)), float(np.mean(np.array(errors) < 0.1))


def pick_heads(folder: Path) -> None:
    """Try each decoder head alone, keep those that place words well; rewrites config.json."""
    entries = [
        entry
        for entry in read_meta("dev")
        if entry["kind"] == "domain" and len(entry["words"]) == len(entry["text"].split()) > 2
    ][:60]
    path = folder / "config.json"
    config = json.loads(path.read_text())
    scores = []
    for head in [[layer, head] for layer in range(2) for head in range(4)]:
        path.write_text(json.dumps({**config, "alignment_heads": [head]}, indent=2) + "\n")
        median, near = alignment_error(folder, entries)
        print(f"head {head}: median error {median * 1000:.0f} ms, {100 * near:.0f} % within 100 ms")
        scores.append((near, head))
    scores.sort(reverse=True)
    chosen: list[list[int]] = []
    best = 0.0
    for _, head in scores[:4]:
        path.write_text(json.dumps({**config, "alignment_heads": [*chosen, head]}) + "\n")
        median, near = alignment_error(folder, entries)
        if near > best:
            best = near
            chosen.append(head)
    config["alignment_heads"] = chosen
    path.write_text(json.dumps(config, indent=2) + "\n")
    copy_tuned(folder)
    (CACHE.parent / "asr-run" / "alignment_heads.json").write_text(json.dumps(chosen))
    median, near = alignment_error(folder, entries)
    print(f"alignment heads {chosen}: {median * 1000:.0f} ms, {100 * near:.0f} % within 100 ms")


# ---------------------------------------------------------------------------------------- own files


def read_audio(path: Path) -> Float32:
    """Any recording as 16 kHz mono float32."""
    audio, rate = soundfile.read(path, dtype="float32", always_2d=True)
    mono = audio.mean(axis=1)
    if rate != RATE:
        mono = scipy.signal.resample_poly(mono, RATE, rate)
    return np.asarray(mono, np.float32)


def score_recording(recognizer: Recognizer, limits: Limits, path: Path, text: str) -> None:
    """Decode one recording in windows of 7.5 s and print it beside what was said."""
    audio = read_audio(path)
    step = int(7.5 * RATE)
    pieces = [recognizer.decode(audio[at : at + step]) for at in range(0, len(audio), step)]
    answer = " ".join(limits.accept(piece) for piece in pieces).strip()
    print(f"{path.name}: said  {text!r}\n  heard {[piece.text for piece in pieces]}")
    for piece in pieces:
        print(f"  no_speech {piece.no_speech:.2f} logprob {piece.logprob:.2f}")
    errors = word_errors(text, answer)
    print(f"  after thresholds {answer!r}: WER {100 * errors / len(text.split()):.0f} %")


def score_folder(recognizer: Recognizer, limits: Limits, folder: Path) -> None:
    """WER of a folder with a manifest.jsonl, by SNR."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    heard = clips = 0
    for line in (folder / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        answer = limits.accept(recognizer.decode(read_audio(folder / entry["file"])))
        if entry["text"]:
            tallies[f"SNR {entry.get('snr_db')}"].add(entry["text"], answer)
            if answer != entry["text"]:
                print(f"  {entry['file']} ({entry['voice']}): {entry['text']} -> {answer}")
        else:
            clips += 1
            heard += bool(answer)
    for key, tally in tallies.items():
        print(f"{folder.name} {key}: {tally}")
    print(f"{folder.name}: text on {heard} of {clips} wordless clips")


def main() -> None:
    parser = argparse.ArgumentParser(description="Score the built-in recognizer.")
    parser.add_argument("--model", type=Path, default=ROOT / "models" / "builtin" / "asr")
    parser.add_argument("--count", type=int, default=1000, help="spoken test items at most")
    parser.add_argument("--tune", action="store_true", help="choose thresholds on the dev split")
    parser.add_argument("--heads", action="store_true", help="choose alignment heads on dev")
    parser.add_argument("--recording", nargs=2, action="append", metavar=("FILE", "TEXT"))
    parser.add_argument("--folder", type=Path, action="append", help="with a manifest.jsonl")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    options = parser.parse_args()
    random.seed(0)
    if options.heads:
        pick_heads(options.model)
    recognizer = Recognizer(options.model)
    if options.tune:
        tune(recognizer, options.model)
    limits = read_limits(options.model)
    for path, text in options.recording or ():
        score_recording(recognizer, limits, Path(path), text)
    for folder in options.folder or ():
        score_folder(recognizer, limits, folder)
    if options.heads or options.tune or options.recording or options.folder:
        return
    figures = {
        **spoken_figures(recognizer, limits, options.count),
        **nothing_figures(recognizer, limits),
        **partial_figures(recognizer, limits),
        **speed_figures(recognizer),
    }
    if options.out:
        options.out.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
