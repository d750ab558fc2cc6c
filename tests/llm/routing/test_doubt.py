"""`llm.cascade.min_logprob` from the settings to a real server's log-probabilities."""

from __future__ import annotations

import pytest

from tests.llm.chat_server import DONE, Reply, chat_server, event, finish_event
from tests.llm.reading import ask, read_all
from voicepipe.config import Settings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.assembly import build_engines


def scored(text: str, logprob: float) -> bytes:
    scores = {"content": [{"token": text, "logprob": logprob}]}
    return event({"choices": [{"index": 0, "delta": {"content": text}, "logprobs": scores}]})


@pytest.mark.parametrize(
    ("logprob", "decision", "said"), [(-0.1, "small", "At noon."), (-3.0, "large_unsure", "Noon.")]
)
async def test_a_small_model_that_guesses_is_not_believed(
    logprob: float, decision: str, said: str
) -> None:
    words = ("At", " noon", ".")
    reply = Reply((*(scored(word, logprob) for word in words), finish_event(), DONE))
    async with chat_server(reply) as server:
        settings = Settings.model_validate(
            {
                "asr": {"engine": "simulated"},
                "tts": {"engine": "simulated"},
                "llm": {
                    "engine": "simulated",
                    "cascade": {
                        "engine": "openai",
                        "model": "tiny",
                        "base_url": server.base_url,
                        "min_logprob": -1.0,
                    },
                },
                "simulated": {
                    "answer": "Noon.",
                    "llm_first_token": {"mean_ms": 1},
                    "llm_per_token": {"mean_ms": 0},
                },
            }
        )
        model = build_engines(settings, MonotonicClock()).model
        await model.start()
        try:
            read = await read_all(model, ask("when is noon"))
        finally:
            await model.aclose()
        assert server.bodies[0]["logprobs"] is True
    assert read.text == said
    assert read.finish is not None
    assert read.finish.route["cascade"] == decision
