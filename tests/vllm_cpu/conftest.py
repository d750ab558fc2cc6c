"""The real vLLM on a CPU, with the tiny models of this house. `scripts/test-vllm` runs it in an
environment of its own; in others, where there is no vLLM, nothing of it is collected.

An engine takes half a minute to start, so the tests of a module share one, and all run on one loop.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from voicepipe.config import LlmSettings
from voicepipe.llm.engines.vllm import VllmModel

VARIABLES = {
    "VLLM_CPU_KVCACHE_SPACE": "1",  # GB
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",  # other programs run on these cores
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_SGL_KERNEL": "0",
}
"""What the CPU build of vLLM reads from the environment."""

if importlib.util.find_spec("vllm") is None:
    collect_ignore_glob = ["test_*.py"]
else:  # only here: other tests of the same run must not find these set
    os.environ.update(VARIABLES)

MODELS = Path(__file__).parents[2] / "models" / "builtin"
TEST_TIMEOUT_S = 600.0
"""Of one test, with the start of its engine; the machine may be busy."""

BLOCK = 32
"""Tokens of one block of the prefix cache; whole ones match."""


def settings(**changes: object) -> LlmSettings:
    """A small engine; keys with `vllm__` before them are of that section."""
    own = {k.removeprefix("vllm__"): v for k, v in changes.items() if k.startswith("vllm__")}
    vllm = {
        "max_model_len": 1024,
        "max_num_seqs": 4,
        "enforce_eager": True,
        "engine_args": [f"block_size={BLOCK}"],
        "restart_s": 0.1,
    }
    others = {k: v for k, v in changes.items() if not k.startswith("vllm__")}
    slow = {"first_token_timeout_ms": 120_000, "total_timeout_ms": 120_000}
    return LlmSettings.model_validate({**slow, **others, "vllm": {**vllm, **own}})


def new_model(**changes: object) -> VllmModel:
    return VllmModel(settings(**changes), MODELS / "llm-hf", MODELS / "llm-draft-hf")


@asynccontextmanager
async def running(**changes: object) -> AsyncIterator[VllmModel]:
    model = new_model(**changes)
    try:
        await model.start()
        yield model
    finally:
        await model.aclose()


Serve = Callable[..., VllmModel]


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as one:
        yield one


@pytest.fixture(scope="module")
def serve(runner: asyncio.Runner) -> Iterator[Serve]:
    """Starts an engine for the module."""
    closers: list[Callable[[], Awaitable[None]]] = []

    def start(**changes: object) -> VllmModel:
        model = new_model(**changes)
        closers.append(model.aclose)
        runner.run(_timed(model.start()))
        return model

    yield start
    for close in closers:
        runner.run(_timed(close()))


async def _timed(work: Awaitable[Any]) -> Any:
    async with asyncio.timeout(TEST_TIMEOUT_S):
        return await work


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def` tests on the session's loop, to which the engines belong."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    args = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    runner = pyfuncitem._request.getfixturevalue("runner")
    runner.run(_timed(test(**args)))
    return True
