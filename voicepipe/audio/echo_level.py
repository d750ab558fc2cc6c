"""How loud the agent's voice comes back, learned from the call, and what that says of a frame.

An echo canceller alone is not enough to decide turns by: where there is no echo it takes the
user's first words for some, and where the way of the echo changes it lets it through for a
second. Levels know better: an echo is weaker than what it is an echo of by about as much as it
has been before, and whoever speaks into a telephone is far louder than that.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

import numpy as np

from voicepipe.audio.pcm import FRAME_MS, Int16

Kind = Literal["quiet", "echo", "user", "doubtful"]

MEMORY_MS = 600
"""An echo comes within so long."""

AUDIBLE_DB = 35.0
"""Of a sample's square: what of the agent's is fainter has no echo worth the name."""

FAINT_DB = 30.0
"""Nobody speaks so softly; a canceller's rests can sound like somebody who does."""

REMOVED_DB = 10.0
"""A canceller that takes so much from a frame has found an echo there, or nothing at all."""

LEARNED_AFTER = 25
"""Frames, half a second of the agent's speech."""

SHARE = 0.8
"""So many of its frames are no louder than the level that is learned. The louder fifth may be a
user who speaks meanwhile."""

NOTHING_DB = -48.0
"""Under the agent's voice: a line on which so little comes back has no echo."""

FORGETTING = 0.998
"""With every frame: what was 10 s of speech ago counts for a third."""

DOUBTED = 0.1
"""What a frame counts for that sounded like the user, and the canceller says is echo: where
somebody switches the loudspeaker on, it is right in the end."""

ECHO_UP_TO_DB = 9.0
USER_FROM_DB = 13.0
"""Over the learned level: a frame is echo up to the one, and the user's from the other on."""

LOUDEST_DB = -22.0
"""Under the agent's own voice: the canceller alone judges what is louder."""

_LOWEST_DB, _BINS = -90, 120


def level_db(samples: Int16) -> float:
    """Mean power of samples (int16 [n]), in dB over a sample of 1."""
    wide = samples.astype(np.float32)
    return 10 * math.log10(float(np.dot(wide, wide)) / max(1, samples.size) + 1)


class EchoLevel:
    """Judges frame after frame of one call: `played`, `judge`, `settle` for each."""

    def __init__(self) -> None:
        self._far: deque[float] = deque(maxlen=MEMORY_MS // FRAME_MS)
        self._seen = np.zeros(_BINS)  # echo by level, in steps of 1 dB
        self._learned = 0
        self._relative_db, self._removed_db = 0.0, 0.0  # the newest frame
        self._newest: Kind = "quiet"
        self.db = 0.0  # how loud it gets, relative to the agent's voice

    def played(self, far: Int16) -> bool:
        """The agent's sound (int16 [n]) of the next frame. False: no echo can be in that."""
        self._far.append(level_db(far))
        self._newest = "quiet"
        return max(self._far) >= AUDIBLE_DB

    def judge(self, near: Int16, cleaned: Int16) -> Kind:
        """Whose is a frame of the user's line, as it came and with the echo taken out? `doubtful`:
        whoever is to be heard in `cleaned`."""
        near_db = level_db(near)
        self._relative_db = near_db - max(self._far)
        left_db = level_db(cleaned)
        self._removed_db = near_db - left_db
        self._newest = self._kind(self._relative_db)
        return "echo" if self._newest == "doubtful" and left_db < FAINT_DB else self._newest

    def settle(self, speech: bool) -> None:
        """Whether the frame was taken for speech, of those that were judged: what was not, is as
        loud as echo and noise get."""
        removed = self._removed_db >= REMOVED_DB
        if self._newest == "echo":  # else what is silenced once would be for good
            if removed or self._relative_db < self.db:
                self._learn(1.0)
        elif self._newest != "quiet" and (removed or not speech):
            self._learn(DOUBTED if speech and self._newest == "user" else 1.0)

    def _kind(self, relative_db: float) -> Kind:
        if self._learned < LEARNED_AFTER:
            return "doubtful"
        if self.db < NOTHING_DB or relative_db >= self.db + USER_FROM_DB:
            return "user"
        return "echo" if relative_db <= min(self.db, LOUDEST_DB) + ECHO_UP_TO_DB else "doubtful"

    def _learn(self, weight: float) -> None:
        self._learned += 1
        self._seen *= FORGETTING
        self._seen[min(_BINS - 1, max(0, int(self._relative_db) - _LOWEST_DB))] += weight
        sums = np.cumsum(self._seen)
        self.db = float(np.searchsorted(sums, SHARE * sums[-1])) + _LOWEST_DB + 1
