"""From a clause as written to the words to say, with the way back. Pure.

Markdown marks, emoji and long addresses are for the eye. What is said keeps a map to the clause, so
that the time of a spoken word is the time of a written one.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from voicepipe.languages.known import ENGLISH
from voicepipe.languages.language import Language
from voicepipe.languages.script import SPOKEN_UNIT, UNSPACED_LETTERS
from voicepipe.tts.contract import WordTime


@dataclass(frozen=True, slots=True)
class Speakable:
    """`text` is what to say; "" means there is nothing to say.

    `starts[i]` and `ends[i]` are the span of the clause that character i of `text` stands for.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, char: int, length: int) -> tuple[int, int]:
        """Offset and length in the clause of `text[char : char + length]` (length >= 1)."""
        start = self.starts[char]
        return start, max(self.ends[char : char + length]) - start


def speakable(clause: str, language: Language = ENGLISH) -> Speakable:
    """What to say of `clause`, of any length and content."""
    mapped = _Mapped(clause, list(range(len(clause))), list(range(1, len(clause) + 1)))
    for pattern, replace in _rules(language):
        mapped = mapped.sub(pattern, replace)
    mapped = mapped.strip()
    if not any(char.isalnum() for char in mapped.text):
        return Speakable("", (), ())
    return Speakable(mapped.text, tuple(mapped.starts), tuple(mapped.ends))


class WordAligner:
    """Turns an engine's word events on spoken text into word times on the clause.

    An engine may report one written word as several ("3.5" as three) or between words; each word
    (a run without spaces, or a character of a script that has none) is timed once, by its first
    event, and times never go back.
    """

    def __init__(self, spoken: Speakable) -> None:
        self._spoken = spoken
        self._words = [match.span() for match in SPOKEN_UNIT.finditer(spoken.text)]
        self._starts = [start for start, _ in self._words]
        self._next = 0

    def word_at(self, char: int, start_s: float) -> WordTime | None:
        """The word around character `char` of the spoken text, the first time it is met."""
        index = bisect_right(self._starts, char) - 1
        if index < self._next or char >= self._words[index][1]:
            return None
        self._next = index + 1
        begin, end = self._words[index]
        at, length = self._spoken.span(begin, end - begin)
        return WordTime(char=at, length=length, start_s=start_s)


@dataclass(slots=True)
class _Mapped:
    """Text on its way to `Speakable`."""

    text: str
    starts: list[int]
    ends: list[int]

    def sub(self, pattern: re.Pattern[str], replace: _Replacement) -> _Mapped:
        """Every match becomes a group of itself (int) or other text, which stands for it all."""
        matches = list(pattern.finditer(self.text))
        if not matches:
            return self
        out = _Mapped("", [], [])
        pieces: list[str] = []
        at = 0
        for match in matches:
            self._copy(at, match.start(), pieces, out)
            at = match.end()
            if isinstance(replace, int):
                self._copy(*match.span(replace), pieces, out)
            elif match.start() < at:
                said = replace if isinstance(replace, str) else replace(match)
                pieces.append(said)
                out.starts += [self.starts[match.start()]] * len(said)
                out.ends += [self.ends[at - 1]] * len(said)
        self._copy(at, len(self.text), pieces, out)
        out.text = "".join(pieces)
        return out

    def strip(self) -> _Mapped:
        begin = len(self.text) - len(self.text.lstrip())
        end = max(begin, len(self.text.rstrip()))
        return _Mapped(self.text[begin:end], self.starts[begin:end], self.ends[begin:end])

    def _copy(self, begin: int, end: int, pieces: list[str], out: _Mapped) -> None:
        pieces.append(self.text[begin:end])
        out.starts += self.starts[begin:end]
        out.ends += self.ends[begin:end]


_Replacement = int | str | Callable[[re.Match[str]], str]


def _unprintable(match: re.Match[str]) -> str:
    """Control characters and lone surrogates become nothing; private and unassigned ones too."""
    return " " if unicodedata.category(match[0]).startswith("Z") else ""


def _character(match: re.Match[str]) -> str:
    """What "&#39;" stands for; what cannot be seen is a space."""
    char = html.unescape(match[0])
    return char if char.isprintable() else " "


_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|~~)(?=\S)([^\n]*?\S)\1(?!\w)")

# In order: each works on what those before it left. An int is the group that stays.
_BEFORE: tuple[tuple[re.Pattern[str], _Replacement], ...] = (
    # code fences, closed or cut off: nobody wants code read aloud
    (re.compile(r"(?ms)^[ \t]{0,3}(```|~~~)[^\n`]*\n.*?(?:^[ \t]{0,3}\1[ ]*$|\Z)"), ""),
    (re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\u2028\u2029]"),
     _unprintable),
    # images and links: their text; autolinks: the address, shortened below
    (re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)"), 1),
    (re.compile(r"\[([^\]\n]+)\]\[[^\]\n]*\]"), 1),
    (re.compile(r"<((?:https?://|mailto:)[^\s<>]+)>"), 1),
    (re.compile(r"(`{1,3})([^`\n]+)\1"), 2),
    # line starts: headings, quotes, bullets, rules, table borders
    (re.compile(r"(?m)^[ \t]*(?:[-*_][ \t]*){3,}$"), ""),
    (re.compile(r"(?m)^(?=[^\n]*---)[ \t|:-]+$"), ""),
    (re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+|(?:>[ \t]?)+|[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?)"), ""),
    (re.compile(r"(?m)[ \t]*\|[ \t]*$|^[ \t]*\|[ \t]*"), ""),
    (re.compile(r"[ \t]*\|[ \t]*"), ", "),
    # emphasis, twice for marks in marks; then marks whose partner is in another clause
    (_EMPHASIS, 2),
    (_EMPHASIS, 2),
    (re.compile(r"\*{2,}|~~|__+|`+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)"), ""),
    # HTML
    (re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>]*)?/?>"), " "),
    (re.compile(r"&(?:nbsp|amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});"), _character),
)  # fmt: skip

_AFTER: tuple[tuple[re.Pattern[str], _Replacement], ...] = (
    (re.compile(r"\[\[|\]\]"), ""),  # raw phonemes to espeak and Piper
    # emoji, dingbats, flags, joiners, variation selectors, keycaps
    (re.compile("[\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u2b00-\u2bff"
                "\u200b-\u200d\u2060\u20e3\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+"), ""),
    (re.compile(r"\s+(?=[,;:!?]|\.(?!\w))"), ""),  # but " .5" and " .NET" stay
    (re.compile(r"\s{2,}|[\t\n\u00a0]"), " "),
)  # fmt: skip

# Chinese, Thai ... may go on behind an address without a space: none of that is of its path.
_PATH = rf"(?!{UNSPACED_LETTERS.pattern})[^\s\u3001-\u303f\uff01-\uff60]"
_HOST = re.compile(
    r"(?:https?://|\bwww\.)(?:www\.)?([\w.-]+\w)(?::\d+)?"
    rf"(?:[/?#](?:{_PATH})*(?!{UNSPACED_LETTERS.pattern})[\w/=&#-]|/)?"
)
_MAIL_TO = re.compile(r"(?:mailto:)?\b([\w.+-]+@[\w-]+(?:\.[\w-]+)+)")
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def _rules(language: Language) -> tuple[tuple[re.Pattern[str], _Replacement], ...]:
    """All rules, with the words of `language` for signs."""
    if language.code not in _OF_LANGUAGE:
        _OF_LANGUAGE[language.code] = (*_BEFORE, *_signs(language), *_AFTER)
    return _OF_LANGUAGE[language.code]


_OF_LANGUAGE: dict[str, tuple[tuple[re.Pattern[str], _Replacement], ...]] = {}


def _signs(language: Language) -> Iterator[tuple[re.Pattern[str], _Replacement]]:
    """A sign that the language has no word for is left to the engine."""
    read, space = language.reading, " " if language.spaced else ""

    def said(word: str) -> str:
        return f"{space}{word}{space}"

    if read.dot:
        dot = said(read.dot)
        # https://www.example.com:8080/a?b -> example dot com
        yield _HOST, lambda match: match[1].rstrip(".").replace(".", dot)
        yield _MAIL_TO, 1
        yield _MAIL, lambda match: match[0].replace("@", said(read.at)).replace(".", dot)
    yield from _amounts(language)
    for pattern, word in (
        (r"\s*&\s*", said(read.and_)),
        (r"#(?=\d)", read.number + space),
        (r"\s*(?:→|⇒|->|=>)\s*", said(read.to)),
        (r"\s+=\s+", said(read.equals)),
        (r"~(?=\d)", read.about + space),
    ):
        if word.strip():
            yield re.compile(pattern), word
    yield re.compile(r"#(?=\w)"), ""


_MILLION = 1_000_000
"""Any scale takes the form of a large number: "5 milionów dolarów"."""

_VOWELS = "aeiouhyéèêàâîô"


def _amounts(language: Language) -> Iterator[tuple[re.Pattern[str], _Replacement]]:
    """An amount of money with its sign before or behind it: "$5" is "5 dollars", "5 €" in Polish
    "5 euro"."""
    read = language.reading
    if not read.currencies:
        return
    signs = "|".join(map(_alone, sorted(read.currencies, key=len, reverse=True)))
    group = r"[\u00a0\u202f ]" if read.group in "\u00a0\u202f" else re.escape(read.group)
    number = rf"\d{{1,3}}(?:{group}\d{{3}})+(?:{re.escape(read.decimal)}\d+)?(?!\d)"
    number = rf"(?P<number>{number}|\d+(?:{re.escape(read.decimal)}\d+)?)"
    scales = "|".join(sorted(read.scales, key=len, reverse=True))
    scale = rf"(?: ?(?P<scale>{scales})(?!\w))?" if scales else "(?P<scale>(?!))?"

    short = r"(?P<short>[A-Za-z]{1,3}(?![A-Za-z\d]))?"  # "$50K", "$3bn": it stays with the number

    def said(match: re.Match[str]) -> str:
        number = match["number"] + (match["short"] or "")
        return _said_amount(match["sign"], number, match["scale"] or "", language)

    yield re.compile(rf"(?P<sign>{signs})[ \u00a0\u202f]?{number}{scale}{short}"), said
    yield re.compile(rf"{number}(?P<short>(?!))?{scale}[ \u00a0\u202f]?(?P<sign>{signs})"), said


def _alone(sign: str) -> str:
    """Letters must stand alone: "KSh"."""
    return rf"\b{sign}(?![^\W\d])" if sign.isalpha() else re.escape(sign)


def _said_amount(sign: str, number: str, scale: str, language: Language) -> str:
    read = language.reading
    if number == "1" and not scale and sign in read.one:
        return read.one[sign]
    whole, _, decimals = number.partition(read.decimal)
    digits = int("".join(char for char in whole if char.isdigit()))
    forms = read.currencies[sign]
    large = bool(scale) or number[-1].isalpha()
    noun = forms[read.plural(_MILLION if large else digits, bool(decimals) and not large)]
    space = " " if language.spaced else ""
    if large and read.scale_link:
        elided = read.scale_link == "de" and language.code == "fr" and noun[0] in _VOWELS
        noun = f"d'{noun}" if elided else f"{read.scale_link} {noun}"
    parts = (noun, number, scale) if read.currency_first else (number, scale, noun)
    return space.join(part for part in parts if part)
