"""The transition table: each step in it is taken by some story, no other step is."""

from __future__ import annotations

from itertools import product

import pytest

from tests.dialog.stories import Story
from voicepipe.dialog import sides
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.states import TRANSITIONS, Agent, State, User, check
from voicepipe.runtime.errors import IllegalTransition

STATES = tuple(product(User, Agent))
STEPS = {(before, after) for before, afters in TRANSITIONS.items() for after in afters}
MAX_STORIES = 4000
BETWEEN_THEM = (45, 474, 852, 1292, 1770, 2015, 2420)
"""Seeds of stories that took every step when this was written, so that thousands need not be told.
Where they no longer do, the others are told too."""


def test_each_step_of_the_table_is_taken_by_some_story(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = set(STEPS)

    def note(before: State, after: State) -> None:
        check(before, after)
        missing.discard((before, after))

    monkeypatch.setattr(sides, "check", note)
    for seed in (*BETWEEN_THEM, *range(MAX_STORIES)):
        if not missing:
            return
        Story(seed).tell()
    raise AssertionError(f"no story takes {missing}")


def test_every_state_that_can_be_reached_can_be_left() -> None:
    reached = {after for _, after in STEPS}
    assert reached == set(TRANSITIONS)
    assert all(TRANSITIONS.values())


@pytest.mark.parametrize(
    ("before", "after"),
    [(a, b) for a, b in product(STATES, STATES) if a != b and (a, b) not in STEPS],
    ids=lambda state: "-".join(side.value for side in state),
)
def test_an_illegal_step_names_both_sides_and_where_one_may_go(before: State, after: State) -> None:
    with pytest.raises(IllegalTransition) as caught:
        check(before, after)
    message = str(caught.value)
    for user, agent in (before, after, *TRANSITIONS.get(before, ())):
        assert f"user {user.value} / agent {agent.value}" in message


def test_a_dialog_that_is_where_it_cannot_be_says_so() -> None:
    dialog = Dialog()
    dialog.user = User.OVERLAPPING
    with pytest.raises(IllegalTransition, match="user overlapping / agent idle"):
        dialog.create()


def test_a_session_can_say_what_it_is_doing() -> None:
    dialog = Dialog()
    for _ in range(30):
        dialog.frame(1.0)
    for _ in range(8):
        dialog.frame(0.0)
    assert dialog.turn is not None
    told = dialog.explain()
    assert (told["user"], told["agent"]) == ("paused", "preparing")
    assert told["why"] == "the user fell silent"
    assert told["since_ms"] == 720
    assert told["silent_ms"] == 160
    assert told["ends_after_ms"] == 600
    (reply,) = told["replies"]
    assert (reply["turn"], reply["stage"]) == (dialog.turn.id, "prepared")
