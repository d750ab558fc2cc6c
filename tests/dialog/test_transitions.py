"""The transition table: each step in it is taken by some event, no other step is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from tests.dialog.driver import Driver
from voicepipe.dialog.machine import TRANSITIONS, State, TurnMachine
from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.errors import IllegalTransition

L, H, E, R, S, O = (  # noqa: E741
    State.LISTENING,
    State.HEARING,
    State.SOFT_END,
    State.REPLYING,
    State.SPEAKING,
    State.OVERLAP,
)


def _listening(d: Driver) -> None:
    d.quiet(20)


def _hearing(d: Driver) -> None:
    d.speak(200)


def _eager_end(d: Driver) -> None:
    d.speak(200)
    d.quiet(120)


def _overlap(d: Driver) -> None:
    d.be_answered()
    d.speak(100)


REACH: dict[State, Callable[[Driver], object]] = {
    L: _listening,
    H: _hearing,
    E: _eager_end,
    R: Driver.ask,
    S: Driver.be_answered,
    O: _overlap,
}

STEPS: dict[tuple[State, State], Callable[[Driver], object]] = {
    (L, H): lambda d: d.speak(60),
    (L, R): lambda d: d.machine.reply_started(),
    (H, E): lambda d: d.quiet(120),
    (H, L): lambda d: d.machine.reset(),
    (E, H): lambda d: d.speak(60),
    (E, R): lambda d: d.quiet(1000),
    (E, L): lambda d: d.machine.reset(),
    (R, S): lambda d: d.machine.reply_audible("Sure."),
    (R, H): lambda d: d.speak(60),
    (R, L): lambda d: d.machine.reply_finished(),
    (S, O): lambda d: d.speak(60),
    (S, L): lambda d: d.machine.reply_finished(),
    (S, R): lambda d: d.machine.reply_started(),
    (O, S): lambda d: d.quiet(300),
    (O, H): lambda d: d.speak(500),
}


@pytest.mark.parametrize("step", STEPS, ids=lambda s: f"{s[0].value}-{s[1].value}")
def test_event_takes_the_step(step: tuple[State, State]) -> None:
    driver = Driver()
    REACH[step[0]](driver)
    assert driver.state is step[0]
    STEPS[step](driver)
    assert driver.state is step[1]


def test_user_of_an_agent_that_may_not_be_interrupted_takes_speaking_to_hearing() -> None:
    driver = Driver(TurnOptions(interruptible=False))
    driver.ask()
    driver.machine.reply_audible("Sure.")
    assert driver.state is S
    driver.speak(60)
    assert driver.state is H


def test_table_holds_these_steps_and_no_others() -> None:
    table = {(a, b) for a, targets in TRANSITIONS.items() for b in targets}
    assert table == set(STEPS) | {(S, H)}


@pytest.mark.parametrize(
    ("start", "to"),
    [p for p in product(State, State) if p[1] not in TRANSITIONS[p[0]]],
    ids=lambda s: s.value,
)
def test_illegal_step_names_where_it_came_from_and_where_it_may_go(start: State, to: State) -> None:
    machine = TurnMachine(TurnOptions())
    machine.state = start
    with pytest.raises(IllegalTransition) as caught:
        machine._go(to)
    assert f"{start.value} -> {to.value}" in str(caught.value)
    for allowed in TRANSITIONS[start]:
        assert allowed.value in str(caught.value).split("can go to")[1]
    assert machine.state is start
