"""A session's language: detected once, then kept, until another one is heard twice in a row."""

from __future__ import annotations

import asyncio

import pytest

from tests.asr.toy_speech import ToyEngine, decode, say
from tests.virtual_time import LoopClock
from voicepipe.asr.contract import AsrOptions, Hypothesis
from voicepipe.asr.decoding import Decoded, DecodeRequest, heard_language
from voicepipe.asr.language import SURE_S, SpokenLanguage
from voicepipe.asr.scheduler import DecodeScheduler
from voicepipe.asr.utterance import StreamingUtterance, StreamSettings
from voicepipe.asr.windows import WindowLimits


@pytest.mark.parametrize(
    ("audio_s", "probability", "kept"),
    [(SURE_S, 0.9, "de"), (SURE_S - 0.1, 0.9, None), (9.0, 0.5, None)],
)
def test_only_a_sure_detection_is_kept(audio_s: float, probability: float, kept: str) -> None:
    spoken = SpokenLanguage()
    spoken.heard(Decoded((), language="de", language_probability=probability), audio_s)
    assert spoken.code == kept


@pytest.mark.parametrize(
    ("heard", "kept"),
    [("de en", "de"), ("de en en", "en"), ("de en de en", "de"), ("de en fr en", "de")],
)
def test_another_language_is_believed_when_it_is_heard_twice_in_a_row(
    heard: str, kept: str
) -> None:
    spoken = SpokenLanguage()
    for code in heard.split():
        spoken.heard(Decoded((), language=code), 3.0)
    assert spoken.code == kept


def test_a_doubtful_detection_does_not_change_what_speech_is_decoded_as() -> None:
    assert heard_language("nl", 0.75, "de") == ("de", 0.25)
    assert heard_language("nl", 0.9, "de") == ("nl", 0.9)
    assert heard_language("nl", 0.4, None) == ("nl", 0.4)


class Polyglot:
    """Takes the toy language for German unless it is told otherwise."""

    def __init__(self) -> None:
        self.requests: list[DecodeRequest] = []

    def __call__(self, request: DecodeRequest) -> Decoded:
        self.requests.append(request)
        heard = decode(request)
        if request.language:
            return Decoded(heard.words, heard.tokens, -0.1, language=request.language)
        code = "fr" if len(heard.words) > 7 else "de"
        return Decoded(heard.words, heard.tokens, -0.1, language=code, language_probability=0.8)


@pytest.mark.virtual_time
async def test_all_utterances_of_a_session_share_what_the_first_ones_told() -> None:
    hears = Polyglot()
    scheduler = DecodeScheduler(ToyEngine(hears=hears), LoopClock())
    settings = StreamSettings(WindowLimits(min_s=1.0, max_s=8.0, margin_s=0.5))
    spoken = SpokenLanguage()

    async def utter(words: range, language: str | None = None) -> str | None:
        utterance = StreamingUtterance(
            AsrOptions(language, spoken, partials=False), settings, scheduler
        )
        utterance.feed(say(words))
        transcript = await utterance.final()
        utterance.cancel()
        return transcript.language

    assert await utter(range(1)) == "de"  # too short to be sure
    assert spoken.code is None
    assert await utter(range(6)) == "de"
    assert spoken.code == "de"
    assert await utter(range(1)) == "de"
    assert await utter(range(6), language="es") == "es"  # asked for
    assert [request.language for request in hears.requests] == [None, None, "de", "es"]
    assert spoken.code == "de"
    assert await utter(range(8)) == "fr"  # the caller has changed, or a name sounded French
    assert spoken.code == "de"
    assert await utter(range(1)) == "de"
    assert await utter(range(8)) == "fr"
    assert spoken.code == "fr"
    assert [request.kept_language for request in hears.requests[4:]] == ["de", None, "de"]
    await scheduler.aclose()


@pytest.mark.virtual_time
async def test_noise_teaches_no_language() -> None:
    def hears(request: DecodeRequest) -> Decoded:
        words = decode(request).words
        return Decoded(words, 3, -3.0, no_speech_prob=0.9, language="cy", language_probability=0.9)

    scheduler = DecodeScheduler(ToyEngine(hears=hears), LoopClock())
    settings = StreamSettings(WindowLimits(min_s=1.0, max_s=8.0, margin_s=0.5))
    spoken = SpokenLanguage()
    utterance = StreamingUtterance(AsrOptions(spoken=spoken), settings, scheduler)
    utterance.feed(say(range(6)))
    assert (await utterance.final()).refused == "noise"
    await asyncio.sleep(0)
    assert spoken.code is None
    utterance.cancel()
    await scheduler.aclose()


def test_a_language_without_spaces_has_none_between_stable_and_tentative_words() -> None:
    assert Hypothesis("明天", "去上海", 1.0, space="").text == "明天去上海"
    assert Hypothesis("tomorrow", "to", 1.0).text == "tomorrow to"
    assert Hypothesis("", "to", 1.0).text == "to"
