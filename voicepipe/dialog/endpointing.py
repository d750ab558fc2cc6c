"""Endpointing as a policy: how much silence ends the turn now. Pure.

The dialog asks for a wait on each silent frame after the eager end, and tells the policy what
became of each silence, so that a policy may learn. `learned.py` holds the one that does.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.options import TurnOptions


class Evidence(NamedTuple):
    """What is known about a silence."""

    verdict: Verdict  # of the text so far
    end_probability: float | None = None  # an audio model's, 0..1; None: none, or not yet
    whole_text: bool = True  # no word is missing: the recognizer has written up to the silence
    acts: bool = False  # the answer that is ready changes something, which no reopening takes back


class EndpointPolicy(Protocol):
    """One per session. Sees no clock: silences come with their length in ms of user audio."""

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        """Silence that ends the turn now. Cheap: asked every 20 ms."""
        ...

    def asks_ear(self, options: TurnOptions, silence_ms: int) -> bool:
        """Whether an audio model, if there is one, is to be asked at this length of a silence."""
        ...

    def went_on(self, verdict: Verdict, pause_ms: int) -> None:
        """The user went on after `pause_ms`, whether or not the turn had been ended."""
        ...

    def ended(self, verdict: Verdict) -> None:
        """A silence ended the turn, and the user did not go on."""
        ...


def text_wait_ms(options: TurnOptions, verdict: Verdict) -> int:
    """The wait that the options name for this verdict."""
    if verdict is Verdict.COMPLETE:
        return options.endpoint_complete_ms
    if verdict is Verdict.INCOMPLETE:
        return options.endpoint_incomplete_ms
    return options.endpoint_unknown_ms


class _Forgetful:
    """A policy that learns nothing and needs no audio model."""

    def asks_ear(self, options: TurnOptions, silence_ms: int) -> bool:
        """Never."""
        return False

    def went_on(self, verdict: Verdict, pause_ms: int) -> None:
        """Nothing to note."""

    def ended(self, verdict: Verdict) -> None:
        """Nothing to note."""


class FixedWait(_Forgetful):
    """Silence only: one wait, whatever was said."""

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        """`endpoint_unknown_ms`: nothing is asked of the text."""
        return options.endpoint_unknown_ms


class TextWait(_Forgetful):
    """Three waits, by how complete the text looks."""

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        """The wait of the verdict."""
        return text_wait_ms(options, evidence.verdict)


class AudioWait(_Forgetful):
    """An audio model's probability sets the wait between the shortest and the longest; until it
    has answered, or where it fails, the text decides.
    """

    def asks_ear(self, options: TurnOptions, silence_ms: int) -> bool:
        """Once, at the eager end."""
        return 0 <= silence_ms - options.eager_end_ms < FRAME_MS

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        """The surer the model that the turn is over, the shorter."""
        probability = evidence.end_probability
        if probability is None:
            return text_wait_ms(options, evidence.verdict)
        longest, shortest = options.endpoint_incomplete_ms, options.endpoint_complete_ms
        return round(longest + probability * (shortest - longest))
