"""What keys have used of their day survives a restart, and is one sum for all gateways."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path

import pytest

from voicepipe.config import KeySettings, Settings
from voicepipe.runtime.clock import ManualClock
from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server.key_use import ForgottenKeyUse, StoredKeyUse, key_use
from voicepipe.server.keys import KeyHolder

TODAY = date(2026, 11, 22)
TWO_MINUTES = KeySettings.model_validate({"key": "12345678", "minutes_a_day": 2})


def holder(use: StoredKeyUse, clock: ManualClock, today: date = TODAY) -> KeyHolder:
    return KeyHolder("shop", TWO_MINUTES, clock, lambda: today, use)


def test_minutes_are_still_used_after_a_restart_and_new_at_midnight(tmp_path: Path) -> None:
    file, clock = tmp_path / "deep" / "use.sqlite3", ManualClock()
    before = StoredKeyUse(file, TODAY)
    one = holder(before, clock)
    one.opened("sess_1")
    clock.advance(130)
    one.closed("sess_1")
    before.close()
    assert file.stat().st_mode & 0o077 == 0
    after = StoredKeyUse(file, TODAY)
    with pytest.raises(LimitExceeded, match=r"keys\.shop\.minutes_a_day"):
        holder(after, clock).check()
    tomorrow = date(2026, 11, 23)
    holder(after, clock, tomorrow).check()
    after.close()
    later = StoredKeyUse(file, tomorrow)
    later.add("shop", tomorrow, 1)
    later.close()
    last = StoredKeyUse(file, tomorrow)
    assert (last.seconds("shop", TODAY), last.seconds("shop", tomorrow)) == (0, 1)
    last.close()


def test_sessions_that_run_are_booked_for_the_other_gateways(tmp_path: Path) -> None:
    file, clock = tmp_path / "use.sqlite3", ManualClock()
    uses = [StoredKeyUse(file, TODAY) for _ in range(2)]
    one, other = (holder(use, clock) for use in uses)
    one.opened("sess_1")
    clock.advance(130)
    with pytest.raises(LimitExceeded):
        one.check()
    other.check()  # nobody has told it yet
    one.book()
    uses[0].close()
    with pytest.raises(LimitExceeded):
        other.check()
    uses[1].close()


def test_a_file_that_cannot_be_used_is_said_once_and_minutes_count_here(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, clock = tmp_path / "use.sqlite3", ManualClock()
    file.write_text("this is no database, and long enough to be seen as none" * 30)
    use = StoredKeyUse(file, TODAY)
    one = holder(use, clock)
    one.opened("sess_1")
    clock.advance(130)
    one.closed("sess_1")
    use.close()
    with pytest.raises(LimitExceeded):
        one.check()
    assert caplog.text.count("cannot be kept") == 1


def test_no_file_where_no_key_has_minutes() -> None:
    settings = Settings.model_validate({"keys": {"a": {"key": "12345678"}}})
    assert isinstance(key_use(settings, TODAY), ForgottenKeyUse)


def test_minutes_count_while_the_file_is_busy(tmp_path: Path) -> None:
    """Who has used them up does not get in again before they are on disk."""
    file = tmp_path / "use.sqlite3"
    use = StoredKeyUse(file, TODAY)
    assert use.seconds("shop", TODAY) == 0.0
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # another gateway writes
    use.add("shop", TODAY, 60.0)
    busy = use.seconds("shop", TODAY)
    other.execute("COMMIT")
    other.close()
    use.close()
    assert busy == 60.0
    again = StoredKeyUse(file, TODAY)
    assert again.seconds("shop", TODAY) == 60.0
    again.close()
