"""What voicepipe knows of a language: the one object that all stages ask."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from voicepipe.languages.plurals import Plural, one_and_other


class Verdict(Enum):
    """Of a transcript: does it look like a finished turn?"""

    COMPLETE = "complete"
    UNKNOWN = "unknown"
    INCOMPLETE = "incomplete"


OrdinalDot = Literal["never", "always", "before_small_letters", "dates"]


@dataclass(frozen=True, slots=True)
class Frame:
    """Words that open what a later word must close: German "kannst du mir ... helfen"."""

    openers: frozenset[str]
    closers: tuple[str, ...] = ()  # endings of the word that closes it, the last
    closed_by: frozenset[str] = frozenset()  # words that close it, wherever they stand


@dataclass(frozen=True, slots=True)
class Prompts:
    """What the agent says when no model is asked."""

    greeting: str
    fillers: tuple[str, ...]  # while the answer is late
    listening: tuple[str, ...]  # while the user pauses and has more to say
    silence: str  # to a caller who says nothing ...
    goodbye: str  # ... and goes on saying nothing


@dataclass(frozen=True, slots=True)
class Reading:
    """How signs are read aloud. `currencies`: for each sign the noun in the forms of `plural`;
    `one` of them: how exactly one of it is said, where the number itself bends."""

    currencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    one: Mapping[str, str] = field(default_factory=dict)
    plural: Plural = one_and_other
    currency_first: bool = False  # "dola 5" and not "5 dollars"
    scales: tuple[str, ...] = ()  # "million": may stand between number and currency
    scale_link: str = ""  # what stands between scale and currency: "un million d'euros"
    decimal: str = "."
    group: str = ","
    and_: str = ""  # "&"; "" leaves a sign to the engine
    number: str = ""  # "#" before a number
    to: str = ""  # an arrow
    equals: str = ""
    about: str = ""  # "~" before a number
    at: str = ""  # "@" in an address
    dot: str = ""  # "." in an address


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A table. Words are written as a recognizer writes them, in lower case.

    The end of a turn is judged by its last words: `whole` (all that was said is this), then the
    longest of `ends` and `goes_on` (one to three words), then the longest of the endings of its
    last word. In a script without spaces there are only endings, of the text itself.
    """

    code: str  # ISO 639-1; "" is the unknown language
    name: str  # in English
    voice: str = ""  # of espeak-ng
    spaced: bool = True  # words have spaces between them
    chars_per_word: int = 0  # where they have none: about so many characters are one

    whole: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    goes_on: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()  # words found at both places
    finished_endings: frozenset[str] = frozenset()
    unfinished_endings: frozenset[str] = frozenset()
    open_endings: frozenset[str] = frozenset()  # that are found in both
    one_word_is_a_sentence: bool = False  # where verbs carry their subject
    otherwise: Verdict = Verdict.UNKNOWN  # when none of these is met
    auxiliaries: frozenset[str] = frozenset()  # go on, unless one of `subordinators` stands before
    subordinators: frozenset[str] = frozenset()
    relatives: frozenset[str] = frozenset()  # ... which these are behind a noun or a verb only
    particle_verbs: tuple[str, ...] = ()  # their beginnings: "turn the lights on" is whole
    particles: frozenset[str] = frozenset()
    frames: tuple[Frame, ...] = ()
    clause_openers: frozenset[str] = frozenset()  # one or two words; behind them a subject alone,
    determiners: frozenset[str] = frozenset()  # with one or two of these, waits: "why my bill"
    conditionals: tuple[str, ...] = ()  # a turn that begins with one has a second clause
    condition_length: int = 5  # words, or characters where there are no spaces, of the first

    backchannels: frozenset[str] = frozenset()  # a listener's "go on"
    stops: frozenset[str] = frozenset()  # one of these is meant, and at once

    conjunctions: frozenset[str] = frozenset()  # a clause may begin with them
    clinging: frozenset[str] = frozenset()  # nobody pauses behind them
    leaning: frozenset[str] = frozenset()  # nobody pauses before them: postpositions
    abbreviations: frozenset[str] = frozenset()  # their full stop never ends a sentence
    may_end: frozenset[str] = frozenset()  # it does if a capital follows
    before_number: frozenset[str] = frozenset()  # it does not if a digit follows
    ordinal_dot: OrdinalDot = "never"  # "3. Mai" is one; "o 8. To" is none, "3. maja" is
    spaces_pause: bool = False  # a space is a pause
    final_particles: tuple[str, ...] = ()  # ... and behind these the end of a sentence
    space_before_marks: bool = False  # "Ça va ?"

    reading: Reading = Reading()
    prompts: Prompts | None = None
    capitals: Mapping[int, str | int] = field(default_factory=dict)  # whose small letter is another
    respell: Mapping[int, str | int | None] = field(default_factory=dict)  # one spelling of several

    verdicts: Mapping[str, Verdict] = field(init=False, repr=False, compare=False)
    phrase_tails: frozenset[str] = field(init=False, repr=False, compare=False)
    endings: Mapping[str, Verdict] = field(init=False, repr=False, compare=False)
    longest_ending: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in _SPELLED:
            respelled = frozenset(self.plain(word) for word in getattr(self, name))
            object.__setattr__(self, name, respelled)
        verdicts: dict[str, Verdict] = dict.fromkeys(self.either, Verdict.UNKNOWN)
        verdicts |= dict.fromkeys(self.goes_on, Verdict.INCOMPLETE)
        verdicts |= dict.fromkeys(self.ends, Verdict.COMPLETE)
        endings: dict[str, Verdict] = dict.fromkeys(self.open_endings, Verdict.UNKNOWN)
        endings |= dict.fromkeys(self.unfinished_endings, Verdict.INCOMPLETE)
        endings |= dict.fromkeys(self.finished_endings, Verdict.COMPLETE)
        object.__setattr__(self, "verdicts", verdicts)
        tails = frozenset(phrase.rsplit(" ", 1)[1] for phrase in verdicts if " " in phrase)
        object.__setattr__(self, "phrase_tails", tails)
        object.__setattr__(self, "endings", endings)
        object.__setattr__(self, "longest_ending", max(map(len, endings), default=0))

    def plain(self, text: str) -> str:
        """In the spelling of the tables: lower case, composed, one way of writing each letter."""
        text = (text.translate(self.capitals) if self.capitals else text).lower()
        if not text.isascii():
            text = unicodedata.normalize("NFC", text).replace("’", "'")
            if self.respell:
                text = text.translate(self.respell)
        return text


_SPELLED = (
    "whole ends goes_on either finished_endings unfinished_endings open_endings auxiliaries "
    "subordinators relatives clause_openers determiners particles backchannels stops conjunctions "
    "clinging leaning abbreviations may_end before_number"
).split()


def words(text: str) -> frozenset[str]:
    """A table's cells: divided by spaces; "_" is a space within one."""
    return frozenset(word.replace("_", " ") for word in text.split())
