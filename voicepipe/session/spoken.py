"""How the text of one message of a reply lies in its audio. Times in ms of the message's audio."""

from __future__ import annotations

from dataclasses import dataclass, field

from voicepipe.conversation.heard import SpokenSpan, SpokenWord
from voicepipe.tts.contract import WordTime

MS_PER_CHAR = 65.0
"""Of speech at an ordinary pace: how long a text will take whose audio is not all made yet. Without
it a user who breaks in would have heard the whole clause by its first chunk's end."""


@dataclass(slots=True)
class SpokenClause:
    """Text about to be spoken, and what is known of its audio; the voice adds to it, ahead of the
    listener."""

    text: str
    speed: float = 1.0
    made_ms: float = 0.0
    whole: bool = False  # no more audio of it will be made
    words: list[WordTime] = field(default_factory=list)

    @property
    def length_ms(self) -> float:
        """Of its audio; an estimate until it is whole."""
        if self.whole:
            return self.made_ms
        return max(self.made_ms, len(self.text) * MS_PER_CHAR / self.speed)


@dataclass(slots=True)
class SpokenMessage:
    """Grows while it is spoken. A reply has several where a function call came between."""

    item_id: str
    began_ms: float  # in the reply's audio; all that follows is counted from here
    _clauses: list[tuple[float, SpokenClause]] = field(default_factory=list)  # ms of its beginning

    def begin(self, clause: SpokenClause, at_ms: float) -> None:
        """The text of `clause` has been handed on, its audio follows; `at_ms` in the reply's."""
        self._clauses.append((at_ms - self.began_ms, clause))

    def heard_ms(self, heard_ms: float) -> float | None:
        """How much of it has been heard, of `heard_ms` of the reply; None: all there is of it."""
        here_ms = max(0.0, heard_ms - self.began_ms)
        start_ms, last = self._clauses[-1]
        return None if last.whole and here_ms >= start_ms + last.made_ms else here_ms

    @property
    def spans(self) -> tuple[SpokenSpan, ...]:
        """Where each clause lies in the message's text and audio."""
        spans, at = [], 0
        for start_ms, clause in self._clauses:
            words = (SpokenWord(at + w.char, start_ms + w.start_s * 1000) for w in clause.words)
            end = at + len(clause.text)
            spans.append(SpokenSpan(at, end, start_ms, start_ms + clause.length_ms, tuple(words)))
            at = end
        return tuple(spans)
