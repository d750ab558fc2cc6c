"""A chat model on vLLM: on this machine's GPU, many conversations in one batch.

The scheduler and the GPU are in processes of vLLM's own; here are prompts, token ids and text.
Between the two travel token ids only. What a caller interrupts, and replies prepared in vain, are
aborted in the engine.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from voicepipe.config import LlmSettings
from voicepipe.config.engines import EngineContext
from voicepipe.llm.answer_reader import AnswerReader, callable_names
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest, Delta, Finish, Message, Tool
from voicepipe.llm.engines.vllm_answer import Answer
from voicepipe.llm.engines.vllm_build import (
    build_engine,
    grammar_problem,
    import_vllm,
    terminate_engine_cores,
)
from voicepipe.llm.engines.vllm_keeper import Engine, EngineKeeper, EngineState
from voicepipe.llm.engines.vllm_log import VllmLog
from voicepipe.llm.engines.vllm_warm_up import warm_up_prompts
from voicepipe.llm.said_tokens import SaidTokens
from voicepipe.llm.thinking import ThoughtFilter, closing
from voicepipe.llm.token_limit import token_limit
from voicepipe.llm.token_prompt import (
    TokenPrompt,
    TokenPrompts,
    chars,
    hidden_token_ids,
    stop_token_ids,
)
from voicepipe.llm.tool_grammar import (
    arguments_grammar,
    call_grammar,
    forced_grammar,
    spelling,
    spelt,
)
from voicepipe.llm.tool_parser import CLOSE, OPEN
from voicepipe.runtime import progress
from voicepipe.runtime.errors import EngineError, EngineUnavailable

_LOG = logging.getLogger(__name__)

MAX_WAITING = 64
"""Requests beyond those that run at once; one more is refused, a warm-up already before."""

MAX_GRAMMARS = 64
"""Of which is known whether they can be used; those of the tools of so many sessions."""

WARM_PRIORITY = 2
SHORT_PROMPT_CHARS = 4000  # encoded in a millisecond
PROGRESS_S = 0.5  # between two looks at how far the start has come


class VllmModel:
    """`LanguageModel` over vLLM's AsyncLLM.

    `model_dir`: a checkpoint as published, with its tokenizer and chat template; `draft_dir`: the
    drafter's, where `llm.vllm.speculative` wants one.
    """

    name = "vllm"

    def __init__(
        self, settings: LlmSettings, model_dir: Path, draft_dir: Path | None = None
    ) -> None:
        self._settings = settings
        self._dir = model_dir
        self._log = VllmLog()
        self._keeper = EngineKeeper(
            lambda: build_engine(settings, model_dir, draft_dir, self._log),
            self._warm_up,
            restart_s=settings.vllm.restart_s,
            restart_max_s=settings.vllm.restart_max_s,
            reason=self._log.reason,
            interrupt=terminate_engine_cores,
        )
        self._said = SaidTokens()
        self._prompts: TokenPrompts | None = None
        self._stop_ids: frozenset[int] = frozenset()
        self._hidden_ids: frozenset[int] = frozenset()
        self._special_tags: frozenset[str] = frozenset()  # of those around calls
        self._grammars: dict[str, bool] = {}  # whether each can be used
        self._thinking_begun = settings.thinking_begun
        self._numbers = itertools.count()
        self.active_requests = 0

    @property
    def state(self) -> EngineState:
        """READY: requests are served. DEAD: they fail at once, and a restart is under way."""
        return self._keeper.state

    @property
    def restarts(self) -> int:
        """Since the start."""
        return self._keeper.restarts

    async def start(self) -> None:
        """Load, compile and warm up, which takes from half a minute to many; see the contract."""
        if self._keeper.state is not EngineState.STOPPED:
            return
        if not (self._dir / "config.json").is_file():
            raise EngineUnavailable(
                f"No model in {self._dir} (config.json is missing). Set llm.model to a "
                "checkpoint's directory, or get one with `voicepipe models pull gpu`.",
                stage="llm",
            )
        self._read_tokenizer()
        self._log.open()
        progress.report("importing vLLM")
        telling = asyncio.create_task(self._tell_progress(), name="vllm progress")
        try:
            # By itself: something in there keeps the frames of its import for ever, and with them
            # all that the frames around it hold.
            await asyncio.to_thread(import_vllm)
            await self._keeper.start()
        except BaseException:
            self._log.remove()
            raise
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Generate; see the contract. The deadline for the first token includes the wait for a
        place in the batch.
        """
        prompt = await self._prompt(request)
        async with self._place():
            answer = Answer(self._reader(request), prompt, self._tokenizer, self._hidden_ids)
            answer.cut_at_calls = self._constrains(request)
            grammar = self._forced(request, prompt)
            async with aclosing(self._parts(request, answer, grammar)) as outputs:
                async for output in outputs:
                    for delta in answer.feed(output, self._stop_ids):
                        yield delta
            for delta in answer.close():
                yield delta
            answer.remember(self._said)
            yield Finish(answer.finish_reason, answer.usage, times=answer.clock.times())

    async def warm(self, request: ChatRequest) -> None:
        """Compute the prompt, so that the real request finds it in the prefix cache. Nothing while
        the engine has enough to do.
        """
        busy = self.active_requests >= self._settings.vllm.max_num_seqs
        if busy or not self._settings.vllm.prefix_caching or self.state is not EngineState.READY:
            return
        prompt = await self._prompt(request)
        try:
            async with self._place():
                params = self._sampling(max_tokens=1)
                await self._run(self._keeper.engine, prompt.ids, params)
        except EngineError as error:
            _LOG.debug("warm-up skipped: %s", error)

    async def aclose(self) -> None:
        """Stop the engine's processes. Idempotent."""
        await self._keeper.aclose()
        self._log.remove()
        self._prompts = None

    # One request ---------------------------------------------------------------------------

    async def _parts(
        self, request: ChatRequest, answer: Answer, grammar: str
    ) -> AsyncGenerator[Any, None]:
        """Outputs of the engine for `answer`, generated freely but for its calls of tools: where
        one opens, the request is ended and another goes on under the grammar, from the prefix
        cache."""
        began = asyncio.get_running_loop().time()
        async with aclosing(self._outputs(request, answer, grammar, began)) as outputs:
            async for output in outputs:
                yield output
                if answer.cut:
                    break
        if not answer.cut:
            return
        if answer.tokens >= request.max_tokens:
            answer.give_up()
            return
        grammar = self._call_grammar(request, answer.missing)
        async with aclosing(self._outputs(request, answer, grammar, began)) as outputs:
            async for output in outputs:
                yield output

    async def _outputs(
        self, request: ChatRequest, answer: Answer, grammar: str, began: float
    ) -> AsyncGenerator[Any, None]:
        """Each with the tokens that are new; closing aborts the request. `began`: when the answer
        was asked for, by the loop's clock."""
        priority = max(request.priority, 0)
        left = request.max_tokens - answer.tokens
        params = self._sampling(left, request.temperature, request.seed, grammar)
        outputs = self._keeper.engine.generate(
            {"prompt_token_ids": answer.ids}, params, self._request_id(), priority=priority
        )
        async with aclosing(outputs):
            while True:
                timeout_ms, setting = token_limit(self._settings, begun=bool(answer.tokens))
                try:
                    async with asyncio.timeout_at(began + timeout_ms / 1000):
                        output = await anext(outputs, None)
                except TimeoutError:
                    raise self._late(timeout_ms, setting, answer) from None
                except Exception as error:  # EngineDeadError and kin; what else vLLM raises
                    raise self._failure(error, answer) from error
                if output is None:
                    return
                yield output

    async def _run(self, engine: Engine, ids: list[int], params: Any) -> None:
        """Generate and leave the answer unread."""
        outputs = engine.generate(
            {"prompt_token_ids": ids}, params, self._request_id(), priority=WARM_PRIORITY
        )
        try:
            async with aclosing(outputs):
                async for _ in outputs:
                    pass
        except Exception as error:
            self._keeper.suspect()
            raise EngineError(
                f"vLLM failed on a request of its own: {type(error).__name__}: {error}", stage="llm"
            ) from error

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """Raises EngineError when too many wait already."""
        places = self._settings.vllm.max_num_seqs + MAX_WAITING
        if self.active_requests >= places:
            raise EngineError(
                f"The language model is overloaded: {places} requests run or wait already.",
                stage="llm",
                retryable=True,
            )
        self.active_requests += 1
        try:
            yield
        finally:
            self.active_requests -= 1

    def _forced(self, request: ChatRequest, prompt: TokenPrompt) -> str:
        """What the answer has to follow behind what the prompt has begun of it; "" = anything."""
        if not (self._settings.vllm.constrain_tools and request.must_call):
            return ""
        tools = self._readable(request.tools)
        if request.tool_choice != "required":  # the name is in the prompt already
            tools = tuple(
                replace(t, name=r.name) for t, r in zip(tools, request.tools, strict=True)
            )
        asked = replace(request, tools=tools)
        return self._usable(forced_grammar(asked, prompt.answer_prefix, self._tag(CLOSE)))

    def _constrains(self, request: ChatRequest) -> bool:
        """Calls may come in mid-answer, and can be generated under a grammar."""
        free = request.tool_choice == "auto" and bool(request.tools)
        wanted = free and self._settings.vllm.constrain_tools
        return wanted and bool(self._usable(self._call_grammar(request, "")))

    def _call_grammar(self, request: ChatRequest, missing: str) -> str:
        again = self._tag(OPEN) if request.parallel_tools else ""
        tools = self._readable(request.tools)
        return call_grammar(tools, missing=missing, tag=self._tag(CLOSE), again=again)

    def _readable(self, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        """As a grammar is to have them. A schema that makes none is left out, lest it take that of
        the other tools."""
        written = (spelt(tool, self._written) for tool in tools)
        return tuple(
            tool if self._usable(arguments_grammar(tool)) else replace(tool, parameters={})
            for tool in written
        )

    def _tag(self, tag: str) -> str:
        """How a grammar spells it: bare where it is a special token."""
        return tag if tag in self._special_tags else f'"{tag}"'

    def _usable(self, grammar: str) -> str:
        """The same, or "" where it is none: of a client's schema, whose call is checked when it has
        come. Said once for each."""
        if not grammar:
            return ""
        if grammar not in self._grammars:
            problem = grammar_problem(grammar)
            if problem:
                _LOG.warning(
                    "a tool's schema makes no grammar, it is generated without: %s", problem
                )
            while len(self._grammars) >= MAX_GRAMMARS:
                del self._grammars[next(iter(self._grammars))]
            self._grammars[grammar] = not problem
        return grammar if self._grammars[grammar] else ""

    def _sampling(
        self,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int | None = None,
        grammar: str = "",
    ) -> Any:
        from vllm.sampling_params import (
            RequestOutputKind,
            SamplingParams,
            StructuredOutputsParams,
        )

        return SamplingParams(
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            stop_token_ids=sorted(self._stop_ids),
            logprobs=0 if self._settings.logprobs else None,  # 0: of the chosen token alone
            output_kind=RequestOutputKind.DELTA,
            detokenize=False,
            structured_outputs=StructuredOutputsParams(grammar=grammar) if grammar else None,
        )

    def _request_id(self) -> str:
        """One reply may ask several times, so its own id would not do."""
        return f"voicepipe-{next(self._numbers)}"

    def _reader(self, request: ChatRequest) -> AnswerReader:
        forced = request.must_call  # then the answer begins as a call
        thoughts = ThoughtFilter(
            self._settings.thinking_tags, begun=self._thinking_begun and not forced
        )
        return AnswerReader(callable_names(request), thoughts)

    def _late(self, timeout_ms: int, setting: str, answer: Answer) -> EngineError:
        what = "was not done" if answer.tokens else "gave no token"
        return EngineError(
            f"The language model in {self._dir.name} {what} within {timeout_ms} ms "
            f"(llm.{setting}); use a smaller model or fewer sessions.",
            stage="llm",
            retryable=not answer.delivered,
        )

    def _failure(self, error: Exception, answer: Answer) -> EngineError:
        self._keeper.suspect()
        if isinstance(error, EngineError):
            return error
        what = "died" if "EngineDead" in type(error).__name__ else "failed"
        return EngineError(
            f"vLLM {what} while it answered ({type(error).__name__})",
            stage="llm",
            retryable=not answer.delivered,
        )

    # Starting ------------------------------------------------------------------------------

    def _read_tokenizer(self) -> None:
        template = ChatTemplate(self._dir)
        tags = self._settings.thinking_tags
        self._stop_ids = stop_token_ids(template.tokenizer, self._dir)
        self._hidden_ids = hidden_token_ids(template.tokenizer, (*tags, *map(closing, tags)))
        self._tokenizer = template.tokenizer
        self._written = spelling(template.tokenizer)
        added = template.tokenizer.get_added_tokens_decoder().values()
        special = {token.content for token in added if token.special}
        self._special_tags = frozenset(special & {OPEN, CLOSE})
        self._prompts = TokenPrompts(template, self._settings.vllm.max_model_len, self._said)
        if template.render((Message("user", "hello"),)).rstrip().endswith(tags):
            self._thinking_begun = True

    async def _warm_up(self, engine: Engine) -> None:
        """Run what callers will need once: it is compiled at its first use."""
        if not self._settings.vllm.warm_up:
            return
        progress.report("warming up")
        for batch in warm_up_prompts(self._settings.vllm, self._tokenizer.get_vocab_size()):
            try:
                async with asyncio.TaskGroup() as group:
                    for run in batch:
                        params = self._sampling(run.max_tokens, run.temperature, run.seed)
                        group.create_task(self._run(engine, run.ids, params))
            except BaseExceptionGroup as failures:
                reason = self._log.reason() or str(failures.exceptions[0])
                raise EngineUnavailable(
                    f"vLLM failed while warming up: {reason}", stage="llm"
                ) from failures.exceptions[0]

    async def _tell_progress(self) -> None:
        while True:
            for phase in self._log.phases():
                progress.report(phase)
            await asyncio.sleep(PROGRESS_S)

    async def _prompt(self, request: ChatRequest) -> TokenPrompt:
        """Long ones are made in a thread: encoding 16,000 characters takes milliseconds."""
        prompts = self._require_prompts()
        if chars(request.messages, request.tools) <= SHORT_PROMPT_CHARS:
            return prompts.make(request)
        return await asyncio.to_thread(prompts.make, request)

    def _require_prompts(self) -> TokenPrompts:
        if self._prompts is None:
            raise EngineError("The language model is not started.", stage="llm")
        return self._prompts


def make(context: EngineContext[LlmSettings, None]) -> VllmModel:
    """See `Engine.make`."""
    draft = context.stage.vllm.speculative.model
    draft_dir = context.find_model(draft) if draft else None
    return VllmModel(context.stage, context.required_model(), draft_dir)
