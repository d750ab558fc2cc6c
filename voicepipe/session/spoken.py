"""How the text of one message of a reply lies in its audio. Times in ms of the message's audio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from voicepipe.conversation.heard import SpokenSpan, SpokenWord
from voicepipe.tts.contract import WordTime


@dataclass(slots=True)
class SpokenMessage:
    """Grows while it is spoken. A reply has several where a function call came between."""

    item_id: str
    began_ms: float  # in the reply's audio; all that follows is counted from here
    spans: list[SpokenSpan] = field(default_factory=list)

    @property
    def length_ms(self) -> float:
        """Audio handed on so far."""
        return self.spans[-1].audio_end_ms if self.spans else 0.0

    def begin(self, text: str, at_ms: float) -> None:
        """`text` is about to be spoken; `at_ms` in the reply's audio."""
        start = self.spans[-1].text_end if self.spans else 0
        audio_ms = at_ms - self.began_ms
        self.spans.append(SpokenSpan(start, start + len(text), audio_ms, audio_ms))

    def extend(self, words: Iterable[WordTime], to_ms: float) -> None:
        """More of its audio has been handed on, up to `to_ms` of the reply's."""
        span = self.spans[-1]
        times = (
            SpokenWord(span.text_start + w.char, span.audio_start_ms + w.start_s * 1000)
            for w in words
        )
        self.spans[-1] = replace(
            span, audio_end_ms=to_ms - self.began_ms, words=(*span.words, *times)
        )
