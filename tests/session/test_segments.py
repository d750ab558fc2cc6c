"""Sentences and pauses part a transcript."""

from __future__ import annotations

import pytest

from tests.session.harness import conversation
from voicepipe.asr.contract import Transcript, Word
from voicepipe.session import events as ev
from voicepipe.session.segments import Segment, segments
from voicepipe.session.settings import SessionSettings, Transcription


def transcript(*words: tuple[str, float, float], space: str = " ") -> Transcript:
    said = tuple(Word(text, start, end, 1.0) for text, start, end in words)
    return Transcript(space.join(word.text for word in said), said)


def test_a_sentence_is_a_segment_and_so_is_what_a_pause_ends() -> None:
    said = transcript(("Yes.", 0, 0.4), ("I", 0.5, 0.6), ("am", 0.6, 0.8), ("here", 1.5, 1.9))

    assert segments(said) == (
        Segment("Yes.", 0, 0.4),
        Segment("I am", 0.5, 0.8),
        Segment("here", 1.5, 1.9),
    )


def test_without_words_there_are_no_segments() -> None:
    assert segments(Transcript("something was said")) == ()


def test_languages_without_spaces_get_none() -> None:
    said = transcript(("今日", 0, 0.4), ("は。", 0.4, 0.6), ("良い", 0.6, 0.9), space="")

    assert [segment.text for segment in segments(said)] == ["今日は。", "良い"]


@pytest.mark.virtual_time
async def test_a_client_that_asks_for_details_gets_them_before_the_transcript() -> None:
    settings = SessionSettings(
        transcription=Transcription(), details=frozenset({"segments", "words", "logprobs"})
    )
    async with conversation(heard=("Hello. Who is there?",), settings=settings) as talk:
        await talk.speak(1000)
        await talk.quiet(1500)

        parts, (whole,) = talk.of(ev.UserTranscriptSegment), talk.of(ev.UserTranscript)
        assert [part.text for part in parts] == ["Hello.", "Who is there?"]
        assert parts[0].item_id == whole.item_id
        assert 0 <= parts[0].start_s < parts[0].end_s <= parts[1].start_s < parts[1].end_s
        assert " ".join(word.text for word in whole.words) == whole.transcript
        names = talk.names()
        assert names.index("UserTranscriptSegment") < names.index("UserTranscript")
