"""Where a sentence may end in texts without punctuation.

LibriSpeech's readers go on after a sentence as if nothing had been, and its training part was cut
at any long silence: its silences do not say what is whole. pocketsphinx's language model knows how
sentences end and begin. A silence is taken for a sentence's end where that explains the words on
both sides better than the sentence going on.
"""

from __future__ import annotations

from pathlib import Path

import pocketsphinx  # type: ignore[import-untyped]

LOG_BASE = 9.9995e-05  # natural log of 1.0001, the base of the model's logs


class Sentences:
    """Odds of sentence ends, natural log."""

    def __init__(self) -> None:
        model = pocketsphinx.get_model_path("en-us/en-us.lm.bin")
        config, log_math = pocketsphinx.Config(), pocketsphinx.LogMath()
        self._model = pocketsphinx.NGramModel(config, log_math, model)

    def log_odds(self, before: list[str], after: list[str]) -> float:
        """That a sentence ends between the two, both not empty."""
        ends = self._chance(["</s>", *before[:-3:-1]])
        begins = self._chance([after[0], "<s>"]) + self._chance([*after[1::-1], "<s>"])
        goes_on = self._chance([after[0], *before[:-3:-1]])
        goes_on += self._chance([*after[1::-1], before[-1]])
        return ends + begins - goes_on

    def near(self, words: list[str], share: float, reach: int = 2) -> float:
        """The highest odds about the place at `share` of the letters: where the words were spoken
        is only known roughly."""
        letters, said, at = sum(map(len, words)), 0, 0
        while at < len(words) and said + len(words[at]) / 2 < share * letters:
            said += len(words[at])
            at += 1
        places = range(max(1, at - reach), min(len(words) - 1, at + reach) + 1)
        return max((self.log_odds(words[:i], words[i:]) for i in places), default=0.0)

    def _chance(self, newest_first: list[str]) -> float:
        """Natural log of the first word's chance after the others."""
        return float(self._model.prob(newest_first)) * LOG_BASE


class Books:
    """Texts of LibriSpeech: utterances follow one another in a chapter."""

    def __init__(self, folder: Path) -> None:
        self._texts: dict[str, list[str]] = {}
        for path in sorted(folder.rglob("*.trans.txt")):
            for line in path.read_text(encoding="utf-8").splitlines():
                key, _, text = line.partition(" ")
                self._texts[key] = text.lower().split()

    def words(self, key: str) -> list[str]:
        """Of utterance `key` ("1088-134315-0007"); [] where it is unknown."""
        return self._texts.get(key, [])

    def following(self, key: str) -> list[str]:
        """Those of the utterance after it; [] after the last one of a chapter."""
        chapter, number = key.rsplit("-", 1)
        return self._texts.get(f"{chapter}-{int(number) + 1:04d}", [])
