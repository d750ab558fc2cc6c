"""What early replies gain and waste: real sessions on hand-made turns, whose figures can be worked
out, and the command on real recordings.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from scripts.make_endpoint_recordings import generate
from voicepipe.asr.contract import AsrOptions
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, Int16
from voicepipe.config import AnticipationSettings, FillerSettings, LatencySettings, Settings
from voicepipe.dialog.options import PreemptiveGeneration
from voicepipe.lab.bench.endpoint.marked import MarkedTurn, Segment
from voicepipe.lab.bench.endpoint.replay import Heard
from voicepipe.lab.bench.preemption.figures import ModeFigures, figures, report
from voicepipe.lab.bench.preemption.picture import picture
from voicepipe.lab.bench.preemption.recognizer import MarkedRecognizer
from voicepipe.lab.bench.preemption.run import Course, hold
from voicepipe.lab.bench.preemption.script import LATE_MS, Script
from voicepipe.lab.cli.bench import app
from voicepipe.lab.cli.bench_preemption import _each_language
from voicepipe.runtime.errors import EngineError

SETTINGS = Settings()
TAIL_MS = 2200
ANSWER_TOKENS = 14
ASR, FIRST_TOKEN, TTS = 100, 100, 60  # ms, as the settings have them
FIRST_CLAUSE = 5 * 10  # the first clause is known with the sixth token, 10 ms each

Spoken = tuple[str, int, int]  # words, ms of speech, ms of silence after it


def heard(*parts: Spoken, name: str = "turn.wav") -> Heard:
    """A turn whose speech begins after 500 ms."""
    at_ms, segments, frames = 500, list[Segment](), [0.0] * (500 // FRAME_MS)
    for words, speech_ms, silence_ms in parts:
        segments.append(Segment(at_ms, at_ms + speech_ms, tuple(words.split())))
        frames += [1.0] * (speech_ms // FRAME_MS) + [0.0] * (silence_ms // FRAME_MS)
        at_ms += speech_ms + silence_ms
    samples = np.zeros(len(frames) * FRAME_SAMPLES, dtype=np.int16)
    return Heard(MarkedTurn(name, "anna", samples, tuple(segments)), tuple(frames))


def run(*turns: Heard, mode: PreemptiveGeneration) -> tuple[Course, ModeFigures]:
    options = replace(SETTINGS.turns, preemptive_generation=mode)
    course = hold(turns, SETTINGS.model_copy(update={"turns": options}), lambda: None)
    return course, figures([course])


def test_each_turn_counts_for_its_own_language_whoever_speaks_it() -> None:
    one = heard(("what time is it", 1400, TAIL_MS))
    mixed = tuple(
        replace(one, turn=replace(one.turn, language=code)) for code in ("de", "en", "de")
    )
    course, _ = run(*mixed, mode="off")
    found = _each_language([mixed], [course])
    assert {code: len(figures(c).voice_to_voice_ms) for code, c in found.items()} == {
        "de": 2,
        "en": 1,
    }


WHOLE = heard(("what time is it", 1400, TAIL_MS))
HESITANT = heard(("set a timer for", 1000, 600), ("ten minutes", 600, TAIL_MS))


def test_reply_prepared_at_the_eager_end_saves_what_fits_behind_the_wait() -> None:
    plain, none = run(WHOLE, mode="off")
    early, found = run(WHOLE, mode="eager_end")
    engines = ASR + FIRST_TOKEN + FIRST_CLAUSE + TTS
    assert plain.turns[0].voice_to_voice_ms == pytest.approx(300 + engines)
    assert early.turns[0].voice_to_voice_ms == pytest.approx(120 + engines)
    assert (none.attempts, none.hits, none.wasted.replies) == (0, 0, 0)
    assert (found.attempts, found.hits, found.wasted.replies) == (1, 1, 0)
    assert none.answers == found.answers
    assert found.answers.tokens == ANSWER_TOKENS
    saved = report({"off": none, "eager_end": found}, {})["modes"]["eager_end"]["saved_ms"]
    assert saved["p50"] == pytest.approx(180)


@pytest.mark.parametrize("spoken", [WHOLE, HESITANT], ids=["whole", "hesitant"])
def test_what_a_server_says_or_makes_ready_beside_its_answers_is_not_measured(
    spoken: Heard,
) -> None:
    expected = AnticipationSettings(expect=("what time is it",))
    turns = replace(SETTINGS.turns, listening_after_ms=200)
    busy = SETTINGS.model_copy(update={"anticipation": expected, "turns": turns})
    plain, found = (figures([hold((spoken,), own, lambda: None)]) for own in (SETTINGS, busy))
    assert found == plain


def test_pause_longer_than_the_engines_take_wastes_a_whole_answer() -> None:
    _, none = run(HESITANT, mode="off")
    course, found = run(HESITANT, mode="eager_end")
    assert (found.attempts, found.hits) == (2, 1)
    thrown_away = found.discarded["went_on"]
    assert (thrown_away.replies, thrown_away.tokens) == (1, ANSWER_TOKENS)
    assert thrown_away == found.wasted
    assert 0 < thrown_away.audio_s <= found.answers.audio_s
    assert [r.end for r in course.turns[0].records] == ["completed"]
    assert none.answers == found.answers


def test_pause_too_short_for_the_engines_wastes_nothing_but_a_decode() -> None:
    quick = heard(("set a timer for", 1000, 200), ("ten minutes", 600, TAIL_MS))
    _, found = run(quick, mode="eager_end")
    assert found.discarded["went_on"].replies == 1
    assert found.wasted.tokens == 0
    assert found.wasted.audio_s == 0


def test_guesses_outgrown_by_further_words_are_counted_apart() -> None:
    breath = 100  # shorter than the eager end
    long = heard(("turn on the light", 1500, breath), ("in the kitchen", 1500, TAIL_MS))
    _, found = run(long, mode="stable_text")
    assert found.discarded["more_words"].replies == 1
    assert found.discarded["went_on"].replies == 0
    assert found.attempts == found.wasted.replies + found.hits


def test_guess_that_the_final_transcript_contradicts_is_counted_apart() -> None:
    # The last word ends after the last partial decode, which comes every 240 ms.
    _, found = run(heard(("what time is it now", 1800, TAIL_MS)), mode="stable_text")
    assert found.discarded["other_words"].replies == 1
    assert found.hits == 1


def test_answer_begun_too_early_is_no_speculation_wasted() -> None:
    cut_off = heard(("what time is it", 1400, 500), ("in paris", 700, TAIL_MS))
    course, found = run(cut_off, mode="eager_end")
    assert [r.end for r in course.turns[0].records] == ["reopened", "completed"]
    assert found.cut_off.replies == 1
    assert found.wasted.replies == 0
    assert course.turns[0].voice_to_voice_ms == pytest.approx(120 + 310)


def test_turn_whose_rest_is_taken_for_a_backchannel_has_no_answer() -> None:
    course, found = run(
        heard(("what time is it", 1400, 1200), ("okay", 200, TAIL_MS)), mode="eager_end"
    )
    assert course.turns[0].voice_to_voice_ms is None
    assert found.voice_to_voice_ms == [None]
    assert report({"off": found}, {})["modes"]["off"]["answered"] == 0


def test_turns_of_a_speaker_are_one_session_one_after_the_other() -> None:
    course, found = run(WHOLE, HESITANT, WHOLE, mode="eager_end")
    assert [len(turn.records) for turn in course.turns] == [1, 1, 1]
    assert len({r.session_id for turn in course.turns for r in turn.records}) == 1
    assert found.answers.tokens == 3 * ANSWER_TOKENS
    assert found.hits == 3


def test_fillers_and_limits_of_the_settings_do_not_enter_the_figures() -> None:
    slow = SETTINGS.simulated.model_copy(update={"llm_first_token": LatencySettings(mean_ms=900)})
    limits = SETTINGS.limits.model_copy(update={"max_items": 1})
    changes = {"simulated": slow, "limits": limits, "filler": FillerSettings(after_ms=100)}
    course = hold((WHOLE,), SETTINGS.model_copy(update=changes), lambda: None)
    found = figures([course])
    assert found.answers.tokens == ANSWER_TOKENS
    assert found.answers.audio_s == pytest.approx(
        course.turns[0].records[0].audio_ms / 1000,
        abs=0.01,  # the resampler adds its tail
    )


# -- the recognizer --------------------------------------------------------------------------------


class Speaking:
    """Feeds an utterance frame by frame."""

    def __init__(self, turn: MarkedTurn, settings: Settings = SETTINGS) -> None:
        self.script = Script()
        self.recognizer = MarkedRecognizer(self.script, settings)
        self.script.begin(turn)

    def frame(self) -> Int16:
        self.script.position_ms += FRAME_MS
        return np.zeros(FRAME_SAMPLES, dtype=np.int16)


@pytest.mark.virtual_time
async def test_words_are_understood_when_they_have_been_said() -> None:
    speaking = Speaking(heard(("one two three four", 2000, TAIL_MS)).turn)
    utterance = speaking.recognizer.open(AsrOptions())
    seen: list[tuple[float, str, str]] = []

    async def follow() -> None:
        async for hypothesis in utterance.hypotheses():
            seen.append((hypothesis.audio_s, hypothesis.stable, hypothesis.tentative))

    reader = asyncio.create_task(follow())
    for _ in range(3000 // FRAME_MS):
        utterance.feed(speaking.frame())
        await asyncio.sleep(FRAME_MS / 1000)
    ends = {word: end / 1000 for end, word in heard(("one two three four", 2000, 0)).turn.words()}
    for audio_s, stable, tentative in seen:
        said = [word for word, end in ends.items() if end <= audio_s]
        assert f"{stable} {tentative}".split() == said
    assert seen[-1][1] == "one two three four"
    assert [round(audio_s / 0.24, 6) for audio_s, _, _ in seen] == list(range(1, 13))
    transcript = await utterance.final()
    assert transcript.text == "one two three four"
    assert transcript.planned_s == pytest.approx(ASR / 1000)
    assert await utterance.final() is transcript
    utterance.cancel()
    await reader


@pytest.mark.virtual_time
async def test_second_utterance_has_only_its_own_words_and_a_cut_off_end_does_not_matter() -> None:
    speaking = Speaking(heard(("one two", 1000, 400), ("three", 500, TAIL_MS)).turn)
    options = AsrOptions(partials=False)
    first, second = (speaking.recognizer.open(options) for _ in range(2))
    for _ in range((1500 - LATE_MS // 2) // FRAME_MS):
        first.feed(speaking.frame())
    assert (await first.final()).text == "one two"
    for _ in range(1000 // FRAME_MS):
        second.feed(speaking.frame())
    assert (await second.final()).text == "three"
    silent = speaking.recognizer.open(options)
    silent.feed(speaking.frame())
    assert (await silent.final()).refused == "silence"


@pytest.mark.virtual_time
async def test_cancelled_utterance_hears_nothing_more() -> None:
    speaking = Speaking(WHOLE.turn)
    utterance = speaking.recognizer.open(AsrOptions())
    for _ in range(1200 // FRAME_MS):
        utterance.feed(speaking.frame())
    decode = asyncio.create_task(utterance.final())
    await asyncio.sleep(0)
    utterance.cancel()
    with pytest.raises(EngineError, match="cancelled"):
        await decode
    assert [h async for h in utterance.hypotheses()] == []


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marked")
    asyncio.run(generate(folder, 6, 3))
    return folder


def command(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["preemption", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_command_compares_the_modes_and_gives_the_same_figures_again(
    folder: Path, tmp_path: Path
) -> None:
    found = []
    for number in range(2):
        file = tmp_path / f"{number}.json"
        output = command(str(folder), "--json", str(file), "--svg", str(tmp_path / "out.svg"))
        found.append(json.loads(file.read_text()))
    assert "tokens thrown away" in output
    assert found[0] == found[1]
    modes = found[0]["modes"]
    assert list(modes) == ["off", "eager_end", "stable_text"]
    assert found[0]["setup"]["turns"] == 6
    for mode in modes.values():
        assert mode["answered"] == 6
        assert mode["attempts"] == mode["hits"] + mode["discards"]
    assert modes["off"]["wasted_tokens"] == 0
    assert modes["eager_end"]["saved_ms"]["p50"] > 100
    assert modes["stable_text"]["wasted_tokens"] >= modes["eager_end"]["wasted_tokens"]
    texts = _texts(tmp_path / "out.svg")
    assert {"off", "eager_end", "stable_text"} <= set(texts)


def test_recorded_times_of_engines_are_named_in_the_figures(folder: Path, tmp_path: Path) -> None:
    recorded, file = tmp_path / "asr.txt", tmp_path / "found.json"
    recorded.write_text("80\n120\n")
    asr = ["--set", "simulated.asr.kind=recorded", "--set", f"simulated.asr.file={recorded}"]
    command(str(folder), *asr, "--json", str(file))
    assert json.loads(file.read_text())["setup"]["simulated"]["asr"]["file"] == str(recorded)


def _texts(file: Path) -> Sequence[str]:
    root = ElementTree.fromstring(file.read_text())
    return [e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text")]


def test_picture_of_nothing_answered_can_still_be_drawn() -> None:
    nothing = ModeFigures(voice_to_voice_ms=[None])
    ElementTree.fromstring(picture(report({"off": nothing, "eager_end": nothing}, {})))


def test_policy_that_works_in_real_time_gives_way_to_text(folder: Path) -> None:
    said = command(str(folder), "--set", "turns.endpointing=fused")
    assert "turns.endpointing = text: fused's model knows no virtual time" in said
