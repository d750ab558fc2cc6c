"""The built-in tools: answers, wrong arguments as error objects, limits, expiry."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.llm.contract import ToolCall
from voicepipe.runtime.clock import ManualClock
from voicepipe.tools.builtin import DECLARATIONS, MAX_TIMER_S, MAX_TIMERS, BuiltinTools
from voicepipe.tools.toolbox import ToolBox

ALL = tuple(DECLARATIONS)
HALF_PAST_SEVEN = datetime(2025, 3, 7, 19, 30)


class House:
    """Tools on a clock that moves when told to."""

    def __init__(self, names: tuple[str, ...] = ALL) -> None:
        self.clock = ManualClock(500.0)
        self.tools = ToolBox(tuple, self.clock)
        self.tools.add_builtin(BuiltinTools(self.clock, lambda: HALF_PAST_SEVEN).tools(names))

    def call(self, name: str, arguments: str | dict[str, Any] = "") -> Any:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return json.loads(asyncio.run(self.tools.call(ToolCall("call_1", name, text))).text)

    @property
    def running(self) -> list[tuple[str, int]]:
        timers = self.call("list_timers")["timers"]
        return [(timer["label"], timer["seconds_left"]) for timer in timers]


def test_time_date_and_weekday() -> None:
    expected = {"time": "19:30", "date": "2025-03-07", "weekday": "Friday"}
    assert House().call("get_time") == expected
    assert House().call("get_time", "{}") == expected


def test_timer_runs_down_and_is_gone() -> None:
    house = House()
    assert house.call("set_timer", {"seconds": 300, "label": "pizza"}) == {
        "id": 1,
        "seconds": 300,
        "label": "pizza",
    }
    house.clock.advance(100)
    assert house.running == [("pizza", 200)]
    house.clock.advance(199.9)
    assert house.running == [("pizza", 0)]
    house.clock.advance(0.1)
    assert house.running == []


def test_timer_without_a_label_is_known_by_its_number() -> None:
    house = House()
    assert house.call("set_timer", {"seconds": 60}) == {"id": 1, "seconds": 60}
    house.call("set_timer", {"seconds": 90})
    assert house.running == [("timer 1", 60), ("timer 2", 90)]


def test_cancel_by_label_whatever_its_case() -> None:
    house = House()
    for label in ("Pizza", "eggs", "pizza"):
        house.call("set_timer", {"seconds": 60, "label": label})
    assert house.call("cancel_timer", {"label": "PIZZA"}) == {"cancelled": 2}
    assert house.running == [("eggs", 60)]
    assert house.call("cancel_timer", {"label": "tea"}) == {"cancelled": 0}
    assert house.running == [("eggs", 60)]


def test_a_timer_without_a_label_is_cancelled_by_the_name_that_the_list_gives_it() -> None:
    house = House()
    for seconds in (60, 90):
        house.call("set_timer", {"seconds": seconds})
    assert house.call("cancel_timer", {"label": "Timer 1"}) == {"cancelled": 1}
    assert house.running == [("timer 2", 90)]


def test_cancel_without_a_label_cancels_all_that_run() -> None:
    house = House()
    house.call("set_timer", {"seconds": 10})
    house.call("set_timer", {"seconds": 60})
    house.clock.advance(30)
    assert house.call("cancel_timer") == {"cancelled": 1}
    assert house.running == []


@pytest.mark.parametrize("seconds", [1, MAX_TIMER_S])
def test_limits_of_a_timer_are_allowed(seconds: int) -> None:
    assert House().call("set_timer", {"seconds": seconds})["seconds"] == seconds


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "'seconds' is a required property"),
        ({"seconds": "ten"}, "seconds: 'ten' is not of type 'integer'"),
        ({"seconds": 1.5}, "seconds: 1.5 is not of type 'integer'"),
        ({"seconds": True}, "seconds: True is not of type 'integer'"),
        ({"seconds": None}, "seconds: None is not of type 'integer'"),
        ({"seconds": 0}, "less than the minimum of 1"),
        ({"seconds": -5}, "less than the minimum of 1"),
        ({"seconds": MAX_TIMER_S + 1}, f"greater than the maximum of {MAX_TIMER_S}"),
        ({"seconds": 5, "label": 7}, "label: 7 is not of type 'string'"),
        ("[1]", "not an object"),
        ('"ten"', "not an object"),
        ('{"seconds": 10', "not JSON"),
        ("ten seconds", "not JSON"),
        ("[" * 100_000, "longer than"),
        ('{"seconds": 1' + "0" * 5000 + "}", "not JSON"),
    ],
    ids=str,
)
def test_wrong_arguments_are_told_to_the_model(arguments: Any, named: str) -> None:
    house = House()
    answer = house.call("set_timer", arguments)
    assert list(answer) == ["error"]
    assert named in answer["error"]
    assert house.running == []


def test_number_of_timers_is_limited_to_those_that_run() -> None:
    house = House()
    for _ in range(MAX_TIMERS):
        assert "error" not in house.call("set_timer", {"seconds": 60})
    assert house.call("set_timer", {"seconds": 60}) == {
        "error": f"there are already {MAX_TIMERS} timers"
    }
    house.clock.advance(60)
    assert "error" not in house.call("set_timer", {"seconds": 60})


def test_only_the_named_functions_are_offered_and_run() -> None:
    house = House(("get_time", "launch_rocket"))
    assert [tool.name for tool in house.tools.declarations] == ["get_time"]
    assert "get_time" in house.tools
    assert "set_timer" not in house.tools
    assert "set_timer" in house.call("set_timer", {"seconds": 5})["error"]
    assert "launch_rocket" in house.call("launch_rocket")["error"]


def test_declarations_describe_their_parameters() -> None:
    for tool in House().tools.declarations:
        assert tool.description
        assert tool.parameters["type"] == "object"


@settings(deadline=None)
@given(
    st.sampled_from(ALL),
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["seconds", "label"]), inner)
        ),
        max_leaves=6,
    ).map(json.dumps),
)
def test_whatever_a_model_writes_gets_an_object_back(name: str, arguments: str) -> None:
    assert isinstance(House().call(name, arguments), dict)
