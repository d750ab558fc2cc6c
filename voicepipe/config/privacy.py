"""How personal data is found; where it is taken out is said by `calls.redact` and `llm.redact`."""

from __future__ import annotations

from pydantic import Field

from voicepipe.config.section import Section


class PrivacySettings(Section):
    """Finders beside the patterns, which are always used."""

    presidio: bool = False  # Microsoft Presidio too: national numbers by their checksums, and with
    # a model names and places in running text. Needs the extra `presidio`
    spacy_model: str = ""  # an installed spaCy model, en_core_web_lg; "" = none, so no names
    language: str = Field("en", pattern=r"^[a-z]{2}$")  # what Presidio takes texts for
