"""A tape is told again to the bit, says where it is not, and can be read by people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.dialog.stories import Story
from tests.session.harness import SIMULATED, conversation
from voicepipe.cli.main import app
from voicepipe.config import Settings
from voicepipe.dialog.tape import UnreadableTape, replay


def taped(seed: int) -> tuple[list[str], Story]:
    lines: list[str] = []
    story = Story(seed, lines.append)
    story.tell()
    story.dialog.close()  # type: ignore[attr-defined]
    return lines, story


def test_any_story_is_told_again_to_the_bit() -> None:
    for seed in range(60):
        lines, story = taped(seed)
        steps = list(replay(lines))
        assert all(step.as_recorded for step in steps)
        assert sum(len(step.effects) for step in steps) == len(story.told)
        assert steps[-1].now_ms == story.dialog.now_ms


def test_a_decision_that_is_another_is_marked() -> None:
    lines, _ = taped(3)
    at = next(n for n, line in enumerate(lines) if "EndTurn" in line)
    record = json.loads(lines[at])
    record["out"]["effects"] = []
    lines[at] = json.dumps(record)
    assert [step.as_recorded for step in replay(lines)].count(False) == 1


@pytest.mark.parametrize(
    "line", ["no json", "{}", '{"input": "explain", "args": [], "named": {}}', '{"frames": ["x"]}']
)
def test_what_is_no_tape_is_refused_by_its_line(line: str) -> None:
    lines, _ = taped(1)
    with pytest.raises(UnreadableTape, match="line 4"):
        list(replay([*lines[:3], line]))


@pytest.mark.virtual_time
async def test_a_session_is_recorded_and_its_story_is_printed(tmp_path: Path) -> None:
    config = Settings.model_validate(
        {"dialog": {"record_dir": str(tmp_path / "tapes")}, "simulated": SIMULATED}
    )
    async with conversation(config=config) as talk:
        await talk.speak(600)
        await talk.quiet(4000)
    (tape,) = (tmp_path / "tapes").iterdir()
    assert tape.stat().st_mode & 0o777 == 0o600
    done = CliRunner().invoke(app, ["replay", str(tape)], catch_exceptions=False)
    assert done.exit_code == 0
    for told in ("SpeechStarted(turn=1", "EndTurn(turn=1", "silence ended the turn", "to the bit"):
        assert told in done.output


@pytest.mark.virtual_time
async def test_a_folder_that_cannot_be_written_costs_no_call(tmp_path: Path) -> None:
    (tmp_path / "tapes").write_text("a file")
    config = Settings.model_validate(
        {"dialog": {"record_dir": str(tmp_path / "tapes")}, "simulated": SIMULATED}
    )
    async with conversation(config=config) as talk:
        await talk.speak(600)
        await talk.quiet(4000)
        assert len(talk.log.recent()) == 1
