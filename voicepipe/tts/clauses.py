"""Cuts a reply that is still being written into clauses to speak. Pure.

The first clause is short, so that speech starts early; the later ones are sentences. A cut is
decided by the text up to it and never by how the deltas were sliced, and the clauses put together
are the text, character for character.

A cut falls behind the whitespace that follows its punctuation: that whitespace is all the
look-ahead there is ("3." may become "3.5", "." may become "..."). Where the next character must
tell, it is awaited: after an abbreviation that may also end a sentence ("at 7 a.m. The"), before a
French question mark, at a space of Thai. What abbreviates, joins and clings is the language's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.languages.known import ENGLISH
from voicepipe.languages.language import Language
from voicepipe.languages.overheard import count
from voicepipe.languages.script import (
    CLOSERS,
    OPENERS,
    PAUSES,
    SENTENCE_ENDS,
    SOUTH_EAST,
    UNSPACED_ENDS,
    UNSPACED_LETTERS,
    UNSPACED_PAUSES,
    WIDE,
)


@dataclass(frozen=True, slots=True)
class ClauseOptions:
    """Where to cut."""

    first_min_words: int = 2  # "Sure," alone would leave a hole before the next clause is ready
    first_conjunction_words: int = 4  # this many before "and", "but" ... is worth saying
    first_max_words: int = 8  # about 2.5 s of speech; long enough for the next clause to be made
    first_clinging_words: int = 2  # how much longer to go on rather than end in "of the"
    soft_max_chars: int = 140  # from here on a comma will do
    max_chars: int = 220  # from here on any space will do, in markup too: 15 s of speech
    hard_max_chars: int = 600  # a "word" this long is cut anywhere


_OPENERS = OPENERS.replace("{", "").replace("«", "")
_SENTENCE_ENDS = ".!?؟۔።" + UNSPACED_ENDS
_UNSPACED = UNSPACED_ENDS + UNSPACED_PAUSES + "—"
_NEVER_FIRST = CLOSERS + SENTENCE_ENDS + PAUSES
_LIST_MARKER = re.compile(r"\s*(?:[-*+•>]|#{1,6}|\(?(?:\d{1,3}|[A-Za-z])[.)])\s*$")
_WORD = re.compile(r"\w[^\s,;:!?…؟،؛।॥。！？｡、，；：—–\"”»)\]}*_~`」』]*")
_FENCE = re.compile(r"\s{0,3}(```|~~~)[^`\n]*$")
_ORDINAL = re.compile(r"\d{1,2}(?:\.\d{1,2})?$")  # "3." Mai, "24.12." too
_YEAR = re.compile(r"\d{4}$")  # "2026. 5. 3." in Korean
_TIMES_DENSER = 3
"""A Chinese character is as long to say as three Latin ones."""
_PHRASE = 24
"""Characters of a script whose spaces are pauses: from here on one is worth cutting at."""


class ClauseSplitter:
    """One per reply. `push` text as it comes, `flush` when it is complete."""

    def __init__(self, options: ClauseOptions | None = None, language: Language = ENGLISH) -> None:
        self._options = options or ClauseOptions()
        self._language = language
        self._restart()

    def _restart(self) -> None:
        self._text = ""  # not yet given out
        self._seen = 0  # characters of it already judged
        self._first = True
        self._fence: str | None = None  # the mark of the code fence we are in
        self._undecided: tuple[int, _Says] | None = None

    def push(self, delta: str) -> list[str]:
        """Add text; return the clauses it completes, whitespace and all."""
        self._text += delta
        clauses: list[str] = []
        while self._seen < len(self._text):
            cut = self._judge(self._seen)
            self._seen += 1
            if cut is not None:
                clauses.append(self._take(cut))
        return clauses

    def flush(self) -> list[str]:
        """What is left, as at most one clause. The splitter then starts afresh."""
        rest = self._text
        self._restart()
        return [rest] if rest else []

    def _take(self, cut: int) -> str:
        clause, self._text = self._text[:cut], self._text[cut:]
        self._seen -= cut
        self._first = False
        self._undecided = None
        return clause

    def _judge(self, at: int) -> int | None:
        """Where to cut now that character `at` is known, if anywhere."""
        char = self._text[at]
        if char == "\n":
            was_in_fence = self._fence is not None
            self._track_fence(at)
            if was_in_fence and self._fence is None:
                return at + 1
        if self._fence is not None:
            return None
        if self._undecided is not None and not char.isspace():
            (cut, says), self._undecided = self._undecided, None
            if says(char):
                return cut
        found = self._judge_space(at) if char.isspace() else self._judge_unspaced(at)
        return found or self._hard_limit(at)  # of nothing but space, too: a model may go on with it

    def _track_fence(self, newline: int) -> None:
        line = self._text[self._text.rfind("\n", 0, newline) + 1 : newline]
        mark = _FENCE.match(line)
        if mark is None:
            return
        if self._fence is None:
            self._fence = mark[1]
        elif line.strip() == self._fence:
            self._fence = None

    # --- candidates

    def _judge_space(self, at: int) -> int | None:
        """Whitespace at `at`: does a clause end before it?"""
        clause = self._text[:at]
        newline = self._text[at] == "\n"
        if not _WORD.search(clause) or (clause[-1].isspace() and not newline):
            return None  # nothing to say yet, or already judged at the first space
        if _LIST_MARKER.fullmatch(clause[clause.rfind("\n") + 1 :]):
            return None
        length = self._length(at)
        if length >= self._options.max_chars:
            return at + 1
        if ends_inside_markup(clause):
            return None
        if newline or self._ends_sentence(clause, at):
            return at + 1
        soft = length >= self._options.soft_max_chars
        if self._pauses(clause) and (self._first_is_worth(clause) or soft):
            return at + 1
        if self._language.spaces_pause:
            return self._at_a_space_that_pauses(clause, at)
        return self._first_without_punctuation(clause, at) if self._first else None

    def _judge_unspaced(self, at: int) -> int | None:
        """Does a clause end before character `at`, behind punctuation that needs no space?"""
        if self._text[at] in _NEVER_FIRST:
            return None
        end = at
        while end and self._text[end - 1] in CLOSERS:
            end -= 1
        mark = self._text[end - 1 : end]
        if not mark or mark not in _UNSPACED:
            return None
        clause = self._text[:at]
        if not _WORD.search(clause) or ends_inside_markup(clause):
            return None
        if mark in UNSPACED_ENDS or self._length(at) >= self._options.soft_max_chars:
            return at
        # Wide scripts put no spaces between words: four characters are two words.
        worth = self._first and mark in UNSPACED_PAUSES and end > 4
        return at if worth or self._first_is_worth(clause) else None

    def _hard_limit(self, at: int) -> int | None:
        joins = unicodedata.category(self._text[at])[0] == "M" or self._text[at] in "\u200d\ufe0f"
        return at if self._length(at) >= self._options.hard_max_chars and not joins else None

    def _length(self, at: int) -> int:
        """Of the clause so far, in Latin characters that take as long to say."""
        wide = at > 0 and (WIDE.match(self._text[at - 1]) or self._text[at - 1] in _UNSPACED)
        return at * _TIMES_DENSER if wide and WIDE.search(self._text, 0, at) else at

    # --- what ends a clause

    def _ends_sentence(self, clause: str, at: int) -> bool:
        """Also notes an undecided cut when the next character must tell."""
        token = _last_token(clause).rstrip(CLOSERS)
        if not token or token[-1] not in _SENTENCE_ENDS:
            return False
        if token[-1] != ".":
            return True
        bare = token.lstrip(_OPENERS).removesuffix(".")
        if bare.endswith("."):
            return False  # an ellipsis: a pause
        low = self._language.plain(bare).rpartition("'")[2]  # "l'avv."
        if low in self._language.before_number:
            self._undecided = at + 1, _is_no_digit
            return False
        if low in self._language.may_end:
            self._undecided = at + 1, _opens_a_sentence
            return False
        if self._language.ordinal_dot != "never" and _ORDINAL.match(bare):
            if self._language.ordinal_dot == "before_small_letters":
                self._undecided = at + 1, _opens_a_sentence
            return False
        if self._language.ordinal_dot == "dates" and _YEAR.match(bare):
            return False
        return low not in self._language.abbreviations and not _is_initials(bare)

    def _pauses(self, clause: str) -> bool:
        token = _last_token(clause)
        if token in ("-", "--"):
            return True
        bare = token.rstrip(CLOSERS)
        return bool(bare) and (bare[-1] in PAUSES + "…" or bare.endswith("..."))

    def _first_is_worth(self, clause: str) -> bool:
        return self._first and _words_in(clause) >= self._options.first_min_words

    def _first_without_punctuation(self, clause: str, at: int) -> int | None:
        """The first clause does not wait for punctuation for ever."""
        options, language = self._options, self._language
        words = list(_WORD.finditer(clause))
        last = words[-1]
        low = language.plain(last[0])
        before = clause[: last.start()]
        may_cut_before = (
            len(words) > 1
            and before[-1:].isspace()
            and not self._clings(words[-2][0])
            and not ends_inside_markup(before)
        )
        if (
            len(words) > options.first_conjunction_words
            and low in language.conjunctions
            and may_cut_before
        ):
            return last.start()
        longest = options.first_max_words
        if language.leaning:  # it is the next word that says whether one may pause before it
            longer = len(words) > longest and low not in language.leaning
            return last.start() if longer and may_cut_before else None
        if self._clings(last[0]):
            longest += options.first_clinging_words
        if len(words) < longest:
            return None
        if language.space_before_marks:
            self._undecided = at + 1, _is_no_mark
            return None
        return at + 1

    def _at_a_space_that_pauses(self, clause: str, at: int) -> int | None:
        """Thai: behind a phrase, and not beside a number or a foreign word."""
        last = _last_token(clause)
        worth = self._first_is_worth(clause) or at >= _PHRASE
        if last.endswith(tuple(self._language.clinging)):
            return None
        if SOUTH_EAST.match(last[-1]) and (worth or last.endswith(self._language.final_particles)):
            self._undecided = at + 1, _is_south_east
        return None

    def _clings(self, word: str) -> bool:
        """Nobody pauses behind it: "the", "Dr.", "10.30" o'clock."""
        low = self._language.plain(word).rstrip(".")
        return (
            low[-1:].isdigit()
            or low in self._language.clinging
            or low in self._language.abbreviations
        )


_Says = Callable[[str], bool]


def _is_no_digit(char: str) -> bool:
    return not char.isdigit()


def _opens_a_sentence(char: str) -> bool:
    return char.isupper() or char in "\"“'¿¡«„"


def _is_no_mark(char: str) -> bool:
    return char not in _NEVER_FIRST


def _is_south_east(char: str) -> bool:
    return SOUTH_EAST.match(char) is not None


def _last_token(clause: str) -> str:
    return clause.rsplit(maxsplit=1)[-1]


def _words_in(clause: str) -> int:
    words = _WORD.findall(clause)
    return count(tuple(words)) if UNSPACED_LETTERS.search(clause) else len(words)


def _is_initials(bare: str) -> bool:
    """Capitals with dots between, as in "J", "U.S", "J.R.R". "I" ends sentences."""
    letters = bare.split(".")
    return bare != "I" and all(len(x) == 1 and x.isalpha() and x.isupper() for x in letters)


_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)")
_OPEN_LINK = re.compile(r"\[[^\]\n]*$|\]\([^)\n]*$")
_OPEN_CODE = re.compile(r"`[^`\n]*$")
# Opens where a word could start and text follows; closes behind text. `5 * 3` and snake_case don't.
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=[^\s*_])[^\n]*?(?<=[^\s])\1(?!\w)")
_OPEN_EMPHASIS = re.compile(r"(?<![\w*])(?:\*{1,3}|_{1,3}|~~)(?=[^\s*_])[^\n]*$")


def ends_inside_markup(text: str) -> bool:
    """True if `text` ends within inline code, a link or emphasis that it opened. All of them end
    with their line.
    """
    line = text[text.rfind("\n") + 1 :]
    if not any(mark in line for mark in "`[*_~"):
        return False
    line = _CODE.sub("x", line)
    if _OPEN_CODE.search(line):
        return True
    line = _LINK.sub("x", line)
    if _OPEN_LINK.search(line):
        return True
    return _OPEN_EMPHASIS.search(_EMPHASIS.sub("x", line)) is not None
