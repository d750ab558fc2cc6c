"""What language a session speaks: heard in its first seconds, then kept, until another one is heard
twice in a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.asr.decoding import Decoded

SURE_S = 2.0
"""A shorter stretch ("ja", "okay") does not tell languages apart; it is heard anew each time."""

SURE_PROBABILITY = 0.5
"""More likely than all others together."""


class SpokenLanguage:
    """One per session, handed to all its utterances (`AsrOptions.spoken`). Until it is sure, every
    decode detects the language of its own audio; then only finals long enough to tell do."""

    def __init__(self) -> None:
        self.code: str | None = None  # ISO 639-1; None: not known yet
        self.guess: str | None = None  # the last one heard, however short the speech was
        self._another: str | None = None  # heard once since

    @property
    def known(self) -> tuple[str | None, str | None, str | None]:
        """All that it remembers, to be taken along to an engine in another process."""
        return self.code, self.guess, self._another

    def take(self, known: Sequence[str | None]) -> None:
        """Remember what another one knew."""
        self.code, self.guess, self._another = known

    def heard(self, decoded: Decoded, audio_s: float) -> None:
        """A decode of `audio_s` seconds, in which words were heard, has detected a language."""
        if decoded.language_probability <= SURE_PROBABILITY:
            return
        self.guess = decoded.language
        if audio_s < SURE_S:
            return
        if decoded.language == self.code:
            self._another = None
        elif self.code is None or decoded.language == self._another:
            self.code, self._another = decoded.language, None
        else:
            self._another = decoded.language
