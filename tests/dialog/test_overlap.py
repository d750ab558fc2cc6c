"""The judgement on speech over the agent's speech, as a table."""

from __future__ import annotations

import pytest

from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.overlap import judge_overlap
from voicepipe.languages.known import language_of

AGENT = "Your table for two is booked at seven, is there anything else?"

TABLE = [
    # speech_ms, words, interrupts
    (480, "", False),  # the first words may come any moment, and say "mhm", or be an echo
    (500, "", True),
    (280, "never", False),
    (300, "never", True),
    (60, "stop", True),  # nobody says that by the way
    (60, "wait", True),
    (60, "stop it now", True),
    (60, "no wait", True),
    (60, "leave it", False),  # "it" is a word of "got it"; one meant word needs its time
    (880, "mhm", False),
    (880, "Okay, yeah!", False),
    (880, "i see", False),
    (880, "uh huh right", False),
    (900, "mhm", True),
    (60, "okay but not tomorrow", True),
    (880, "yeah tomorrow", True),  # one meant word, and its time has come
    (280, "yeah tomorrow", False),
    (5000, "table for two", False),
    (5000, "Booked at seven.", False),
    (5000, "two is booked at seven is there anything", False),
    (5000, "yeah booked at seven", False),  # backchannels aside, an echo
    (300, "seven at booked", True),  # not in the agent's order
    (60, "for two no three people", True),
    (300, "seven", True),  # one word is too little to call it an echo
    (5000, "your table for four is booked", False),  # misheard, yet four fifths are its own
]


@pytest.mark.parametrize(("speech_ms", "words", "interrupts"), TABLE)
def test_overlap_judgement(speech_ms: int, words: str, interrupts: bool) -> None:
    verdict = judge_overlap(TurnOptions(), speech_ms=speech_ms, text=words, agent_text=AGENT)
    assert verdict is interrupts


def test_options_move_the_limits() -> None:
    patient = TurnOptions(interrupt_ms=1000, interrupt_words=4, backchannels=frozenset({"so"}))

    def judge(speech_ms: int, text: str) -> bool:
        return judge_overlap(patient, speech_ms=speech_ms, text=text, agent_text="")

    assert not judge(980, "not that one")
    assert judge(60, "not that one please")
    assert judge(60, "wait not that")
    assert not judge(60, "wait not")
    assert judge(1000, "no")
    assert judge(500, "")
    assert not judge(2980, "so")
    assert judge(1000, "yeah")


@pytest.mark.parametrize(
    ("code", "words", "speech_ms", "interrupts"),
    [
        ("de", "hmm ja genau", 880, False),
        ("de", "warte", 60, True),
        ("de", "ja aber nicht morgen", 60, True),
        ("zh", "嗯嗯", 880, False),
        ("zh", "等一下", 60, True),
        ("zh", "不是", 280, False),
        ("ja", "ちょっと待って", 60, True),
        ("ja", "そうですね", 880, False),
        ("hi", "हाँ जी ठीक है", 880, False),
        ("ar", "لا أريد ذلك", 60, True),
        ("", "mhm", 280, False),
        ("", "等一下", 60, True),
    ],
)
def test_each_language_has_its_own_backchannels_and_words(
    code: str, words: str, speech_ms: int, interrupts: bool
) -> None:
    verdict = judge_overlap(
        TurnOptions(),
        speech_ms=speech_ms,
        text=words,
        agent_text="",
        language=language_of(code),
    )
    assert verdict is interrupts


def test_a_stop_that_the_agent_itself_says_is_no_command() -> None:
    agent_text = "The bus will stop at the station."
    assert not judge_overlap(TurnOptions(), speech_ms=60, text="stop", agent_text=agent_text)


def test_nothing_is_an_echo_where_the_agent_said_nothing() -> None:
    assert judge_overlap(TurnOptions(), speech_ms=60, text="table for two", agent_text="")


@pytest.mark.parametrize(
    ("speech_ms", "words", "interrupts"),
    [
        (180, "", False),
        (200, "", True),
        (60, "and", True),  # one word is enough: they had only paused
        (60, "in Paris", True),
        (880, "mhm", False),
        (900, "mhm", True),
        (5000, "table for two", False),
    ],
)
def test_going_on_within_the_reopen_window_needs_less(
    speech_ms: int, words: str, interrupts: bool
) -> None:
    verdict = judge_overlap(
        TurnOptions(), speech_ms=speech_ms, text=words, agent_text=AGENT, reopens=True
    )
    assert verdict is interrupts
