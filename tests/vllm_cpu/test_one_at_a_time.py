"""vLLM under the contract that llama.cpp keeps too, running one request at a time."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from typing import Any

import pytest

from tests.llm.batching_contract import *  # noqa: F403 - its tests are collected here
from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.reading import read_all
from tests.vllm_cpu.conftest import BLOCK, Serve
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
