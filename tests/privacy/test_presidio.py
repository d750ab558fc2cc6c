"""Presidio on a blank tokenizer and on a spaCy model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from voicepipe.config import PrivacySettings
from voicepipe.privacy.patterns import Kind
from voicepipe.privacy.redactor import redactor
from voicepipe.runtime.errors import ConfigError

ALL: tuple[Kind, ...] = get_args(Kind)


def taken_out(text: str, **settings: Any) -> str:
    redact = redactor(ALL, PrivacySettings(presidio=True, **settings))
    assert redact is not None
    assert redact(text) == redact(text)
    return redact(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "to [number]"),
        ("medical licence BB1388568", "medical licence [number]"),
        ("my name is anna, card 4111 1111 1111 1111", "my name is [name], card [card]"),
        ("two coffees at 7:30 for 12.50 please", "two coffees at 7:30 for 12.50 please"),
    ],
)
def test_identifiers_are_found_without_a_model(text: str, kept: str) -> None:
    assert taken_out(text) == kept


def test_a_models_people_and_places_are_names_and_addresses(tmp_path: Path) -> None:
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(
        [{"label": "PERSON", "pattern": "Anna Lee"}, {"label": "GPE", "pattern": "Boston"}]
    )
    nlp.to_disk(tmp_path)
    text = "yesterday Anna Lee flew from Boston"
    assert taken_out(text, spacy_model=str(tmp_path)) == "yesterday [name] flew from [address]"


def test_a_model_that_is_not_there_is_named_and_not_downloaded() -> None:
    with pytest.raises(ConfigError, match="spaCy has not the model 'en_core_web_lg'"):
        redactor(ALL, PrivacySettings(presidio=True, spacy_model="en_core_web_lg"))
