from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from voicepipe.audio import files, pcm
from voicepipe.audio.codec import Decoder
from voicepipe.audio.frames import Framer
from voicepipe.config import VadSettings
from voicepipe.lab.bench.recordings import (
    FRAME_SAMPLES,
    QUESTIONS,
    WIRE,
    RecordingsError,
    buzz,
    load,
    loud,
    recording,
)
from voicepipe.vad.engines import create_detector


def tone(ms: int) -> pcm.Int16:
    n = np.arange(WIRE.rate * ms // 1000)
    samples: pcm.Int16 = (8000 * np.sin(n * 0.1)).astype(np.int16)
    return samples


def test_speech_ends_in_the_frame_that_holds_its_last_sample() -> None:
    samples = np.concatenate((pcm.silence(300, WIRE.rate), tone(510), pcm.silence(205, WIRE.rate)))
    by_loudness = recording("a", samples)
    assert by_loudness.last_voiced == 40  # 810 ms lies in the frame from 800 to 820 ms
    assert recording("a", samples, speech_end_s=0.81).last_voiced == 40
    assert recording("a", samples, speech_end_s=0.80).last_voiced == 39
    assert recording("a", samples, speech_end_s=99.0).last_voiced == 50
    assert len(by_loudness.frames) == 51  # the last one padded
    assert {len(frame) for frame in by_loudness.frames} == {FRAME_SAMPLES * 2}
    assert by_loudness.length_s == pytest.approx(1.02)


def test_the_checkout_has_twelve_questions_with_known_ends() -> None:
    found = {r.name: r for r in load()}
    assert len(found) == 12
    for line in (QUESTIONS / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        question = found[entry["file"]]
        end_s = question.last_voiced * 0.02
        assert end_s <= entry["speech_end_s"] <= end_s + 0.02 + 1e-9
        assert any(loud(pcm.from_bytes(f)) for f in question.frames)


def test_a_folder_without_a_manifest_is_read_file_by_file(tmp_path: Path) -> None:
    files.write_wav(tmp_path / "b.wav", tone(400), WIRE.rate)
    files.write_wav(tmp_path / "a.wav", tone(200), WIRE.rate)
    (tmp_path / "notes.txt").write_text("not a sound")
    assert [(r.name, r.last_voiced) for r in load(tmp_path)] == [("a.wav", 9), ("b.wav", 19)]


@pytest.mark.parametrize(
    ("files_", "message"),
    [
        ({}, "neither a manifest.jsonl nor a sound file"),
        ({"manifest.jsonl": '{"text": "x"}\n'}, "manifest.jsonl, line 1: expected a JSON object"),
        ({"manifest.jsonl": "[]\n"}, "manifest.jsonl, line 1: expected a JSON object"),
        ({"manifest.jsonl": "\n\nnonsense\n"}, "manifest.jsonl, line 3: expected a JSON object"),
        *(
            (
                {"manifest.jsonl": f'{{"file": "a.wav", "speech_end_s": {end}}}\n'},
                "line 1: expected",
            )
            for end in ("NaN", "Infinity", "-1e999")
        ),
        ({"manifest.jsonl": '{"file": "\ud800"}'}, "manifest.jsonl: .*UTF-8"),
    ],
)
def test_an_unusable_folder_is_named(tmp_path: Path, files_: dict[str, str], message: str) -> None:
    for name, text in files_.items():
        (tmp_path / name).write_bytes(text.encode(errors="surrogatepass"))
    if files_:
        files.write_wav(tmp_path / "a.wav", tone(200), WIRE.rate)
    with pytest.raises(RecordingsError, match=message) as caught:
        load(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_silence_is_no_question(tmp_path: Path) -> None:
    files.write_wav(tmp_path / "quiet.wav", pcm.silence(300, WIRE.rate), WIRE.rate)
    with pytest.raises(RecordingsError, match=r"quiet\.wav: the recording is silent"):
        load(tmp_path)
    with pytest.raises(RecordingsError, match="no such folder"):
        load(tmp_path / "gone")


@pytest.mark.parametrize("engine", ["webrtc", "silero", "gated"])
def test_every_detector_takes_the_buzz_for_speech(engine: str) -> None:
    detector = create_detector(VadSettings(engine=engine))
    decoder, framer = Decoder(WIRE, pcm.SAMPLE_RATE), Framer()
    sound = buzz()
    judged = [
        detector.probability(frame)
        for data in sound.frames
        for frame in framer.push(decoder.decode(data))
    ]
    voiced = judged[25 : sound.last_voiced - 5]  # from 200 ms after its start
    assert np.mean([p >= 0.35 for p in voiced]) > 0.9
    assert not any(p >= 0.5 for p in judged[:13])


def test_a_manifest_may_say_what_a_right_answer_has(tmp_path: Path) -> None:
    files.write_wav(tmp_path / "a.wav", tone(200), WIRE.rate)
    (tmp_path / "manifest.jsonl").write_text('{"file": "a.wav", "answer": "half past"}\n')
    (recording,) = load(tmp_path)
    assert recording.answer == "half past"
