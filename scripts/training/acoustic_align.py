"""Which state of which phone is where in a recording: forced alignment.

The first labels come from pocketsphinx's own acoustic model, for a few hours of the sentences; a
network taught by these labels then aligns everything, a hundred times faster than real time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from acoustic_net import PHONES, SILENCE

from voicepipe.asr.sphinx.pronunciation import Pronunciations, pronounce

Floats = npt.NDArray[np.float32]
Labels = npt.NDArray[np.uint8]

_START = -2
_NEVER = np.float32(-1e9)


class Lattice:
    """The states of a text in order: each way to say each word, silence between words or none."""

    def __init__(self, words: Sequence[str], known: Pronunciations) -> None:
        """Raises ValueError for a word that nobody can pronounce."""
        self.states: list[int] = []
        self._before: list[list[int]] = []  # of each state: those that may come before it
        ends = [_START]
        for word in words:
            ways = pronounce(word, known)[:3]
            if not ways:
                raise ValueError(word)
            starts = ends + self._add(["SIL"], ends)
            ends = [end for way in ways for end in self._add(way.split(), starts)]
        self.ends = np.array(ends + self._add(["SIL"], ends))

    def _add(self, phones: Sequence[str], before: list[int]) -> list[int]:
        for phone in phones:
            for n in range(3):
                state = len(self.states)
                self.states.append(3 * PHONES.index(phone) + n)
                self._before.append([state, *before])
                before = [state]
        return before

    def best(self, fit: Floats) -> tuple[Labels, float] | None:
        """The best labels [T] for the fit [T, states] of each frame, and the mean of their fit."""
        states, count = np.array(self.states), len(self.states)
        mine = fit[:, states]
        begins = np.array([_START in before for before in self._before])
        before = np.full((count, max(map(len, self._before))), count)
        for state, earlier in enumerate(self._before):
            real = [one for one in earlier if one != _START]
            before[state, : len(real)] = real
        score = np.full(count + 1, _NEVER, np.float32)
        score[:-1][begins] = mine[0][begins]
        came = np.zeros(mine.shape, np.int8)
        rows = np.arange(count)
        for frame in range(1, len(mine)):
            ways = score[before]
            came[frame] = ways.argmax(1)
            score[:-1] = ways[rows, came[frame]] + mine[frame]
        at = int(self.ends[score[self.ends].argmax()])
        if score[at] < _NEVER / 10:
            return None
        path = np.empty(len(mine), np.intp)
        for frame in range(len(mine) - 1, -1, -1):
            path[frame] = at
            at = int(before[at, came[frame, at]]) if frame else at
        labels = states[path]
        return labels.astype(np.uint8), float(fit[np.arange(len(fit)), labels].mean())


def library_labels(aligner: Any, text: str, pcm: bytes) -> Labels | None:
    """Labels by pocketsphinx's own model, or None where it finds no way; `aligner` is a
    `pocketsphinx.Decoder(lm=None)`."""
    aligner.set_align_text(text)
    for states in (False, True):
        if states:
            aligner.set_alignment()
        aligner.start_utt()
        aligner.process_raw(pcm, False, True)
        aligner.end_utt()
        if aligner.hyp() is None:
            return None
    found = [
        3 * PHONES.index(phone.name) + n
        for word in aligner.get_alignment()
        for phone in word
        for n, state in enumerate(phone)
        for _ in range(state.duration)
    ]
    return np.array(found, np.uint8)


def filled(labels: Labels, frames: int) -> Labels:
    """As long as the sound: what an alignment leaves over at the end is silence."""
    rest = np.full(max(0, frames - len(labels)), SILENCE, np.uint8)
    whole: Labels = np.concatenate([labels, rest])[:frames]
    return whole
