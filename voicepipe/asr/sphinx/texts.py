"""The sentences a language model is made of: those of the domain, and the agent's own phrases."""

from __future__ import annotations

import bz2
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

PHRASES_SHARE = 0.3  # of the sentences, so that an agent's few phrases count beside the domain's
HOTWORDS_SHARE = 0.02
MOST_WAYS = 2000  # one phrase may be said in

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_DIGITS = "zero one two three four five six seven eight nine".split()


def read_sentences(path: Path) -> list[str]:
    """One sentence a line, plain or packed (.bz2); empty lines and those after # do not count.
    Raises OSError."""
    raw = path.read_bytes()
    text = (bz2.decompress(raw) if path.suffix == ".bz2" else raw).decode()
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def with_phrases(
    sentences: Sequence[str],
    phrases: Iterable[str],
    hotwords: str | None,
    spelled: Callable[[str], str] | None = None,
) -> list[str]:
    """All sentences of a model. A phrase may leave choices open: "a [small|large] coffee".
    `spelled`: a text as the dictionary spells it; None: `spoken`."""
    spell = spelled or spoken
    own = [said for phrase in phrases for way in ways(phrase) if (said := spell(way))]
    expected = [said for word in separate(hotwords) if (said := spell(word))]
    total = max(len(sentences), 1000)
    return [
        *sentences,
        *_repeated(own, round(total * PHRASES_SHARE)),
        *_repeated(expected, round(total * HOTWORDS_SHARE)),
    ]


def unsaid(texts: Iterable[str], spelled: Callable[[str], str]) -> list[str]:
    """Phrases and hotwords of which the dictionary's spelling leaves nothing."""
    return [text for text in texts if not any(map(spelled, ways(text)))]


def separate(hotwords: str | None) -> list[str]:
    """The words of a list."""
    return [word for word in re.split(r"[,;\s]+", hotwords or "") if word]


def ways(phrase: str) -> Iterator[str]:
    """All ways to say a phrase with `[a|b|]` in it, the first `MOST_WAYS` of them."""
    parts = _CHOICE.split(phrase)
    options = [part.split("|") if n % 2 else [part] for n, part in enumerate(parts)]
    return ("".join(way) for way in itertools.islice(itertools.product(*options), MOST_WAYS))


def spoken(text: str) -> str:
    """As the dictionary spells it: lower case, digits as words, nothing but words. A dot belongs to
    a letter that stands for itself ("b."), not to the end of a sentence."""
    text = re.sub(r"\d", lambda digit: f" {_DIGITS[int(digit[0])]} ", text.lower())
    text = re.sub(r"(?<![a-z'\u2019])([a-z]\.)|\.", lambda dot: dot[1] or " ", text)
    return " ".join(re.sub(r"[^a-z'. ]", " ", text.replace("\u2019", "'")).split())


def _repeated(texts: Sequence[str], total: int) -> Iterator[str]:
    """Each so often that they are about `total`, at least once."""
    for text in texts:
        yield from itertools.repeat(text, max(1, total // max(len(texts), 1)))
