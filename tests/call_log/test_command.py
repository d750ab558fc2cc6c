"""`voicepipe calls`, by the command that people run."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from typer.testing import CliRunner, Result

from tests.call_log.harness import (
    WallTime,
    call_settings,
    files_in,
    info,
    open_log,
    sqlite_url,
    turn_record,
)
from tests.call_log.test_recording import read_stereo
from tests.forked import ROOT, voicepipe
from voicepipe.call_log.query import CallWithTurns
from voicepipe.cli.calls_table import calls_table, recently
from voicepipe.cli.main import app
from voicepipe.runtime.clock import ManualClock

OLD = datetime.now(UTC) - timedelta(days=40)


def config(folder: Path) -> Path:
    path = folder / "voicepipe.toml"
    path.write_text(
        f'[calls]\ndatabase = "{sqlite_url(folder)}"\nrecordings_dir = "{folder}/sound"\n'
    )
    return path


def calls(folder: Path, *args: str, columns: int = 120) -> Result:
    """In this process: there are many, and each would take a second to start."""
    command = ["calls", *args, "--config", str(config(folder))]
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(app, command)


async def made(folder: Path) -> list[str]:
    """Two calls of forty days ago and one of today; the first is recorded."""
    ids = []
    clock, now = ManualClock(0.0), WallTime(OLD)
    async with open_log(call_settings(folder, record_audio=True), now, clock) as log:
        for index, caller in enumerate(("+491", "+492", "+491")):
            agent = "desk" if index == 1 else ""
            call = log.begin(info(f"sess_{index}", caller=caller, agent=agent))
            clock.advance(1)
            call.heard_from_caller(b"\x01\x02" * 16_000, clock.now())
            call.turn(turn_record(1, f"sess_{index}"), "what time is it", "Half [past] seven.")
            now.advance(minutes=2, seconds=5)
            call.end("caller hung up" if index else "lost")
            ids.append(call.id)
            if index == 1:
                now.at = datetime.now(UTC) - timedelta(minutes=30)
    return ids


async def test_list_shows_the_newest_and_filters(tmp_path: Path) -> None:
    ids = await made(tmp_path)
    done = calls(tmp_path, "list")
    assert done.exit_code == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "twilio" in line]
    assert [line.split()[0] for line in lines] == [one.removeprefix("call_")[:10] for one in ids]
    assert "3 of 3 calls" in done.stdout
    for piece in (recently(OLD), "+491", "2:05", "302", "lost", "yes"):
        assert piece in lines[0]
    for options, expected in {
        ("--caller", "+491"): [0, 2],
        ("--reason", "HUNG"): [1, 2],
        ("--since", "1d"): [2],
        ("--until", "1h"): [0, 1],
        ("--since", f"{OLD:%Y-%m-%dT%H:%M}+00:00", "--until", "1d"): [0, 1],
        ("--limit", "1"): [2],
        ("--transport", "webrtc"): [],
        ("--agent", "desk"): [1],
        ("--door", "webrtc"): [],  # what it was called before
    }.items():
        done = calls(tmp_path, "list", "--json", *options)
        found = [json.loads(line)["id"] for line in done.stdout.splitlines()]
        assert found == [ids[index] for index in expected], options


async def test_list_fits_a_terminal_of_80_columns(tmp_path: Path) -> None:
    """One line a call, and what it says can be read."""
    ids = await made(tmp_path)
    done = calls(tmp_path, "list", columns=80)
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    lines = [line for line in done.stdout.splitlines() if "twilio" in line]
    assert len(lines) == len(ids)
    assert "lasted" in done.stdout
    assert "ended" in done.stdout
    assert "…" not in lines[0].split("twilio")[0]
    assert lines[0].split()[-1] == "yes"  # what is too long is cut, and nothing beside it


def test_only_how_a_call_ended_gives_way() -> None:
    call = {
        **{"id": "call_" + "9a5b" * 6, "transport": "audiosocket", "caller": "", "agent": ""},
        **{"started_at": OLD, "ended_at": OLD, "recording": "a.wav"},
        "end_reason": "the connection dropped",
    }
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(calls_table([CallWithTurns(call, [{"voice_to_voice_us": 1_021_000}])], 1, 80))
    line = console.export_text().splitlines()[-2]
    assert line.rstrip().endswith("… yes")
    assert "audiosocket" in line
    assert "1021" in line


async def test_show_prints_facts_words_and_waterfalls(tmp_path: Path) -> None:
    ids = await made(tmp_path)
    done = calls(tmp_path, "show", ids[0][:15])
    assert done.exit_code == 0, done.stderr
    for piece in (
        ids[0],
        "+491",
        "2:05, lost",
        f"{ids[0]}.wav",
        "user: what time is it",
        "agent: Half [past] seven.",
        "voice to voice 302.0 ms = sum of the critical parts (302.0 ms)",
        "endpoint",
    ):
        assert piece in done.stdout.replace("\n ", " "), piece


async def test_export_feeds_whatif_and_copies_recordings(tmp_path: Path) -> None:
    ids = await made(tmp_path)
    out, sound = tmp_path / "out.jsonl", tmp_path / "copies"
    out.write_text("of yesterday, for everybody")
    out.chmod(0o644)
    options = ("--caller", "+491", "-o", str(out), "--recordings", str(sound))
    done = calls(tmp_path, "export", *options)
    assert done.exit_code == 0, done.stderr
    assert "2 calls written" in done.stderr
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["call"]["id"] for row in rows] == [ids[0], ids[2]]
    assert rows[0]["turns"][0]["user_text"] == "what time is it"
    for path in (out, sound / f"{ids[0]}.wav", sound / f"{ids[2]}.wav"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(read_stereo(sound / f"{ids[0]}.wav")[0]) == 8000
    predicted = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["whatif", str(out)])
    assert predicted.exit_code == 0, predicted.stderr
    assert "302" in predicted.stdout
    one = calls(tmp_path, "export", ids[1])
    assert json.loads(one.stdout)["call"]["caller"] == "+492"


async def test_purge_deletes_what_is_too_old_or_named_and_asks_first(tmp_path: Path) -> None:
    ids = await made(tmp_path)
    done = calls(tmp_path, "purge")  # 90 days: none is so old
    assert "nothing was deleted" in done.stdout
    done = calls(tmp_path, "purge", "--older-than", "30d")
    assert done.exit_code == 1  # nobody said yes
    assert "Delete 2 calls" in done.stdout
    done = calls(tmp_path, "purge", "--older-than", "30d", "--caller", "+492", "--yes")
    assert done.stdout == "1 calls deleted\n"
    done = calls(tmp_path, "purge", ids[0], "--yes")
    assert done.stdout == "1 calls deleted\n"
    listed = calls(tmp_path, "list", "--json").stdout.splitlines()
    left = [json.loads(line)["id"] for line in listed]
    assert left == [ids[2]]
    assert [path.stem for path in files_in(tmp_path / "sound")] == [ids[2]]
    done = calls(tmp_path, "purge", "--set", "calls.retention_days=0", "--yes")
    assert done.exit_code == 2
    assert "say which calls are meant" in done.stderr


async def test_a_call_that_runs_is_shown_and_not_deleted(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path)) as log:
        call = log.begin(info())
        assert await log.flush(30)
        assert "still open" in calls(tmp_path, "list").stdout
        done = calls(tmp_path, "purge", call.id, "--yes")
        assert done.exit_code == 2
        assert "still runs" in done.stderr


def test_mistakes_are_explained(tmp_path: Path) -> None:
    def problem(*args: str) -> str:
        done = voicepipe("calls", *args, cwd=tmp_path)  # a process: what people see in the end
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        return " ".join(done.stderr.split())

    config(tmp_path)
    assert "there is no calls' database at" in problem("list")
    assert "--since yesterday: write a date (2026-11-21)" in problem("list", "--since", "yesterday")
    assert "not a database URL" in problem("list", "--database", "calls.sqlite3")
    with sqlite3.connect(tmp_path / "calls.sqlite3") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    assert "tables that are not voicepipe's (recipes)" in problem("show", "call_1")


async def test_an_unknown_or_ambiguous_call_says_so(tmp_path: Path) -> None:
    await made(tmp_path)
    done = calls(tmp_path, "show", "call_zzz")
    assert "there is no call call_zzz" in done.stderr
    done = calls(tmp_path, "show", "call_")
    assert "the beginning of several calls" in done.stderr


async def test_an_export_that_nobody_reads_ends_quietly_and_a_full_disk_is_said(
    tmp_path: Path,
) -> None:
    await made(tmp_path)
    config(tmp_path)
    command = f"{sys.executable} -m voicepipe calls"

    def shell(line: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path)}
        return subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    done = shell(f"{command} export | true; exit ${{PIPESTATUS[0]}}")
    assert "Broken pipe" not in done.stderr
    assert "calls written" not in done.stderr
    for sub in ("export", "list --json"):
        done = shell(f"{command} {sub} > /dev/full")
        assert done.returncode == 2, done
        assert "voicepipe: error: " in done.stderr
        assert "No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
        assert "None" not in done.stderr


async def test_what_is_no_text_is_not_looked_for(tmp_path: Path) -> None:
    await made(tmp_path)
    for args in (("list", "--caller", "\udcff"), ("show", "\udcff"), ("export", "\udcff")):
        done = calls(tmp_path, *args)
        assert done.exit_code == 2
        assert "no UTF-8" in done.stderr
    done = CliRunner().invoke(
        app, ["webhooks", "retry", "\udcff", "--config", str(config(tmp_path))]
    )
    assert done.exit_code == 2
    assert "no dead letters" in done.stderr


async def test_a_caller_cannot_write_to_the_owners_terminal(tmp_path: Path) -> None:
    async with open_log(call_settings(tmp_path), WallTime()) as log:
        call = log.begin(info("sess_1", caller="+49\x1b]0;mine\x07"))
        call.turn(turn_record(1), "hello\x1b[2J", "yes\x9b31m")
        call.end("caller hung up")
    for args in (("list",), ("show", call.id)):
        shown = calls(tmp_path, *args).stdout
        assert "+49" in shown
        assert not {"\x1b", "\x9b", "\x07"} & set(shown)


async def test_a_mistyped_call_costs_no_export_of_before(tmp_path: Path) -> None:
    await made(tmp_path)
    kept = tmp_path / "calls.jsonl"
    kept.write_text("what was exported before", encoding="utf-8")
    done = calls(tmp_path, "export", "call_zzz", "-o", str(kept))
    assert done.exit_code == 2
    assert "there is no call call_zzz" in done.stderr
    assert kept.read_text(encoding="utf-8") == "what was exported before"
