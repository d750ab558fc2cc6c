"""The turn machine: frames and hypotheses in, commands out. Pure: no I/O, no clock of its own.

Time is the *stream time* of the user's audio in ms, so a decision depends on what was said and
not on how the packets travelled. Every state change is checked against `TRANSITIONS`.
"""

from __future__ import annotations

from enum import Enum

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog.completeness import Completeness, TextRules, Verdict
from voicepipe.dialog.effects import (
    EagerEnd,
    EndReason,
    EndTurn,
    IdleTimeout,
    Interrupt,
    PauseOutput,
    ResumeOutput,
    SpeechStarted,
    TurnCommand,
    TurnContinued,
)
from voicepipe.dialog.endpointing import EndpointPolicy, Evidence
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.overlap import Overlap, judge_overlap
from voicepipe.dialog.policies import create_policy
from voicepipe.dialog.runs import SpeechRuns
from voicepipe.runtime.errors import IllegalTransition


class State(Enum):
    LISTENING = "listening"  # nobody speaks
    HEARING = "hearing"  # the user speaks
    SOFT_END = "eager_end"  # the user is silent, a reply is being prepared
    REPLYING = "replying"  # the turn is over, nothing is audible yet
    SPEAKING = "speaking"  # the agent is audible
    OVERLAP = "overlap"  # the user speaks over the agent, output paused, not yet judged


TRANSITIONS: dict[State, frozenset[State]] = {
    State.LISTENING: frozenset({State.HEARING, State.REPLYING}),
    State.HEARING: frozenset({State.SOFT_END, State.LISTENING}),
    State.SOFT_END: frozenset({State.HEARING, State.REPLYING, State.LISTENING}),
    State.REPLYING: frozenset({State.SPEAKING, State.HEARING, State.LISTENING}),
    State.SPEAKING: frozenset({State.OVERLAP, State.HEARING, State.LISTENING, State.REPLYING}),
    State.OVERLAP: frozenset({State.SPEAKING, State.HEARING}),
}

Commands = tuple[TurnCommand, ...]
_NOTHING: Commands = ()


class TurnMachine:
    """One session's turns. Call `frame` for each 20 ms frame, and the other methods as things
    happen; carry out what they return, in order.
    """

    def __init__(
        self,
        options: TurnOptions | None = None,
        completeness: Completeness | None = None,
        policy: EndpointPolicy | None = None,
    ) -> None:
        self.options = options or TurnOptions()
        self._completeness = completeness or TextRules()
        self._policy = policy or create_policy(self.options.endpointing)
        self.state = State.LISTENING
        self.now_ms = 0  # end of the newest frame
        self.runs = SpeechRuns()  # for the ledger; no decision looks at them
        self._in_speech = False  # the newest frame was at or above its threshold
        self._run_spent = False  # this stretch began in a turn that was ended in its midst
        self._run_start_ms = 0  # start of the present stretch of speech frames
        self._sign_ms = 0  # present stretch of frames with the least sign of speech
        self._overlap = Overlap()
        self._turn_start_ms = 0  # first frame of the present turn or overlap
        self._speech_end_ms = 0  # end of the last speech frame, clicks left out
        self._endpoint_ms: int | None = None  # when the last turn was ended, until it is too old
        self._idle_since_ms: int | None = None
        self._text = ""
        self._end_probability: float | None = None  # an audio model's, of the present silence
        self._ended_on: Verdict | None = None  # silence ended the last turn on this text
        self._agent_text = ""

    # -- what happens -------------------------------------------------------------------------

    def frame(self, probability: float) -> Commands:
        """One 20 ms frame of user audio with its speech probability."""
        self.now_ms += FRAME_MS
        threshold = (
            self.options.release_threshold if self._in_speech else self.options.speech_threshold
        )
        sign = probability >= min(threshold, self.options.pause_threshold)
        self._sign_ms = self._sign_ms + FRAME_MS if sign and not self._run_spent else 0
        if probability >= threshold:
            if not self._in_speech:
                self._in_speech, self._run_spent = True, False
                self._run_start_ms = self.now_ms - FRAME_MS
                self.runs.began(self._run_start_ms)
            return _NOTHING if self._run_spent else self._on_speech()
        if self._in_speech:
            self._in_speech = False
            self.runs.ended(self.now_ms - FRAME_MS)
        return self._on_silence()

    def hypothesis(self, text: str) -> Commands:
        """What the recognizer makes of the open utterance so far."""
        self._text = text
        return self._judge() if self.state is State.OVERLAP else _NOTHING

    def end_judged(self, speech_end_ms: int, probability: float) -> Commands:
        """An audio model's probability that the speech up to `speech_end_ms` (of the `EagerEnd`)
        is a whole turn. Comes too late if the user has gone on: then it means nothing."""
        if self.state is State.SOFT_END and speech_end_ms == self._speech_end_ms:
            self._end_probability = probability
        return _NOTHING  # the next silent frame acts on it

    def force_end(self, reason: EndReason) -> Commands:
        """End the user's turn now: the client committed, or its audio stalled."""
        if self.state is State.HEARING:
            self._go(State.SOFT_END)
            return (EagerEnd(self._speech_end_ms), *self._end_turn(reason))
        if self.state is State.SOFT_END:
            return self._end_turn(reason)
        if self.state is State.OVERLAP:
            return self._let_go_on()
        return _NOTHING

    def reply_started(self) -> None:
        """A reply that no user speech asked for (typed text, a tool's result, a greeting)."""
        if self.user_is_speaking:
            return  # the user's turn goes on; its end decides what becomes of this reply
        if self.state is not State.REPLYING:
            self._go(State.REPLYING)
        self._endpoint_ms = self._idle_since_ms = None

    def reply_audible(self, text: str = "") -> None:
        """Agent audio leaves the server; `text`: all it has said so far, for the echo guard."""
        self._agent_text = text
        if self.state is State.REPLYING:
            self._go(State.SPEAKING)
            self._overlap.false_alarms = 0

    def reply_finished(self) -> Commands:
        """The reply was played to its end, was cancelled, failed, or will not come."""
        self._agent_text = ""
        resumed: Commands = _NOTHING
        if self.state is State.OVERLAP:
            if self._overlap.confirmed:  # nothing is left to interrupt: it is a turn
                self._settle_end()
                self._go(State.HEARING)
                return (SpeechStarted(self._turn_start_ms),)
            resumed = self._let_go_on()
        if self.state in (State.REPLYING, State.SPEAKING):
            self._go(State.LISTENING)
            self._idle_since_ms = self.now_ms
        return resumed

    def reset(self) -> Commands:
        """Forget the user's turn under way (the client cleared its audio)."""
        self._in_speech = False
        self.runs.ended(self.now_ms)
        self._text = ""
        if self.state in (State.HEARING, State.SOFT_END):
            self._go(State.LISTENING)
        elif self.state is State.OVERLAP:
            return self._let_go_on()
        return _NOTHING

    @property
    def in_speech(self) -> bool:
        """The newest frame is part of what the user says; a click is not."""
        return self._in_speech and self._speech_end_ms == self.now_ms

    @property
    def speech_end_ms(self) -> int:
        """Stream time at which the newest stretch of speech ended so far, clicks left out."""
        return self._speech_end_ms

    @property
    def user_is_speaking(self) -> bool:
        return self.state in (State.HEARING, State.SOFT_END, State.OVERLAP)

    @property
    def agent_is_audible(self) -> bool:
        """Or was a moment ago, and is held."""
        return self.state in (State.SPEAKING, State.OVERLAP)

    def endpoint_wait_ms(self) -> int:
        """Silence that would end the turn now, by the policy."""
        if self.options.endpoint_fixed_ms is not None:
            return self.options.endpoint_fixed_ms
        evidence = Evidence(self._completeness.judge(self._text), self._end_probability)
        return self._policy.wait_ms(self.options, evidence)

    # -- frames -------------------------------------------------------------------------------

    def _on_speech(self) -> Commands:
        run_ms = self.now_ms - self._run_start_ms
        state, options = self.state, self.options
        if state is State.HEARING:
            self._speech_end_ms = self.now_ms
            too_long = self.now_ms - self._turn_start_ms >= options.max_turn_ms
            return self.force_end("max_turn") if too_long else _NOTHING
        if state is State.OVERLAP:
            if not self._overlap.hear(run_ms, options):
                return _NOTHING
            self._speech_end_ms = self.now_ms
            return self._judge()
        if state is State.SPEAKING and options.interruptible:
            return self._hold_if_due()
        needed = options.interrupt_thinking_ms if state is State.REPLYING else options.min_speech_ms
        if run_ms < needed:
            return _NOTHING
        pause_ms = self._run_start_ms - self._speech_end_ms
        self._speech_end_ms = self.now_ms
        if state is State.SOFT_END:
            self._policy.went_on(self._completeness.judge(self._text), pause_ms)
            self._end_probability = None
            self._go(State.HEARING)
            return (TurnContinued(),)
        if state is State.LISTENING or not options.interruptible:
            return self._start_turn()
        # Nothing was audible yet: the user had only paused.
        reopen = self._endpoint_ms is not None
        self._settle_end(pause_ms if reopen else None)
        return (Interrupt(reopen), *self._start_turn())

    def _on_silence(self) -> Commands:
        state = self.state
        silence_ms = self.now_ms - self._speech_end_ms
        if state is State.HEARING and silence_ms >= self.options.eager_end_ms:
            self._go(State.SOFT_END)
            return (EagerEnd(self._speech_end_ms), *self._end_if_due(silence_ms))
        if state is State.SOFT_END:
            return self._end_if_due(silence_ms)
        if state is State.OVERLAP:
            over = self._overlap.is_over(self.now_ms, silence_ms, self.options)
            return self._let_go_on() if over else _NOTHING
        if state is State.SPEAKING and self.options.interruptible:
            return self._hold_if_due()
        if state is State.LISTENING:
            return self._idle()
        return _NOTHING

    def _end_if_due(self, silence_ms: int) -> Commands:
        return self._end_turn("silence") if silence_ms >= self.endpoint_wait_ms() else _NOTHING

    def _idle(self) -> Commands:
        limit_ms, since_ms = self.options.idle_timeout_ms, self._idle_since_ms
        if limit_ms is None or since_ms is None or self.now_ms - since_ms < limit_ms:
            return _NOTHING
        self._idle_since_ms = None  # once per silence
        return (IdleTimeout(since_ms, self.now_ms),)

    # -- overlaps -----------------------------------------------------------------------------

    def _hold_if_due(self) -> Commands:
        """The agent is audible: hold it at the first sign of the user's speech."""
        overlap, options = self._overlap, self.options
        run_ms = self.now_ms - self._run_start_ms if self._in_speech else 0
        evidence_ms = run_ms if overlap.false_alarms else self._sign_ms
        if not evidence_ms or evidence_ms < overlap.needed_ms(options):
            return _NOTHING
        self._turn_start_ms = start_ms = self.now_ms - max(evidence_ms, run_ms)
        self._go(State.OVERLAP)
        self._text = ""
        overlap.begin(
            self.now_ms, start_ms - self._speech_end_ms, reopens=self._may_reopen(start_ms)
        )
        paused = PauseOutput(start_ms)
        if not self._in_speech or not overlap.hear(run_ms, options):
            return (paused,)
        self._speech_end_ms = self.now_ms
        return (paused, *self._judge())

    def _judge(self) -> Commands:
        overlap = self._overlap
        interrupts = overlap.confirmed and judge_overlap(
            self.options,
            speech_ms=overlap.speech_ms,
            text=self._text,
            agent_text=self._agent_text,
            reopens=overlap.reopens,
        )
        if not interrupts:
            return _NOTHING
        self._settle_end(overlap.after_ms if overlap.reopens else None)
        self._go(State.HEARING)
        self._endpoint_ms = None
        return (Interrupt(overlap.reopens), SpeechStarted(self._turn_start_ms))

    def _let_go_on(self) -> Commands:
        """It was no interruption."""
        self._overlap.was_nothing()
        if self._overlap.confirmed:
            self._settle_end()
        self._go(State.SPEAKING)
        return (ResumeOutput(),)

    # -- steps --------------------------------------------------------------------------------

    def _start_turn(self) -> Commands:
        self._settle_end()
        self._go(State.HEARING)
        self._turn_start_ms = self._run_start_ms
        self._endpoint_ms = self._idle_since_ms = None
        self._text = ""
        return (SpeechStarted(self._turn_start_ms),)

    def _end_turn(self, reason: EndReason) -> Commands:
        silent = reason == "silence"  # else it was not the policy that ended it
        self._ended_on = self._completeness.judge(self._text) if silent else None
        self._end_probability = None
        self._go(State.REPLYING)
        if reason == "stall":
            self._in_speech = False  # what comes after the gap is a new stretch
            self.runs.ended(self.now_ms)
        # Ended in mid-word: the rest of that stretch neither reopens the turn nor interrupts.
        self._run_spent = self._in_speech
        self._sign_ms = 0
        self._endpoint_ms = self.now_ms
        self._agent_text = ""
        return (EndTurn(self._speech_end_ms, self.now_ms, reason),)

    def _settle_end(self, pause_ms: int | None = None) -> None:
        """Tell the policy whether the silence that ended the last turn was the end of it;
        `pause_ms`: no, the user went on after so long."""
        verdict, self._ended_on = self._ended_on, None
        if verdict is None:
            return
        if pause_ms is None:
            self._policy.ended(verdict)
        else:
            self._policy.went_on(verdict, pause_ms)

    def _may_reopen(self, start_ms: int) -> bool:
        """Speech again so soon after the endpoint that the user had only paused."""
        if self._endpoint_ms is None:
            return False
        return start_ms - self._endpoint_ms <= self.options.reopen_ms

    def _go(self, to: State) -> None:
        if to not in TRANSITIONS[self.state]:
            allowed = ", ".join(sorted(s.value for s in TRANSITIONS[self.state]))
            raise IllegalTransition(
                f"turn machine: {self.state.value} -> {to.value} is not a step; "
                f"from {self.state.value} one can go to: {allowed}"
            )
        self.state = to
