"""The real command in real processes: real sockets, sessions and engines, at a small size. What is
bounded here are counts; times are for quiet machines.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.forked import bare, voicepipe
from voicepipe.lab.bench.recordings import QUESTIONS
from voicepipe.lab.bench.results import FIGURES

SHORT = ("--set", "simulated.answer=Yes.", "--stagger", "0.5")


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short ones: the run takes as long as they last."""
    folder = tmp_path_factory.mktemp("questions")
    lines = (QUESTIONS / "manifest.jsonl").read_text().splitlines()
    chosen = [line for line in lines if "joke" in line or "what_time" in line]
    for line in chosen:
        name = json.loads(line)["file"]
        (folder / name).symlink_to(QUESTIONS / name)
    (folder / "manifest.jsonl").write_text("\n".join(chosen))
    return folder


def bench(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return voicepipe("bench", "turns", *args, cwd=cwd)


def check_joined(report: dict[str, Any], sessions: int, turns: int) -> None:
    """Every question has the caller's times and the server's ledger of that very turn."""
    rows, summary = report["turns"], report["summary"]
    assert sorted((r["session"], r["turn"]) for r in rows) == [
        (s, t) for s in range(sessions) for t in range(turns)
    ]
    assert [r["lost"] for r in rows] == [None] * (sessions * turns)
    assert (summary["answered_turns"], summary["lost_turns"]) == (sessions * turns, 0)
    assert len({r["turn_id"] for r in rows}) == sessions * turns
    assert len({r["ledger"]["session_id"] for r in rows}) == sessions
    for row in rows:
        ledger = row["ledger"]
        assert ledger["end"] == "completed"
        assert sum(ledger["critical_ms"].values()) == pytest.approx(row["v2v_ms"], abs=0.01)
        accounted = ledger["voice_to_voice_ms"] - row["overhead_ms"]
        shares = ledger["shares_ms"]
        chain = sum(shares[name] for name in ("start", "asr", "llm", "clause", "tts"))
        assert accounted == pytest.approx(max(shares["endpoint"], chain), abs=0.01)
        assert row["client_v2v_ms"] > 0


def test_over_websockets_against_a_server_of_its_own(tmp_path: Path, questions: Path) -> None:
    done = bench(
        *("--profile", "simulated", "-n", "3", "-t", "2", "--questions", str(questions), *SHORT),
        *("--json", "out.json", "--html", "out.html"),
        *("--assert", "lost_turns==0", "--assert", "p50_v2v_ms<=1"),
        cwd=tmp_path,
    )
    assert done.returncode == 1, done.stderr  # of the second bound alone
    report = json.loads((tmp_path / "out.json").read_text())
    check_joined(report, sessions=3, turns=2)
    summary = report["summary"]
    assert re.findall("broken: .*", done.stderr) == [
        f"broken: p50_v2v_ms: got {summary['p50_v2v_ms']:g}, wanted <= 1"
    ]
    assert "6/6" in done.stderr  # the bar
    assert "6 of 6 turns answered, 0 lost" in done.stdout
    assert f"{summary['p99_overhead_ms']:.1f}" in done.stdout
    assert report["setup"]["mode"] == "websocket"
    assert summary["cpu_s"] > 0
    assert summary["rss_mb"] > 20
    assert summary["startup_s"] > 0
    assert 0 < summary["asr_rtf"] < 10
    without_tools = {f"{p}_tool_ms" for p in ("p50", "p95", "p99", "max")}
    assert set(summary) == set(FIGURES) - without_tools
    check_page((tmp_path / "out.html").read_text(), report)


def test_ctrl_c_prints_what_was_measured(tmp_path: Path, questions: Path) -> None:
    report = tmp_path / "out.json"
    options = ["--in-process", "--profile", "simulated", "-n", "1", "-t", "40", *SHORT]
    files = ["--questions", str(questions), "--json", str(report)]
    progress = tmp_path / "progress"
    with (
        progress.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "voicepipe", "bench", "turns", *options, *files],
            cwd=tmp_path,
            env=bare(tmp_path, {"FORCE_COLOR": "1"}),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as running,
    ):
        until = time.monotonic() + 90
        while "1/40" not in progress.read_text() and time.monotonic() < until:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=280)
    complained = progress.read_text()
    assert "Traceback" not in complained
    assert running.returncode == 0, complained
    found = json.loads(report.read_text())
    assert found["setup"]["interrupted"] is True
    assert 1 <= found["summary"]["answered_turns"] < 40
    assert found["summary"]["lost_turns"] == 0
    assert "stopped by hand" in said


def test_over_webrtc_against_a_server_of_its_own(tmp_path: Path, questions: Path) -> None:
    done = bench(
        *("--webrtc", "--profile", "simulated", "-n", "2", "-t", "1"),
        *("--questions", str(questions), *SHORT, "--json", "out.json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["setup"]["mode"] == "webrtc"
    check_joined(report, sessions=2, turns=1)
    assert bench("--webrtc", "--in-process", cwd=tmp_path).returncode == 2


def check_page(page: str, report: dict[str, Any]) -> None:
    """Self-contained, well-formed pictures, and the figures are in it."""
    assert not re.findall(r"<script|<link|@import|(?:src|href)=|url\(", page)
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in page
    pictures = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(pictures) == 4  # two distributions, their histogram, the waterfall
    for picture in pictures:
        ElementTree.fromstring(picture)
    for name in ("p50_v2v_ms", "p99_overhead_ms", "p50_client_v2v_ms"):
        assert f"{report['summary'][name]:.1f} ms" in page
    ordered = sorted(report["turns"], key=lambda row: row["v2v_ms"])
    assert f"{ordered[2]['turn_id']}: {ordered[2]['v2v_ms']:.1f} ms from the end" in page
    for row in report["turns"]:  # few enough for all to be among the slowest
        assert f"<td>{row['turn_id']}</td>" in page
    for name, found in report["stages"].items():
        assert f"<td>{name}</td><td>{found['p50']:.1f} ms</td>" in page


def test_in_process(tmp_path: Path, questions: Path) -> None:
    done = bench(
        *("--in-process", "--profile", "simulated", "-n", "5", "-t", "1"),
        *("--questions", str(questions), "--json", "out.json", "--assert", "lost_turns==0", *SHORT),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "1 bound kept" in done.stdout
    report = json.loads((tmp_path / "out.json").read_text())
    check_joined(report, sessions=5, turns=1)
    assert report["setup"]["mode"] == "in process"
    assert "p50_added_output_ms" in report["summary"]


def test_mistakes_are_one_message_each(tmp_path: Path, questions: Path) -> None:
    folder = ("--questions", str(questions))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        done = bench("--url", f"ws://127.0.0.1:{port}/v1", *folder, cwd=tmp_path)
    assert done.returncode == 2
    assert f"voicepipe: error: ws://127.0.0.1:{port}/v1: " in done.stderr
    assert "Traceback" not in done.stderr

    done = bench("--url", "ws://127.0.0.1:1/v1", "--in-process", cwd=tmp_path)
    assert done.returncode == 2
    assert "with --url the server has its own settings" in re.sub(r"\s+", " ", done.stderr)

    done = bench("--assert", "p99_overhead_ms=<10", cwd=tmp_path)
    assert done.returncode == 2
    assert "expected NAME OPERATOR NUMBER" in done.stderr
    done = bench("--assert", "p99_overheads_ms<=10", cwd=tmp_path)
    assert done.returncode == 2  # before anything is run
    assert "did you mean 'p99_overhead_ms'?" in done.stderr
