"""From our settings to vLLM's engine arguments. Needs no vLLM.

Not every version knows every argument. One that we would only set to be faster is left out with a
warning; one that the user asked for is an error.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from pathlib import Path
from typing import Any

from voicepipe.config import LlmSettings, SpeculativeSettings
from voicepipe.runtime.errors import EngineUnavailable

_LOG = logging.getLogger(__name__)

_OPTIONAL = (
    "performance_mode",
    "per_request_spec_decode_metrics",
    "structured_outputs_config",
    "use_tqdm_on_load",
)
"""Left out where vLLM does not know them."""

_NEED_A_DRAFT = ("draft_model", "eagle", "eagle3")


def engine_args(
    settings: LlmSettings, model_dir: Path, draft_dir: Path | None, known: Collection[str]
) -> dict[str, Any]:
    """Keywords for `AsyncEngineArgs`. `known`: those that it has in the installed version.

    Raises EngineUnavailable naming a setting that cannot be carried out.
    """
    vllm = settings.vllm
    args: dict[str, Any] = {
        "model": str(model_dir),
        # We send token ids and make text of those that come; its grammars need the tokenizer.
        "skip_tokenizer_init": not vllm.constrain_tools,
        "dtype": vllm.dtype,
        "kv_cache_dtype": vllm.kv_cache_dtype,
        "load_format": vllm.load_format,
        "max_model_len": vllm.max_model_len,
        "gpu_memory_utilization": vllm.gpu_memory_utilization,
        "tensor_parallel_size": vllm.tensor_parallel_size,
        "max_num_seqs": vllm.max_num_seqs,
        # Without chunks a prompt has to fit one step.
        "max_num_batched_tokens": vllm.max_num_batched_tokens
        if vllm.chunked_prefill
        else max(vllm.max_num_batched_tokens, vllm.max_model_len),
        "enable_chunked_prefill": vllm.chunked_prefill,
        "long_prefill_token_threshold": vllm.long_prefill_tokens,
        "enable_prefix_caching": vllm.prefix_caching,
        "performance_mode": vllm.performance_mode,
        "enforce_eager": vllm.enforce_eager,
        "scheduling_policy": "priority",  # committed before speculative before warm-up
        "enable_log_requests": False,  # they hold what callers said
        "disable_log_stats": True,  # the ledger has what we want to know of each turn
        "use_tqdm_on_load": False,
    }
    if vllm.quantization:
        args["quantization"] = vllm.quantization
    if vllm.constrain_tools:
        args["structured_outputs_config"] = {"backend": "guidance"}
    if vllm.speculative.method != "none":
        args["speculative_config"] = _speculative(vllm.speculative, draft_dir)
        args["per_request_spec_decode_metrics"] = "summary"
    asked = dict(map(_parsed, vllm.engine_args))
    return _known({**args, **asked}, asked, known)


def _speculative(speculative: SpeculativeSettings, draft_dir: Path | None) -> dict[str, Any]:
    config: dict[str, Any] = {
        "method": speculative.method,
        "num_speculative_tokens": speculative.tokens,
    }
    if speculative.method == "ngram":
        config["prompt_lookup_max"] = max(speculative.lookup_min, speculative.lookup_max)
        config["prompt_lookup_min"] = speculative.lookup_min
    if speculative.method in _NEED_A_DRAFT:
        if draft_dir is None:
            raise EngineUnavailable(
                f"llm.vllm.speculative.method = {speculative.method!r} needs a drafter; set "
                "llm.vllm.speculative.model.",
                stage="llm",
            )
        config["model"] = str(draft_dir)
    return config


def _parsed(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise EngineUnavailable(
            f'llm.vllm.engine_args: {text!r} is not of the form "name=value".', stage="llm"
        )
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()


def _known(args: dict[str, Any], asked: Collection[str], known: Collection[str]) -> dict[str, Any]:
    unknown = args.keys() - set(known)
    wanted = sorted(name for name in unknown if name in asked or name not in _OPTIONAL)
    if wanted:
        raise EngineUnavailable(
            f"The installed vLLM has no engine argument {', '.join(wanted)}; correct "
            "llm.vllm.engine_args, or install another version.",
            stage="llm",
        )
    for name in sorted(unknown):
        _LOG.warning("the installed vLLM has no %s: started without", name)
    return {name: value for name, value in args.items() if name in known}
