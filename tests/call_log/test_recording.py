"""The stereo file: left the caller, right what the caller heard, valid at every moment."""

from __future__ import annotations

import errno
import os
import stat
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from voicepipe.audio import g711, pcm
from voicepipe.audio.formats import PCM_24K, PCMU_8K, AudioFormat
from voicepipe.call_log.recording import CallRecording, Cut, Heard, Sound
from voicepipe.call_log.stereo_wav import FRAME_BYTES, HEADER_BYTES, LEFT, RIGHT, StereoWav, repair

RATE = 8000
WIRE = AudioFormat("pcm16", RATE)


def read_stereo(path: Path) -> tuple[npt.NDArray[np.int16], int]:
    """Samples [frames, 2] and the rate, as any program reads them."""
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth()) == (2, 2)
        data = file.readframes(file.getnframes())
        assert len(data) == file.getnframes() * FRAME_BYTES
        return np.frombuffer(data, dtype="<i2").reshape(-1, 2), file.getframerate()


def tone(ms: float, level: int) -> bytes:
    return pcm.to_bytes(np.full(round(ms * RATE / 1000), level, dtype=np.int16))


def at(ms: float) -> int:
    return round(ms * RATE / 1000)


def test_both_sides_lie_where_they_were_heard(tmp_path: Path) -> None:
    path = tmp_path / "day" / "call.wav"
    recording = CallRecording(path, RATE, (WIRE, WIRE))
    caller = [Heard((n + 1) * 0.02, tone(20, 100)) for n in range(25)]  # 0..500 ms
    agent = [Heard(0.7, tone(300, 200)), Heard(0.71, tone(300, 300))]  # given ahead of playback
    recording.write(Sound(caller, [*agent]))
    recording.write(Sound([Heard(1.52, tone(20, 400))], []))
    recording.close(2.0)
    samples, rate = read_stereo(path)
    assert rate == RATE
    assert len(samples) == at(2000)
    left, right = samples[:, LEFT], samples[:, RIGHT]
    assert (left[: at(500)] == 100).all()
    assert not left[at(500) : at(1500)].any()
    assert (left[at(1500) : at(1520)] == 400).all()
    assert not right[: at(700)].any()
    assert (right[at(700) : at(1000)] == 200).all()
    assert (right[at(1000) : at(1300)] == 300).all()  # behind the first, not over it
    assert not right[at(1300) :].any()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_was_flushed_was_never_heard(tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    recording = CallRecording(path, RATE, (WIRE, WIRE))
    recording.write(Sound([], [Heard(0.1, tone(2000, 200))]))
    recording.write(Sound([], [Cut(0.6), Heard(0.8, tone(100, 300))]))
    recording.write(Sound([], [Cut(5.0), Heard(5.0, tone(3000, 400))]))
    recording.close(6.0)  # hung up in the middle of a word
    right = read_stereo(path)[0][:, RIGHT]
    assert len(right) == at(6000)
    assert (right[at(100) : at(600)] == 200).all()
    assert not right[at(600) : at(800)].any()
    assert (right[at(800) : at(900)] == 300).all()
    assert not right[at(900) : at(5000)].any()
    assert (right[at(5000) :] == 400).all()


@pytest.mark.parametrize("rate", [8000, 16_000])
def test_wires_of_other_rates_and_codecs_keep_their_time(tmp_path: Path, rate: int) -> None:
    path = tmp_path / "call.wav"
    recording = CallRecording(path, rate, (PCMU_8K, PCM_24K))
    seconds = np.arange(8000) / 8000
    caller = np.rint(8000 * np.sin(2 * np.pi * 440 * seconds)).astype(np.int16)
    wire = g711.encode(caller, "pcmu")
    pieces = [Heard((n + 1) * 0.02, wire[n * 160 : (n + 1) * 160]) for n in range(50)]
    agent = np.zeros(24_000, dtype=np.int16)
    agent[12_000:] = 5000
    recording.write(Sound(pieces, [Heard(0.0, pcm.to_bytes(agent))]))
    recording.close(1.0)
    samples, found_rate = read_stereo(path)
    assert found_rate == rate
    assert len(samples) == rate
    spectrum = np.abs(np.fft.rfft(samples[:, LEFT].astype(np.float64)))
    assert abs(int(spectrum.argmax()) - 440) <= 1
    step = int(np.argmax(samples[:, RIGHT] > 2500))
    assert abs(step / rate - 0.5) < 0.004  # the resampler's 2 ms


steps = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.integers(1, 3000), st.integers(0, 500)),
        st.tuples(st.just("cut"), st.just(0), st.integers(0, 500)),
        st.tuples(st.just("write"), st.just(0), st.integers(0, 500)),
    ),
    min_size=1,
    max_size=30,
)


@given(steps)
def test_the_agents_side_is_what_a_listener_hears(
    tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, int, int]]
) -> None:
    """Against a model that plays sample by sample; times are in samples, pauses beyond the slack
    or none."""
    path = tmp_path_factory.mktemp("call") / "call.wav"
    recording = CallRecording(path, RATE, (WIRE, WIRE))
    heard: list[int] = []  # the model: what the listener hears at each sample
    now, sound, level = 0, Sound(), 0
    for what, samples, wait in script:
        now += wait if wait == 0 else wait + 200  # over 20 ms
        if what == "play":
            assume(now - len(heard) != 160)  # at the slack itself a rounded time decides
            level += 1
            sound.agent.append(Heard(now / RATE, tone(samples * 1000 / RATE, level)))
            if now - len(heard) > 160:
                heard += [0] * (now - len(heard))
            heard += [level] * samples
        elif what == "cut":
            sound.agent.append(Cut(now / RATE))
            heard = heard[:now]
        else:
            recording.write(sound)
            sound = Sound()
    recording.write(sound)
    recording.close(now / RATE)
    right = read_stereo(path)[0][:, RIGHT]
    assert len(right) == now
    expected = np.zeros(now, dtype=np.int16)
    expected[: min(now, len(heard))] = heard[:now]
    np.testing.assert_array_equal(right, expected)


def test_the_file_is_valid_between_any_two_batches(tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    recording = CallRecording(path, RATE, (WIRE, WIRE))
    assert len(read_stereo(path)[0]) == 0
    for second in range(3):
        recording.write(Sound([Heard(second + 1.0, tone(1000, 100 + second))], []))
        left = read_stereo(path)[0][:, LEFT]
        assert len(left) == at(1000 * (second + 1))
        assert left[-1] == 100 + second
    recording.close(3.0)


def test_a_file_whose_writer_died_is_repaired(tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    wav = StereoWav(path, RATE)
    wav.put(LEFT, 0, np.full(1000, 7, dtype=np.int16))
    assert len(read_stereo(path)[0]) == 0  # not saved: the header does not tell yet
    with path.open("ab") as file:
        file.write(b"\x01\x02\x03")  # half a frame
    assert repair(path)
    samples = read_stereo(path)[0]
    assert len(samples) == 1000
    assert (samples[:, LEFT] == 7).all()
    wav.close()
    other = tmp_path / "notes.txt"
    other.write_bytes(b"x" * 100)
    assert not repair(other)
    assert other.read_bytes() == b"x" * 100


def test_a_recording_never_overwrites_another(tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    StereoWav(path, RATE).close()
    with pytest.raises(FileExistsError):
        StereoWav(path, RATE)
    assert path.stat().st_size == HEADER_BYTES


def test_recording_that_cannot_begin_leaves_no_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, data: bytes, place: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "day" / "call.wav"
    with monkeypatch.context() as disk:
        disk.setattr(os, "pwrite", full)
        with pytest.raises(OSError, match="No space"):
            StereoWav(path, RATE)
        disk.setattr(os, "pwrite", lambda file, data, place: len(data) - 1)
        with pytest.raises(OSError, match="No space"):
            StereoWav(path, RATE)
    assert not path.exists()
    StereoWav(path, RATE).close()


def test_all_folders_that_are_made_are_their_owners_only(tmp_path: Path) -> None:
    path = tmp_path / "voicepipe" / "recordings" / "day" / "call.wav"
    StereoWav(path, RATE).close()
    for folder in path.parents[:3]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder


def test_a_file_that_a_full_disk_has_cut_within_a_sample_is_gone_on_with(tmp_path: Path) -> None:
    wav = StereoWav(tmp_path / "call.wav", RATE)
    wav.put(LEFT, 0, np.full(5, 100, dtype=np.int16))
    os.truncate(wav.path, HEADER_BYTES + 5 * FRAME_BYTES + 1)
    wav.put(RIGHT, 3, np.full(4, 200, dtype=np.int16))
    wav.close()
    samples, _ = read_stereo(wav.path)
    assert samples[3:7].tolist() == [[100, 200], [100, 200], [0, 200], [0, 200]]
