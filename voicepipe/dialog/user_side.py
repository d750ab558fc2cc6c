"""The user's side of a dialog: their speech, their open turn, and what a silence in it means. Pure.

Times are stream time in ms: the end of the newest frame is now.
"""

from __future__ import annotations

from voicepipe.dialog.completeness import Completeness, TextRules, Verdict
from voicepipe.dialog.endpointing import EndpointPolicy, Evidence
from voicepipe.dialog.options import MAX_GUESSES, TurnOptions
from voicepipe.dialog.policies import create_policy
from voicepipe.dialog.states import UserTurn
from voicepipe.dialog.stretches import Stretches
from voicepipe.languages.known import language_of

BACKCHANNEL_MS = 400
"""So long an "uh-huh" lasts with a little air behind it. Where the turn would end sooner the answer
comes, and needs none."""

BACKCHANNEL_EVERY_MS = 4000
"""At least so long between two: at each breath they would hurry whoever speaks."""

GUESS_AFTER_MS = 40
"""Silence in which `stable_text` dares a guess. In mid-speech what looks complete seldom is ("turn
on the light" ... "in the kitchen"): two in three of all tokens went into such guesses."""


class UserSide:
    """Knows nothing of the agent."""

    def __init__(self, completeness: Completeness, policy: EndpointPolicy) -> None:
        self.turn: UserTurn | None = None  # theirs, or pushed-to-talk audio
        self.stretches = Stretches()
        self.speech_end_ms = 0  # end of the last speech frame, clicks left out
        self.heard_from_ms = 0  # first frame of the present turn or overlap
        self.backchannel_ms: int | None = None  # when they were last to hear one
        self.endpoint_ms: int | None = None  # when the last turn was ended, until it is too old
        self.text = ""  # of the open turn so far
        self.completeness = completeness
        self._policy = policy
        self._judged: tuple[int, float] | None = None  # speech end; an audio model's probability
        self._ended_on: Verdict | None = None  # silence ended the last turn on this text

    @property
    def now_ms(self) -> int:
        """The end of the newest frame."""
        return self.stretches.now_ms

    @property
    def silence_ms(self) -> int:
        """Since their last speech."""
        return self.stretches.now_ms - self.speech_end_ms

    @property
    def verdict(self) -> Verdict:
        """On the text so far."""
        return self.completeness.judge(self.text)

    @property
    def looks_complete(self) -> bool:
        """The partial text of the open turn may be answered, ahead of its end."""
        turn = self.turn
        return (
            turn is not None
            and turn.guesses < MAX_GUESSES
            and turn.loose_words <= 1
            and self.silence_ms >= GUESS_AFTER_MS
            and self.verdict is Verdict.COMPLETE
        )

    # -- the open turn -------------------------------------------------------------------------

    def open(self, number: int, start_ms: int) -> UserTurn:
        """A turn that begins at `start_ms`."""
        self.turn = UserTurn(number, start_ms)
        self.heard_from_ms, self.text = start_ms, ""
        return self.turn

    def may_reopen(self, start_ms: int, options: TurnOptions) -> bool:
        """Speech again so soon after the endpoint that they had only paused."""
        return self.endpoint_ms is not None and start_ms - self.endpoint_ms <= options.reopen_ms

    def go_on(self) -> None:
        """The silence was a pause: what was known of it does not hold."""
        assert self.turn is not None
        self.turn.final = None

    def end(self, *, silent: bool, stalled: bool) -> UserTurn:
        """The turn is over. `silent`: the policy ended it; `stalled`: no more audio came."""
        assert self.turn is not None
        turn, self.turn = self.turn, None
        self._ended_on = self.verdict if silent else None
        if stalled:
            self.stretches.break_off()
        self.stretches.spend()
        self.endpoint_ms = self.now_ms
        return turn

    def forget(self) -> None:
        """They take back what they have said."""
        self.stretches.break_off()

    # -- what a silence means ------------------------------------------------------------------

    def wait_ms(self, options: TurnOptions, *, acts: bool = False) -> int:
        """Silence that would end the turn now, by the policy. `acts`: see `Evidence`."""
        if options.endpoint_fixed_ms is not None:
            return options.endpoint_fixed_ms
        whole = self._knows_whole_text(options)
        evidence = Evidence(self.verdict, self._end_probability, whole, acts)
        return self._policy.wait_ms(options, evidence)

    def end_judged(self, speech_end_ms: int, probability: float) -> None:
        """An audio model's word on the silence after `speech_end_ms`; nothing, if they went on."""
        if speech_end_ms == self.speech_end_ms:
            self._judged = speech_end_ms, probability

    def asks_model(self, options: TurnOptions, silence_ms: int) -> bool:
        """Whether the policy wants an audio model to hear this silence."""
        return options.endpoint_fixed_ms is None and self._policy.asks_ear(options, silence_ms)

    def wants_backchannel(self, options: TurnOptions, silence_ms: int) -> bool:
        """Whether they are to hear in this pause that somebody listens: they have not finished, as
        far as the words so far tell, and more is waited for. Once in a pause."""
        after_ms, last_ms = options.listening_after_ms, self.backchannel_ms
        if not 0 < after_ms <= silence_ms:
            return False
        if last_ms is not None:
            since_ms = self.now_ms - last_ms
            if since_ms < max(silence_ms, BACKCHANNEL_EVERY_MS):
                return False
        unfinished = bool(self.text.strip()) and self.verdict is not Verdict.COMPLETE
        return (
            unfinished
            and self._knows_whole_text(options)
            and self.wait_ms(options) - silence_ms >= BACKCHANNEL_MS
        )

    def went_on(self, pause_ms: int) -> None:
        """The policy learns of a pause inside the turn."""
        self._policy.went_on(self.verdict, pause_ms)

    def settle_end(self, pause_ms: int | None = None) -> None:
        """The policy learns whether the silence that ended the last turn was the end of it;
        `pause_ms`: no, they went on after so long."""
        verdict, self._ended_on = self._ended_on, None
        if verdict is None:
            return
        if pause_ms is None:
            self._policy.ended(verdict)
        else:
            self._policy.went_on(verdict, pause_ms)

    def apply(self, before: TurnOptions, options: TurnOptions) -> None:
        """The options are others now. What a policy has learned goes with it."""
        if options.endpointing != before.endpointing:
            self._policy = create_policy(options.endpointing)

    def speak(self, code: str | None) -> None:
        """Their language, ISO 639-1."""
        if isinstance(self.completeness, TextRules):
            self.completeness.language = language_of(code)

    def _knows_whole_text(self, options: TurnOptions) -> bool:
        if options.preemptive_generation == "off":
            return True  # no transcript is made before the turn is over: there is no better text
        return self.turn is not None and self.turn.final is not None

    @property
    def _end_probability(self) -> float | None:
        """An audio model's, of the present silence."""
        if self._judged is None or self._judged[0] != self.speech_end_ms:
            return None
        return self._judged[1]
