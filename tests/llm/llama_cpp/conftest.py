"""llama.cpp in its worker, on the built-in models as GGUF files."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from scripts.stand_in_gguf import write_gguf
from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.reading import read_all
from voicepipe.config import LlmSettings
from voicepipe.llm.engines.llama_cpp import LlamaCppModel
from voicepipe.models.registry import packaged_models_dir
from voicepipe.workers.supervisor import WorkerState

TEST_TIMEOUT_S = 120.0
SLOW = {"first_token_timeout_ms": 60_000, "total_timeout_ms": 120_000}  # the machine may be busy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """model.gguf and draft.gguf."""
    made = tmp_path_factory.mktemp("gguf")
    write_gguf(made / "model.gguf")
    write_gguf(made / "draft.gguf", packaged_models_dir() / "builtin" / "llm-draft-hf")
    return made


def new_model(folder: Path, *, own: dict[str, object], **settings: object) -> LlamaCppModel:
    llm = {**SLOW, **settings, "llama_cpp": {"threads": 1, **own}}
    return LlamaCppModel(
        LlmSettings.model_validate(llm), folder / "model.gguf", folder / "draft.gguf"
    )


@asynccontextmanager
async def running(
    folder: Path, *, own: dict[str, object] | None = None, **settings: object
) -> AsyncIterator[LlamaCppModel]:
    model = new_model(folder, own=own or {}, **settings)
    await model.start()
    try:
        yield model
    finally:
        await model.aclose()


class LlamaRig:
    block = 4  # a token or two of what was said may be cut otherwise as history

    def __init__(self, model: LlamaCppModel) -> None:
        self.model = model

    @contextmanager
    def endless(self) -> Iterator[None]:
        self.model.ignore_eos = True
        yield
        self.model.ignore_eos = False

    def kill(self) -> None:
        assert self.model.pid is not None
        os.kill(self.model.pid, signal.SIGKILL)

    def is_dead(self) -> bool:
        return self.model.state is not WorkerState.READY or self.model.restarts > 0

    def is_ready(self) -> bool:
        return self.model.state is WorkerState.READY

    async def asked_while_dead(self) -> None:
        assert (await read_all(self.model, chat("hello"))).text

    def works_on_nothing(self) -> bool:
        return self.model._worker is not None and self.model._worker.active == 0


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as one:
        yield one


@pytest.fixture
def rig(folder: Path, runner: asyncio.Runner) -> Iterator[LlamaRig]:
    model = new_model(folder, own={"slots": 1}, logprobs=True)
    runner.run(model.start())
    yield LlamaRig(model)
    runner.run(model.aclose())


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run tests of a `rig` on the loop to which its engine belongs."""
    test, names = pyfuncitem.obj, pyfuncitem._fixtureinfo.argnames
    if "rig" not in names or not inspect.iscoroutinefunction(test):
        return None
    args = {name: pyfuncitem.funcargs[name] for name in names}
    runner = pyfuncitem.funcargs["runner"]
    assert isinstance(runner, asyncio.Runner)
    runner.run(asyncio.wait_for(test(**args), TEST_TIMEOUT_S))
    return True
