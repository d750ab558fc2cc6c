"""A chat model on CTranslate2: in process, on the CPU, quantised to int8.

CTranslate2 keeps a prompt's state only for a *static prompt*: an exact list of tokens, kept until
the model is unloaded. The system message is given that way (`StaticPrompts` limits how many), the
rest of the conversation is computed at each turn. A request's `seed` is ignored: CTranslate2 seeds
its samplers once per worker thread.
"""

from __future__ import annotations

import asyncio
import logging
import os
import weakref
from collections.abc import AsyncGenerator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from voicepipe.config import LlmSettings
from voicepipe.config.engines import EngineContext
from voicepipe.llm.answer_reader import AnswerReader, callable_names
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest, Delta, Finish, Message
from voicepipe.llm.detokenizer import Detokenizer
from voicepipe.llm.engines.ct2_job import Done, Job, Token
from voicepipe.llm.engines.ct2_prompt import Prompt, PromptMaker
from voicepipe.llm.slots import PrioritySlots
from voicepipe.llm.thinking import ThoughtFilter, closing
from voicepipe.llm.token_limit import token_limit
from voicepipe.llm.token_prompt import hidden_token_ids, stop_token_ids
from voicepipe.llm.tool_parser import OPEN
from voicepipe.runtime.errors import EngineError, EngineUnavailable

_LOG = logging.getLogger(__name__)

MAX_WORKERS = 4
"""Parallel generations by default; each has its own threads, all share the weights."""

MAX_WAITING = 64
"""Requests that may wait for a worker; beyond it the least urgent is refused."""

UNLOAD_WAIT_S = 5.0
"""How long `aclose` waits for workers; they stop at their next token."""

WARM_PRIORITY = 2


class CTranslate2Model:
    """`LanguageModel` over `ctranslate2.Generator`.

    `model_dir` holds a converted model (model.bin, config.json, vocabulary.json) with the original
    tokenizer.json, tokenizer_config.json and, where not inside it, chat_template.jinja.
    `settings.threads` are threads of one generation; `workers` generations run at once (default:
    as many as the cores allow, at most 4), the others wait, most urgent first.
    """

    name = "ctranslate2"

    def __init__(
        self, settings: LlmSettings, model_dir: Path, *, workers: int | None = None
    ) -> None:
        self._settings = settings
        self._dir = model_dir
        cores = os.cpu_count() or 1
        self._workers = workers or max(1, min(MAX_WORKERS, cores // settings.threads))
        self._slots = PrioritySlots(self._workers, MAX_WAITING)
        self._jobs: set[Job] = set()
        self._executor: ThreadPoolExecutor | None = None
        self._weights: _Weights | None = None
        self._unload: weakref.finalize[Any, Any] | None = None
        self._prompts: PromptMaker | None = None
        self._stop_ids: frozenset[int] = frozenset()
        self._hidden_ids: frozenset[int] = frozenset()
        self._thinking_begun = settings.thinking_begun
        self.tokens_generated = 0
        """Decoding steps run since start, of cancelled requests too."""

    @property
    def active_requests(self) -> int:
        """Requests that occupy a worker now; a cancelled one does so until its next token."""
        return len(self._jobs)

    @property
    def waiting_requests(self) -> int:
        return self._slots.waiting

    async def start(self) -> None:
        """Load and warm up; see the contract."""
        if self._weights is not None:
            return
        if not (self._dir / "model.bin").is_file():
            raise EngineUnavailable(
                f"No CTranslate2 model in {self._dir} (model.bin is missing). Set llm.model to a "
                "converted model's directory, or get one with `voicepipe models pull`.",
                stage="llm",
            )
        self._executor = ThreadPoolExecutor(self._workers, thread_name_prefix="llm")
        try:
            await asyncio.get_running_loop().run_in_executor(self._executor, self._load)
        except BaseException:
            await self.aclose()
            raise

    def _load(self) -> None:
        template = ChatTemplate(self._dir)
        self._prompts = PromptMaker(template, self._dir)
        tokenizer = template.tokenizer
        tags = self._settings.thinking_tags
        thinking = (*tags, *map(closing, tags))
        self._stop_ids = stop_token_ids(tokenizer, self._dir)
        self._hidden_ids = hidden_token_ids(tokenizer, thinking)
        self._weights = _Weights(self._load_generator())
        # CTranslate2's threads let go of a request's callback after the request has ended, and
        # need the interpreter for that: one that is ending kills the process with SIGABRT. This
        # runs before its end, even if nobody closed the engine.
        self._unload = weakref.finalize(self, self._weights.unload)
        warm_up = ChatRequest((Message("user", "hello"),), max_tokens=1)
        if template.render(warm_up.messages).rstrip().endswith(tags):
            self._thinking_begun = True
        self._generate(self._prompts.make(warm_up), warm_up, None)

    def _load_generator(self) -> Any:
        try:
            import ctranslate2
        except ImportError as error:
            raise EngineUnavailable(
                "The package ctranslate2 is missing; install it with `pip install ctranslate2`.",
                stage="llm",
            ) from error
        try:
            return ctranslate2.Generator(
                str(self._dir),
                device="cpu",
                compute_type="int8",
                inter_threads=self._workers,
                intra_threads=self._settings.threads,
            )
        except (RuntimeError, ValueError) as error:
            raise EngineUnavailable(
                f"CTranslate2 cannot load the model in {self._dir}: {error}", stage="llm"
            ) from error

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Generate; see the contract. The deadline for the first token includes the wait for a
        worker.
        """
        began = asyncio.get_running_loop().time()
        job = Job(request.max_tokens)
        await self._begin(job, request, began)
        detokenizer = Detokenizer(self._require_prompts().tokenizer, self._hidden_ids)
        reader = AnswerReader(callable_names(request), self._thoughts(request))
        stopped = False
        try:
            while not isinstance(event := await self._next(job, began), Done):
                text, logprobs = job.answer_prefix if job.received == 1 else "", event.logprobs
                if event.token_id in self._stop_ids:
                    stopped, logprobs = True, ()
                else:
                    text += detokenizer.feed(event.token_id)
                for delta in reader.feed(text, logprobs):
                    yield delta
            if event.error is not None:
                raise self._failure(event.error, delivered=reader.delivered)
            for delta in (*reader.feed(detokenizer.close()), *reader.close()):
                yield delta
            reason = reader.finish_reason("stop" if stopped else "length")
            yield Finish(reason, job.usage(), times=job.clock.times())
        finally:
            job.cancel()

    def _thoughts(self, request: ChatRequest) -> ThoughtFilter:
        forced = request.must_call  # then the answer begins as a call
        return ThoughtFilter(
            self._settings.thinking_tags, begun=self._thinking_begun and not forced
        )

    async def warm(self, request: ChatRequest) -> None:
        """Compute and keep the state of the system message, unless it is kept already."""
        prompts = self._require_prompts()
        if not await asyncio.to_thread(prompts.worth_warming, request):  # it encodes instructions
            return
        began = asyncio.get_running_loop().time()
        job = Job(max_tokens=1, warm=True)
        try:
            await self._begin(job, request, began, priority=max(request.priority, WARM_PRIORITY))
            while not isinstance(event := await self._next(job, began), Done):
                pass
            if event.error is not None:
                raise self._failure(event.error, delivered=False)
        except EngineError as error:
            _LOG.debug("warm-up skipped: %s", error)
        finally:
            job.cancel()

    async def aclose(self) -> None:
        """Stop all work and unload. Idempotent."""
        executor, self._executor = self._executor, None  # nobody begins another one meanwhile
        self._slots.refuse_all("The language model is shutting down.")
        for job in self._jobs:
            job.cancel()
        ends = [job.ended.wait() for job in self._jobs]
        if ends:
            try:
                async with asyncio.timeout(UNLOAD_WAIT_S):
                    await asyncio.gather(*ends)
            except TimeoutError:
                _LOG.warning("%d generation(s) did not stop in time", len(self._jobs))
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)
        self._prompts = self._weights = None
        if self._unload is not None:
            unload, self._unload = self._unload, None
            await asyncio.to_thread(unload)  # joins threads, one of which may still be at work

    # One request ---------------------------------------------------------------------------

    async def _begin(
        self, job: Job, request: ChatRequest, began: float, priority: int | None = None
    ) -> None:
        """Wait for a worker and hand it the job."""
        self._require_prompts()
        timeout_ms, setting = token_limit(self._settings, begun=bool(job.received))
        try:
            async with asyncio.timeout_at(began + timeout_ms / 1000):
                await self._slots.acquire(request.priority if priority is None else priority)
        except TimeoutError:
            raise self._late(timeout_ms, setting, job) from None
        if self._executor is None:
            self._slots.release()
            raise EngineError("The language model is shutting down.", stage="llm")
        self._jobs.add(job)
        self._executor.submit(self._run, job, request).add_done_callback(
            lambda future: job.call_on_loop(self._ended, job, future)
        )

    def _run(self, job: Job, request: ChatRequest) -> None:
        """On a worker thread: prompt, then tokens until the end or the cancellation."""
        if job.cancelled:
            return
        prompts = self._require_prompts()
        prompt = prompts.make(request, keep=job.warm, is_cancelled=lambda: job.cancelled)
        job.begin(prompt)
        self._generate(prompt, request, job)
        prompts.kept(prompt)

    def _generate(self, prompt: Prompt, request: ChatRequest, job: Job | None) -> None:
        sampling: dict[str, Any] = {"sampling_topk": 1}
        if request.temperature > 0:
            sampling = {"sampling_topk": 0, "sampling_temperature": request.temperature}
        if self._weights is None:
            raise EngineError("The language model is shutting down.", stage="llm")
        marks = self._require_prompts().tokenizer.token_to_id(OPEN) is not None
        if request.tool_choice == "none" and marks:
            sampling["suppress_sequences"] = [[OPEN]]  # words, whatever the model is used to
        self._weights.generator.generate_batch(
            [prompt.tokens],
            static_prompt=prompt.static or None,
            max_length=1 if job is None else job.max_tokens,
            end_token=sorted(self._stop_ids),
            include_prompt_in_result=False,
            return_scores=self._settings.logprobs,  # then the steps have log-probabilities
            callback=None if job is None else job.on_step,
            **sampling,
        )

    def _ended(self, job: Job, future: Future[None]) -> None:
        """On the loop: the worker is free again."""
        self._jobs.discard(job)
        self.tokens_generated += job.steps
        self._slots.release()
        job.end(future.exception())

    async def _next(self, job: Job, began: float) -> Token | Done:
        """The next token, or the end. Raises EngineError when a deadline passes."""
        timeout_ms, setting = token_limit(self._settings, begun=bool(job.received))
        try:
            async with asyncio.timeout_at(began + timeout_ms / 1000):
                return await job.next()
        except TimeoutError:
            raise self._late(timeout_ms, setting, job) from None

    def _late(self, timeout_ms: int, setting: str, job: Job) -> EngineError:
        what = "was not done" if job.received else "gave no token"
        return EngineError(
            f"The language model in {self._dir.name} {what} within {timeout_ms} ms "
            f"(llm.{setting}); use a smaller model, more threads or fewer sessions.",
            stage="llm",
            retryable=not job.received,
        )

    def _failure(self, error: BaseException, *, delivered: bool) -> EngineError:
        if isinstance(error, EngineError):
            return error
        kind = type(error).__name__  # callers are told no more: it may quote paths and memory
        _LOG.error("CTranslate2 failed", exc_info=error)
        return EngineError(
            f"CTranslate2 failed on a request to {self._dir.name}: {kind}",
            stage="llm",
            retryable=not delivered,
        )

    def _require_prompts(self) -> PromptMaker:
        if self._prompts is None:
            raise EngineError("The language model is not started.", stage="llm")
        return self._prompts


class _Weights:
    """Holds the only lasting reference to the generator, so that letting go destroys it."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def unload(self) -> None:
        """Free the weights and join the generator's threads."""
        generator, self.generator = self.generator, None
        generator.unload_model()


def make(context: EngineContext[LlmSettings, None]) -> CTranslate2Model:
    """See `Engine.make`."""
    return CTranslate2Model(context.stage, context.required_model())
