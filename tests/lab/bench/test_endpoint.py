"""Endpointing policies scored on marked recordings: real speech of espeak's, the real detector and
the real dialog.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from scripts.make_endpoint_recordings import generate
from scripts.make_smart_turn_stand_in import write_stand_in
from voicepipe.audio import files
from voicepipe.audio.pcm import FRAME_MS, SAMPLE_RATE, Int16
from voicepipe.config import Settings, VadSettings
from voicepipe.dialog.options import Endpointing, TurnOptions
from voicepipe.lab.bench.endpoint.insight import area, insight
from voicepipe.lab.bench.endpoint.marked import MarkedError, MarkedTurn, Segment, load
from voicepipe.lab.bench.endpoint.picture import curves
from voicepipe.lab.bench.endpoint.replay import EndJudge, Heard, Outcome, Session, hear, replay
from voicepipe.lab.bench.endpoint.sweep import SCALES, Point, at_level, point, report, scaled, sweep
from voicepipe.lab.cli.bench import app
from voicepipe.lab.cli.bench_endpoint import _each_language
from voicepipe.vad.engines import create_detector
from voicepipe.vad.smart_turn import SmartTurn

TURNS = 6
WITH_PAUSES = 3  # a seed with which the six turns hold hesitations


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marked")
    asyncio.run(generate(folder, TURNS, WITH_PAUSES))
    return folder


@pytest.fixture(scope="module")
def turns(folder: Path) -> tuple[MarkedTurn, ...]:
    return load(folder)


@pytest.fixture(scope="module")
def sessions(turns: tuple[MarkedTurn, ...]) -> tuple[Session, ...]:
    return hear(turns, lambda: create_detector(VadSettings()))


# -- recordings ------------------------------------------------------------------------------------


def test_recordings_are_speech_where_the_manifest_says_so_and_quiet_elsewhere(
    turns: tuple[MarkedTurn, ...],
) -> None:
    assert len(turns) == TURNS
    assert any(turn.pauses for turn in turns)
    for turn in turns:
        for segment in turn.segments:
            assert segment.words
            assert _level(turn, segment.start_ms, segment.end_ms) > 500
        for start_ms, end_ms in turn.pauses:
            assert 200 <= end_ms - start_ms <= 1500
            assert _level(turn, start_ms, end_ms) < 60
        assert _level(turn, turn.end_ms, turn.end_ms + 2000) < 60


def _level(turn: MarkedTurn, start_ms: float, end_ms: float) -> float:
    piece = turn.samples[round(start_ms * 16) : round(end_ms * 16)].astype(np.float64)
    return float(np.sqrt(np.mean(piece**2)))


def test_same_seed_same_recordings(folder: Path, tmp_path: Path) -> None:
    asyncio.run(generate(tmp_path, TURNS, WITH_PAUSES))
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_words_are_spread_over_their_segment(turns: tuple[MarkedTurn, ...]) -> None:
    for turn in turns:
        words = turn.words()
        assert [word for _, word in words] == [w for s in turn.segments for w in s.words]
        assert [at for at, _ in words] == sorted(at for at, _ in words)
        assert words[-1][0] == pytest.approx(turn.end_ms)


GOOD = {"start_s": 0.1, "end_s": 0.5, "text": "yes", "then": "end"}


@pytest.mark.parametrize(
    ("segments", "complaint"),
    [
        ([], "the last segment must have"),
        ([{**GOOD, "then": "pause"}], "the last segment must have"),
        ([GOOD, GOOD], "must follow each other"),
        ([{**GOOD, "end_s": 0.1}], "must follow each other"),
        ([{"start_s": 0.1, "end_s": 0.5, "then": "end"}], "KeyError: 'text'"),
        ([{**GOOD, "end_s": 9.0}], "a segment ends after one.wav does"),
    ],
)
def test_manifest_that_makes_no_sense_is_refused_by_line(
    segments: list[dict[str, object]], complaint: str, tmp_path: Path
) -> None:
    files.write_wav(tmp_path / "one.wav", np.zeros(SAMPLE_RATE, dtype=np.int16), SAMPLE_RATE)
    line = json.dumps({"file": "one.wav", "segments": segments})
    (tmp_path / "manifest.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(MarkedError, match=f"manifest.jsonl, line 2: .*{re.escape(complaint)}"):
        load(tmp_path)


def test_manifest_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_bytes('{"file": "größe.wav"}'.encode("latin-1"))
    with pytest.raises(MarkedError, match=r"manifest\.jsonl: .*UTF-8"):
        load(tmp_path)


def test_folder_without_a_manifest_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(MarkedError, match="make_endpoint_recordings"):
        load(tmp_path)


# -- replay ----------------------------------------------------------------------------------------


def heard(*stretches: tuple[int, int], speaker: str = "") -> Heard:
    """A turn of perfect probabilities: (ms of speech, ms of silence after it) each."""
    at, segments, probabilities = 200, list[Segment](), [0.0] * 10
    for number, (speech_ms, silence_ms) in enumerate(stretches):
        word = "time" if number == len(stretches) - 1 else "the"
        segments.append(Segment(at, at + speech_ms, ("what", word)))
        probabilities += [1.0] * (speech_ms // FRAME_MS) + [0.0] * (silence_ms // FRAME_MS)
        at += speech_ms + silence_ms
    samples = np.zeros(at * 16, dtype=np.int16)
    return Heard(MarkedTurn("made", speaker, samples, tuple(segments)), tuple(probabilities))


def test_wait_is_from_the_true_end_to_the_endpoint() -> None:
    options = TurnOptions(endpointing="fixed", endpoint_unknown_ms=400)
    [outcome] = replay((heard((600, 100)),), options, 0)
    assert outcome == Outcome(pauses=0, cut_offs=0, wait_ms=400, eager_ends=1, discards=0)


def test_pause_that_is_waited_for_costs_a_prepared_reply() -> None:
    options = TurnOptions(endpointing="fixed", endpoint_unknown_ms=600)
    [outcome] = replay((heard((600, 500), (600, 1000)),), options, 0)
    assert outcome == Outcome(pauses=1, cut_offs=0, wait_ms=600, eager_ends=2, discards=1)


@pytest.mark.parametrize("pause_ms", [500, 1000, 1400])  # reopened, and interrupted
def test_pause_that_ends_the_turn_is_a_cut_off(pause_ms: int) -> None:
    options = TurnOptions(endpointing="fixed", endpoint_unknown_ms=300)
    [outcome] = replay((heard((600, pause_ms), (600, 1000)),), options, 0)
    felt = int(pause_ms > 600)  # audible 100 ms after the endpoint, and for more than 200 ms
    made = Outcome(1, cut_offs=1, felt=felt, wait_ms=300, eager_ends=2, discards=0)
    assert outcome == made


@pytest.mark.parametrize(("delay_ms", "wait_ms"), [(0, 300), (200, 300), (500, 500)])
def test_text_counts_once_it_is_known(delay_ms: int, wait_ms: int) -> None:
    [outcome] = replay((heard((600, 100)),), TurnOptions(), delay_ms)
    assert outcome.wait_ms == pytest.approx(wait_ms, abs=FRAME_MS)


def test_unfinished_text_is_waited_for() -> None:
    [outcome] = replay((heard((600, 900), (600, 100)),), TurnOptions(), 100)
    assert (outcome.cut_offs, outcome.wait_ms) == (0, 300)


def test_speakers_are_sessions_of_their_own_in_their_order() -> None:
    silence = np.zeros(SAMPLE_RATE, dtype=np.int16)
    segments = (Segment(100, 200, ("yes",)),)
    made = [MarkedTurn(f"{n}", who, silence, segments) for n, who in enumerate("abab")]
    found = hear(made, lambda: create_detector(VadSettings(engine="webrtc")))
    assert [[one.turn.name for one in session] for session in found] == [["0", "2"], ["1", "3"]]


def test_learning_goes_on_from_turn_to_turn_of_a_speaker() -> None:
    options = TurnOptions(endpointing="learned")
    quick = replay((heard((600, 100)),) * 12, options, 100)
    assert quick[0].wait_ms == 300
    assert quick[-1].wait_ms == options.endpoint_min_ms
    assert replay((heard((600, 100)),), options, 100)[0].wait_ms == 300, "nothing was kept"


# -- sweep -----------------------------------------------------------------------------------------


def test_longer_fixed_wait_never_cuts_more(sessions: tuple[Session, ...]) -> None:
    points = sweep("fixed", sessions, TurnOptions(), 220)
    cuts = [one.cut_off_rate for one in points]
    waits = [one.wait_p50_ms for one in points if one.wait_p50_ms is not None]
    assert cuts == sorted(cuts, reverse=True)
    assert len(waits) == len(points)
    assert waits == sorted(waits)
    assert cuts[0] > cuts[-1] == 0, "from cutting off to none on these recordings"


@pytest.mark.parametrize("name", ["text", "learned", "fused"])
def test_every_policy_ends_every_turn(name: Endpointing, sessions: tuple[Session, ...]) -> None:
    for one in sweep(name, sessions, TurnOptions(), 220, scales=(1.0, 2.5)):
        assert (one.turns, one.unanswered) == (TURNS, 0)
        assert one.wait_p50_ms is not None
        assert 150 < one.wait_p50_ms < 2600


def test_audio_model_is_asked_once_per_silence(
    sessions: tuple[Session, ...], tmp_path: Path
) -> None:
    write_stand_in(tmp_path / "model.onnx")
    model = SmartTurn(tmp_path / "model.onnx")
    asked: list[int] = []

    class Counting:
        def probability(self, speech: np.ndarray[tuple[int], np.dtype[np.int16]]) -> float:
            asked.append(speech.size)
            return model.probability(speech)

    judge = EndJudge(Counting())
    for scale in (1.0, 1.0):
        sweep("smart_turn", sessions, TurnOptions(), 220, judge, scales=(scale,))
    eager_ends = sum(
        outcome.eager_ends
        for session in sessions
        for outcome in replay(session, scaled(TurnOptions(), "smart_turn", 1.0), 220, judge)
    )
    assert len(asked) == eager_ends
    assert min(asked) > SAMPLE_RATE // 4


class Sure:
    """A model that has one opinion."""

    def __init__(self, end: float) -> None:
        self.end, self.asked = end, list[int]()

    def probability(self, speech: Int16) -> float:
        self.asked.append(speech.size)
        return self.end


def test_our_own_model_is_asked_again_while_the_silence_lasts() -> None:
    model = Sure(0.02)
    options = TurnOptions(endpointing="fused")
    replay((heard((600, 1500)),), options, 220, EndJudge(model, 0))
    apart = [(b - a) * 1000 // SAMPLE_RATE for a, b in pairwise(model.asked)]
    assert apart == [40, 40], "from 60 to 140 ms"


@pytest.mark.parametrize(("end", "least", "most"), [(0.99, 160, 200), (0.02, 500, 1100)])
def test_what_is_heard_moves_the_wait(end: float, least: int, most: int) -> None:
    options = TurnOptions(endpointing="fused")
    [outcome] = replay((heard((600, 1500)),), options, 220, EndJudge(Sure(end), 0))
    assert outcome.wait_ms is not None
    assert least <= outcome.wait_ms <= most


def test_a_model_that_knows_has_all_pairs_right_and_one_that_does_not_half() -> None:
    assert area(np.array([0.1, 0.2]), np.array([0.3, 0.9])) == 1
    assert area(np.array([0.5, 0.5]), np.array([0.5])) == 0.5
    assert area(np.array([0.1, 0.8]), np.array([0.5, 0.9])) == 0.75


def test_insight_asks_after_every_pause_and_end() -> None:
    model = Sure(0.5)
    turn = heard((600, 500), (600, 1000)).turn
    found = insight([turn], EndJudge(model, 0))
    assert (found.pauses, found.ends, found.auc) == (1, 1, 0.5)
    assert len(model.asked) == 2
    assert found.low <= 0.5 <= found.high


def made_point(scale: float, cut_off_rate: float, wait_ms: float) -> Point:
    empty = point(scale, [Outcome(0, wait_ms=wait_ms)])
    return replace(empty, cut_off_rate=cut_off_rate)


def test_waits_are_compared_at_equal_cut_offs() -> None:
    points = [made_point(0.5, 0.3, 200), made_point(1, 0.1, 400), made_point(2, 0.0, 900)]
    between = at_level(points, 0.05)
    assert between is not None
    assert between["wait_p50_ms"] == pytest.approx(650)
    assert at_level(points, 0.1) is not None
    assert at_level(points, 0.5) is None


def test_each_turn_counts_for_its_own_language_whoever_speaks_it() -> None:
    one = heard((100, 500), speaker="anna")
    mixed = tuple(
        replace(one, turn=replace(one.turn, language=code)) for code in ("de", "en", "de")
    )
    found = _each_language(["text"], [mixed], Settings(), 220, {})
    assert {code: each["text"]["turns"] for code, each in found.items()} == {"de": 2, "en": 1}


def test_two_recordings_of_one_name_are_heard_apart() -> None:
    one = heard((100, 500)).turn
    other = replace(one, language="de", samples=np.ones_like(one.samples))
    model = Sure(0.5)
    judge = EndJudge(model)
    for turn in (one, other, one):
        judge.probability(turn, 100, 500)
    assert len(model.asked) == 2


def test_picture_is_xml_with_a_line_per_policy() -> None:
    points = [made_point(scale, 0.3 / scale, 300 * scale) for scale in SCALES]
    picture = ElementTree.fromstring(curves(report({"fixed": points, "text": points}, {})))
    lines = picture.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert [line.get("class") for line in lines] == ["fixed", "text"]
    assert all(len(str(line.get("points")).split()) == len(SCALES) for line in lines)


def test_picture_of_turns_that_never_ended_late_is_drawn() -> None:
    points = [made_point(scale, 0.0, 0.0) for scale in SCALES]
    ElementTree.fromstring(curves(report({"fixed": points}, {})))


# -- the command -----------------------------------------------------------------------------------


def test_command_writes_all_it_found(folder: Path, tmp_path: Path) -> None:
    write_stand_in(tmp_path / "model.onnx")
    written = {kind: tmp_path / f"out.{kind}" for kind in ("json", "html", "svg")}
    flags = [item for kind, path in written.items() for item in (f"--{kind}", str(path))]
    model = f"turns.smart_turn_model={tmp_path / 'model.onnx'}"
    result = CliRunner().invoke(app, ["endpoint", str(folder), *flags, "--set", model])
    assert result.exit_code == 0, result.output
    found = json.loads(written["json"].read_text())
    assert list(found["policies"]) == ["fixed", "text", "learned", "fused", "smart_turn"]
    assert set(found["models"]) == {"fused", "smart_turn"}
    assert found["setup"]["turns"] == TURNS
    assert "silence only" in result.output
    ElementTree.parse(written["svg"])
    assert "<svg" in written["html"].read_text()


def test_command_scores_only_what_is_asked_for(folder: Path, tmp_path: Path) -> None:
    arguments = ["endpoint", str(folder), "--policy", "text", "--json", str(tmp_path / "o.json")]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert list(json.loads((tmp_path / "o.json").read_text())["policies"]) == ["text"]


def test_command_names_an_unknown_policy(folder: Path) -> None:
    result = CliRunner().invoke(app, ["endpoint", str(folder), "--policy", "magic"])
    assert result.exit_code == 2
    assert "magic" in result.output


def test_turns_that_nobody_heard_have_no_wait_and_not_the_best_one(tmp_path: Path) -> None:
    silent = np.zeros(2 * SAMPLE_RATE, dtype=np.int16)
    files.write_wav(tmp_path / "one.wav", silent, SAMPLE_RATE)
    files.write_wav(tmp_path / "two.wav", silent, SAMPLE_RATE)
    lines = [
        {"file": f"{name}.wav", "language": code, "segments": [GOOD]}
        for name, code in (("one", "en"), ("two", "de"))
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(map(json.dumps, lines)))
    written = {kind: tmp_path / f"out.{kind}" for kind in ("json", "svg", "html")}
    flags = [word for kind, path in written.items() for word in (f"--{kind}", str(path))]
    done = CliRunner().invoke(app, ["endpoint", str(tmp_path), "--policy", "text", *flags])
    assert done.exit_code == 0, done.output
    assert re.search(r"text +0\.0% +0\.0% +0\.0% +- +- +- ", done.output)
    assert re.search(r"English +1 +0%; - / -", done.output)
    found = json.loads(written["json"].read_text())["policies"]["text"]
    assert {one["wait_p50_ms"] for one in found["points"]} == {None}
    assert set(found["at"].values()) == {None}
    assert "<circle" not in written["svg"].read_text()
    assert "<td>-</td>" in written["html"].read_text()
