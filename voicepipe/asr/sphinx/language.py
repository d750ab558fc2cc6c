"""The files that a decoder reads: a language model and its dictionary, made in seconds from
sentences and kept until what they are made of changes."""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import logging
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from voicepipe.asr.ngram.estimate import estimate
from voicepipe.asr.ngram.mix import mixed, pruned
from voicepipe.asr.ngram.model import Trigrams
from voicepipe.asr.ngram.trie_file import read_trie, write_trie
from voicepipe.asr.sphinx import kept_models
from voicepipe.asr.sphinx.library import Library
from voicepipe.asr.sphinx.pronunciation import Pronunciations, pronounce, read_dictionary
from voicepipe.runtime.errors import EngineUnavailable

log = logging.getLogger(__name__)

VERSION = 3
"""Of how models are made; older ones in the cache are not used."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """How general English is mixed in."""

    domain: float = 0.6  # share of the domain's sentences in what people say
    words: int = 40_000  # most frequent words of English, beside those of the domain
    least: float = 1e-8  # pairs and triples that say less are left out


@dataclass(frozen=True, slots=True)
class LanguageFiles:
    """What `decoder.SphinxDecoder` reads."""

    model: Path
    dictionary: Path


def language_files(
    sentences: Sequence[str],
    mixture: Mixture,
    library: Library,
    cache: Path,
    said: Pronunciations | None = None,
) -> LanguageFiles:
    """The files for these sentences, from the cache or made now; `said`: pronunciations beside the
    library's dictionary. Blocking: four seconds of a core and 0.9 GB of memory.
    Raises OSError, EngineUnavailable where no sentence can be said."""
    said = said or {}
    name = _fingerprint(sentences, mixture, library, said)
    try:
        return _files_in(cache / "language" / name, sentences, mixture, library, said)
    except OSError as error:  # a container that may write nowhere but here
        log.warning("the language model is not kept: %s", error)
        return _files_in(_scratch() / name, sentences, mixture, library, said)


@functools.cache
def _scratch() -> Path:
    """A folder that goes when the process ends. Raises OSError."""
    folder = tempfile.mkdtemp(prefix="voicepipe-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _files_in(
    folder: Path,
    sentences: Sequence[str],
    mixture: Mixture,
    library: Library,
    said: Pronunciations,
) -> LanguageFiles:
    if not kept_models.take(folder):
        with kept_models.alone_in(folder.parent):
            if not kept_models.take(folder):  # nobody else made it while we waited
                began = time.perf_counter()
                with kept_models.being_made(folder) as place:
                    _make(place, sentences, mixture, library, said)
                took, count = time.perf_counter() - began, len(sentences)
                log.info("language model of %d sentences made in %.1f s: %s", count, took, folder)
                if not kept_models.take(folder):
                    raise OSError(f"{folder} is damaged as soon as it is written")
                kept_models.forget_old(folder.parent)
    return LanguageFiles(folder / "model.lm.bin", folder / "words.dict")


def language_model(
    sentences: Iterable[str], mixture: Mixture, library: Library, known: Pronunciations
) -> Trigrams:
    """The trigram model of the sentences with general English mixed in."""
    domain = estimate(sentences)
    if mixture.domain >= 1:
        return domain
    general = read_trie(library.language)
    ranked = (general.words[n] for n in np.argsort(-general.prob))
    frequent = [word for word in ranked if word in known][: mixture.words]
    return mixed(domain, pruned(general, {*frequent, *domain.words}, mixture.least), mixture.domain)


def _make(
    place: Path,
    sentences: Sequence[str],
    mixture: Mixture,
    library: Library,
    extra: Pronunciations,
) -> None:
    known = {**read_dictionary(library.dictionary), **extra}
    words_used = {word for text in sentences for word in text.split()}
    said = {word: pronounce(word, known) for word in words_used}
    usable = [text for text in sentences if text and all(said[word] for word in text.split())]
    if not usable:
        raise EngineUnavailable(
            "asr.phrases and asr.model have no sentence whose words can be said in English;"
            " asr.language names another language",
            stage="asr",
        )
    if unsaid := {*sentences} - {*usable, ""}:
        log.warning("sentences with words that cannot be said: %d", len(unsaid))
    model = language_model(usable, mixture, library, known)
    write_trie(model, place / "model.lm.bin")
    words = [word for word in model.words if word[0] != "<"]
    lines = _dictionary_lines(words, {**known, **said})
    (place / "words.dict").write_text("".join(lines), encoding="utf-8")


def _dictionary_lines(words: Iterable[str], said: Pronunciations) -> Iterable[str]:
    for word in words:
        for n, phones in enumerate(said[word], 1):
            yield f"{word} {phones}\n" if n == 1 else f"{word}({n}) {phones}\n"


def _fingerprint(
    sentences: Sequence[str], mixture: Mixture, library: Library, said: Pronunciations
) -> str:
    sizes = [path.stat().st_size for path in (library.language, library.dictionary)]
    about = [VERSION, asdict(mixture), sizes, dict(said)]
    texts = "\n".join(sentences)
    return hashlib.sha256(f"{json.dumps(about)}\n{texts}".encode()).hexdigest()[:16]
