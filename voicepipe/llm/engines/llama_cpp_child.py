"""llama.cpp inside a worker process. What imports xllamacpp is here.

A request is `{"prompt": text or [token id, text], "slot": n, "max_tokens", "temperature", "seed",
"grammar", "logprobs"}`; replies are headers without payload:

    {"total": n, "cached": n}            prompt tokens, and those that need no work; then, while the
                                         prompt is computed, {"done": n} after each batch
    {"text", "step_ms", "logprob"}       a piece of the answer; pieces of one step of the model have
                                         the same `step_ms`
    {"finish": "stop" or "length", ...}  the last one, with counts of tokens
    {"too_long": n, "room": n}           the last one, for a prompt that its slot cannot hold

llama.cpp always opens a socket too. Ours has no port: it is a file in a private folder, which is
removed as soon as it is there, so that nobody can connect.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voicepipe.runtime import cores
from voicepipe.workers.engine import BadRequest, Cancelled, Emit, Unavailable

ERRORS_ONLY = 1  # what llama.cpp prints; more would hold what callers said
SHOWN_TOKENS = ["<tool_call>", "</tool_call>"]
"""Some models have them as control tokens, which make no text unless asked for by name."""

_TOO_LONG = "exceed_context_size_error"


def create(options: Mapping[str, Any]) -> LlamaServer:
    """The engine; `options` as `worker_options` makes them."""
    return LlamaServer(options)


class LlamaServer:
    """`WorkerEngine` over llama.cpp's own server loop, which batches what its slots do."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        # Before llama.cpp is loaded: threads that wait for each other must sleep, not spin, where
        # recognizer, voice and event loop want the same cores.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        cores.give_way(int(options["nice"]))
        self._server = _start(options)
        self._shown = [*SHOWN_TOKENS, *options["shown_tokens"]]
        self.at_once = 2 * int(options["slots"])  # a cancelled one may be on its way out
        self.info: Mapping[str, Any] = {"slots": options["slots"], "pid": os.getpid()}

    def handle(self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled) -> None:
        """One generation; it ends after the batch or token at which `cancelled` is found true."""
        answer = _Answer(emit, cancelled)
        self._server.handle_completions(_body(request, self._shown), answer.on_chunk)
        if answer.refusal:
            raise BadRequest(answer.refusal)
        if not answer.finished and not cancelled():
            raise RuntimeError("llama.cpp gave an answer up")


def _body(request: Mapping[str, Any], shown: list[str]) -> dict[str, Any]:
    body = {
        "prompt": request["prompt"],
        "id_slot": request["slot"],
        "max_tokens": request["max_tokens"],
        "temperature": request["temperature"],
        "ignore_eos": request.get("ignore_eos", False),
        "cache_prompt": True,
        "stream": True,
        "return_progress": True,  # something to be cancelled at while the prompt is computed
        "timings_per_token": True,
        "preserved_tokens": shown,
    }
    if request.get("seed") is not None:
        body["seed"] = request["seed"]
    if request.get("grammar"):
        body["grammar"] = request["grammar"]
    if request.get("logprobs"):
        body["logprobs"] = 1
    return body


class _Answer:
    """Turns llama.cpp's chunks into replies. Called on the request's thread."""

    def __init__(self, emit: Emit, cancelled: Cancelled) -> None:
        self._emit = emit
        self._cancelled = cancelled
        self._began = False
        self.finished = False
        self.refusal = ""

    def on_chunk(self, chunk: Mapping[str, Any]) -> bool:
        """True ends the generation."""
        if self._cancelled():
            return True
        if "choices" not in chunk:
            self._refused(chunk.get("error", chunk))
            return True
        choice = chunk["choices"][0]
        if progress := chunk.get("prompt_progress"):
            self._reply(self._progress(progress))
        if choice["text"]:
            self._reply(_piece(choice, chunk.get("timings", {})))
        if choice["finish_reason"]:
            self._finish(choice["finish_reason"], chunk)
        return False

    def _progress(self, progress: Mapping[str, Any]) -> dict[str, Any]:
        if self._began:
            return {"done": progress["processed"]}
        self._began = True
        return {"total": progress["total"], "cached": progress["cache"]}

    def _finish(self, reason: str, chunk: Mapping[str, Any]) -> None:
        timings, usage = chunk["timings"], chunk["usage"]
        self.finished = True
        self._reply(
            {
                "finish": reason,
                "prompt": usage["prompt_tokens"],
                "cached": timings["cache_n"],
                "completion": usage["completion_tokens"],
                "drafted": timings.get("draft_n", 0),
                "accepted": timings.get("draft_n_accepted", 0),
            }
        )

    def _refused(self, error: Mapping[str, Any]) -> None:
        if error.get("type") == _TOO_LONG:
            self.finished = True
            self._reply({"too_long": error["n_prompt_tokens"], "room": error["n_ctx"]})
        else:
            self.refusal = str(error.get("message", "llama.cpp refused the request"))

    def _reply(self, header: Mapping[str, Any]) -> None:
        self._emit(header, b"")


def _piece(choice: Mapping[str, Any], timings: Mapping[str, Any]) -> dict[str, Any]:
    piece = {"text": choice["text"], "step_ms": timings.get("predicted_ms", 0.0)}
    found = (choice.get("logprobs") or {}).get("content") or ()
    if found:  # tokens that a drafter guessed have none
        piece["logprob"] = sum(one["logprob"] for one in found) / len(found)
    return piece


def _start(options: Mapping[str, Any]) -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise Unavailable(
            f"the package xllamacpp is missing or does not fit ({error}): "
            "install voicepipe with the extra [llama]"
        ) from error
    with tempfile.TemporaryDirectory(prefix="voicepipe-llama-") as folder:
        params = _params(xllamacpp, options, Path(folder) / "llama.sock")
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise Unavailable(
                f"llama.cpp cannot run the model in {options['model']}: its file may be cut off or "
                "newer than the package xllamacpp, or memory is short (what llama.cpp said of it "
                "is in the log at level debug)"
            ) from error


def _params(xllamacpp: Any, options: Mapping[str, Any], socket: Path) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = options["model"]
    params.hostnames, params.port = [str(socket)], 0
    params.n_threads_http = 1  # nobody connects
    params.ui = params.endpoint_slots = False
    params.verbosity = ERRORS_ONLY
    params.n_parallel = options["slots"]
    params.n_ctx = options["slots"] * options["context_tokens"]
    params.kv_unified = False  # each slot has its own part, which no other can fill
    params.n_batch = params.n_ubatch = options["batch_tokens"]
    params.fit_params = False  # take the settings as they are
    params.cache_ram_mib = 0  # what leaves a slot is computed anew: copying it costs as much
    params.cache_idle_slots = False
    params.n_gpu_layers = options["gpu_layers"]
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = options["threads"]
        threads.poll = 0  # sleep between graphs
    kind = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{options['kv_cache_type'].upper()}")
    params.cache_type_k = params.cache_type_v = kind
    _draft(xllamacpp, params, options)
    return params


def _draft(xllamacpp: Any, params: Any, options: Mapping[str, Any]) -> None:
    draft = options["draft"]
    name = {
        "none": "NONE",
        "ngram": "NGRAM_SIMPLE",
        "draft_model": "DRAFT_SIMPLE",
        "eagle3": "DRAFT_EAGLE3",
        "mtp": "DRAFT_MTP",
    }[draft["method"]]
    kinds = xllamacpp.common_speculative_type
    speculative = params.speculative
    speculative.types = [getattr(kinds, f"COMMON_SPECULATIVE_TYPE_{name}")]
    if draft["model"]:
        speculative.draft.mparams.path = draft["model"]
        for threads in (speculative.draft.cpuparams, speculative.draft.cpuparams_batch):
            threads.n_threads = options["threads"]
    speculative.draft.n_max = draft["tokens"]
    speculative.ngram_simple.size_n = draft["lookup"]
    speculative.ngram_simple.size_m = draft["tokens"]
