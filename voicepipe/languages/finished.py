"""Has the speaker finished, as far as the words can tell? Pure, and in microseconds: it is asked
of every partial transcript.
"""

from __future__ import annotations

from itertools import pairwise

from voicepipe.languages.language import Frame, Language, Verdict
from voicepipe.languages.script import EDGES, PAUSES, QUESTIONS

TAIL = 120
"""Characters of the transcript that are looked at: what decides stands at its end."""

LONGEST_ANSWER = 40
SHORT = 3
"""Characters of an unspaced script that are no sentence yet."""

COMPLETE, UNKNOWN, INCOMPLETE = Verdict.COMPLETE, Verdict.UNKNOWN, Verdict.INCOMPLETE


def finished(text: str, language: Language) -> Verdict:
    """`text`: a transcript in any case, with or without punctuation. A full stop says nothing:
    recognizers put one behind everything."""
    tail = language.plain(text[-TAIL:]).rstrip()
    bare = tail.rstrip(EDGES).rstrip()  # some spaces are no edges
    if not bare:
        return UNKNOWN
    marks = tail[len(bare) :].rstrip("\"'”’»)」』") if len(bare) < len(tail) else ""
    if marks and (marks[-1] in PAUSES or marks[-1] in "-…" or marks.endswith("...")):
        return INCOMPLETE
    asks = marks[-1:] in QUESTIONS if marks else False
    if not language.code:
        return COMPLETE if asks and len(bare) > SHORT else UNKNOWN
    short = len(text) <= LONGEST_ANSWER
    if short and bare.lstrip(EDGES) in language.whole:
        return COMPLETE
    if language.spaced:
        return _spaced(bare, asks, short, language)
    return COMPLETE if asks and len(bare) >= SHORT else _unspaced(bare, language)


def _spaced(bare: str, asks: bool, short: bool, language: Language) -> Verdict:
    last = bare.rsplit(None, 3)
    if short and len(last) == 1:
        return _single(last[0].lstrip(EDGES), language)
    if asks or (last[-1] in language.particles and _ends_in_particle(bare, language)):
        return COMPLETE
    verdict = _by_words(last, bare, language)
    if verdict is None and language.endings:
        verdict = _by_ending(last[-1], language)
    if verdict is not INCOMPLETE and short and _is_condition(bare, language):
        return INCOMPLETE
    if verdict is None and _is_subject_alone(last, bare, language):
        return INCOMPLETE
    if verdict is None and language.frames:
        verdict = _by_frame(bare, language)
    return verdict or language.otherwise


def _is_condition(bare: str, language: Language) -> bool:
    """What then, "if it rains tomorrow"?"""
    if not language.conditionals or not bare.startswith(language.conditionals):
        return False
    length = len(bare.split()) if language.spaced else len(bare)
    return 1 < length <= language.condition_length and bare not in language.ends


def _single(word: str, language: Language) -> Verdict:
    """One word is hardly ever a turn; in some languages a verb alone is a sentence."""
    verdict = language.verdicts.get(word)
    if verdict is None and language.one_word_is_a_sentence:
        verdict = _by_ending(word, language)
    return verdict or UNKNOWN


def _by_words(last: list[str], bare: str, language: Language) -> Verdict | None:
    """The longest phrase of the table that the text ends in; `last` has four pieces at most, and
    the first of four is all that stands before."""
    verdicts, word = language.verdicts, last[-1]
    if word in language.phrase_tails:
        for size in range(min(3, len(last)), 1, -1):
            verdict = verdicts.get(" ".join(last[-size:]))
            if verdict is not None:
                return verdict
    if word in language.auxiliaries:
        return COMPLETE if _ends_a_clause(bare.split(), language) else INCOMPLETE
    return verdicts.get(word)


def _ends_a_clause(words: list[str], language: Language) -> bool:
    """An auxiliary, the last of `words`, closes a subordinate clause ("was das ist") or the frame
    that another one opened ("kann ich den haben"); "die Nummer ist" waits for its predicate."""
    before, auxiliaries = words[:-2], language.auxiliaries
    if not language.subordinators.isdisjoint(before):
        return True
    if words[-1].endswith("en") and not auxiliaries.isdisjoint(before):
        return True
    return any(
        word in language.relatives and one not in language.goes_on and one not in auxiliaries
        for one, word in pairwise(before)
    )


def _by_ending(text: str, language: Language) -> Verdict | None:
    """The longest ending of the table that `text` has."""
    endings = language.endings
    for size in range(min(language.longest_ending, len(text)), 0, -1):
        verdict = endings.get(text[-size:])
        if verdict is not None:
            return verdict
    return None


def _is_subject_alone(last: list[str], bare: str, language: Language) -> bool:
    """A conjunction or "why", an article or two, a noun: where is its verb?"""
    if len(last) < 3 or last[-2] not in language.determiners:
        return False
    *before, _, _ = bare.rsplit(None, 5)
    if len(before) > 1 and before[-1] in language.determiners:
        before.pop()
    openers = language.clause_openers
    return before[-1] in openers or " ".join(before[-2:]) in openers


def _by_frame(bare: str, language: Language) -> Verdict | None:
    """What was opened and is not yet closed."""
    words = bare.split()
    return INCOMPLETE if any(_is_open(frame, words) for frame in language.frames) else None


def _is_open(frame: Frame, words: list[str]) -> bool:
    if frame.openers.isdisjoint(words[:-1]) or words[-1].endswith(frame.closers):
        return False
    return frame.closed_by.isdisjoint(words)


def _ends_in_particle(bare: str, language: Language) -> bool:
    """A verb that takes its particle at the end, with something between the two."""
    before = bare.split()[:-2]
    return any(word.startswith(language.particle_verbs) for word in before)


def _unspaced(bare: str, language: Language) -> Verdict:
    verdict = _by_ending(bare, language)
    if verdict is not INCOMPLETE and _is_condition(bare, language):
        return INCOMPLETE
    if verdict is None:
        return UNKNOWN if len(bare) < SHORT else language.otherwise
    return verdict
