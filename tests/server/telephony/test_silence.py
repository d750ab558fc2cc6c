"""When nobody says anything."""

from __future__ import annotations

from voicepipe.server.telephony.silence import Remark, SilenceWatch


def remarks(watch: SilenceWatch, until: float, *, user_at: float | None = None) -> list[object]:
    """What is due in steps of 0.1 s, with its time."""
    found: list[object] = []
    for step in range(round(until * 10)):
        now = step / 10
        if now == user_at:
            watch.user_heard()
        remark = watch.due(now, at_rest=True)
        if remark is not None:
            found.append((now, remark.text, remark.last))
    return found


def test_prompts_then_goodbye() -> None:
    watch = SilenceWatch(1000, ("one", "two"), "bye")
    assert remarks(watch, 3.5) == [(1.0, "one", False), (2.1, "two", False), (3.2, "bye", True)]


def test_goodbye_that_does_not_end_the_call_is_not_said_for_ever() -> None:
    watch = SilenceWatch(1000, (), "bye")
    found = [watch.due(float(now), at_rest=True) for now in (0, 1, 2, 3)]
    assert found == [None, Remark("bye", True), None, Remark("bye", True, again=True)]
    watch.user_heard()
    found = [watch.due(float(now), at_rest=True) for now in (4, 5)]
    assert found == [None, Remark("bye", True)]


def test_user_who_speaks_is_asked_from_the_beginning() -> None:
    watch = SilenceWatch(1000, ("one",), "bye")
    assert remarks(watch, 3.0, user_at=1.5) == [(1.0, "one", False), (2.5, "one", False)]


def test_time_in_which_somebody_speaks_does_not_count() -> None:
    watch = SilenceWatch(1000, (), "bye")
    assert watch.due(0.0, at_rest=True) is None
    assert watch.due(0.9, at_rest=False) is None
    assert watch.due(1.5, at_rest=True) is None
    assert watch.due(2.5, at_rest=True) == Remark("bye", last=True)


def test_zero_never_asks() -> None:
    assert remarks(SilenceWatch(0, ("one",), "bye"), 100) == []
