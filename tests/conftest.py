"""Async tests without a plugin: run on a real or a virtual-time loop, fail on a leaked task."""

from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import pytest
from hypothesis import settings

from tests.markers import markers_of
from tests.virtual_time import VirtualTimeLoop

settings.register_profile("voicepipe", deadline=None)  # a busy machine is no failure
settings.load_profile("voicepipe")

TEST_TIMEOUT_S = 300.0
"""An async test that takes longer hangs, on a busy machine too; `@pytest.mark.deadline(seconds)`
says otherwise."""


async def _run_and_count(
    test: Callable[..., Coroutine[Any, Any, None]], args: Any, deadline_s: float
) -> None:
    before = asyncio.all_tasks()
    await asyncio.wait_for(test(**args), deadline_s)
    await asyncio.sleep(0)  # tasks cancelled by the test's last line may end
    leaked = [t for t in asyncio.all_tasks() - before if not t.done()]
    if leaked:
        names = ", ".join(f"{t.get_name()} ({t.get_coro()})" for t in leaked)
        raise AssertionError(f"{len(leaked)} task(s) leaked: {names}")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def` tests."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    args = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    virtual = pyfuncitem.get_closest_marker("virtual_time") is not None
    marked = pyfuncitem.get_closest_marker("deadline")
    deadline_s = TEST_TIMEOUT_S if marked is None else marked.args[0]
    factory = VirtualTimeLoop if virtual else asyncio.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_run_and_count(test, args, deadline_s))
    return True


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark by place; see `markers.py`."""
    for marker in markers_of(item.path):
        item.add_marker(marker)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected lives to the end: to walk it time and again is a seventh of the work, and
    half a second of each test that has everything walked."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Several workers take the files in turn; one alone takes them as they lie."""
    if hasattr(config, "workerinput"):
        from tests.schedule import in_turn

        items[:] = in_turn(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """See `schedule.py`."""
    if config.getoption("dist") != "loadfile":
        return None
    from tests.schedule import LongestFirstAloneLast

    return LongestFirstAloneLast(config, log)
