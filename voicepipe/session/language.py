"""The language of one session: asked for by its client, its agent's, the settings', or heard.

Whatever asks, asks anew: a caller may change the language in the midst of a call.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from voicepipe.asr.language import SpokenLanguage
from voicepipe.config import Settings
from voicepipe.languages.known import ENGLISH, language_of
from voicepipe.languages.language import Language, Prompts
from voicepipe.languages.overheard import count, units
from voicepipe.session.settings import SessionSettings


@dataclass(slots=True)
class SessionLanguage:
    """`given` is known beforehand; what is heard counts where nothing is."""

    given: str | None
    server: str | None = "en"  # what the server's own texts are in; it needs no line in the prompt
    spoken: SpokenLanguage = field(default_factory=SpokenLanguage)

    @property
    def code(self) -> str | None:
        """For what decides on turns: only what is sure. None: not known yet."""
        return self.given or self.spoken.code

    @property
    def table(self) -> Language:
        """The rules of turns, and of words over the agent's voice."""
        return language_of(self.code)

    def word_count(self, text: str) -> int:
        """Also where no spaces stand between words."""
        return count(units(text, self.table))

    @property
    def reply_code(self) -> str | None:
        """For what answers: until a language is sure, the last one that was heard will do."""
        return self.code or self.spoken.guess

    @property
    def reply_table(self) -> Language:
        """The rules of clauses and signs."""
        return language_of(self.reply_code)

    @property
    def prompts(self) -> Prompts:
        """What is said when no model is asked; English where there is nothing better."""
        prompts = self.reply_table.prompts or ENGLISH.prompts
        assert prompts is not None
        return prompts

    def instructed(self, instructions: str) -> str:
        """With a last line that keeps the answer in the caller's language. Last, so that what comes
        before stays the same for all callers and for a prefix cache."""
        if self.reply_code in (None, self.server):
            return instructions
        name = self.reply_table.name if self.reply_table.code else f"language {self.reply_code!r}"
        line = f"The caller speaks {name}. Answer in {name}."
        return f"{instructions}\n{line}" if instructions else line


def given_language(settings: SessionSettings, config: Settings) -> str | None:
    """What the client names, else the agent, else the server; None: it must be heard."""
    asked = settings.transcription.language if settings.transcription else None
    return asked or settings.language or config.asr.language
