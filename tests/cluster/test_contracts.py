"""Tests of real engines' contracts once more, with the engines behind a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from tests.asr.sphinx import listening, test_engine, test_utterance
from tests.asr.sphinx.conftest import own_cache
from tests.asr.sphinx.test_engine import (
    test_many_speakers_share_few_decoders,
    test_silence_and_noise_are_not_words,
    test_words_have_times_and_confidences,
)
from tests.asr.sphinx.test_utterance import (
    test_a_cancelled_utterance_gives_its_decoder_back,
    test_a_final_is_not_decoded_twice_but_more_speech_is_heard,
)
from tests.cluster.through_host import through_host
from tests.llm.engines import test_ctranslate2 as ctranslate2
from tests.llm.engines.test_ctranslate2 import (
    test_a_forced_call_is_made,
    test_answers_in_pieces_of_whole_words_with_usage,
    test_cancelling_the_reader_stops_the_generation,
    test_closing_the_stream_stops_the_generation,
    test_deadlines,
    test_eight_at_once_answer_as_one_alone,
    test_greedy_answers_repeat_and_the_kept_system_message_changes_nothing,
    test_logprobs_come_with_the_text_where_they_are_asked_for,
    test_max_tokens_ends_the_answer,
    test_the_finish_tells_when_the_tokens_came,
    test_urgent_requests_pass_waiting_ones,
    test_warming_keeps_the_system_message_for_the_first_request,
    test_what_time_is_it_calls_the_tool_and_its_result_is_answered,
)
from tests.tts import test_espeak as espeak
from tests.tts.test_espeak import (
    test_a_death_before_the_first_audio_is_retried_unseen,
    test_cancel_stops_early_and_the_worker_serves_at_once,
    test_eight_clauses_at_once_on_two_workers,
    test_kill_midway_fails_the_clause_and_the_next_is_spoken,
    test_nothing_to_say_is_an_empty_stream,
    test_speech_is_audible_and_as_long_as_speech_is,
    test_word_times_point_at_the_words_written,
)

__all__ = [
    "own_cache",
    "test_a_cancelled_utterance_gives_its_decoder_back",
    "test_a_death_before_the_first_audio_is_retried_unseen",
    "test_a_final_is_not_decoded_twice_but_more_speech_is_heard",
    "test_a_forced_call_is_made",
    "test_answers_in_pieces_of_whole_words_with_usage",
    "test_cancel_stops_early_and_the_worker_serves_at_once",
    "test_cancelling_the_reader_stops_the_generation",
    "test_closing_the_stream_stops_the_generation",
    "test_deadlines",
    "test_eight_at_once_answer_as_one_alone",
    "test_eight_clauses_at_once_on_two_workers",
    "test_greedy_answers_repeat_and_the_kept_system_message_changes_nothing",
    "test_kill_midway_fails_the_clause_and_the_next_is_spoken",
    "test_logprobs_come_with_the_text_where_they_are_asked_for",
    "test_many_speakers_share_few_decoders",
    "test_max_tokens_ends_the_answer",
    "test_nothing_to_say_is_an_empty_stream",
    "test_silence_and_noise_are_not_words",
    "test_speech_is_audible_and_as_long_as_speech_is",
    "test_the_finish_tells_when_the_tokens_came",
    "test_urgent_requests_pass_waiting_ones",
    "test_warming_keeps_the_system_message_for_the_first_request",
    "test_what_time_is_it_calls_the_tool_and_its_result_is_answered",
    "test_word_times_point_at_the_words_written",
    "test_words_have_times_and_confidences",
]

Started = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.fixture(autouse=True)
def _behind_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, stage in (
        (listening, "started", "asr"),  # by the helpers there, and by tests themselves
        (test_engine, "started", "asr"),
        (test_utterance, "started", "asr"),
        (ctranslate2, "running", "llm"),
        (espeak, "espeak", "tts"),
    ):
        monkeypatch.setattr(module, name, _through(getattr(module, name), stage))


def _through(started: Started, stage: str) -> Started:
    @asynccontextmanager
    async def behind(*args: Any, **options: Any) -> AsyncIterator[Any]:
        async with started(*args, **options) as engine, through_host(stage, engine) as other:
            yield other

    return behind
