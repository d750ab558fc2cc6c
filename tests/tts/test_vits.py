"""Voices cut in three: found, kept, and bit for bit what the uncut graph says."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from scripts.make_piper_voice import write_voice
from scripts.vits_graph import MEDIUM
from voicepipe.tts.engines.vits import parts as parts_module
from voicepipe.tts.engines.vits.cut import NotCuttable, cut
from voicepipe.tts.engines.vits.parts import CutFailed, parts_of
from voicepipe.tts.engines.vits.reach import Reach
from voicepipe.tts.engines.vits.stream import (
    FIRST_FRAMES,
    MOST_FRAMES,
    CutVoice,
    Float32,
    Layout,
    Session,
    WholeVoice,
)


def open_session(path: Path, threads: int = 1) -> Session:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session: Session = onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"]
    )
    return session


def feeds(ids: int, speaker: int | None = None) -> dict[str, Any]:
    """A sentence without noise: the same each time. Every second id is a pad, as in Piper."""
    values = np.random.default_rng(ids).integers(3, 60, (1, ids))
    values[0, 1::2] = 0
    given = {
        "input": values,
        "input_lengths": np.array([ids]),
        "scales": np.array([0.0, 1.0, 0.0], np.float32),
    }
    return given if speaker is None else given | {"sid": np.array([speaker])}


def spoken(voice: CutVoice | WholeVoice, given: dict[str, Any]) -> list[Float32]:
    return list(voice.speak(given).chunks)


@pytest.fixture(scope="module")
def medium(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The architecture and size of Piper's medium voices."""
    path = tmp_path_factory.mktemp("medium") / "medium.onnx"
    write_voice(path, size=MEDIUM)
    assert 62_000_000 < path.stat().st_size < 64_000_000
    return path


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    write_voice(tmp_path / "voices" / "tiny.onnx")
    return tmp_path / "voices" / "tiny.onnx"


# --- the sound ----------------------------------------------------------------------------------


def test_windows_give_the_uncut_voices_waveform_bit_for_bit(medium: Path) -> None:
    parts = parts_of(medium, open_session)
    assert parts.difference == 0.0
    voice, whole = parts.load(open_session), WholeVoice(open_session(medium), parts.layout.hop)
    for ids in (3, 9, 31, 90, 201):  # from one window to many, crumbs at the end and none
        (expected,) = spoken(whole, feeds(ids))
        chunks = spoken(voice, feeds(ids))
        assert np.array_equal(np.concatenate(chunks), expected), ids
        assert max(chunk.size for chunk in chunks) < (MOST_FRAMES + FIRST_FRAMES) * 256
        if expected.size > 3 * FIRST_FRAMES * 256:
            assert chunks[0].size == FIRST_FRAMES * 256
    sentence = voice.speak(feeds(90))
    assert sentence.samples is not None
    assert sentence.samples.size == 90
    assert sentence.samples.sum() == sum(chunk.size for chunk in sentence.chunks)


def test_every_speaker_and_two_threads_as_well(tmp_path: Path) -> None:
    write_voice(tmp_path / "two.onnx", speakers=2)
    parts = parts_of(tmp_path / "two.onnx", open_session)
    voice = parts.load(lambda path: open_session(path, threads=2))
    whole = WholeVoice(open_session(tmp_path / "two.onnx", threads=2), parts.layout.hop)
    sounds = []
    for speaker in (0, 1):
        (expected,) = spoken(whole, feeds(120, speaker))
        assert np.array_equal(np.concatenate(spoken(voice, feeds(120, speaker))), expected)
        sounds.append(expected)
    assert not np.array_equal(sounds[0][:4000], sounds[1][:4000])


def test_the_first_chunk_costs_a_fraction_of_the_sentence(medium: Path) -> None:
    """Counted in windows run, not in time."""
    parts = parts_of(medium, open_session)
    runs: list[int] = []

    class Counting:
        def __init__(self, path: Path) -> None:
            self._session = open_session(path)

        def run(self, outputs: Any, given: Any) -> Any:
            runs.append(max(value.shape[-1] for value in given.values()))
            return self._session.run(outputs, given)

        def get_inputs(self) -> Any:
            return self._session.get_inputs()

    chunks = parts.load(Counting).speak(feeds(200)).chunks
    assert len(runs) == 1  # the text
    next(chunks)
    text, flow, vocoder = runs
    assert (text, flow) == (200, 65)
    assert vocoder <= (FIRST_FRAMES + 7) * parts.layout.flow_reach.rate


def test_reach_is_what_it_says(tiny: Path) -> None:
    """Frames inside it change the middle, those outside do not. Rounded up, so one may be idle."""
    done = cut(onnx.load(str(tiny)))
    reach = done.vocoder.reach
    assert (reach.left, reach.right, reach.rate) == (54, 53, 32)
    session = onnxruntime.InferenceSession(
        done.vocoder.model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    channels, middle = 16, 100
    still = np.random.default_rng(1).standard_normal((1, channels, 200)).astype(np.float32)

    def middle_changes(at: int) -> bool:
        moved = still.copy()
        moved[:, :, at] += 1.0
        waves = [session.run(None, {done.vocoder.source: x})[0].ravel() for x in (still, moved)]
        here = slice(middle * reach.rate, (middle + 1) * reach.rate)
        return not np.array_equal(waves[0][here], waves[1][here])

    assert middle_changes(middle - reach.left + 1)
    assert middle_changes(middle + reach.right - 1)
    assert not middle_changes(middle - reach.left - 1)
    assert not middle_changes(middle + reach.right + 1)


# --- what cannot be cut -------------------------------------------------------------------------


def _without(kind: str) -> Callable[[onnx.ModelProto], None]:
    def change(model: onnx.ModelProto) -> None:
        for node in model.graph.node:
            if node.op_type == kind:
                node.op_type = "Other"

    return change


def _second_noise(model: onnx.ModelProto) -> None:
    noise = next(n for n in reversed(model.graph.node) if n.op_type == "RandomNormalLike")
    model.graph.node.append(
        onnx.helper.make_node("RandomNormalLike", list(noise.input), ["more_noise"])
    )


def _noisy_sound(model: onnx.ModelProto) -> None:
    """Noise of another kind in the vocoder: windows would not know what it was before."""
    last = next(n for n in reversed(model.graph.node) if n.op_type == "Tanh")
    model.graph.node.insert(
        list(model.graph.node).index(last),
        onnx.helper.make_node("RandomUniformLike", [last.input[0]], ["hiss"]),
    )
    last.input[0] = "hiss"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_without("ConvTranspose"), "it has no ConvTranspose"),
        (_without("Ceil"), "it has 0 nodes Ceil, not 1"),
        (_without("RandomNormalLike"), "it has 0 sources of noise behind its durations"),
        (_second_noise, "it has 2 sources of noise behind its durations"),
        (_noisy_sound, "there is noise behind"),
    ],
)
def test_another_architecture_is_refused_by_name(
    change: Callable[[onnx.ModelProto], None], said: str, tiny: Path
) -> None:
    model = onnx.load(str(tiny))
    change(model)
    with pytest.raises(NotCuttable, match=said):
        cut(model)


# --- on disk ------------------------------------------------------------------------------------


def test_a_voice_is_cut_once_and_again_when_it_changes(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = parts_of(tiny, open_session)
    assert first.folder.parent == tiny.parent
    assert sorted(p.name for p in first.folder.iterdir()) == [
        "cut.json", "flow.onnx", "text.onnx", "vocoder.onnx",
    ]  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(parts_module, "_make", lambda *_: pytest.fail("cut twice"))
        assert parts_of(tiny, open_session) == first
    write_voice(tiny, speakers=2)
    second = parts_of(tiny, open_session)
    assert second.folder != first.folder
    assert not first.folder.exists()  # nothing of the old voice stays behind
    assert {p.name for p in tiny.parent.iterdir()} == {
        "tiny.onnx", "tiny.onnx.json", second.folder.name,
    }  # fmt: skip


def test_a_damaged_cut_is_made_anew(tiny: Path) -> None:
    left = tiny.parent / ".cutting-tiny.onnx-abc"  # of a process that was killed
    left.mkdir()
    first = parts_of(tiny, open_session)
    assert not left.exists()
    (first.folder / "cut.json").write_text('{"layout": {}}')
    assert parts_of(tiny, open_session) == first
    assert json.loads((first.folder / "cut.json").read_text())["difference"] == 0.0


def test_parts_go_to_the_cache_where_the_voices_folder_cannot_be_written(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make = tempfile.mkdtemp
    blocked = {tiny.parent}

    def mkdtemp(prefix: str, dir: Path) -> str:  # root may write anywhere, so modes prove nothing
        if Path(dir) in blocked:
            raise PermissionError(f"{dir} is read-only")
        return make(prefix=prefix, dir=dir)

    monkeypatch.setattr(tempfile, "mkdtemp", mkdtemp)
    found = parts_of(tiny, open_session)
    assert found.folder.parent == tmp_path / "cache" / "voicepipe" / "voices"
    assert parts_of(tiny, open_session) == found
    blocked.add(found.folder.parent)
    write_voice(tiny, speakers=2)
    with pytest.raises(CutFailed, match=r"no place for its parts: .*read-only; .*read-only"):
        parts_of(tiny, open_session)


def test_windows_that_would_sound_otherwise_are_not_kept(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial, not our reading of the graph, has the last word."""

    def short_sighted(**fields: Any) -> Layout:
        return Layout(**(fields | {"vocoder_reach": Reach(left=2, right=2, rate=32)}))

    monkeypatch.setattr(parts_module, "Layout", short_sighted)
    with pytest.raises(CutFailed, match="it sounds otherwise"):
        parts_of(tiny, open_session)
    assert {p.name for p in tiny.parent.iterdir()} == {"tiny.onnx", "tiny.onnx.json"}
