"""Words of other languages for the English acoustic network: espeak-ng says how each would be said
in its language, `nearest_phones` what that is nearest to in English.

So an agent's own phrases are heard offline in any language that has a table. There is no general
language model beside them, and no sound that English lacks is told from its neighbour: this is for
vocabularies of tens to a few hundred words (figures in docs/languages.md)."""

from __future__ import annotations

import contextlib
import importlib.util
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from voicepipe.asr.sphinx.nearest_phones import nearest_phones
from voicepipe.asr.sphinx.pronunciation import Pronunciations
from voicepipe.languages.language import Language
from voicepipe.languages.script import EDGES
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.workers.process import child_command
from voicepipe.workers.supervisor import Worker

OPTIONS: Mapping[str, float | int] = {"lw": 8.0, "fwdflatlw": 8.0, "bestpathlw": 8.0}
"""How much the language model counts: more than with English sounds, which fit better."""

_TONAL = ("zh", "vi", "th")
_SYLLABLES = ("zh",)  # each character is one
_TEXTS_AT_ONCE = 200
_TIMEOUT_S = 30.0
_VOICE = "voicepipe.tts.engines.espeak_child:create"


def spoken_words(text: str, language: Language) -> str:
    """A phrase as the dictionary spells it, words separated by spaces. In a script without spaces a
    word is what the phrase's own spaces leave together; in Chinese a character."""
    marked = "".join(sign if _is_part(sign) else " " for sign in _small(text, language))
    words = [word.strip(EDGES + "'") for word in marked.split()]
    if language.code in _SYLLABLES:
        words = [sign for word in words for sign in word]
    return " ".join(word for word in words if word)


def _small(text: str, language: Language) -> str:
    """In small letters and spelled as it is: spelling tells the voice how it sounds."""
    text = text.translate(language.capitals) if language.capitals else text
    small = unicodedata.normalize("NFC", text.lower())
    return small.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _is_part(sign: str) -> bool:
    """Letters, digits, and the marks of scripts that write vowels around letters."""
    return sign in "'-" or sign.isalnum() or unicodedata.category(sign)[0] == "M"


async def pronunciations(sentences: Iterable[str], language: Language) -> Pronunciations:
    """Of all words of the sentences, alone and in each of them. Raises EngineUnavailable."""
    texts = sorted(set(sentences))
    words = sorted({word for text in texts for word in text.split()})
    said = await _phonemes([*words, *texts], language)
    found: dict[str, dict[str, None]] = {word: {} for word in words}
    for text, ipa in zip([*words, *texts], said, strict=True):
        _learn(found, text.split(), ipa.split(), tonal=language.code in _TONAL)
    return {word: tuple(ways) for word, ways in found.items()}


def _learn(
    found: dict[str, dict[str, None]], words: Sequence[str], ipa: Sequence[str], *, tonal: bool
) -> None:
    """Where the voice joins words, nobody knows which sounds are whose."""
    if len(words) == 1:
        ipa = ["".join(ipa)]
    if len(words) == len(ipa):
        for word, sounds in zip(words, ipa, strict=True):
            if phones := nearest_phones(sounds, tonal=tonal):
                found[word][phones] = None


async def _phonemes(texts: Sequence[str], language: Language) -> list[str]:
    """How espeak-ng would say each text, in a process of its own (licences)."""
    if importlib.util.find_spec("espeakng_loader") is None:
        raise EngineUnavailable(
            f"asr.language = {language.code!r}: how words of {language.name} sound is told by "
            "espeak-ng, which is not installed: pip install espeakng-loader",
            stage="asr",
        )
    worker = Worker(child_command(_VOICE, {"voice": language.voice}), name="espeak", stage="asr")
    await worker.start()
    try:
        parts = (texts[n : n + _TEXTS_AT_ONCE] for n in range(0, len(texts), _TEXTS_AT_ONCE))
        return [said for part in parts for said in await _ask(worker, part)]
    finally:
        await worker.aclose()


async def _ask(worker: Worker, texts: Sequence[str]) -> list[str]:
    replies = worker.request(
        {"phonemes": list(texts), "voice": ""},
        first_timeout_s=_TIMEOUT_S,
        next_timeout_s=_TIMEOUT_S,
    )
    async with contextlib.aclosing(replies):
        return [said async for reply in replies for said in reply.header["phonemes"]]
