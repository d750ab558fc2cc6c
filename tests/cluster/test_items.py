"""Everything that the contracts carry comes out of a message as it went in."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript, Word
from voicepipe.asr.language import SpokenLanguage
from voicepipe.cluster.errors import Refused, packed_error, unpacked_error
from voicepipe.cluster.items import (
    Unreadable,
    packed,
    packed_options,
    samples,
    unpacked,
    unpacked_options,
)
from voicepipe.llm.contract import (
    ChatRequest,
    Finish,
    Message,
    TextDelta,
    TokenTimes,
    Tool,
    ToolCall,
    ToolCallDelta,
    ToolCallUnusable,
    Usage,
)
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.runtime.hedging import BreakerOpen
from voicepipe.tts.contract import Speech, Voice, WordTime
from voicepipe.workers.process import WorkerDied

CALL = ToolCall("c1", "get_time", '{"zone": "Europe/Berlin"}')

ITEMS = (
    TextDelta("half a pair \ud800, a NUL \x00", 0.1, -0.5),
    TextDelta("plain"),
    ToolCallDelta(CALL, 0.25),
    Finish("length", Usage(1, 2, 3, 4, 5), {"cascade": "small"}, TokenTimes(12.5, 3.0, None)),
    Finish("stop"),
    Hypothesis("what time", "is it", 1.25, "", 0.75),
    Transcript(
        "what time", (Word("what", 0.1, 0.3, 0.9), Word("time", 0.3, 0.6, 0.8)), "en", 0.85, 1.5,
        0.2, 0.01, 0.1, None, {"asr": "fallback_late"},
    ),
    Transcript("", refused="noise"),
    Voice("en-gb+f3", 1.5, "de"),
    ChatRequest(
        (
            Message("system", "You help."),
            Message("assistant", "", (CALL,)),
            Message("tool", "{}", call_id="c1"),
        ),
        (Tool("get_time", "Tells it", {"type": "object", "properties": {"zone": {"enum": [1]}}}),),
        "get_time", 99, 0.7, 5, 2, "r1", "small", "s1", False, True,
    ),
)  # fmt: skip


def through_json(header: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(header))
    return read


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: type(item).__name__)
def test_an_item_arrives_whole(item: object) -> None:
    header, payload = packed(item)
    arrived = unpacked(through_json(header), payload)
    assert repr(arrived) == repr(item)  # fields that no comparison looks at, too
    assert type(arrived) is type(item)


def test_speech_arrives_whole_and_may_be_written_to() -> None:
    pcm = np.array([0, 1, -1, 32767, -32768], np.int16)
    speech = Speech(pcm, (WordTime(0, 5, 0.25),), 0.06, {"tts": "primary"})
    header, payload = packed(speech)
    arrived = unpacked(through_json(header), payload)
    assert arrived.pcm.tolist() == pcm.tolist()
    assert arrived.pcm.dtype == np.int16
    arrived.pcm[0] = 7  # as of an engine in this process
    assert (arrived.words, arrived.planned_s, arrived.route) == (
        speech.words, speech.planned_s, speech.route,
    )  # fmt: skip


def test_options_take_the_language_memory_along() -> None:
    spoken = SpokenLanguage()
    spoken.take(("de", "nl", "nl"))
    options = AsrOptions("", spoken, False, "Berlin", True)
    arrived = unpacked_options(through_json(packed_options(options)))
    assert (arrived.language, arrived.partials, arrived.prompt, arrived.word_times) == (
        "", False, "Berlin", True,
    )  # fmt: skip
    assert arrived.spoken is not None
    assert arrived.spoken.known == ("de", "nl", "nl")
    assert unpacked_options(through_json(packed_options(AsrOptions()))) == AsrOptions()


@pytest.mark.parametrize(
    "error",
    [
        EngineError("it failed", stage="llm", retryable=True),
        EngineUnavailable("pip install it", stage="tts"),
        BreakerOpen("open", stage="asr", retryable=True),
        WorkerDied("killed by SIGKILL", stage="tts"),
        Refused("full", stage="llm", retryable=True),
        ToolCallUnusable("it is no JSON object"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_arrives_as_what_it_was(error: EngineError) -> None:
    arrived = unpacked_error(through_json(packed_error(error)))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert (arrived.stage, arrived.retryable) == (error.stage, error.retryable)
    assert getattr(arrived, "reason", None) == getattr(error, "reason", None)


class Grumpy(EngineError):
    """An engine's own."""


def test_an_error_of_an_engines_own_class_arrives_as_the_nearest_known() -> None:
    arrived = unpacked_error(packed_error(Grumpy("no", stage="llm")))
    assert type(arrived) is EngineError


def test_what_a_newer_version_adds_is_skipped() -> None:
    assert unpacked({"is": "TextDelta", "text": "hi", "mood": "good"}) == TextDelta("hi")
    assert unpacked_options({"mood": "good"}) == AsrOptions()


@pytest.mark.parametrize(
    "header",
    [{}, {"is": "os.system"}, {"is": "TextDelta"}, {"is": "Speech"}, {"is": "Transcript",
     "text": "", "words": [3]}, {"is": "Finish", "reason": "stop", "usage": 4}],
)  # fmt: skip
def test_what_is_no_item_is_refused(header: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        unpacked(header)


def test_half_a_sample_is_refused() -> None:
    with pytest.raises(Unreadable, match="even number"):
        samples(b"abc")
