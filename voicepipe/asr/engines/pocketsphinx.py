"""The `pocketsphinx` engine: an acoustic model taught by people, with a language model of the
domain, of the agent's own phrases and of general English. No GPU, a few per cent of a core.

In another language (`asr.language`) it hears the agent's phrases and nothing else, by what their
words are nearest to in English sounds (`sphinx/cross_language.py`)."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.sphinx import cross_language
from voicepipe.asr.sphinx.acoustics import acoustic_model
from voicepipe.asr.sphinx.decoder import OPTIONS, SENTENCES, SphinxDecoder
from voicepipe.asr.sphinx.evidence import SpeechEvidence
from voicepipe.asr.sphinx.language import LanguageFiles, Mixture, language_files
from voicepipe.asr.sphinx.library import Library, load_library
from voicepipe.asr.sphinx.pool import DecoderPool, PartsDecoders
from voicepipe.asr.sphinx.pronunciation import Pronunciations, read_dictionary
from voicepipe.asr.sphinx.texts import (
    read_sentences,
    separate,
    spoken,
    unsaid,
    with_phrases,
)
from voicepipe.asr.sphinx.utterance import SphinxStream, SphinxUtterance
from voicepipe.config import AsrSettings
from voicepipe.config.engines import EngineContext
from voicepipe.languages.known import ENGLISH, LANGUAGES, language_of
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.runtime.paths import cache_dir

log = logging.getLogger(__name__)

SENTENCE_FILES = ("sentences.txt", "sentences.txt.bz2")
SAID = "said.dict"  # pronunciations that the general dictionary lacks
ACOUSTICS = "acoustics.onnx"
PARTS = "parts.arpa"  # a language model of numbers and single words


class PocketsphinxRecognizer:
    """Implements `contract.Recognizer`."""

    name = "pocketsphinx"

    def __init__(
        self,
        settings: AsrSettings,
        model_dir: Path | None,
        builtin: Path,
        *,
        max_utterance_s: float = 120.0,
    ) -> None:
        """`model_dir` holds the domain's sentences; None: there is only what the settings say.
        `builtin` is the built-in directory: what it has of what the other lacks is taken."""
        self._settings = settings
        self._model_dir, self._builtin = model_dir, builtin
        self._speaks = language_of(settings.language or "en")
        self._english = self._speaks is ENGLISH
        places = (model_dir or builtin, builtin)
        self._acoustics, self._parts = (
            next((place / name for place in places if (place / name).is_file()), builtin / name)
            for name in (ACOUSTICS, PARTS)
        )
        self._stream = SphinxStream(
            step_s=(settings.partial_ms or 240) / 1000,
            max_utterance_s=max_utterance_s,
            language=self._speaks,
        )
        if not self._english:
            self._stream = replace(self._stream, again_s=0.0)  # the network needs no cepstral mean
        self._pool: DecoderPool | None = None
        self._open: weakref.WeakSet[SphinxUtterance] = weakref.WeakSet()

    @property
    def decoders(self) -> int:
        """How many are loaded."""
        return self._pool.loaded if self._pool else 0

    async def start(self) -> None:
        """See the contract. Makes the language model if it is not there yet. Idempotent."""
        if self._pool is not None:
            return
        library = load_library()
        if self._english:
            files = await asyncio.to_thread(self._language, library)
        else:
            files = await self._other_language(library)
        acoustics = await asyncio.to_thread(acoustic_model, self._acoustics)
        await asyncio.to_thread(SpeechEvidence)  # loads its network, which all share
        threads = self._settings.workers
        sentences = SENTENCES if self._english else {**OPTIONS, **cross_language.OPTIONS}

        def load(
            language: Path = files.model, options: Mapping[str, float | int] = sentences
        ) -> SphinxDecoder:
            return SphinxDecoder(
                library,
                language,
                files.dictionary,
                acoustics,
                options,
                network_only=not self._english,
            )

        # The parts have decoders of their own: with a second search in one decoder the library's
        # crashes on long utterances, two or three after the second search was used.
        parts = None  # where nothing but the agent's phrases is expected
        if self._english and self._settings.domain_share < 1:
            parts = await asyncio.to_thread(
                PartsDecoders, lambda: load(self._parts, OPTIONS), threads
            )
        pool = DecoderPool(load, self._settings.max_decoders, threads, parts)
        await pool.start()  # the first one is there before anybody speaks
        self._pool = pool

    def open(self, options: AsrOptions) -> SphinxUtterance:
        """See the contract. Raises EngineUnavailable before `start`."""
        if self._pool is None:
            raise EngineUnavailable("the speech recognizer has not been started", stage="asr")
        utterance = SphinxUtterance(options, self._stream, self._pool)
        self._open.add(utterance)
        return utterance

    async def aclose(self) -> None:
        """Cancel all utterances, let what runs end, free the models. Idempotent."""
        pool, self._pool = self._pool, None  # nobody opens another one meanwhile
        utterances = list(self._open)
        for utterance in utterances:
            utterance.cancel()
        running = [one.task for one in utterances if one.task is not None]
        if running:
            await asyncio.wait(running)
        if pool is not None:
            await pool.aclose()

    async def _other_language(self, library: Library) -> LanguageFiles:
        """The files for a language that is not English: phrases, as the language says them."""
        speaks = self._speaks
        if not speaks.code:
            raise EngineUnavailable(
                f"asr.language: pocketsphinx knows no language {self._settings.language!r}; it"
                f" hears phrases in {', '.join(sorted(LANGUAGES))}",
                stage="asr",
            )

        if self._model_dir == self._builtin:
            raise EngineUnavailable(
                f"asr.model = {self._settings.model!r} has English sentences: for {speaks.name} set"
                ' asr.model = "" and asr.phrases, or a directory with sentences of its own',
                stage="asr",
            )

        def spelled(text: str) -> str:
            return cross_language.spoken_words(text, speaks)

        own = [] if self._model_dir is None else [spelled(one) for one in self._sentences()]
        settings = self._settings
        self._name_unsaid(spelled)
        sentences = with_phrases(own, settings.phrases, settings.hotwords, spelled)
        if not any(sentences):
            raise EngineUnavailable(
                f"asr.phrases names no sentence of {speaks.name} to expect, and pocketsphinx hears"
                " nothing else in a language that is not English",
                stage="asr",
            )
        said = await cross_language.pronunciations(sentences, speaks)
        return await asyncio.to_thread(self._files, sentences, Mixture(domain=1.0), library, said)

    def _language(self, library: Library) -> LanguageFiles:
        settings = self._settings
        self._name_unsaid(spoken)
        sentences = with_phrases(self._sentences(), settings.phrases, settings.hotwords)
        return self._files(sentences, Mixture(domain=settings.domain_share), library, self._said())

    def _name_unsaid(self, spelled: Callable[[str], str]) -> None:
        settings = self._settings
        if silent := unsaid([*settings.phrases, *separate(settings.hotwords)], spelled):
            log.warning(
                "asr.phrases, asr.hotwords: %d cannot be said in %s and are not expected: %s",
                len(silent),
                self._speaks.name,
                "; ".join(silent[:9]),
            )

    @staticmethod
    def _files(
        sentences: list[str], mixture: Mixture, library: Library, said: Pronunciations
    ) -> LanguageFiles:
        try:
            return language_files(sentences, mixture, library, cache_dir(), said)
        except OSError as error:
            raise EngineUnavailable(
                f"the language model cannot be made: {error}", stage="asr"
            ) from None

    def _said(self) -> Pronunciations:
        """The model directory's own pronunciations."""
        if self._model_dir is None or not (self._model_dir / SAID).is_file():
            return {}
        return read_dictionary(self._model_dir / SAID)

    def _sentences(self) -> list[str]:
        if self._model_dir is None:
            if self._settings.phrases:
                return []
            raise EngineUnavailable(
                f"asr.model: there is no model {self._settings.model!r} here, and asr.phrases names"
                " no sentence to expect. asr.model=builtin/words has those of the built-in domain",
                stage="asr",
            )
        for name in SENTENCE_FILES:
            if (self._model_dir / name).is_file():
                return read_sentences(self._model_dir / name)
        raise EngineUnavailable(
            f"the directory {self._model_dir} has no {SENTENCE_FILES[0]}: one sentence a line, as"
            " people say them. Set asr.model=builtin/words for those of the built-in domain",
            stage="asr",
        )


def make(context: EngineContext[AsrSettings, None]) -> PocketsphinxRecognizer:
    """See `Engine.make`."""
    return PocketsphinxRecognizer(
        context.stage,
        context.model,
        context.find_model("builtin/words"),
        max_utterance_s=context.limits.max_audio_backlog_s,
    )
