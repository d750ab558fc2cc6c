"""Cuts a reply that is still being written into clauses to speak. Pure.

The first clause is short, so that speech starts early; the later ones are sentences. A cut is
decided by the text up to it and never by how the deltas were sliced, and the clauses put together
are the text, character for character.

A cut falls behind the whitespace that follows its punctuation: that whitespace is all the
look-ahead there is ("3." may become "3.5", "." may become "..."). Only after an abbreviation that
may also end a sentence ("at 7 a.m. The") is one more character awaited.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from voicepipe.tts.markup import ends_inside_markup


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


# Followed by a name, a number or more of the same sentence, hardly ever by its end.
_ABBREVIATIONS = frozenset(
    """mr mrs ms mx dr prof rev hon sr st mt ft gen col capt lt sgt cpl maj cmdr adm gov sen pres
    messrs mme mlle vs cf viz eg ie e.g i.e resp approx est dept univ vol figs eq eqs ch pp nos
    jan feb apr jun jul aug sept oct nov dec mon tue tues wed thu thur thurs fri tel ext
    u.s u.k u.n e.u d.c ph.d b.sc m.sc""".split()
)
# The same, but they may also end the sentence: a capital behind them says so.
_MAY_END = frozenset(
    """a.m p.m am pm etc al inc ltd corp co jr bros b.c a.d oz lb lbs hr hrs min max sec ave blvd rd
    hwy""".split()
)
_BEFORE_NUMBER = frozenset({"no", "fig"})  # end the sentence unless a digit follows
_CONJUNCTIONS = frozenset(
    "and but or so because since while although though if unless until when where which who".split()
)
_CLINGING = frozenset(
    "a an the of to in on at by for from with and or but as is are was were be my your his her "
    "its our their this that these those very not no i you he she it we they".split()
)

_OPENERS = "\"'“‘([*_~"
_CLOSERS = "\"'”’»)]}*_~`"
_SENTENCE_ENDS = ".!?…"
_PAUSES = ",;:—–"
_WIDE_ENDS = "。！？"  # written without a space behind them
_WIDE_PAUSES = "、，；："
_WIDE_CLOSERS = "”’」』）》"
_UNSPACED = _WIDE_ENDS + _WIDE_PAUSES + "—"
_NEVER_FIRST = _WIDE_CLOSERS + _CLOSERS + _UNSPACED + _SENTENCE_ENDS + _PAUSES
_LIST_MARKER = re.compile(r"\s*(?:[-*+•>]|#{1,6}|\(?(?:\d{1,3}|[A-Za-z])[.)])\s*$")
_WORD = re.compile(r"\w[\w'’.-]*")
_FENCE = re.compile(r"\s{0,3}(```|~~~)[^`\n]*$")


class ClauseSplitter:
    """One per reply. `push` text as it comes, `flush` when it is complete."""

    def __init__(self, options: ClauseOptions | None = None) -> None:
        self._options = options or ClauseOptions()
        self._restart()

    def _restart(self) -> None:
        self._text = ""  # not yet given out
        self._seen = 0  # characters of it already judged
        self._first = True
        self._fence: str | None = None  # the mark of the code fence we are in
        self._undecided: int | None = None  # a cut here, if the next character says so
        self._unless_digit = False  # what it says so by: no digit, or else a capital

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
            cut, self._undecided = self._undecided, None
            if not char.isdigit() if self._unless_digit else char.isupper() or char in "\"“'":
                return cut
        if char.isspace():
            return self._judge_space(at)
        return self._judge_unspaced(at) or self._hard_limit(at)

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
        options = self._options
        if at >= options.max_chars:
            return at + 1
        if ends_inside_markup(clause):
            return None
        if newline or self._ends_sentence(clause, at):
            return at + 1
        if self._pauses(clause) and (self._first_is_worth(clause) or at >= options.soft_max_chars):
            return at + 1
        return self._first_without_punctuation(clause, at) if self._first else None

    def _judge_unspaced(self, at: int) -> int | None:
        """Does a clause end before character `at`, behind punctuation that needs no space?"""
        if self._text[at] in _NEVER_FIRST:
            return None
        end = at
        while end and self._text[end - 1] in _WIDE_CLOSERS:
            end -= 1
        mark = self._text[end - 1 : end]
        if not mark or mark not in _UNSPACED:
            return None
        clause = self._text[:at]
        if not _WORD.search(clause) or ends_inside_markup(clause):
            return None
        if mark in _WIDE_ENDS or at >= self._options.soft_max_chars:
            return at
        # Wide scripts put no spaces between words: four characters are two words.
        worth = self._first and mark in _WIDE_PAUSES and end > 4
        return at if worth or self._first_is_worth(clause) else None

    def _hard_limit(self, at: int) -> int | None:
        joins = unicodedata.combining(self._text[at]) or self._text[at] in "\u200d\ufe0f"
        return at if at >= self._options.hard_max_chars and not joins else None

    # --- what ends a clause

    def _ends_sentence(self, clause: str, at: int) -> bool:
        """Also notes an undecided cut when the next character must tell."""
        token = _last_token(clause).rstrip(_CLOSERS)
        if not token or token[-1] not in "!?.":
            return False
        if token[-1] != ".":
            return True
        bare = token.lstrip(_OPENERS).removesuffix(".")
        if bare.endswith("."):
            return False  # an ellipsis: a pause
        low = bare.lower()
        if low in _BEFORE_NUMBER or low in _MAY_END:
            self._undecided, self._unless_digit = at + 1, low in _BEFORE_NUMBER
            return False
        return low not in _ABBREVIATIONS and not _is_initials(bare)

    def _pauses(self, clause: str) -> bool:
        token = _last_token(clause)
        if token in ("-", "--"):
            return True
        bare = token.rstrip(_CLOSERS)
        return bool(bare) and (bare[-1] in _PAUSES + "…" or bare.endswith("..."))

    def _first_is_worth(self, clause: str) -> bool:
        return self._first and len(_WORD.findall(clause)) >= self._options.first_min_words

    def _first_without_punctuation(self, clause: str, at: int) -> int | None:
        """The first clause does not wait for punctuation for ever."""
        options = self._options
        words = list(_WORD.finditer(clause))
        last = words[-1]
        before = clause[: last.start()]
        if (
            len(words) > options.first_conjunction_words
            and last[0].lower() in _CONJUNCTIONS
            and before[-1:].isspace()
            and not _clings(words[-2][0])
            and not ends_inside_markup(before)
        ):
            return last.start()
        longest = options.first_max_words
        if _clings(last[0]):
            longest += options.first_clinging_words
        return at + 1 if len(words) >= longest else None


def _last_token(clause: str) -> str:
    return clause.rsplit(maxsplit=1)[-1]


def _clings(word: str) -> bool:
    """Nobody pauses behind it."""
    return word.lower().rstrip(".") in _CLINGING | _ABBREVIATIONS


def _is_initials(bare: str) -> bool:
    """Capitals with dots between, as in "J", "U.S", "J.R.R". "I" ends sentences."""
    letters = bare.split(".")
    return bare != "I" and all(len(x) == 1 and x.isalpha() and x.isupper() for x in letters)
