"""Calls that the model makes by itself go on under a grammar."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.reading import read_all
from tests.vllm_cpu.conftest import Serve
from voicepipe.llm.contract import Tool
from voicepipe.llm.engines.vllm import VllmModel


@pytest.fixture(scope="module")
def model(serve: Serve) -> VllmModel:
    return serve(vllm__max_num_seqs=2)


CLOCK = Tool(
    "get_time",
    "What time it is.",
    {
        "type": "object",
        "properties": {
            "zone": {"enum": ["Mars/Utopia", "Venus/Lakshmi"]},
            "digits": {"type": "integer", "minimum": 3, "maximum": 9},
        },
        "required": ["zone", "digits"],
        "additionalProperties": False,
    },
)
"""The model knows a tool of this name, and has never seen its arguments."""


async def test_a_call_that_nobody_forced_fits_its_schema(model: VllmModel) -> None:
    called = 0
    for seed in range(8):
        asked = replace(
            chat("what time is it"), tools=(CLOCK,), temperature=0.7, seed=seed, max_tokens=120
        )
        for call in (await read_all(model, asked)).calls:
            called += 1
            jsonschema.validate(json.loads(call.arguments), CLOCK.parameters)
    assert called >= 4, "the model did not even try"


async def test_words_are_as_free_as_ever(model: VllmModel) -> None:
    asked = replace(chat("hello"), tools=(CLOCK,), max_tokens=60)
    read = await read_all(model, asked)
    assert read.text
    assert not read.calls
