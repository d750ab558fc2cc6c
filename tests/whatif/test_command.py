"""`voicepipe whatif` in a real process."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.forked import voicepipe
from tests.virtual_time import run_virtual
from tests.whatif.users import run, users
from voicepipe.dialog.options import TurnOptions


def recorded(folder: Path) -> None:
    rows = run_virtual(run(users(4, 2, 5), TurnOptions()))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "TURNS.jsonl").write_text(text, encoding="utf-8")


def test_figures_on_the_terminal_in_json_and_as_a_picture(tmp_path: Path) -> None:
    recorded(tmp_path)
    done = voicepipe(
        *("whatif", "TURNS.jsonl", "--set", "turns.preemptive_generation=off"),
        *("--set", "tts.first_audio_ms=*2", "--json", "out.json", "--svg", "out.svg"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "voice to voice p50, ms" in done.stdout
    assert "what if: turns.preemptive_generation=off, tts.first_audio_ms=*2" in done.stdout
    assert "replayed without changes, against the record: p50 +0.0%" in done.stdout
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["predicted"]["v2v_ms"]["p50"] > found["recorded"]["v2v_ms"]["p50"] + 150
    assert found["predicted"]["discards"] == 0
    assert found["replayed"]["v2v_ms"] == found["recorded"]["v2v_ms"]
    picture = ET.fromstring((tmp_path / "out.svg").read_text())
    names = [element.get("class") for element in picture.iter()]
    assert {"before", "after", "grid"} <= set(names)
    assert "prefers-color-scheme: dark" in (tmp_path / "out.svg").read_text()


def test_turns_that_the_page_saved_are_replayed(tmp_path: Path) -> None:
    """Its button says "Save for replay"."""
    recorded(tmp_path)
    done = voicepipe("replay", "TURNS.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "what if: nothing changed" in done.stdout
    assert "replayed without changes, against the record: p50 +0.0%" in done.stdout
    (tmp_path / "sound.wav").write_bytes(b"RIFF\xff\xfe")
    done = voicepipe("replay", "sound.wav", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_wrong_input_is_told_without_a_traceback(tmp_path: Path) -> None:
    done = voicepipe("whatif", "none.jsonl", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "none.jsonl" in done.stderr
    recorded(tmp_path)
    done = voicepipe("whatif", "TURNS.jsonl", "--set", "turns.eager_ends_ms=80", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean turns.eager_end_ms?" in done.stderr
