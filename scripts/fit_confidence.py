"""Fit how sure pocketsphinx is of a word: the weights of `Doubts` (asr/sphinx/verdict.py).

    python scripts/training/train_acoustics.py held-out --out KEPT
    python scripts/fit_confidence.py --people KEPT                      # 2 min

Decodes sentences of people who judge nothing, asks of each word whether it was said, and fits a
logistic regression on its acoustic and language scores. Prints the weights, the area under the
curve (0.5: the confidence says nothing), and how often words of a confidence were right.
"""

from __future__ import annotations

import argparse
import difflib
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voicepipe.asr.sphinx.acoustics import acoustic_model
from voicepipe.asr.sphinx.decoder import SENTENCES, SphinxDecoder
from voicepipe.asr.sphinx.language import Mixture, language_files
from voicepipe.asr.sphinx.library import load_library
from voicepipe.asr.sphinx.pronunciation import read_dictionary
from voicepipe.asr.sphinx.texts import read_sentences
from voicepipe.asr.sphinx.verdict import misfit, plain
from voicepipe.audio import files
from voicepipe.lab.hearing_score import normal
from voicepipe.runtime.paths import cache_dir

WORDS = Path(__file__).parents[1] / "models" / "builtin" / "words"
SETS = ("librispeech", "learners")
Floats = npt.NDArray[np.float64]


def examples(people: Path) -> Iterator[tuple[list[float], bool]]:
    """Of each word found: 1, misfit, log of its frames, surprise; and whether it was said."""
    library = load_library()
    said = read_dictionary(WORDS / "said.dict")
    texts = read_sentences(WORDS / "sentences.txt.bz2")
    made = language_files(texts, Mixture(), library, cache_dir(), said)
    network = acoustic_model(WORDS / "acoustics.onnx")
    decoder = SphinxDecoder(library, made.model, made.dictionary, network, SENTENCES)
    for line in (people / "manifest.jsonl").read_text().splitlines():
        clip = json.loads(line)
        if clip["set"] not in SETS:
            continue
        pcm = files.read(people / clip["file"])
        decoder.begin(decoder.mean_of(pcm))
        decoder.feed(pcm, whole=True)
        decoder.end()
        path = [piece for piece in decoder.segments() if not piece.filler]
        found, wanted = [plain(piece.word) for piece in path], normal(clip["text"])
        blocks = difflib.SequenceMatcher(None, found, wanted, False).get_matching_blocks()
        right = {block.a + n for block in blocks for n in range(block.size)}
        for n, piece in enumerate(path):
            frames = max(piece.end - piece.start, 1)
            yield [1, misfit(piece), math.log(frames), -piece.language / 1e3], n in right
    decoder.close()


def fitted(features: Floats, right: Floats) -> Floats:
    """The weights [K] of features [N, K] that make what was right [N] most likely (Newton)."""
    weights = np.zeros(features.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-features @ weights))
        bend = (features * (chance * (1 - chance))[:, None]).T @ features
        weights += np.linalg.solve(bend + 1e-6 * np.eye(len(bend)), features.T @ (right - chance))
    return weights


def area(score: Floats, right: Floats) -> float:
    """The chance that a right word scores higher than a wrong one."""
    ranks = score.argsort().argsort() + 1
    yes = right.sum()
    return float((ranks[right > 0].sum() - yes * (yes + 1) / 2) / (yes * (len(right) - yes)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=Path, required=True, help="a folder of bench_people.py")
    told = list(examples(parser.parse_args().people))
    features = np.array([one for one, _ in told])
    right = np.array([float(yes) for _, yes in told])
    weights = fitted(features, right)
    chance = 1 / (1 + np.exp(-features @ weights))
    names = ("bias", "misfit", "length", "surprise")
    print(", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, weights, strict=True)))
    print(f"{len(told)} words, {right.mean():.1%} right, area {area(chance, right):.2f}")
    for low, high in ((0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)):
        at = (chance >= low) & (chance < high)
        if at.any():
            print(f"  {low:.2f} to {high:.2f}: {right[at].mean():.0%} of {at.sum()} right")


if __name__ == "__main__":
    main()
