"""Log-probabilities of tokens, handed on with the text that the tokens became."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from voicepipe.llm.contract import Delta, TextDelta


class LogprobTally:
    """Text comes out later than its tokens go in, since tags and half characters are held back;
    what has gone in since the last text belongs to the next.
    """

    def __init__(self) -> None:
        self._pending: list[float] = []

    def add(self, logprobs: Iterable[float]) -> None:
        """Natural log-probabilities of tokens, in order."""
        self._pending.extend(logprobs)

    def forget(self) -> None:
        """The tokens were a thought or a call: nothing of them is said."""
        self._pending.clear()

    def marked(self, deltas: Iterable[Delta]) -> Iterator[Delta]:
        """The same deltas, the next text with the mean of what is pending."""
        for delta in deltas:
            if self._pending and isinstance(delta, TextDelta):
                mean = sum(self._pending) / len(self._pending)
                self._pending.clear()
                yield replace(delta, logprob=mean)
            else:
                yield delta
