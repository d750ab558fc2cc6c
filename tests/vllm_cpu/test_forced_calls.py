"""Calls that must come are generated under a grammar."""

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
    return serve(vllm__max_num_seqs=1)


BOOKING = Tool(
    "book_table",
    "Book a table.",
    {
        "type": "object",
        "properties": {
            "people": {"type": "integer", "minimum": 1, "maximum": 12},
            "day": {"enum": ["today", "tomorrow"]},
            "names": {"type": "array", "items": {"type": "string", "maxLength": 8}, "maxItems": 2},
        },
        "required": ["people", "day"],
        "additionalProperties": False,
    },
)
CANCELLING = Tool("cancel", "", {"type": "object", "properties": {}})


@pytest.mark.parametrize("choice", ["required", "book_table"])
async def test_a_call_that_must_come_fits_however_wild_the_model_is(
    model: VllmModel, choice: str
) -> None:
    """At a temperature at which it babbles, about tools it has never heard of."""
    names = set()
    for seed in range(6):
        asked = replace(
            chat("tell me a joke"),
            tools=(BOOKING, CANCELLING),
            tool_choice=choice,
            temperature=2.0,
            seed=seed,
            max_tokens=200,
        )
        read = await read_all(model, asked)
        (call,) = read.calls
        names.add(call.name)
        schema = {"book_table": BOOKING, "cancel": CANCELLING}[call.name].parameters
        jsonschema.validate(json.loads(call.arguments), schema)
        assert read.text == ""
    assert names <= {"book_table", "cancel"}
    assert choice == "required" or names == {"book_table"}
