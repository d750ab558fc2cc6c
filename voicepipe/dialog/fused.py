"""Waiting by expected regret: what is heard, what is said and how the speaker pauses, in one
figure. Pure.

After a silence the speaker goes on with chance p; their pauses outlast `wait` with chance
tail(wait). Ending the turn after `wait` is then expected to cost, in ms of an answer's lateness,

    regret(wait) = (1 - p) * wait                                          they had finished
                 + p * cost * (tail(wait + unheard)                        felt: the agent spoke
                               + TAKEN_BACK * (tail(wait) - tail(wait + unheard)))

and the wait is the one with the least regret. p joins the rate of `habits.py` for the verdict on
the text with an audio model's probability; without the latter, the text decides alone. Text that
lacks its last word says nothing of what is whole: until it is there the sound decides. Time that
has passed needs no term of its own: it changes every later wait's regret by the same factor.
"""

from __future__ import annotations

from math import exp, inf, log

from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.endpointing import Evidence
from voicepipe.dialog.habits import PauseHabits
from voicepipe.dialog.options import TurnOptions

UNHEARD_MS = 300
"""From the endpoint until an agent that falls silent at once was felt to speak: about 100 ms to
its first sound, and 200 ms that people bear."""

TAKEN_BACK = 0.3
"""What a reply that is taken back in that time costs, as a share of one that was heard."""

TRUST = 1.0
"""Weight of the audio model's evidence beside the text's; they agree in part by their nature."""

ACTING = 2.0
"""How much dearer a cut-off is where the answer changes something by a tool as soon as the turn is
over: an order placed too soon is not taken back by falling silent."""

LEAST_MS = 160
"""No wait is shorter: by then the audio model has been asked three times."""

LISTENS_MS = range(60, 141, 40)
"""Silence at which the audio model is asked: three times at most, which bounds what it costs. Later
answers were no better on people, rather worse."""

STEP_MS = 20
CHANCES = 50
"""Chances are told apart to so many parts, so that few waits are worked out."""

LEAST_CHANCE = 0.01
"""Nobody is surer than this, either way."""


class FusedWait:
    """The wait of least regret, up to `endpoint_incomplete_ms`; after a whole sentence up to
    `endpoint_unknown_ms`, however little the voice sounds like an end."""

    def __init__(self) -> None:
        self._habits = PauseHabits()
        self._tails: dict[int, float] = {}
        self._solved: dict[tuple[int, int, int, int], int] = {}

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        """Worked out once for each chance, and again when the speaker's habits changed."""
        part = round(self.chance(evidence) * CHANCES)
        least_ms = max(LEAST_MS, options.eager_end_ms)
        most_ms = max(least_ms, _longest_ms(options, evidence))
        cost_ms = round(options.cut_off_cost_ms * (ACTING if evidence.acts else 1))
        key = (part, cost_ms, least_ms, most_ms)
        if key not in self._solved:
            self._solved[key] = self._solve(part / CHANCES, *key[1:])
        return self._solved[key]

    def asks_ear(self, options: TurnOptions, silence_ms: int) -> bool:
        """At `LISTENS_MS`."""
        return silence_ms in LISTENS_MS

    def went_on(self, verdict: Verdict, pause_ms: int) -> None:
        """A pause of this speaker's."""
        if self._habits.went_on(verdict, pause_ms):
            self._forget()

    def ended(self, verdict: Verdict) -> None:
        """A silence that was an end."""
        self._habits.ended(verdict)
        self._forget()

    def chance(self, evidence: Evidence) -> float:
        """That the speaker goes on, 0..1."""
        verdict = evidence.verdict if evidence.whole_text else Verdict.UNKNOWN
        rate = self._habits.rate(verdict)
        odds = log(rate / (1 - rate))
        if evidence.end_probability is not None:
            end = min(max(evidence.end_probability, LEAST_CHANCE), 1 - LEAST_CHANCE)
            odds += TRUST * log((1 - end) / end)
        return 1 / (1 + exp(-odds))

    def _solve(self, chance: float, cost_ms: int, least_ms: int, most_ms: int) -> int:
        waits = range(least_ms, most_ms + 1, STEP_MS)
        if chance == 1 and cost_ms:
            return waits[-1]  # pauses only run out
        best, least = least_ms, inf
        for wait in waits:
            if (1 - chance) * wait >= least:
                break  # later ones cost more by their lateness alone
            if (regret := self._regret(wait, chance, cost_ms)) < least:
                best, least = wait, regret
        return best

    def _regret(self, wait_ms: int, chance: float, cost_ms: int) -> float:
        any_cut, felt = self._tail(wait_ms), self._tail(wait_ms + UNHEARD_MS)
        return (1 - chance) * wait_ms + chance * cost_ms * (felt + TAKEN_BACK * (any_cut - felt))

    def _tail(self, ms: int) -> float:
        if ms not in self._tails:
            self._tails[ms] = self._habits.tail(ms)
        return self._tails[ms]

    def _forget(self) -> None:
        self._tails.clear()
        self._solved.clear()


def _longest_ms(options: TurnOptions, evidence: Evidence) -> int:
    if evidence.whole_text and evidence.verdict is Verdict.COMPLETE:
        return options.endpoint_unknown_ms
    return options.endpoint_incomplete_ms
