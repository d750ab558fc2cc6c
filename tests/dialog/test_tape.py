"""A tape is told again to the bit, says where it is not, and can be read by people."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.dialog.driver import LISTENING
from tests.dialog.stories import Story
from tests.session.harness import SIMULATED, conversation
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.cli.main import app
from voicepipe.config import Settings
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import TRANSITIONS, Agent, User
from voicepipe.dialog.tape import TapedDialog, UnreadableTape, replay
from voicepipe.languages.language import Verdict
from voicepipe.runtime.errors import IllegalTransition


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
    "line",
    [
        "no json",
        "{}",
        '{"input": "explain", "args": [], "named": {}}',
        '{"input": "endpoint_wait_ms", "args": [], "named": {}, "out": {}}',
        '{"frames": ["x"]}',
    ],
)
def test_what_is_no_tape_is_refused_by_its_line(line: str) -> None:
    lines, _ = taped(1)
    with pytest.raises(UnreadableTape, match="line 4"):
        list(replay([*lines[:3], line]))


def tape_of(tell: Callable[[TapedDialog], object], options: TurnOptions | None = None) -> list[str]:
    lines: list[str] = []
    dialog = TapedDialog(options or TurnOptions(), answers=True, write=lines.append)
    tell(dialog)
    dialog.close()
    return lines


def test_frames_share_a_line_of_ten_seconds_at_most_until_something_happens() -> None:
    def tell(dialog: TapedDialog) -> None:
        for _ in range(1200):
            dialog.frame(0.0)
        for _ in range(3):
            dialog.frame(1.0)
        dialog.commit()

    header, *told = [json.loads(line) for line in tape_of(tell)]
    assert header["tape"] == 1
    assert [len(record["frames"]) for record in told[:-1]] == [500, 500, 203]
    assert [bool(record["out"]["effects"]) for record in told] == [False, False, True, True]
    assert told[-1]["input"] == "commit"


def test_a_tape_of_nothing_is_its_first_line() -> None:
    assert len(tape_of(lambda _: None)) == 1


def test_inputs_are_told_in_words_with_what_they_returned() -> None:
    def tell(dialog: TapedDialog) -> None:
        dialog.item_heard()
        dialog.create(answers=False)
        dialog.apply(TurnOptions(resume_ms=500), answers=False)
        dialog.speak("de")
        dialog.reply_failed(2)
        dialog.frame(0.0)

    lines = tape_of(tell)
    assert [step.told for step in replay(lines)] == [
        "item_heard()",
        "create(answers=False)",
        "apply(..., answers=False)",
        "speak('de')",
        "reply_failed(2)",
        "1 frames",
    ]
    outs = [json.loads(line)["out"] for line in lines[1:]]
    assert [out["number"] for out in outs] == [1, 2, None, None, None, None]
    steps = list(replay(lines))
    assert all(step.as_recorded for step in steps)
    thinks = (User.SILENT, Agent.THINKING)
    assert [step.state for step in steps] == [LISTENING, *[thinks] * 3, LISTENING, LISTENING]
    assert steps[1].effects == ("StartReply(reply=2, turn=None, guess=None, committed=True)",)
    assert steps[-2].why == "the reply is over"


def overlap_of_so(dialog: TapedDialog) -> None:
    """Over the agent's words the user says "so so", for long."""
    number, _ = dialog.create()
    dialog.reply_audible(number, "It is half past seven.")
    for _ in range(10):
        dialog.frame(1.0)
    assert dialog.turn is not None
    dialog.hypothesis(dialog.turn.id, "so so")


def test_options_are_kept_whole() -> None:
    options = TurnOptions(backchannels=frozenset({"so", "mhm"}), endpoint_fixed_ms=700)
    lines = tape_of(overlap_of_so, options)
    kept = json.loads(lines[0])["options"]
    assert (kept["backchannels"], kept["endpoint_fixed_ms"]) == (["mhm", "so"], 700)
    assert all(step.as_recorded for step in replay(lines))
    assert list(replay(lines))[-1].state == (User.OVERLAPPING, Agent.HELD)
    assert any("StopReplies" in line for line in tape_of(overlap_of_so)), "else it interrupts"


def test_a_tape_of_a_version_that_knew_more_options_is_read() -> None:
    header, *told = tape_of(overlap_of_so)
    record = json.loads(header)
    record["options"]["of_another_version"] = 3
    assert all(step.as_recorded for step in replay([json.dumps(record), *told]))


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


NO_WAY_BACK = {(User.SILENT, Agent.IDLE): {(User.SILENT, Agent.THINKING)}}


class _Failing:
    """Judges no text that it does not like."""

    def judge(self, text: str) -> Verdict:
        if text == "no":
            raise ValueError(text)
        return Verdict.UNKNOWN


def test_an_input_that_failed_is_on_the_tape_and_fails_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tell(dialog: TapedDialog) -> None:
        for _ in range(10):
            dialog.frame(1.0)
        assert dialog.turn is not None
        dialog.hypothesis(dialog.turn.id, "no")
        for _ in range(100):
            with suppress(ValueError):
                dialog.frame(0.0)
        dialog.hypothesis(dialog.turn.id, "yes")
        for _ in range(100):
            dialog.frame(0.0)
        dialog.reply_done(dialog.replies[0].id)
        with pytest.raises(IllegalTransition):
            dialog.create()

    monkeypatch.setattr("voicepipe.dialog.sides.TextRules", _Failing)
    fewer = {**TRANSITIONS, (User.SILENT, Agent.IDLE): {(User.SPEAKING, Agent.IDLE)}}
    monkeypatch.setattr("voicepipe.dialog.states.TRANSITIONS", fewer)
    lines = tape_of(tell)
    steps = list(replay(lines))
    assert any("raised" in line for line in lines)
    assert all(step.as_recorded for step in steps)
    assert steps[-1].now_ms == 210 * FRAME_MS


def test_an_input_that_failed_in_the_midst_of_another_is_told_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reply that fails is as good as done: the one input is told by the other."""

    def tell(dialog: TapedDialog) -> None:
        number, _ = dialog.create()
        with pytest.raises(IllegalTransition):
            dialog.reply_failed(number)
        dialog.item_heard()

    monkeypatch.setattr("voicepipe.dialog.states.TRANSITIONS", NO_WAY_BACK)
    steps = list(replay(tape_of(tell)))
    assert [step.told for step in steps] == ["create()", "reply_failed(1)", "item_heard()"]
    assert all(step.as_recorded for step in steps)
