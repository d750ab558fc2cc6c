"""What a client's turn detection does to the server's options, and what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from tests.session.harness import conversation
from voicepipe.config import BudgetSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.session import commands as cmd
from voicepipe.session.settings import TurnDetection
from voicepipe.session.turn_detection import turn_options

BASE = TurnOptions(reopen_ms=555, idle_timeout_ms=8000, eager_end_ms=150)


def test_push_to_talk_leaves_the_servers_options() -> None:
    assert turn_options(BASE, None) is BASE


def test_plain_server_vad_changes_nothing() -> None:
    assert turn_options(BASE, TurnDetection()) == BASE


@pytest.mark.parametrize("threshold", [0.0, 0.005, 0.1, 0.5, 0.9, 1.0])
def test_release_follows_the_threshold_and_never_lies_above_it(threshold: float) -> None:
    options = turn_options(BASE, TurnDetection(threshold=threshold))
    assert options.speech_threshold == threshold
    assert options.release_threshold <= threshold
    assert threshold - options.release_threshold <= 0.15 + 1e-9
    assert options.release_threshold > 0 or threshold == 0


def test_clients_silence_is_a_fixed_endpoint() -> None:
    options = turn_options(BASE, TurnDetection(silence_duration_ms=500))
    assert options == replace(BASE, endpoint_fixed_ms=500)


def test_eager_end_never_comes_after_a_short_endpoint() -> None:
    options = turn_options(BASE, TurnDetection(silence_duration_ms=100))
    assert (options.endpoint_fixed_ms, options.eager_end_ms) == (100, 100)


def test_idle_timeout_of_the_clients_wins() -> None:
    assert turn_options(BASE, TurnDetection(idle_timeout_ms=5000)).idle_timeout_ms == 5000
    assert turn_options(BASE, TurnDetection()).idle_timeout_ms == 8000


def test_agent_that_may_not_be_interrupted() -> None:
    assert not turn_options(BASE, TurnDetection(interrupt_response=False)).interruptible


def test_what_the_server_lets_nobody_interrupt_no_client_may() -> None:
    assert not turn_options(replace(BASE, interruptible=False), TurnDetection()).interruptible


@pytest.mark.parametrize(
    ("eagerness", "waits"),
    [
        ("low", (600, 1200, 2000)),
        ("medium", (300, 600, 1000)),
        ("auto", (300, 600, 1000)),
        ("high", (225, 450, 750)),
    ],
)
def test_eagerness_scales_every_wait(
    eagerness: Literal["low", "medium", "high", "auto"], waits: tuple[int, int, int]
) -> None:
    options = turn_options(BASE, TurnDetection("semantic_vad", eagerness=eagerness))
    found = (
        options.endpoint_complete_ms,
        options.endpoint_unknown_ms,
        options.endpoint_incomplete_ms,
    )
    assert found == waits
    assert options.endpoint_fixed_ms is None


@pytest.mark.virtual_time
async def test_a_session_takes_new_options_and_budgets_from_the_next_frame_on() -> None:
    async with conversation() as talk:
        await talk.speak(600)
        await talk.quiet(1500)
        slower = TurnOptions(endpoint_complete_ms=900, endpoint_unknown_ms=900)
        settings = replace(
            talk.session.settings, turns=slower, budget=BudgetSettings(endpoint_ms=950)
        )
        talk.session.handle(cmd.UpdateSession(settings))
        await talk.quiet(4000)
        await talk.speak(600)
        await talk.quiet(5000)
        first, second = talk.log.recent()
        assert first.critical is not None
        assert second.critical is not None
        assert first.critical["endpoint"] < 700_000
        assert second.critical["endpoint"] >= 880_000
        assert second.budget["endpoint"] == 950_000
        assert "endpoint" not in second.over_budget
