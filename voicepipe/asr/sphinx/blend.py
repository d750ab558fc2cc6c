"""Joins what a network says of each frame with what pocketsphinx's own acoustic model says: half of
this one's score, and two and a half times the network's cost. Where the network is sure of the
first of two frames the other is not asked about both (docs/hearing.md has what was tried).

The decoder asks a table of functions for the scores of its states ("senones"), frame by frame. Here
one of them is replaced by one that calls the old one and adds the network's cost of each state. A
few fields of the library's private structures are read for that; they are checked first."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, c_char_p, c_int, c_int16, c_int32, c_void_p
from typing import Any

import numpy as np

from voicepipe.asr.sphinx.acoustics import Costs
from voicepipe.runtime.errors import EngineUnavailable

_MOST = 8000  # a cost that nothing survives
SURE = 14
"""So much worse than the best state is the next one in a frame of which the network is sure."""

_Evaluate = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_int, c_int)


class _Functions(ctypes.Structure):
    """`ps_mgaufuncs_t` of acmod.h."""

    _fields_ = (("name", c_char_p), ("evaluate", c_void_p), ("a", c_void_p), ("b", c_void_p))


class Blend:
    """In one decoder. The costs of an utterance's frames must be added before they are decoded."""

    def __init__(self, calls: Any, decoder: int) -> None:
        """Raises EngineUnavailable for a build of pocketsphinx whose structures are others."""
        model = _field(decoder, 2)
        known = (calls.ps_get_config(decoder), calls.ps_get_fe(decoder))
        if not model or (_field(model, 0), _field(model, 3)) != known:
            raise _unknown_build()
        definition, self._gaussians = _field(model, 5), _field(model, 7)
        self._table = _field(self._gaussians, 0)
        old = _Functions.from_address(self._table)
        if old.name != b"ptm":
            raise _unknown_build()
        self._count = c_int32.from_address(definition + 20).value
        parents = _field(definition, 12)  # of each senone: the state of a phone without its context
        self._parents = _shorts(parents, self._count).astype(np.intp)
        self._scores: dict[int, Any] = {}  # the decoder's own arrays, by address
        silent = self._parents // 3 == c_int32.from_address(definition + 40).value
        self._nobody: Costs = np.where(silent, 0, _MOST).astype(np.int16)
        self._deaf = False
        self.alone = False  # whether the network's costs are all that counts
        self._costs: Costs = np.zeros((1000, 1), np.int16)
        self._sure = np.zeros(1000, np.bool_)
        self._known = 0
        self._old = _Evaluate(old.evaluate)
        self._new = _Evaluate(self._evaluate)
        address = ctypes.cast(self._new, c_void_p)
        self._functions = _Functions(old.name, address, old.a, old.b)
        self._point_to(ctypes.addressof(self._functions))

    def begin(self, *, deaf: bool = False) -> None:
        """Forget the last utterance. `deaf`: all of the next one is silence to the decoder, which
        then costs nothing."""
        self._known, self._deaf = 0, deaf

    def add(self, costs: Costs) -> None:
        """The costs of the next frames, int16 [n, states]."""
        end = self._known + len(costs)
        if end > len(self._costs) or costs.shape[1] != self._costs.shape[1]:
            grown = np.zeros((2 * end, costs.shape[1]), np.int16)
            if self._known:
                grown[: self._known] = self._costs[: self._known]
            self._costs, self._sure = grown, np.resize(self._sure, len(grown))
        self._costs[self._known : end] = costs
        if len(costs):
            self._sure[self._known : end] = np.partition(costs, 1)[:, 1] >= SURE
        self._known = end

    def costs(self) -> Costs:
        """All that were added, int16 [n, states]."""
        return self._costs[: self._known].copy()

    def close(self) -> None:
        """Give the decoder its own functions back, before it is freed."""
        self._point_to(self._table)

    def _point_to(self, table: int) -> None:
        c_void_p.from_address(self._gaussians).value = table

    def _evaluate(
        self, gaussians: int, into: int, active: int, many: int, sound: int, frame: int, every: int
    ) -> int:
        scores = self._scores.get(into)
        if scores is None:
            scores = self._scores[into] = _shorts(into, self._count)
        if self._deaf:
            scores[:] = self._nobody
            return 0
        if self.alone or self._is_sure(frame):
            scores[:] = 0
        else:
            self._old(gaussians, into, active, many, sound, frame, every)
            scores >>= 1
        if self._known:
            costs = self._costs[min(frame, self._known - 1)]
            scores += (costs if self.alone else costs * 5 >> 1).take(self._parents)
        return 0

    def _is_sure(self, frame: int) -> bool:
        """Two frames at once: the Gaussians of the second are chosen in the first (`ds`)."""
        first = frame - frame % 2
        return first < self._known and bool(self._sure[first])


def _field(structure: int, n: int) -> int:
    """The n-th pointer of a structure."""
    return c_void_p.from_address(structure + 8 * n).value or 0


def _shorts(address: int, count: int) -> Costs:
    return np.ctypeslib.as_array((c_int16 * count).from_address(address))


def _unknown_build() -> EngineUnavailable:
    return EngineUnavailable(
        "this build of pocketsphinx is not known to voicepipe: pip install pocketsphinx==5.1.1",
        stage="asr",
    )
