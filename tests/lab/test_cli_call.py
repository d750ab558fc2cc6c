"""`voicepipe call simulate`, as a person runs it."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.forked import voicepipe
from voicepipe.audio import files
from voicepipe.lab.bench.phone import PhoneCall
from voicepipe.lab.carriers.heard import Heard
from voicepipe.lab.cli import call
from voicepipe.lab.cli.call import _Result, _show

QUESTION = Path(__file__).parents[1] / "data" / "questions" / "what_time_is_it.flac"


def simulate(cwd: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return voicepipe("call", "simulate", *options, cwd=cwd)


@pytest.mark.parametrize("carrier", ["twilio", "audiosocket", "plain"])
def test_rings_a_server_of_its_own_and_keeps_what_was_heard(carrier: str, tmp_path: Path) -> None:
    out = tmp_path / "heard.wav"
    own = ("--profile", "simulated", "--set", "simulated.answer=Yes.")
    done = simulate(tmp_path, str(QUESTION), "--carrier", carrier, "-o", str(out), "--json", *own)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["answered"] is True
    assert result["problems"] == []
    assert 0 < result["waited_ms"] < 15_000
    (turn,) = result["turns"]
    assert abs(sum(turn["critical_ms"].values()) - turn["voice_to_voice_ms"]) < 0.01
    assert np.abs(files.read(out).astype(int)).max() > 1000


def test_recordings_and_keys_follow_one_another(tmp_path: Path) -> None:
    """Each after the answer to the one before."""
    own = ("--profile", "simulated", "--set", "simulated.answer=Yes.")
    done = simulate(
        tmp_path, str(QUESTION), str(QUESTION), "--keys", "12#", "--keys", "3#", "--json", *own
    )
    assert done.returncode == 0, done.stderr
    turns: list[dict[str, Any]] = json.loads(done.stdout)["turns"]
    assert [turn["origin"] for turn in turns] == ["speech", "speech", "text", "text"]


def test_picture_of_the_turn_is_printed(tmp_path: Path) -> None:
    own = ("--profile", "simulated", "--set", "simulated.answer=Yes.")
    done = simulate(tmp_path, str(QUESTION), "--carrier", "plivo", *own)
    assert done.returncode == 0, done.stderr
    for words in ("endpoint", "voice to voice", "At the caller's ear"):
        assert words in done.stdout


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ([], "--keys"),
        (["no-such.wav"], "no-such.wav"),
        ([str(QUESTION), "--carrier", "pigeon"], "twilio, signalwire"),
        ([str(QUESTION), "--url", "nonsense"], "ws://host:port"),
        (["--keys", "12\uff13"], "0 to 9"),
        (["--keys", ""], "0 to 9"),
        ([str(QUESTION), "--url", "ws://127.0.0.1:9"], "ws://127.0.0.1:9"),
        ([str(QUESTION), "--url", "ws://127.0.0.1:9", "--profile", "cpu"], "--profile"),
        ([str(QUESTION), "--set", "telephony.lead_msec=1"], "telephony.lead_ms"),
    ],
)
def test_mistakes_are_named_without_a_traceback(
    options: list[str], named: str, tmp_path: Path
) -> None:
    done = simulate(tmp_path, *options)
    assert done.returncode == 2, done.stdout
    assert named in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_many_calls_are_held_and_bounds_checked(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    options = ["--profile", "simulated", "--set", "simulated.answer=Yes.", "--json", str(figures)]
    bounds = ["--assert", "lost_turns==0", "--assert", "p50_v2v_ms<1"]
    done = voicepipe("call", "bench", "-n", "2", "-t", "1", *options, *bounds, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "broken: p50_v2v_ms" in done.stderr
    assert "lost_turns" not in done.stderr
    found = json.loads(figures.read_text())
    assert found["answered_turns"] == found["ledger_turns"] == 2


def test_a_server_of_its_own_that_has_a_key_tells_its_turns(tmp_path: Path) -> None:
    own = ("--profile", "simulated", "--set", "simulated.answer=Yes.")
    done = simulate(tmp_path, str(QUESTION), "--json", *own, "--set", "server.api_key=secret")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["turns"]) == 1


def test_what_a_server_said_wrong_is_printed_as_it_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    heard = Heard(np.zeros(0, dtype=np.int16), 8000, 0.0)
    made = PhoneCall(heard, 0.0, answered=False, problems=("command is '[/b]'.",))
    _show(_Result(made, ()), Path("a[b].wav"))
    said = capsys.readouterr().out
    assert "command is '[/b]'." in said
    assert "a[b].wav" in said


def test_turns_that_the_ledger_does_not_cover_are_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def held(*_: Any) -> tuple[dict[str, float], Counter[str]]:
        return {"turns": 1200.0}, Counter()

    monkeypatch.setattr(call, "_bench", held)
    call.bench(calls=400, turns=3)
    assert "the last 1000 of 1200 turns" in capsys.readouterr().err
