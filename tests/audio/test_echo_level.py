from __future__ import annotations

import numpy as np

from voicepipe.audio.echo_level import EchoLevel, Kind
from voicepipe.audio.pcm import FRAME_SAMPLES, Int16

AGENT = 2000.0  # of the agent's voice, RMS


def noise(rms: float, seed: int) -> Int16:
    return np.random.default_rng(seed).normal(0, rms, FRAME_SAMPLES).astype(np.int16)


def judge(level: EchoLevel, near_db: float, seed: int, speech: bool, removed: bool) -> Kind:
    """A frame so far below the agent's voice."""
    assert level.played(noise(AGENT, seed))
    near = noise(AGENT * 10 ** (near_db / 20), seed + 1)
    kind = level.judge(near, near // 10 if removed else near)
    level.settle(speech)
    return kind


def after_an_echo(db: float, frames: int = 100) -> EchoLevel:
    level = EchoLevel()
    for number in range(frames):
        judge(level, db, number, speech=False, removed=True)
    return level


def test_what_is_as_loud_as_the_echo_has_been_is_echo_and_what_is_far_louder_the_user() -> None:
    level = after_an_echo(-30)
    assert abs(level.db + 30) < 2
    assert judge(level, -30, 1, speech=False, removed=False) == "echo"
    assert judge(level, -19.5, 1, speech=False, removed=False) == "doubtful"
    assert judge(level, -10, 1, speech=True, removed=False) == "user"


def test_on_a_line_without_echo_the_user_is_heard_as_they_come() -> None:
    level = after_an_echo(-60)
    assert judge(level, -45, 1, speech=True, removed=False) == "user"


def test_the_canceller_alone_decides_before_anything_is_known() -> None:
    level = after_an_echo(-30, 5)
    assert judge(level, 0, 1, speech=True, removed=False) == "doubtful"


def test_a_users_speech_over_the_agent_does_not_pass_for_echo() -> None:
    level = after_an_echo(-30)
    for number in range(150):  # 3 s
        assert judge(level, -5, number, speech=True, removed=False) == "user"
    assert abs(level.db + 30) < 2


def test_a_loudspeaker_that_is_switched_on_is_learned_from_the_canceller() -> None:
    level = after_an_echo(-30)
    for number in range(400):  # 8 s
        judge(level, -8, number, speech=True, removed=True)
    assert judge(level, -8, 1, speech=True, removed=True) != "user"


def test_nothing_is_an_echo_where_the_agent_is_silent() -> None:
    level = after_an_echo(-30)
    silence = np.zeros(FRAME_SAMPLES, dtype=np.int16)
    assert level.played(silence)  # of what was said just before
    for _ in range(40):
        possible = level.played(silence)
    assert not possible
