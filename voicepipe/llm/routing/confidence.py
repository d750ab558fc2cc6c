"""Whether a small model's answer will do. Pure."""

from __future__ import annotations

from typing import Literal

from voicepipe.runtime.text import normalize_text

Verdict = Literal["sure", "unsure", "undecided"]

REFUSALS = (
    "i am not sure",
    "i'm not sure",
    "i do not know",
    "i don't know",
    "i do not have",
    "i don't have",
    "i cannot",
    "i can't",
    "i am sorry",
    "i'm sorry",
    "i am unable",
    "i'm unable",
    "sorry",
    "unfortunately",
    "as an ai",
)
"""How an answer begins that is none."""


class OpeningWords:
    """Unsure if the answer begins like a refusal, or if its first pieces were guesses.

    It is decided as soon as the beginning can no longer become a refusal, which is mostly the
    first word: a good answer is hardly held back.
    """

    def __init__(
        self,
        refusals: tuple[str, ...] = REFUSALS,
        *,
        min_logprob: float | None = None,
        logprob_pieces: int = 6,
    ) -> None:
        """`min_logprob`: least mean log-probability of the first `logprob_pieces`; None, or an
        engine that gives none: not looked at.
        """
        self._refusals = tuple(normalize_text(phrase) for phrase in refusals)
        self._min_logprob = min_logprob
        self._logprob_pieces = logprob_pieces

    def judge(self, text: str, logprobs: list[float], *, complete: bool) -> Verdict:
        """Asked after each piece; the small model's words are held back until it is decided.

        `text`: the answer so far; `logprobs`: natural log-probabilities of its pieces, as far as
        the engine gives them; `complete`: no more will come (then not "undecided").
        """
        said = normalize_text(text)
        if not said:
            return "unsure" if complete else "undecided"
        if any(said == r or said.startswith(r + " ") for r in self._refusals):
            return "unsure"
        if not complete and any(r.startswith(said) for r in self._refusals):
            return "undecided"
        return self._by_logprob(logprobs, complete=complete)

    def _by_logprob(self, logprobs: list[float], *, complete: bool) -> Verdict:
        if self._min_logprob is None or not logprobs:
            return "sure"
        if len(logprobs) < self._logprob_pieces and not complete:
            return "undecided"
        mean = sum(logprobs) / len(logprobs)
        return "sure" if mean >= self._min_logprob else "unsure"
