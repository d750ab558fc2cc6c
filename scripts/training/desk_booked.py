"""A caller says yes to a booking at a desk; what is booked is asked about, changed, taken back."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from desk_follow import FollowTalk
from desk_words import AGREES, BEHIND_YES
from dialogue_values import capitalise
from domain import choose_branches
from instructed_questions import draw_question
from instructed_say import tell
from instructed_words import CANCELS
from open_words import with_open_words


class BookedTalk(FollowTalk):
    """A booking at a desk from its yes on."""

    def agree(self) -> None:
        """A yes in one of many words."""
        day = self.plan.known.get("day")
        yes = f"{AGREES} {BEHIND_YES}" if self.rng.random() < 0.15 else AGREES
        if self.rng.random() < 0.06:
            name = day.say.removeprefix("on ") if day else "that"
            yes = f"[then we leave it at {name} yes|yes {name} is fine book it|{name} is fine yes please confirm]"
        words = with_open_words(choose_branches(yes.replace("{n}", self.desk.noun), self.rng), self.rng)  # fmt: skip
        asked = draw_question(self.desk, self.rng) if self.rng.random() < 0.07 else None
        if asked is None or asked.answer.startswith("That is"):
            tell(self.talk, words)
            self.confirmed()
            return
        tell(self.talk, f"{words} [and|and|and just one more thing|oh and|and quickly] {asked.text}", exact=True)  # fmt: skip
        self.confirmed(f"{asked.answer} ")

    def confirmed(self, before: str = "") -> None:
        """It is booked; it may be asked about, changed, taken back."""
        rng, plan = self.rng, self.plan
        plan.booked = True
        self.talk.assistant(f"{before}Thank you. {capitalise(plan.words())} is booked.")
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
            if self.long():
                return
            pick = rng.random()
            if pick < 0.45:
                self.recall()
            elif pick < 0.75:
                self.aside()
            elif pick < 0.96:
                self.change_booked()
            else:
                tell(self.talk, CANCELS.replace("{n}", self.desk.noun))
                self.talk.assistant(f"Okay, the {self.desk.noun} is cancelled.")
                return

    def change_booked(self) -> None:
        """A change of what is booked; one that can't be leaves it as it was."""
        plan, before = self.plan, dict(self.plan.known)
        self.change()
        refusal = plan.refusal()
        if refusal is None:
            self.talk.assistant(f"Okay, I've changed it. {capitalise(plan.words())} is booked.")
            if self.rng.random() < 0.3:  # and they agree once more
                tell(self.talk, choose_branches(AGREES.replace("{n}", self.desk.noun), self.rng))
                self.talk.assistant(f"Thank you. {capitalise(plan.words())} is booked.")
            return
        self.talk.assistant(refusal)
        plan.known = before
        tell(
            self.talk,
            "[oh|okay|ah|alright|right|hmm|] [then leave it as it is|leave it then|then it stays as it was|never mind then|keep it as it was|forget it then|then leave the booking alone]",
        )
        self.talk.assistant(f"Okay. {capitalise(plan.words())} is booked.")
