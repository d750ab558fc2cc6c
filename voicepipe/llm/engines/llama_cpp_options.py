"""From our settings to what the worker is started with. Needs no llama.cpp."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from voicepipe.config import LlmSettings, SpeculativeSettings
from voicepipe.llm.thinking import closing
from voicepipe.runtime import cores
from voicepipe.runtime.errors import EngineUnavailable

_NEED_A_DRAFT = ("draft_model", "eagle3")


def worker_options(
    settings: LlmSettings, model_file: Path, draft_file: Path | None, context_tokens: int
) -> dict[str, Any]:
    """JSON-able. `context_tokens`: of each slot. Raises EngineUnavailable naming a setting that
    cannot be carried out.
    """
    own, tags = settings.llama_cpp, settings.thinking_tags
    return {
        "model": str(model_file),
        "slots": own.slots,
        "context_tokens": context_tokens,
        "batch_tokens": own.batch_tokens,
        "threads": own.threads or cores.share(cores.available()).llm,
        "kv_cache_type": own.kv_cache_type,
        "gpu_layers": own.gpu_layers,
        "nice": own.nice,
        "shown_tokens": [*tags, *map(closing, tags)],
        "draft": _draft(own.speculative, draft_file),
    }


def _draft(speculative: SpeculativeSettings, draft_file: Path | None) -> dict[str, Any]:
    method = speculative.method
    if method == "eagle":
        raise EngineUnavailable(
            'llm.llama_cpp.speculative.method = "eagle" is not in llama.cpp; it has none, ngram, '
            "draft_model, eagle3 and mtp.",
            stage="llm",
        )
    if method in _NEED_A_DRAFT and draft_file is None:
        raise EngineUnavailable(
            f"llm.llama_cpp.speculative.method = {method!r} needs a drafter; set "
            "llm.llama_cpp.speculative.model.",
            stage="llm",
        )
    return {
        "method": method,
        "model": str(draft_file) if method in _NEED_A_DRAFT else "",
        "tokens": speculative.tokens,
        "lookup": speculative.lookup_min,
    }
