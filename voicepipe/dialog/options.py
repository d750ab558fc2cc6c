"""Every number the dialog uses, each with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast, get_args, get_type_hints

from annotated_types import Interval

PreemptiveGeneration = Literal["off", "eager_end", "stable_text"]
Endpointing = Literal["fixed", "text", "learned", "fused", "smart_turn"]
"""How the wait after the eager end is chosen; the policies are in `policies.py`."""

MAX_GUESSES = 4
"""Replies begun on partial text in one turn: a rambler must not keep the engines busy."""


Ms = Annotated[int, Interval(ge=0, le=600_000)]
TurnMs = Annotated[int, Interval(ge=20, le=600_000)]  # at least one frame
Probability = Annotated[float, Interval(ge=0, le=1)]
Words = Annotated[int, Interval(ge=1, le=100)]


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """Options of one session's dialog. Times in ms of user audio unless said otherwise."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}  # unknown keys are errors

    speech_threshold: Probability = (
        0.5  # a frame at or above is speech; Silero's own recommendation
    )
    release_threshold: Probability = 0.35  # in speech, a frame below is silence: hysteresis of 0.15
    min_speech_ms: Ms = 60  # speech before HEARING: three frames; a click is one or two
    eager_end_ms: Ms = 120  # silence after which a reply is prepared: a pause between words is
    # mostly shorter, and a prepared reply that is thrown away costs only compute
    endpointing: Endpointing = "text"  # fixed: endpoint_unknown_ms whatever is said; text: by how
    # complete it looks; learned: the same, moved by the speaker's own pauses; fused: by text,
    # pauses and our own audio model, so that the least is to be regretted; smart_turn: by an audio
    # model that you install
    endpoint_complete_ms: Ms = 300  # silence that ends the turn when the text looks finished
    endpoint_unknown_ms: Ms = 600  # ... when nothing is known of the text; fused: the most after
    # text that looks finished
    endpoint_incomplete_ms: Ms = 1000  # ... when it looks unfinished ("to the ..."); fused: the
    # most whatever was said
    endpoint_fixed_ms: Ms | None = None  # one wait whatever the policy; set by a client's
    # silence_duration_ms
    endpoint_min_ms: Ms = 240  # a learned wait is no shorter: the last word's text comes about now
    endpoint_max_ms: Ms = 1200  # ... and no longer: beyond, no measurement showed a gain
    cut_off_cost_ms: Ms = 4500  # fused: to cut someone off is as bad as so much more waiting
    smart_turn_model: str | None = None  # smart-turn's .onnx file, for endpointing "smart_turn"
    reopen_ms: Ms = 700  # a user who goes on this soon after the endpoint had only paused: both
    # stretches become one turn
    reopen_speech_ms: Ms = 200  # speech in that window that stops an audible agent for good, or
    # one word that is no "mhm" and no echo: sooner than a barge-in, since the user had not finished
    interruptible: bool = True  # user speech may stop the agent
    pause_threshold: Probability = (
        0.2  # while the agent is audible, a frame at or above is a sign of
    )
    # speech: Silero's first doubt comes 60 ms before its certainty (docs/barge-in.md)
    pause_ms: Ms = 20  # signs that hold the agent's audio until it is judged: a pause for nothing
    # is a gap of confirm_ms and loses no sample; a line that returns the agent's voice wants more
    confirm_ms: Ms = 200  # without min_speech_ms of speech by then it was nothing: the agent goes
    # on; sooner, and it spoke up again over soft onsets
    interrupt_ms: Ms = 300  # speech over the agent's speech that interrupts it ...
    interrupt_words: Words = 2  # ... or this many recognized words, whichever comes first
    interrupt_untold_ms: Ms = 500  # ... or this much of which no word is known yet: the first
    # partial transcript comes after about 350 ms, and tells an echo and a "mhm" from a barge-in
    interrupt_thinking_ms: Ms = 60  # nothing is audible yet, so speech counts at once
    resume_ms: Ms = 300  # silence after an overlap that did not interrupt: the agent goes on
    backchannels: frozenset[str] | None = None  # words by which a listener says "go on": an overlap
    # of nothing else does not interrupt; None = those of the language spoken
    echo_guard: bool = True  # words the agent is just saying do not interrupt it
    listening_after_ms: Ms = 0  # silence inside a turn in which the agent says "uh-huh", where it
    # waits on for more; 0 = never. The words are filler.listening
    max_turn_ms: TurnMs = 60_000  # a turn is ended here whatever the user does
    idle_timeout_ms: Ms | None = None  # silence after the agent's speech that triggers a prompt
    stall_ms: Ms = 1000  # no audio at all for so long while the user "speaks": the missing time
    # counts as silence, so a client that stops sending is answered
    preemptive_generation: PreemptiveGeneration = "eager_end"  # when the reply is
    # prepared: stable_text is the fastest and wastes the most

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Options that exclude each other: name of one, and what it must be."""
        if self.release_threshold > self.speech_threshold:
            yield "release_threshold", f"at most turns.speech_threshold ({self.speech_threshold:g})"
        if self.endpoint_min_ms > self.endpoint_max_ms:
            yield "endpoint_min_ms", f"at most turns.endpoint_max_ms ({self.endpoint_max_ms})"


def _ranges() -> Iterator[tuple[str, tuple[float, float]]]:
    for name, hint in get_type_hints(TurnOptions, include_extras=True).items():
        for part in (hint, *get_args(hint)):  # `Ms | None` holds its range one level down
            for meta in getattr(part, "__metadata__", ()):
                yield name, (cast(float, meta.ge), cast(float, meta.le))


RANGES: Mapping[str, tuple[float, float]] = dict(_ranges())
"""Least and greatest value of each option that is a number."""
