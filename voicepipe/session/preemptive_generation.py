"""When a reply is prepared before the user's turn is over, and whether it still fits at its end.

`turns.preemptive_generation`:

- `off`: never; the reply begins at the endpoint.
- `eager_end`: when the user falls silent, on the final transcript of what was said.
- `stable_text`: already while they speak, on a partial transcript that looks complete and of which
  at most the last word may still change. The final transcript, made at the eager end as ever, must
  say the same (case and punctuation aside), or the reply is discarded and made anew.
"""

from __future__ import annotations

from voicepipe.asr.contract import Hypothesis
from voicepipe.dialog.completeness import Completeness, Verdict
from voicepipe.dialog.machine import TurnMachine
from voicepipe.dialog.options import MAX_GUESSES
from voicepipe.ledger.preemption import DiscardReason
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.text import normalize_text
from voicepipe.session.context import Context
from voicepipe.session.responder import Responder
from voicepipe.session.turn import Turn

WARM_EVERY_WORDS = 4
"""New stable words between two requests to prefill the language model's prefix."""


class PreemptiveGeneration:
    """Prepares, checks and withdraws the replies of one session's turns under way."""

    def __init__(
        self,
        context: Context,
        machine: TurnMachine,
        responder: Responder,
        completeness: Completeness,
    ) -> None:
        self._context = context
        self._machine = machine
        self._responder = responder
        self._completeness = completeness

    def on_hypothesis(self, turn: Turn, hypothesis: Hypothesis) -> None:
        """The recognizer's newest guess at an open turn."""
        self._warm(turn, hypothesis)
        if self._machine.options.preemptive_generation != "stable_text":
            return
        if turn.guess is not None and normalize_text(turn.guess) != normalize_text(hypothesis.text):
            self._withdraw(turn, "text_changed")
        if turn.guess is None and self._looks_final(turn, hypothesis):
            turn.guesses += 1
            self._prepare(turn, hypothesis.text)

    def on_eager_end(self, turn: Turn) -> None:
        """The user fell silent."""
        if turn.guess is None:
            self._prepare(turn, None)

    def on_resumed(self, turn: Turn) -> None:
        """They went on: what was prepared on the whole of it does not fit; a guess may still."""
        if turn.guess is None:
            self._responder.discard(turn, "user_went_on")
        turn.speech_resumed()

    def on_transcript(self, turn: Turn, text: str) -> None:
        """The final transcript of an open turn is known."""
        if turn.guess is None or normalize_text(turn.guess) == normalize_text(text):
            return
        self._withdraw(turn, "final_differs")
        if not self._machine.in_speech:
            self._prepare(turn, None)

    def commit(self, turn: Turn) -> None:
        """The turn is over: answer it; with the guess only if the final transcript confirms it."""
        if not self._responder.answers(turn):  # nothing prepared, or the client has stopped it
            turn.guess = None
        if turn.guess is None:
            self._responder.commit(turn)
        else:
            self._context.tasks.spawn(self._commit_checked(turn), "check guess")

    async def _commit_checked(self, turn: Turn) -> None:
        try:
            text = (await turn.transcript()).text
        except EngineError:
            text = ""  # the fresh reply meets the same error and reports it
        if not self._responder.answers(turn):
            return  # interrupted meanwhile
        if normalize_text(turn.guess or "") != normalize_text(text):
            self._withdraw(turn, "final_differs")
        self._responder.commit(turn)

    def _looks_final(self, turn: Turn, hypothesis: Hypothesis) -> bool:
        return (
            turn.guesses < MAX_GUESSES
            and self._responder.active is None
            and len(hypothesis.tentative.split()) <= 1
            and self._completeness.judge(hypothesis.text) is Verdict.COMPLETE
        )

    def _prepare(self, turn: Turn, guess: str | None) -> None:
        if self._responder.active is not None:
            return  # it speaks on until this turn's end, which stops it
        turn.guess = guess
        turn.prepared_at_ms = self._machine.now_ms
        self._responder.prepare(turn)

    def _withdraw(self, turn: Turn, reason: DiscardReason) -> None:
        self._responder.discard(turn, reason)
        turn.guess = None

    def _warm(self, turn: Turn, hypothesis: Hypothesis) -> None:
        """Let the model prefill what will not change any more."""
        words = len(hypothesis.stable.split())
        if words - turn.warmed_words >= WARM_EVERY_WORDS and self._responder.active is None:
            turn.warmed_words = words
            self._context.tasks.spawn(self._responder.warm(turn, hypothesis.stable), "warm")
