"""Microsoft Presidio (the extra `presidio`, MIT) as a second finder behind the patterns.

Without a spaCy model it runs on a blank tokenizer: its recognizers of identifiers with their
checksums and context words (social security, passports, driving licences, bank accounts), no names.
With one (`privacy.spacy_model`) it finds people and places in running text. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Collection
from functools import cache
from typing import Any, get_args

from voicepipe.privacy.patterns import Kind
from voicepipe.runtime.errors import ConfigError

_KINDS: dict[str, Kind] = {
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "PERSON": "name",
    "LOCATION": "address",
}
_NO_NUMBERS = frozenset({"DATE_TIME", "NRP", "URL", "ORGANIZATION", "IP_ADDRESS", "AGE"})
"""What else Presidio finds and is nobody's number. All other entities are identifiers."""

_TAKEN_OUT = re.compile(rf"\[(?:{'|'.join(get_args(Kind))})\]")
"""What the patterns have put there."""

LEAST_SCORE = 0.4
"""Presidio's own for a pattern with a word that goes with it; bare digits have less."""

KNOWN_TEXTS = 4096

Span = tuple[int, int, Kind]


class PresidioFinder:
    """Any thread; one text at a time."""

    def __init__(self, analyzer: Any, language: str) -> None:
        """`analyzer`: a `presidio_analyzer.AnalyzerEngine`."""
        self._analyzer, self._language = analyzer, language
        self._lock = threading.Lock()
        self._key = secrets.token_bytes(16)
        self._known: OrderedDict[bytes, list[Span]] = OrderedDict()  # by the text's keyed hash: no
        # word is kept. A prompt has the same messages again and again

    def redact(self, text: str, kinds: Collection[Kind]) -> str:
        """See `patterns.redact`."""
        wanted: list[Span] = []
        taken = 0
        for start, end, kind in self._spans(text):
            if kind in kinds and end > taken:  # what reaches beyond the one before goes too
                wanted.append((max(start, taken), end, kind))
                taken = end
        for start, end, kind in reversed(wanted):
            text = f"{text[:start]}[{kind}]{text[end:]}"
        return text

    def _spans(self, text: str) -> list[Span]:
        """In order; of those that begin together the surest first."""
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), key=self._key).digest()
        with self._lock:
            if digest in self._known:
                self._known.move_to_end(digest)
                return self._known[digest]
            found = self._known[digest] = self._find(text)
            if len(self._known) > KNOWN_TEXTS:
                self._known.popitem(last=False)
            return found

    def _find(self, text: str) -> list[Span]:
        results = self._analyzer.analyze(text, language=self._language, score_threshold=LEAST_SCORE)
        gone = [found.span() for found in _TAKEN_OUT.finditer(text)]
        spans: list[tuple[int, float, int, Kind]] = []
        for one in results:
            if one.entity_type in _NO_NUMBERS:
                continue
            if any(start <= one.start and one.end <= end for start, end in gone):
                continue
            over = [part for part in gone if part[0] < one.end and one.start < part[1]]
            start = min([one.start, *(part[0] for part in over)])
            end = max([one.end, *(part[1] for part in over)])
            spans.append((start, -one.score, -end, _KINDS.get(one.entity_type, "number")))
        return [(start, -end, kind) for start, _, end, kind in sorted(spans)]


def _blank(spacy: Any, language: str) -> Any:
    """A tokenizer whose lemmas are the words: Presidio looks among them for "passport" beside a
    number that may be one."""
    nlp = spacy.blank(language)

    def words_are_lemmas(doc: Any) -> Any:
        for token in doc:
            token.lemma_ = token.lower_
        return doc

    spacy.Language.component("voicepipe_words_are_lemmas", func=words_are_lemmas)
    nlp.add_pipe("voicepipe_words_are_lemmas")
    return nlp


@cache
def finder(spacy_model: str, language: str) -> PresidioFinder:
    """One for all that redact: a spaCy model is large. Raises ConfigError."""
    try:
        import spacy
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
    except ImportError as error:
        raise ConfigError(
            f"privacy.presidio is on, and the package {error.name} is missing: install "
            "voicepipe with the extra [presidio]"
        ) from error
    try:
        nlp = spacy.load(spacy_model) if spacy_model else _blank(spacy, language)
    except (OSError, ImportError):
        what = f"the model {spacy_model!r}" if spacy_model else f"the language {language!r}"
        raise ConfigError(
            f"privacy: spaCy has not {what}; install the model's package, or leave "
            "privacy.spacy_model empty"
        ) from None

    class Loaded(SpacyNlpEngine):  # type: ignore[misc]  # untyped where the extra is missing
        """Presidio's own would download what it does not find."""

        def load(self) -> None:
            self.nlp = {language: nlp}

    engine = Loaded(
        models=[{"lang_code": language, "model_name": spacy_model or "blank"}],
        ner_model_configuration=NerModelConfiguration(),
    )
    engine.load()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
    if not spacy_model:  # it would warn of each text that there are no names
        analyzer.registry.remove_recognizer("SpacyRecognizer")
    return PresidioFinder(analyzer, language)
