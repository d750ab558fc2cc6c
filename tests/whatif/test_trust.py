"""A what-if measures itself against its own replay, and says nothing where that is off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.forked import voicepipe
from tests.virtual_time import run_virtual
from tests.whatif.users import run, users
from voicepipe.dialog.options import TurnOptions
from voicepipe.whatif.trust import interval_ms, trust


def figures(p50: float, n: int = 30, cut_offs: int = 0) -> dict[str, Any]:
    summary = {"n": n, "p50": p50, "p95": 2 * p50, "p99": 3 * p50}
    return {"v2v_ms": summary, "false_cut_offs": cut_offs}


def test_two_percent_are_allowed_and_no_invented_cut_off() -> None:
    assert trust(figures(300), figures(305)).given
    assert not trust(figures(300), figures(332)).given
    assert not trust(figures(300), figures(300, cut_offs=3)).given


def test_percentiles_of_too_few_turns_are_not_compared() -> None:
    assert set(trust(figures(300, n=19), figures(300, n=19)).errors) == {"p50"}
    assert set(trust(figures(300, n=100), figures(300, n=100)).errors) == {"p50", "p95", "p99"}


def test_a_replay_in_which_nothing_is_answered_is_not_believed() -> None:
    silent: dict[str, Any] = {"v2v_ms": {"n": 0}, "false_cut_offs": 0}
    assert not trust(figures(300, n=10), silent).given
    assert trust(silent, silent).given


def test_the_interval_of_a_change_holds_it_and_needs_some_turns() -> None:
    before = [300.0, 310, 320, 305, 315, 312]
    after = [ms - 60 for ms in before]
    interval = interval_ms(before, after)
    assert interval is not None
    assert interval[0] <= -60 <= interval[1] < 0
    assert interval == interval_ms(before, after)
    assert interval_ms(before[:4], after) is None


def recording(folder: Path, *, spoiled: bool = False) -> None:
    """Turns of simulated users. `spoiled`: recorded later than anything in them accounts for."""
    rows = run_virtual(run(users(4, 2, 5), TurnOptions()))
    for row in rows if spoiled else ():
        if row["critical_ms"] is not None:
            row["critical_ms"]["llm"] += 100
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "TURNS.jsonl").write_text(text, encoding="utf-8")


def test_the_change_is_counted_from_the_replay(tmp_path: Path) -> None:
    recording(tmp_path)
    command = ("whatif", "TURNS.jsonl", "--set", "tts.first_audio_ms=*2", "--json", "out.json")
    done = voicepipe(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head = next(line for line in done.stdout.splitlines() if "recorded" in line)
    assert head.split() == ["recorded", "replayed", "predicted", "change"]
    row = next(line for line in done.stdout.splitlines() if "voice to voice p50" in line)
    _, replayed, predicted, change = row.split("ms")[1].split()
    assert int(change) == int(predicted) - int(replayed)
    assert json.loads((tmp_path / "out.json").read_text())["trust"]["given"] is True


def test_no_prediction_where_the_replay_misses_the_record(tmp_path: Path) -> None:
    recording(tmp_path, spoiled=True)
    command = ("whatif", "TURNS.jsonl", "--set", "tts.first_audio_ms=*2", "--json", "out.json")
    done = voicepipe(*command, cwd=tmp_path)
    assert done.returncode == 1
    assert "predicted" not in done.stdout
    assert "can be believed" in done.stdout
    assert json.loads((tmp_path / "out.json").read_text())["trust"]["given"] is False
    shown = voicepipe(*command, "--anyway", cwd=tmp_path)
    assert shown.returncode == 0
    assert "predicted" in shown.stdout


def test_no_file_holds_a_prediction_that_is_not_made(tmp_path: Path) -> None:
    """As docs/whatif.md has it: `predicted` is null, over HTTP and in the file alike."""
    recording(tmp_path, spoiled=True)
    files = ("--json", "out.json", "--svg", "out.svg")
    command = ("whatif", "TURNS.jsonl", "--set", "tts.first_audio_ms=*2", *files)
    assert voicepipe(*command, cwd=tmp_path).returncode == 1
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["predicted"], found["predicted_v2v_ms"], found["p50_change_ms"]) == (None,) * 3
    assert found["recorded"]["v2v_ms"]["n"] > 0
    picture = (tmp_path / "out.svg").read_text()
    assert "recorded: p50" in picture
    assert "predicted" not in picture
    assert 'class="after"' not in picture
    assert voicepipe(*command, "--anyway", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["predicted"]["v2v_ms"]["n"] > 0
    assert "predicted: p50" in (tmp_path / "out.svg").read_text()


def test_nothing_changed_reports_no_change(tmp_path: Path) -> None:
    recording(tmp_path)
    done = voicepipe("whatif", "TURNS.jsonl", cwd=tmp_path)
    assert done.returncode == 0
    head = next(line for line in done.stdout.splitlines() if "recorded" in line)
    assert head.split() == ["recorded", "replayed"]
