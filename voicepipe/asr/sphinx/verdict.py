"""From a decoder's best path to words with confidences, or to nothing. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from voicepipe.asr.contract import Word
from voicepipe.asr.sphinx.decoder import FRAME_S, Segment

NOBODYS = "the"
"""What noise is most often taken for, and what nobody says alone."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """What makes a word doubtful: weights of a logistic regression, fitted on people of whom none
    judges (`scripts/fit_confidence.py`). And how sure it must be that anybody spoke
    (`evidence.py`)."""

    bias: float = 3.14
    misfit: float = -0.46  # per frame: how far the word's sounds are from the best that fit
    length: float = 0.02  # logarithm of its frames
    surprise: float = -3.52  # of the language model
    speech: float = 0.6  # evidence of speech that words need
    sure: float = 0.8  # a single word of this confidence may be short and soft,
    speech_sure: float = 0.1  # and needs no more than this


@dataclass(frozen=True, slots=True)
class PartsLimits:
    """When an utterance is taken for a number or a single word: by how badly the network finds that
    its frames fit these words, in nats a frame. Chosen on people of whom none judges."""

    misfit: float = 0.9  # of all words at most
    misfit_word: float = 1.5  # of one word at most
    long: int = 9  # words: no sentence fits so many digits by chance, so they may fit less well
    misfit_long: float = 1.5
    misfit_long_word: float = 3.0
    longest_s: float = 15.0
    hopeless: float = 2.25  # so far: an utterance that fits worse is given up
    hopeless_frames: int = 80  # of words, before that is looked at


def made_of_parts(path: Sequence[Segment], limits: PartsLimits) -> bool:
    """Whether these words, found among numbers and single words alone, are what was said."""
    said = [piece for piece in path if not piece.filler]
    if not said:
        return False
    frames = sum(piece.end - piece.start for piece in said)
    whole = -sum(piece.acoustic for piece in said) / frames / 1e4
    worst = max(map(misfit, said))
    if len(said) >= limits.long:
        return whole <= limits.misfit_long and worst <= limits.misfit_long_word
    return whole <= limits.misfit and worst <= limits.misfit_word


def hopeless(frames: int, misfit: float, limits: PartsLimits) -> bool:
    """Whether so many frames of words fit so badly that more need not be tried."""
    return frames >= limits.hopeless_frames and misfit > limits.hopeless


def parts(path: Sequence[Segment], offset_s: float = 0.0) -> tuple[Word, ...]:
    """The words of such a path."""
    return tuple(
        Word(
            text=plain(piece.word),
            start_s=offset_s + piece.start * FRAME_S,
            end_s=offset_s + piece.end * FRAME_S,
            confidence=1 / (1 + math.exp(6.7 * misfit(piece) - 6.0)),
        )
        for piece in path
        if not piece.filler
    )


def misfit(piece: Segment) -> float:
    """Nats a frame by which the sounds of a word are worse than the best that fit."""
    return -piece.acoustic / max(piece.end - piece.start, 1) / 1e4


def is_noise(found: Sequence[Word], evidence: float, doubts: Doubts) -> bool:
    """Whether these words were nobody's."""
    if all(word.text == NOBODYS for word in found):
        return True
    sure = len(found) == 1 and found[0].confidence >= doubts.sure
    return evidence < (doubts.speech_sure if sure else doubts.speech)


def words(path: Sequence[Segment], doubts: Doubts, offset_s: float = 0.0) -> tuple[Word, ...]:
    """The words of a path that begins `offset_s` into the utterance."""
    return tuple(
        Word(
            text=plain(piece.word),
            start_s=offset_s + piece.start * FRAME_S,
            end_s=offset_s + piece.end * FRAME_S,
            confidence=confidence(piece, doubts),
        )
        for piece in path
        if not piece.filler
    )


def confidence(piece: Segment, doubts: Doubts) -> float:
    """The chance that this word was said, 0 to 1."""
    frames = max(piece.end - piece.start, 1)
    score = (
        doubts.bias
        + doubts.misfit * misfit(piece)
        + doubts.length * math.log(frames)
        + doubts.surprise * -piece.language / 1e3
    )
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def mean_confidence(found: Sequence[Word]) -> float:
    """Of an utterance: long words count more. 0 without words."""
    seconds = sum(word.end_s - word.start_s for word in found)
    if not seconds:
        return 0.0
    return sum(word.confidence * (word.end_s - word.start_s) for word in found) / seconds


def plain(word: str) -> str:
    """A word as a person writes it: "zero(2)" is a pronunciation, "b." a letter."""
    text = word.partition("(")[0]
    return text[:-1] if len(text) == 2 and text[1] == "." else text


def plain_text(text: str) -> str:
    """The words of a decoder's text, without fillers."""
    return " ".join(plain(word) for word in text.split() if word[0] not in "<[+(")
