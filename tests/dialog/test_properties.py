"""Whatever happens, in whatever order: nothing raises and the commands make sense."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.dialog.effects import (
    EagerEnd,
    EndTurn,
    IdleTimeout,
    Interrupt,
    PauseOutput,
    ResumeOutput,
    SpeechStarted,
    TurnCommand,
    TurnContinued,
)
from voicepipe.dialog.machine import State, TurnMachine
from voicepipe.dialog.options import TurnOptions

Event = Callable[[TurnMachine], tuple[TurnCommand, ...] | None]

WORDS = st.sampled_from(
    ["", "mhm", "wait", "set a timer for", "what time is it", "half past seven", "okay stop that"]
)
AGENT = st.sampled_from(["", "It is half past seven."])


def _frames(run: tuple[float, int]) -> list[Event]:
    probability, count = run
    return [lambda m: m.frame(probability)] * count


def _said(text: str) -> list[Event]:
    return [lambda m: m.hypothesis(text)]


def _audible(text: str) -> list[Event]:
    return [lambda m: m.reply_audible(text)]


OTHER: list[Event] = [
    lambda m: m.reply_started(),
    lambda m: m.reply_finished(),
    lambda m: m.force_end("commit"),
    lambda m: m.force_end("stall"),
    lambda m: m.reset(),
]
RUN = st.tuples(st.sampled_from([0.0, 0.2, 0.4, 0.6, 1.0]), st.integers(1, 60))
EVENTS = st.lists(
    st.one_of(
        RUN.map(_frames),
        WORDS.map(_said),
        AGENT.map(_audible),
        st.sampled_from(OTHER).map(lambda event: [event]),
    ),
    max_size=40,
).map(lambda groups: [event for group in groups for event in group])

OPTIONS = st.builds(
    TurnOptions,
    min_speech_ms=st.sampled_from([0, 60, 200]),
    eager_end_ms=st.sampled_from([0, 120, 400]),
    endpoint_fixed_ms=st.sampled_from([None, 0, 500]),
    reopen_ms=st.sampled_from([0, 700]),
    interruptible=st.booleans(),
    pause_ms=st.sampled_from([0, 20, 100]),
    confirm_ms=st.sampled_from([0, 200]),
    interrupt_ms=st.sampled_from([0, 300]),
    interrupt_untold_ms=st.sampled_from([0, 500]),
    reopen_speech_ms=st.sampled_from([0, 200]),
    max_turn_ms=st.sampled_from([20, 900, 60_000]),
    idle_timeout_ms=st.sampled_from([None, 400]),
)


class Judge:
    """Takes the commands one by one and knows which may come next."""

    def __init__(self) -> None:
        self.in_turn = False  # SpeechStarted, not yet EndTurn
        self.eager_ended = False
        self.paused = False
        self.last_start_ms = -1

    def take(self, command: TurnCommand, now_ms: int) -> None:
        match command:
            case SpeechStarted(start_ms):
                assert not self.in_turn
                assert self.last_start_ms <= start_ms < now_ms
                self.in_turn, self.eager_ended = True, False
                self.paused, self.last_start_ms = False, start_ms
            case EagerEnd(speech_end_ms):
                assert self.in_turn
                assert not self.eager_ended
                assert self.last_start_ms < speech_end_ms <= now_ms
                self.eager_ended = True
            case TurnContinued():
                assert self.in_turn
                assert self.eager_ended
                self.eager_ended = False
            case EndTurn(speech_end_ms, end_ms):
                assert self.in_turn
                assert self.eager_ended
                assert self.last_start_ms < speech_end_ms <= end_ms == now_ms
                self.in_turn = self.eager_ended = False
            case PauseOutput(start_ms):
                assert not self.in_turn
                assert not self.paused
                assert start_ms < now_ms
                self.paused = True
            case ResumeOutput():
                assert self.paused
                self.paused = False
            case Interrupt():
                assert not self.in_turn
                self.paused = False
            case IdleTimeout(since_ms, at_ms):
                assert not self.in_turn
                assert not self.paused
                assert since_ms < at_ms == now_ms


@settings(max_examples=300, deadline=None)
@given(OPTIONS, EVENTS)
def test_any_sequence_of_events_draws_commands_in_a_legal_order(
    options: TurnOptions, events: list[Event]
) -> None:
    machine, judge, before_ms = TurnMachine(options), Judge(), 0
    for event in events:
        commands = event(machine) or ()
        assert machine.now_ms >= before_ms
        before_ms = machine.now_ms
        for position, command in enumerate(commands):
            judge.take(command, machine.now_ms)
            if isinstance(command, Interrupt):
                assert isinstance(commands[position + 1], SpeechStarted), "who interrupted?"
        if machine.state is State.LISTENING:
            judge.in_turn = judge.eager_ended = False  # `reset` forgets a turn without a command
        assert judge.paused == (machine.state is State.OVERLAP)
        assert judge.in_turn == (machine.state in (State.HEARING, State.SOFT_END))


@settings(max_examples=100, deadline=None)
@given(OPTIONS, EVENTS)
def test_silence_ends_every_turn_and_lifts_every_pause(
    options: TurnOptions, events: list[Event]
) -> None:
    machine = TurnMachine(options)
    for event in events:
        event(machine)
    for _ in range(1020 // 20):
        machine.frame(0.0)
    assert not machine.user_is_speaking
