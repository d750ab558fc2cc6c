"""A chat model on llama.cpp, in a worker process of ours: many conversations in one batch, each
with a slot that keeps its history computed.

Prompts are rendered here and cut into tokens there. A worker that dies is started again by its
supervisor; what was asked of it and has had no word yet is asked once more.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

from voicepipe.config import LlmSettings
from voicepipe.config.engines import EngineContext
from voicepipe.llm.answer_reader import AnswerReader, callable_names
from voicepipe.llm.chat_template import PromptTemplate
from voicepipe.llm.contract import ChatRequest, Delta, Finish, Message
from voicepipe.llm.engines.llama_cpp_answer import LlamaAnswer
from voicepipe.llm.engines.llama_cpp_options import worker_options
from voicepipe.llm.engines.llama_cpp_prompt import LlamaPrompt, LlamaPrompts
from voicepipe.llm.engines.llama_cpp_run import Run, TooLong
from voicepipe.llm.engines.llama_cpp_slots import Slot, SlotBook
from voicepipe.llm.engines.llama_cpp_warm import WarmUps
from voicepipe.llm.gguf import GgufHeader, read_header
from voicepipe.llm.said_tokens import Said
from voicepipe.llm.slots import PrioritySlots
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.llm.tool_grammar import call_grammar
from voicepipe.runtime import progress
from voicepipe.runtime.errors import EngineError, EngineUnavailable, RequestRefused
from voicepipe.workers.process import WorkerDied, child_command
from voicepipe.workers.supervisor import Worker, WorkerOptions, WorkerState

_LOG = logging.getLogger(__name__)

MAX_WAITING = 64
"""Requests beyond those that have a slot; one more is refused."""

WARM_PRIORITY = 2
AHEAD_S = 60.0
"""A prompt that could not be computed for so long is not computed ahead any more."""
_FIRST_WORDS = ChatRequest((Message("user", "hello"),), max_tokens=8)


class LlamaCppModel:
    """`LanguageModel` over llama.cpp. `model_file`, `draft_file`: GGUF files."""

    name = "llama_cpp"

    def __init__(
        self,
        settings: LlmSettings,
        model_file: Path,
        draft_file: Path | None = None,
        options: WorkerOptions | None = None,
    ) -> None:
        self._settings = settings
        self._own = settings.llama_cpp
        self._file, self._draft_file = model_file, draft_file
        start_s = self._own.start_timeout_s
        self._worker_options = options or WorkerOptions(start_timeout_s=start_s)
        self._worker: Worker | None = None
        self._prompts: LlamaPrompts | None = None
        self._bos: tuple[str, int] | None = None
        self._places = PrioritySlots(self._own.slots, MAX_WAITING)
        self._book = SlotBook(self._own.slots)
        self._lives_seen = 0
        self._warm_ups = WarmUps()
        self._ahead: dict[str, object] = {}  # the newest warm-up of each conversation
        self._idle = asyncio.Event()  # nobody waits for an answer
        self._idle.set()
        self._said: Said[str] = Said()
        self._thinking_begun = settings.thinking_begun
        self.ignore_eos = False
        """Answers end at `max_tokens` only: for measuring, where weights are random."""
        self.active_requests = 0
        """Requests that have a slot or wait for one, without warm-ups."""

    @property
    def state(self) -> WorkerState:
        """Of the worker."""
        return self._worker.state if self._worker else WorkerState.CLOSED

    @property
    def restarts(self) -> int:
        """Of the worker, since the start."""
        return self._worker.restarts if self._worker else 0

    @property
    def pid(self) -> int | None:
        """The worker's, while it lives."""
        return self._worker.pid if self._worker else None

    async def start(self) -> None:
        """Load the model and run it once; see the contract."""
        if self._worker is not None:
            return
        if importlib.util.find_spec("xllamacpp") is None:
            raise EngineUnavailable(
                "the llama_cpp engine needs the package 'xllamacpp', which is not installed: "
                "install voicepipe with the extra [llama]",
                stage="llm",
            )
        context_tokens = self._read(await asyncio.to_thread(read_header, self._file))
        self._worker = self._new_worker(context_tokens)
        try:
            progress.report("loading weights")
            await self._worker.start()
            progress.report("warming up")
            async for _ in self._stream(_FIRST_WORDS):
                pass
        except BaseException as error:
            await self.aclose()
            if isinstance(error, EngineError) and not isinstance(error, EngineUnavailable):
                why = f"llama.cpp failed on its first words: {error}"
                raise EngineUnavailable(why, stage="llm") from error
            raise

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Generate; see the contract. The deadline for the first token includes the wait for a
        slot. Running warm-ups end; what they have computed stays.
        """
        if request.priority >= WARM_PRIORITY:
            for delta in await self._aside(request):
                yield delta
            return
        self.active_requests += 1
        self._idle.clear()
        self._ahead.pop(request.session_id, None)
        try:
            await self._warm_ups.give_way()
            async with aclosing(self._stream(request)) as deltas:
                async for delta in deltas:
                    yield delta
        finally:
            self.active_requests -= 1
            if not self.active_requests:
                self._idle.set()

    async def _aside(self, request: ChatRequest) -> list[Delta]:
        """All of an answer that nobody waits for, made while no caller waits for one either; []
        where one does, or comes to do so: neither a slot nor the cores are for this then."""
        if self.active_requests:
            return []
        deltas: list[Delta] = []

        async def collect() -> None:
            async with aclosing(self._stream(request)) as found:
                async for delta in found:
                    deltas.append(delta)

        await self._warm_ups.run(collect())
        return deltas if deltas and isinstance(deltas[-1], Finish) else []

    async def warm(self, request: ChatRequest) -> None:
        """Compute the prompt in its conversation's slot, while nobody waits for an answer: the
        cores cannot do both. What gave way is taken up again, until its conversation asks for its
        answer or has a newer prompt; where nobody says whose it is, it is not.
        """
        if self.state is not WorkerState.READY:
            return
        key, mine = request.session_id, object()
        self._ahead[key] = mine
        try:
            async with asyncio.timeout(AHEAD_S):
                while not await self._warm_once(request) and key:
                    await self._idle.wait()
                    if self._ahead.get(key) is not mine:
                        return
        except (EngineError, TooLong, TimeoutError) as error:
            _LOG.debug("warm-up skipped: %s", error)
        finally:
            if self._ahead.get(key) is mine:
                del self._ahead[key]

    async def _warm_once(self, request: ChatRequest) -> bool:
        """Whether all of it is computed."""
        if self.active_requests:
            return False
        return await self._warm_ups.run(self._compute(request))

    async def aclose(self) -> None:
        """Stop the worker. Idempotent."""
        self._places.refuse_all("The language model is shutting down.")
        await self._warm_ups.give_way()
        if self._worker is not None:
            await self._worker.aclose()
        self._worker = self._prompts = None

    # One request ---------------------------------------------------------------------------

    async def _stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        run, thoughts = self._new_run(), self._thoughts(request)
        reader = AnswerReader(callable_names(request), thoughts)
        answer = LlamaAnswer(reader, thoughts)
        async with self._slot(request, run, request.priority) as slot:
            async with aclosing(self._surely(request, answer, run, slot)) as deltas:
                async for delta in deltas:
                    yield delta
            for delta in answer.close():
                yield delta
            answer.remember(self._said)
            usage = answer.usage(run.prompt_tokens, run.cached_tokens)
            yield Finish(answer.finish_reason, usage, times=answer.clock.times())

    async def _surely(
        self, request: ChatRequest, answer: LlamaAnswer, run: Run, slot: Slot
    ) -> AsyncGenerator[Delta, None]:
        """Once more if the worker dies before the first word."""
        for last_try in (False, True):
            try:
                async with aclosing(self._fitting(request, answer, run, slot)) as deltas:
                    async for delta in deltas:
                        yield delta
                return
            except WorkerDied:
                if last_try or run.got_text:
                    raise run.died() from None

    async def _fitting(
        self, request: ChatRequest, answer: LlamaAnswer, run: Run, slot: Slot
    ) -> AsyncGenerator[Delta, None]:
        """With fewer and fewer old turns, until the slot can hold the prompt."""
        too_long = 0
        for prompt in self._require_prompts().sizes(request):
            try:
                async with aclosing(self._parts(request, prompt, answer, run, slot)) as deltas:
                    async for delta in deltas:
                        yield delta
                return
            except TooLong as error:
                too_long = error.tokens
        raise self._does_not_fit(too_long, request)

    async def _parts(
        self,
        request: ChatRequest,
        prompt: LlamaPrompt,
        answer: LlamaAnswer,
        run: Run,
        slot: Slot,
    ) -> AsyncGenerator[Delta, None]:
        """The answer, generated freely but for its calls of tools: where one opens, the part ends
        and a new one under the grammar goes on in the same slot, whose tokens are kept.
        """
        grammar, room = prompt.grammar, self._context_tokens - request.max_tokens
        constrained = self._constrains(request)
        for delta in answer.begin(prompt.forced):
            yield delta
        while True:
            body = self._body(request, prompt.text + answer.raw, slot)
            body |= {"max_tokens": request.max_tokens - answer.tokens, "grammar": grammar}
            answer.cut_at_calls = constrained and not grammar
            opened = False
            first = not answer.parts
            async with aclosing(run.replies(body, room if first else None)) as replies:
                async for reply in replies:
                    for delta in answer.feed(reply):
                        yield delta
                    if opened := answer.cut_at_calls and answer.opens_a_call:
                        break
            answer.part_ended(run.last, run.pieces)
            if answer.tokens >= request.max_tokens:
                answer.reason = "length" if opened or run.last is None else run.last["finish"]
                return
            if not opened and not (constrained and grammar):
                answer.reason = run.last["finish"] if run.last else "stop"
                return
            grammar = call_grammar(request.tools) if opened else ""

    def _constrains(self, request: ChatRequest) -> bool:
        """Calls may come in mid-answer, and are to be generated under a grammar."""
        free = request.tool_choice == "auto" and bool(request.tools)
        return free and self._own.constrain_tools

    async def _compute(self, request: ChatRequest) -> None:
        """The prompt, and one token that nobody reads."""
        run = self._new_run()
        prompt = next(self._require_prompts().sizes(request))
        async with self._slot(request, run, WARM_PRIORITY) as slot:
            body = {**self._body(request, prompt.text, slot), "max_tokens": 1}
            async with aclosing(run.replies(body, self._context_tokens)) as replies:
                async for _ in replies:
                    pass

    def _body(self, request: ChatRequest, text: str, slot: Slot) -> dict[str, Any]:
        prompt: str | list[int | str] = text
        if self._bos and text.startswith(self._bos[0]):  # llama.cpp would add another
            prompt = [self._bos[1], text[len(self._bos[0]) :]]
        return {
            "prompt": prompt,
            "slot": slot.number,
            "temperature": request.temperature,
            "seed": request.seed,
            "logprobs": self._settings.logprobs,
            "ignore_eos": self.ignore_eos,
        }

    @asynccontextmanager
    async def _slot(self, request: ChatRequest, run: Run, priority: int) -> AsyncIterator[Slot]:
        """Raises EngineError when too many wait already or its turn comes too late."""
        try:
            async with asyncio.timeout_at(run.deadline_s):
                await self._places.acquire(priority)
        except TimeoutError:
            raise run.late() from None
        if self._lives_seen != self.restarts:
            self._lives_seen = self.restarts
            self._book.forget()
        slot = self._book.claim(
            request.messages, request.session_id, ahead=priority == WARM_PRIORITY
        )
        try:
            yield slot
        finally:
            self._book.release(slot)
            self._places.release()

    def _thoughts(self, request: ChatRequest) -> ThoughtFilter:
        forced = request.must_call  # then the answer begins as a call
        begun = self._thinking_begun and not forced
        return ThoughtFilter(self._settings.thinking_tags, begun=begun)

    def _does_not_fit(self, tokens: int, request: ChatRequest) -> EngineError:
        return RequestRefused(
            f"The last turn's prompt of {tokens} tokens and an answer of up to "
            f"{request.max_tokens} do not fit the {self._context_tokens} tokens of a slot "
            "(llm.llama_cpp.context_tokens); shorten the instructions, the message or the answer.",
            stage="llm",
        )

    # Starting ------------------------------------------------------------------------------

    def _read(self, header: GgufHeader) -> int:
        """What prompts need to know of the model. Tokens that a slot can hold."""
        if not header.chat_template:
            raise EngineUnavailable(
                f"{self._file} has no chat template; use a model made for chat.", stage="llm"
            )
        template = PromptTemplate(
            self._file,
            {"default": header.chat_template},
            header.special_tokens(),
            header.control_tokens,
        )
        wanted = self._own.context_tokens
        self._context_tokens = min(wanted, header.context_tokens or wanted)
        self._prompts = LlamaPrompts(template, self._context_tokens, self._said)
        self._bos = header.bos
        prompt = template.render(_FIRST_WORDS.messages)
        self._thinking_begun |= prompt.rstrip().endswith(self._settings.thinking_tags)
        return self._context_tokens

    def _new_worker(self, context_tokens: int) -> Worker:
        options: Mapping[str, Any] = worker_options(
            self._settings, self._file, self._draft_file, context_tokens
        )
        return Worker(
            child_command("voicepipe.llm.engines.llama_cpp_child:create", options),
            name="llama.cpp",
            stage="llm",
            options=self._worker_options,
        )

    def _new_run(self) -> Run:
        if self._worker is None:
            raise EngineError("The language model is not started.", stage="llm")
        return Run(self._worker, self._settings, self._file.name)

    def _require_prompts(self) -> LlamaPrompts:
        if self._prompts is None:
            raise EngineError("The language model is not started.", stage="llm")
        return self._prompts


def make(context: EngineContext[LlmSettings, None]) -> LlamaCppModel:
    """See `Engine.make`."""
    draft = context.stage.llama_cpp.speculative.model
    draft_file = context.find_model(draft) if draft else None
    return LlamaCppModel(context.stage, context.required_model(), draft_file)
