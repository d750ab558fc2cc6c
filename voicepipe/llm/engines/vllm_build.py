"""Making vLLM's engine. What imports vLLM, or what it brings, is here and in
`VllmModel._sampling`.
"""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import fields
from pathlib import Path

from voicepipe.config import LlmSettings
from voicepipe.llm.engines.vllm_args import engine_args
from voicepipe.llm.engines.vllm_keeper import Engine
from voicepipe.llm.engines.vllm_log import VllmLog
from voicepipe.runtime.errors import EngineUnavailable


def import_vllm() -> None:
    """Takes seconds. Raises EngineUnavailable where it is not installed.

    To be called by itself, before `build_engine`: something in there keeps the frames of its import
    for ever, and with them all that the frames around it hold.
    """
    try:
        import vllm.engine.arg_utils
        import vllm.v1.engine.async_llm  # noqa: F401
    except ImportError as error:
        raise EngineUnavailable(
            f"The package vllm is missing or does not fit ({error}); install it with `pip install "
            "vllm`, see docs/engines/vllm.md.",
            stage="llm",
        ) from error


def build_engine(
    settings: LlmSettings, model_dir: Path, draft_dir: Path | None, log: VllmLog
) -> Engine:
    """Start the engine's processes and wait until the model is loaded: half a minute to many.

    Raises EngineUnavailable with the reason, as far as `log` holds one.
    """
    ready_s = round(settings.vllm.start_timeout_s)
    os.environ.setdefault("VLLM_ENGINE_READY_TIMEOUT_S", str(ready_s))
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    known = {field.name for field in fields(AsyncEngineArgs)}
    args = engine_args(settings, model_dir, draft_dir, known)
    try:
        engine: Engine = AsyncLLM.from_engine_args(AsyncEngineArgs(**args))
    except Exception as error:  # of any kind: bad settings, no GPU, no memory
        reason = log.reason() or f"{type(error).__name__}: {error}"
        raise EngineUnavailable(
            f"vLLM cannot run the model in {model_dir}: {reason}", stage="llm"
        ) from error
    return engine


def grammar_problem(grammar: str) -> str:
    """Why vLLM's backend would refuse it; "" if it would not. The first line: the others quote."""
    from llguidance import LLMatcher

    found = str(LLMatcher.validate_grammar(grammar, None))
    return found.strip().partition("\n")[0][:200]


def terminate_engine_cores() -> None:
    """Have an engine that is being built fail, by ending its processes."""
    for child in multiprocessing.active_children():
        if child.name.startswith("EngineCore"):
            child.terminate()
