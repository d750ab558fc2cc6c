"""What of the vLLM engine runs without vLLM. `StandIn` plays AsyncLLM where its dying and coming
back are to be seen in virtual time; the real one is tested in tests/vllm_cpu.
"""

from __future__ import annotations

import asyncio
import json
import logging
import logging.config
import os
from collections.abc import AsyncGenerator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from voicepipe.config import LlmSettings, VllmSettings
from voicepipe.llm.engines.vllm_args import engine_args
from voicepipe.llm.engines.vllm_keeper import Engine, EngineKeeper, EngineState
from voicepipe.llm.engines.vllm_log import VllmLog
from voicepipe.llm.engines.vllm_warm_up import warm_up_prompts
from voicepipe.runtime.errors import EngineError, EngineUnavailable

MODEL = Path("/models/large")
DRAFT = Path("/models/small")
KNOWN = frozenset(
    "model skip_tokenizer_init dtype kv_cache_dtype load_format max_model_len "
    "gpu_memory_utilization tensor_parallel_size max_num_seqs max_num_batched_tokens "
    "enable_chunked_prefill long_prefill_token_threshold enable_prefix_caching performance_mode "
    "enforce_eager scheduling_policy enable_log_requests disable_log_stats use_tqdm_on_load "
    "quantization speculative_config per_request_spec_decode_metrics block_size".split()
)


def args(known: frozenset[str] = KNOWN, draft: Path | None = DRAFT, **vllm: Any) -> dict[str, Any]:
    settings = LlmSettings.model_validate({"engine": "vllm", "vllm": vllm})
    return engine_args(settings, MODEL, draft, known)


def test_settings_become_engine_arguments() -> None:
    plain = args()
    assert plain["model"] == str(MODEL)
    assert plain["scheduling_policy"] == "priority"
    assert plain["enable_prefix_caching"] is True
    assert "quantization" not in plain
    assert "speculative_config" not in plain
    assert (
        args(quantization="fp8", kv_cache_dtype="fp8").items()
        >= {
            "quantization": "fp8",
            "kv_cache_dtype": "fp8",
        }.items()
    )


def test_a_prompt_fits_one_step_where_it_may_not_be_cut() -> None:
    assert args(max_model_len=8192)["max_num_batched_tokens"] == 2048
    assert args(max_model_len=8192, chunked_prefill=False)["max_num_batched_tokens"] == 8192


@pytest.mark.parametrize(
    ("speculative", "expected"),
    [
        (
            {"method": "ngram", "tokens": 4, "lookup_max": 1, "lookup_min": 2},
            {
                "method": "ngram",
                "num_speculative_tokens": 4,
                "prompt_lookup_max": 2,
                "prompt_lookup_min": 2,
            },
        ),
        (
            {"method": "eagle3", "model": "small"},
            {"method": "eagle3", "num_speculative_tokens": 3, "model": str(DRAFT)},
        ),
        ({"method": "mtp", "tokens": 1}, {"method": "mtp", "num_speculative_tokens": 1}),
    ],
)
def test_each_drafter_gets_what_it_needs(
    speculative: dict[str, object], expected: dict[str, object]
) -> None:
    assert args(speculative=speculative)["speculative_config"] == expected


def test_a_drafter_without_its_model_is_named() -> None:
    with pytest.raises(EngineUnavailable, match=r"set llm\.vllm\.speculative\.model"):
        args(draft=None, speculative={"method": "draft_model"})


def test_other_engine_arguments_are_json_or_text_and_win() -> None:
    found = args(engine_args=("block_size=32", "dtype=float16", 'speculative_config={"a": 1}'))
    assert (found["block_size"], found["dtype"]) == (32, "float16")
    assert found["speculative_config"] == {"a": 1}
    with pytest.raises(EngineUnavailable, match='not of the form "name=value"'):
        args(engine_args=("block_size",))


def test_versions_that_know_less(caplog: pytest.LogCaptureFixture) -> None:
    assert "performance_mode" not in args(known=KNOWN - {"performance_mode"})
    assert "has no performance_mode" in caplog.text
    with pytest.raises(EngineUnavailable, match="no engine argument flux_capacity; correct"):
        args(engine_args=("flux_capacity=1",))


def test_warming_up_covers_prompt_sizes_sampling_and_batches() -> None:
    settings = VllmSettings(max_model_len=1024, max_num_batched_tokens=256, max_num_seqs=4)
    batches = list(warm_up_prompts(settings, vocab_size=2000))
    sizes = [len(batch[0].ids) for batch in batches if batch[0].max_tokens == 1]
    assert sizes == [16, 32, 64, 128, 256, 272]
    prompts = [batch[0].ids for batch in batches if batch[0].max_tokens == 1]
    assert all(a[:16] != b[:16] for a, b in pairwise(prompts)), "none is in the prefix cache"
    answers = [run for batch in batches for run in batch if run.max_tokens > 1]
    assert {(run.temperature > 0, run.seed) for run in answers} == {
        (False, None),
        (True, None),
        (True, 1),
    }
    assert max(len(batch) for batch in batches) == 4
    tiny = VllmSettings(max_model_len=64, max_num_seqs=1)
    runs = [run for batch in warm_up_prompts(tiny, vocab_size=10) for run in batch]
    assert all(len(run.ids) + run.max_tokens <= 65 for run in runs)
    assert all(0 <= i < 10 for run in runs for i in run.ids)


# What it writes down ----------------------------------------------------------------------------


def test_the_log_tells_how_far_the_start_has_come_and_why_it_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("VLLM_LOGGING_CONFIG_PATH", raising=False)
    log = VllmLog()
    assert log.phases() == []
    log.open()
    try:
        config = json.loads(Path(os.environ["VLLM_LOGGING_CONFIG_PATH"]).read_text())
        logging.config.dictConfig(config)
        logger = logging.getLogger("vllm.worker")
        logger.info("Starting to load model /models/large...")
        logger.info("Loading weights took 3.2 seconds")
        assert log.phases() == ["loading weights", "weights are loaded"]
        assert log.phases() == []
        logger.error("ValueError: no kernel for fp8 here")
        logger.error("RuntimeError: Engine core initialization failed. See root cause above.")
        assert log.reason() == "ValueError: no kernel for fp8 here"
        folder = Path(os.environ["VLLM_LOGGING_CONFIG_PATH"]).parent
    finally:
        for handler in logging.getLogger("vllm").handlers[:]:
            logging.getLogger("vllm").removeHandler(handler)
            handler.close()
        log.remove()
    assert "VLLM_LOGGING_CONFIG_PATH" not in os.environ
    assert not folder.exists()
    assert log.reason() == ""


def test_the_users_own_logging_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_LOGGING_CONFIG_PATH", "/etc/mine.json")
    log = VllmLog()
    log.open()
    log.remove()
    assert os.environ["VLLM_LOGGING_CONFIG_PATH"] == "/etc/mine.json"


# Dying and coming back --------------------------------------------------------------------------


class StandIn:
    """AsyncLLM as far as its keeper looks at it."""

    def __init__(self) -> None:
        self.errored = False
        self.stopped = False

    def generate(
        self, prompt: Any, sampling_params: Any, request_id: str, *, priority: int = 0
    ) -> AsyncGenerator[Any, None]:
        raise AssertionError("its keeper asks nothing of the model")

    def shutdown(self) -> None:
        self.stopped = True


class Workshop:
    """Builds stand-ins; the next `failing` builds fail."""

    def __init__(self) -> None:
        self.built: list[StandIn] = []
        self.prepared: list[Engine] = []
        self.failing = 0
        self.times: list[float] = []

    def build(self) -> Engine:
        if self.failing:
            self.failing -= 1
            raise EngineUnavailable("out of memory", stage="llm")
        self.built.append(StandIn())
        return self.built[-1]

    async def prepare(self, engine: Engine) -> None:
        self.times.append(asyncio.get_running_loop().time())
        self.prepared.append(engine)

    def keeper(self) -> EngineKeeper:
        """In virtual time there is no waiting for threads."""

        async def at_once(work: Callable[[], Any]) -> Any:
            return work()

        return EngineKeeper(
            self.build, self.prepare, restart_s=1.0, restart_max_s=4.0, on_thread=at_once
        )


async def reached(keeper: EngineKeeper, state: EngineState) -> None:
    async with asyncio.timeout(60):
        while keeper.state is not state:
            await asyncio.sleep(0.01)


@pytest.mark.virtual_time
async def test_a_dead_engine_is_replaced_after_a_pause() -> None:
    shop = Workshop()
    keeper = shop.keeper()
    await keeper.start()
    first = keeper.engine
    assert first is shop.prepared[0]
    shop.built[0].errored = True
    await reached(keeper, EngineState.DEAD)
    with pytest.raises(EngineError, match="being started again") as refused:
        _ = keeper.engine
    assert refused.value.retryable
    await reached(keeper, EngineState.READY)
    assert keeper.engine is not first
    assert shop.built[0].stopped
    assert keeper.restarts == 1
    await keeper.aclose()
    assert shop.built[1].stopped


@pytest.mark.virtual_time
async def test_a_suspected_engine_is_looked_at_once() -> None:
    shop = Workshop()
    keeper = shop.keeper()
    await keeper.start()
    shop.built[0].errored = True
    keeper.suspect()
    for _ in range(5):
        await asyncio.sleep(0)
    assert keeper.state is EngineState.DEAD
    await keeper.aclose()


@pytest.mark.virtual_time
async def test_pauses_grow_while_it_keeps_dying_or_does_not_start() -> None:
    shop = Workshop()
    keeper = shop.keeper()
    await keeper.start()
    shop.failing = 2
    died = asyncio.get_running_loop().time()
    shop.built[-1].errored = True
    keeper.suspect()
    await reached(keeper, EngineState.DEAD)
    await reached(keeper, EngineState.READY)
    took = shop.times[-1] - died
    assert 6.99 <= took < 8, "1 s, then 2 s and 4 s after starts that failed"
    shop.built[-1].errored = True
    await reached(keeper, EngineState.DEAD)
    died = asyncio.get_running_loop().time()
    await reached(keeper, EngineState.READY)
    assert 1.9 <= shop.times[-1] - died < 3, "it died young"
    await keeper.aclose()


@pytest.mark.virtual_time
async def test_an_engine_that_cannot_even_stop_is_replaced() -> None:
    shop = Workshop()
    keeper = shop.keeper()
    await keeper.start()

    def shutdown() -> None:
        raise RuntimeError("its process is gone")

    shop.built[0].shutdown = shutdown  # type: ignore[method-assign]
    shop.built[0].errored = True
    await reached(keeper, EngineState.DEAD)
    await reached(keeper, EngineState.READY)
    await keeper.aclose()


@pytest.mark.virtual_time
async def test_a_first_start_that_fails_is_the_callers_to_know() -> None:
    shop = Workshop()
    shop.failing = 1
    keeper = shop.keeper()
    with pytest.raises(EngineUnavailable, match="out of memory"):
        await keeper.start()
    assert keeper.state is EngineState.STOPPED
    with pytest.raises(EngineError, match="not started") as refused:
        _ = keeper.engine
    assert not refused.value.retryable


async def test_closing_while_it_is_built_interrupts_and_leaves_nothing_running() -> None:
    shop = Workshop()
    loop = asyncio.get_running_loop()
    began, interrupted = asyncio.Event(), asyncio.Event()
    go_on = asyncio.Event()

    def build() -> Engine:
        loop.call_soon_threadsafe(began.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(10)
        return shop.build()

    keeper = EngineKeeper(
        build, shop.prepare, restart_s=1, restart_max_s=1, interrupt=interrupted.set
    )
    starting = asyncio.create_task(keeper.start())
    await began.wait()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert interrupted.is_set()
    go_on.set()
    async with asyncio.timeout(10):
        while not (shop.built and shop.built[0].stopped):
            await asyncio.sleep(0.005)
    assert shop.prepared == []
    assert keeper.state is EngineState.STOPPED


async def test_an_engine_that_comes_as_its_start_is_given_up_is_stopped() -> None:
    shop = Workshop()

    async def a_tick_late(work: Callable[[], Any]) -> Any:
        made = work()
        await asyncio.sleep(0)  # the thread has made it, the loop does not know yet
        return made

    keeper = EngineKeeper(
        shop.build, shop.prepare, restart_s=1, restart_max_s=1, on_thread=a_tick_late
    )
    starting = asyncio.create_task(keeper.start())
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    assert [engine.stopped for engine in shop.built] == [True]


def test_grammars_need_the_tokenizer_and_the_backend_that_reads_ours() -> None:
    known = KNOWN | {"structured_outputs_config"}
    assert args(known)["structured_outputs_config"] == {"backend": "guidance"}
    assert args(known)["skip_tokenizer_init"] is False
    free = args(known, constrain_tools=False)
    assert free["skip_tokenizer_init"] is True
    assert "structured_outputs_config" not in free
