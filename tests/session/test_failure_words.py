"""What a client is told of an engine that failed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.session.harness import conversation
from voicepipe.asr.contract import Transcript
from voicepipe.asr.engines.simulated import SimulatedUtterance
from voicepipe.llm.contract import ChatRequest
from voicepipe.runtime.errors import EngineError
from voicepipe.session import events as ev

HIDDEN = "the language model failed; the server's log says why"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("The language model server at vllm did not finish within 900 ms.", True),
        ("answered with status 500: see http://10.0.0.5/errors", True),
        ("no engine host answers at 10.1.2.3:7000 (OSError)", True),
        ("broken pipe of gpu-7.example.com:8000", True),
        ("lost [fe80::1]", True),
        ("The chat template in /srv/models/qwen/chat.jinja is not valid", True),
        ("cannot read ~/models/a.gguf", True),
        (r"cannot read C:\models\a.gguf", True),
        ("llm: the answer is not whole after 500 ms", False),
        ("The model in qwen-0.6b gave no token within 900 ms (llm.total_timeout_ms)", False),
        ("the model called tools 4 times without answering", False),
        ("stopped at 12:30 and/or later: 3 of 4", False),
    ],
)
async def test_an_error_that_names_a_place_is_told_without_it(
    text: str, hidden: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(request: ChatRequest) -> AsyncIterator[Any]:
        raise EngineError(text, stage="llm")
        yield

    async with conversation() as talk:
        talk.engines.model.stream = fails  # type: ignore[method-assign]
        await talk.speak(600)
        await talk.quiet(3000)
        (done,) = talk.of(ev.ResponseDone)
    assert done.response.error_code == "llm_failed"
    assert done.response.error == (HIDDEN if hidden else text)
    assert text in caplog.text


@pytest.mark.virtual_time
async def test_so_is_one_of_a_transcript(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(utterance: Any) -> Transcript:
        raise EngineError("no engine host answers at asr-1", stage="asr")

    monkeypatch.setattr(SimulatedUtterance, "final", fails)
    async with conversation() as talk:
        await talk.speak(600)
        await talk.quiet(3000)
        (failed,) = talk.of(ev.UserTranscriptFailed)
    assert failed.message == "the recognizer failed; the server's log says why"
    assert "answers at asr-1" in caplog.text
