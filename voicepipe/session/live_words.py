"""The words of one user turn as its client reads them while they are being said. What was told is
never taken back: only words that will not change are told, and later ones are added behind them.
Pure."""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.asr.agreement import LocalAgreement, fold, matched_length
from voicepipe.asr.contract import Hypothesis


class LiveWords:
    """`hear` takes hypotheses and `end` the final text; both return what is to be added to what was
    told, with the space before it."""

    def __init__(self) -> None:
        self._agreement = LocalAgreement()  # for recognizers that call no word of theirs stable
        self._known: tuple[str, ...] = ()
        self._told: list[str] = []
        self._space = " "

    @property
    def told(self) -> str:
        return self._space.join(self._told)

    def hear(self, hypothesis: Hypothesis) -> None:
        """Take what the recognizer makes of the speech so far; `news` tells what is sure of it."""
        self._space = hypothesis.space
        if hypothesis.stable:
            self._known = self._words(hypothesis.stable)
        else:
            self._agreement.update(self._words(hypothesis.text), ended=False)
            self._known = self._agreement.stable

    def news(self) -> str:
        """What became sure since the last call."""
        return self._tell(self._known)

    def end(self, text: str) -> str:
        """What the final text has behind the words that were told. Where it has other words in
        their place, the client takes it whole when it comes as the transcript."""
        if text.startswith(self.told):  # letter for letter: the common case
            rest, self._told = text[len(self.told) :], [text]
            return rest
        return self._tell(self._words(text))

    def _tell(self, words: Sequence[str]) -> str:
        told = [fold(word) for word in self._told]
        news = words[matched_length(told, [fold(word) for word in words]) :]
        if not news:
            return ""
        lead = self._space if self._told else ""
        self._told += news
        return lead + self._space.join(news)

    def _words(self, text: str) -> tuple[str, ...]:
        return tuple(text.split() if self._space else text)
