"""What takes personal data out of texts, as the settings say."""

from __future__ import annotations

from collections.abc import Callable, Collection

from voicepipe.config import PrivacySettings
from voicepipe.privacy import presidio
from voicepipe.privacy.patterns import Kind, redact

Redactor = Callable[[str], str]
"""Each find becomes its kind in brackets. Any thread; with Presidio milliseconds a text."""


def redactor(kinds: Collection[Kind], settings: PrivacySettings) -> Redactor | None:
    """None: nothing is to be taken out. Raises ConfigError where Presidio or its model is not
    there."""
    if not kinds:
        return None
    if not settings.presidio:
        return lambda text: redact(text, kinds)
    finder = presidio.finder(settings.spacy_model, settings.language)
    return lambda text: finder.redact(redact(text, kinds), kinds)
