"""vLLM under the contract that llama.cpp keeps too, running one request at a time."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import active_children
from typing import Any

import jsonschema
import pytest

from tests.llm.batching_contract import *  # noqa: F403 - its tests are collected here
from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.reading import read_all
from tests.vllm_cpu.conftest import BLOCK, Serve
from voicepipe.llm.contract import Tool
from voicepipe.llm.engines.vllm import VllmModel
from voicepipe.llm.engines.vllm_keeper import EngineState
from voicepipe.runtime.errors import EngineError


class VllmRig:
    """One engine for the module: it takes half a minute to start."""

    block = BLOCK

    def __init__(self, model: VllmModel) -> None:
        self.model = model

    @contextmanager
    def endless(self) -> Iterator[None]:
        model = self.model
        sampling, stop_ids = model._sampling, model._stop_ids

        def never_ending(*args: Any) -> Any:
            params = sampling(*args)
            params.ignore_eos = True
            return params

        model._stop_ids = frozenset()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(model, "_sampling", never_ending)
            yield
        model._stop_ids = stop_ids

    def kill(self) -> None:
        (core,) = [child for child in active_children() if child.name.startswith("EngineCore")]
        assert core.pid is not None
        os.kill(core.pid, signal.SIGKILL)

    def is_dead(self) -> bool:
        return self.model.state is EngineState.DEAD

    def is_ready(self) -> bool:
        return self.model.state is EngineState.READY

    async def asked_while_dead(self) -> None:
        with pytest.raises(EngineError, match="died and is being started again") as refused:
            await read_all(self.model, chat("hello"))
        assert refused.value.retryable

    def works_on_nothing(self) -> bool:
        engine: Any = self.model._keeper.engine
        return bool(engine.get_num_unfinished_requests() == 0)


@pytest.fixture(scope="module")
def rig(serve: Serve) -> VllmRig:
    return VllmRig(serve(vllm__max_num_seqs=1, logprobs=True))


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
    rig: VllmRig, choice: str
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
        read = await read_all(rig.model, asked)
        (call,) = read.calls
        names.add(call.name)
        schema = {"book_table": BOOKING, "cancel": CANCELLING}[call.name].parameters
        jsonschema.validate(json.loads(call.arguments), schema)
        assert read.text == ""
    assert names <= {"book_table", "cancel"}
    assert choice == "required" or names == {"book_table"}
