"""How many tokens a request took, in the shapes that chat servers tell it. Sans-I/O.

- OpenAI, vLLM, SGLang, TensorRT-LLM: `usage.prompt_tokens_details.cached_tokens` (vLLM and SGLang
  only where started with the option that shows it); vLLM's drafts in `metrics`, likewise.
- DeepSeek: `usage.prompt_cache_hit_tokens`.
- llama.cpp: `timings`, where `prompt_n` does not count the cached ones.
- Ollama: `usage` as OpenAI's; in its own shape `prompt_eval_count`, which counts the cached ones.

Numbers that a server does not tell stay 0.
"""

from __future__ import annotations

from typing import Any

from voicepipe.llm.contract import Usage


def usage_of(chunk: dict[str, Any], before: Usage) -> Usage:
    """`before` with what one streamed chunk adds. Raises ValueError or TypeError for counts that
    are no numbers.
    """
    usage, timings = _object(chunk, "usage"), _object(chunk, "timings")
    details = _object(usage, "prompt_tokens_details")
    drafts = _object(_object(chunk, "metrics"), "speculative_decoding")
    computed, kept = _count(timings, "prompt_n"), _count(timings, "cache_n")
    return Usage(
        _count(usage, "prompt_tokens")
        or _count(chunk, "prompt_eval_count")
        or computed + kept
        or before.prompt_tokens,
        _count(usage, "completion_tokens")
        or _count(chunk, "eval_count")
        or _count(timings, "predicted_n")
        or before.completion_tokens,
        _count(details, "cached_tokens")
        or _count(usage, "prompt_cache_hit_tokens")
        or _count(chunk, "prompt_eval_cached_count")
        or kept
        or before.cached_tokens,
        _count(timings, "draft_n") or _count(drafts, "num_draft_tokens") or before.drafted_tokens,
        _count(timings, "draft_n_accepted")
        or _count(drafts, "num_accepted_draft_tokens")
        or before.accepted_tokens,
    )


def _object(of: dict[str, Any], name: str) -> dict[str, Any]:
    value = of.get(name)
    return value if isinstance(value, dict) else {}


def _count(of: dict[str, Any], name: str) -> int:
    """A number of tokens; 0 where it is not told."""
    return max(0, int(of.get(name) or 0))
