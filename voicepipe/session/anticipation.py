"""Getting ready in idle time: what the user is likely to say next is answered before they say it.

While nobody waits for the language model, each likely sentence is put behind the conversation as if
it had been said: the model answers it, tools that only read are asked, and the first clause is
spoken into the phrase cache. Who then says it is answered from there (`foreseen.py`). The language
model does it behind everything that somebody waits for; the synthesizer knows no priorities, and a
clause for nobody can hold up another session's. All of it ends with the first sound of the user,
and takes a bounded share of the engines' time.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

from voicepipe.llm.contract import (
    IDLE_PRIORITY,
    ChatRequest,
    Delta,
    MadeWay,
    TextDelta,
    ToolCall,
    ToolCallDelta,
)
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import closing, deadline
from voicepipe.runtime.text import normalize_text
from voicepipe.session.commands import CreateResponse
from voicepipe.session.context import Context
from voicepipe.session.prompting import after_calls, make_request, words_answered
from voicepipe.session.spoken_clauses import LONG, NORMAL
from voicepipe.session.tool_calls import ToolCalls
from voicepipe.session.turn import Turn
from voicepipe.tts.clauses import ClauseSplitter
from voicepipe.tts.contract import Voice

log = logging.getLogger(__name__)

FREE_S = 2.0
"""Engine time that every session has for this, however young it is."""

MAX_ROUNDS = 2
"""Of tools, for one sentence."""

MAX_SENTENCE_CHARS = 200

_LIST_MARK = re.compile(r"^\s*(?:[-*•]+|\(?\d{1,2}\s*(?:[.):]|[-–](?=\s)))(?!\d)")
"""Before a line of the model's list; a figure of the sentence's own is none."""

ASK = (
    "List the {most} things that the user is most likely to say next, one a line, each in the "
    "user's own words and language, and nothing else."
)


class Anticipation:
    """Of one session. `work` when the prompt is computed and nobody waits; `stop` when somebody
    speaks."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._began_s = context.clock.now()
        self._working: asyncio.Task[None] | None = None
        self._likely: tuple[ChatRequest, Sequence[str]] | None = None  # the model's last list

    async def work(self) -> None:
        """Make answers ready, until all are, the share is used up, or `stop` is called."""
        self.stop()
        wanted = self._expected
        if self._context.tools.first:
            return  # they would be asked of what nobody has said
        if not wanted and not self._context.config.anticipation.ask_model:
            return
        self._working = asyncio.current_task()
        try:
            if not wanted and self._may_go_on:
                wanted = await self._ask_model()
            for sentence in wanted:
                if not self._may_go_on:
                    return
                await self._make_ready(sentence)
        except (EngineError, MadeWay) as error:
            log.debug("nothing was made ready: %s", error)

    def stop(self) -> None:
        """Somebody speaks, or is to be answered."""
        task, self._working = self._working, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def close(self) -> None:
        """The session is over, and with it what was said."""
        self.stop()
        self._likely = None

    @property
    def _expected(self) -> Sequence[str]:
        own, settings = self._context.settings.expect, self._context.config.anticipation
        return (settings.expect if own is None else own)[: settings.most]

    @property
    def _may_go_on(self) -> bool:
        """Whether the engines' share of this session's time is not used up."""
        age_s = self._context.clock.now() - self._began_s
        allowed_s = FREE_S + age_s * self._context.config.anticipation.engine_share
        return self._context.anticipation.engine_s < allowed_s

    async def _ask_model(self) -> Sequence[str]:
        """Once for each state of the conversation."""
        most = self._context.config.anticipation.most
        asked = replace(self._request(ASK.format(most=most)), tool_choice="none", request_id="")
        if self._likely is not None and self._likely[0] == asked:
            return self._likely[1]
        async with self._of_the_model():
            lines = _text(await self._context.answers.ask(asked)).splitlines()
        found = (_LIST_MARK.sub("", line, count=1).strip(" \t*.\"'") for line in lines)
        likely = [line for line in found if 0 < len(line) <= MAX_SENTENCE_CHARS][:most]
        self._likely = asked, likely
        return likely

    def _request(self, sentence: str) -> ChatRequest:
        turn = Turn("text", self._context.tasks)
        request = make_request(self._context, turn, CreateResponse(), sentence)
        return replace(request, priority=IDLE_PRIORITY)

    async def _make_ready(self, sentence: str) -> None:
        request = self._request(sentence)
        if not normalize_text(sentence) or self._context.answers.knows(request):
            return
        if await self._answer(request):
            self._context.anticipation.made_one()

    async def _answer(self, request: ChatRequest) -> bool:
        """Whether all of it lies ready that may be made before anybody asks."""
        settings, tools = self._context.settings, self._context.tools
        calls = ToolCalls(tools, settings.tools, "", self._context.clock)
        said = words_answered(request)
        for _ in range(MAX_ROUNDS + 1):
            async with self._of_the_model():
                deltas = await self._context.answers.foresee(request)
            if not deltas:
                return False
            await self._speak(_text(deltas))
            asked = [delta.call for delta in deltas if isinstance(delta, ToolCallDelta)]
            if not asked or not _all_run_early(calls, asked):
                return True
            results = [await tools.foresee(call, said) for call in asked]
            if any(result.failed for result in results):
                return False  # who asks has it tried anew
            request = after_calls(request, _text(deltas), asked, results)
        return True

    async def _speak(self, text: str) -> None:
        """The first clause, in the lengths it may come to have, for the phrase cache."""
        if not self._context.config.tts.cache_mb or self._context.settings.modality != "audio":
            return
        language = self._context.language
        voice = replace(self._voice, language=language.reply_code)
        clauses = set()
        for lengths in (NORMAL, LONG):
            splitter = ClauseSplitter(lengths, language.reply_table)
            clauses |= set([*splitter.push(text), *splitter.flush()][:1])
        for clause in clauses:
            with self._counted():
                await self._synthesize(clause, voice)

    async def _synthesize(self, clause: str, voice: Voice) -> None:
        wait_ms, there = self._context.config.tts.first_audio_timeout_ms, True
        async with closing(self._context.engines.synthesizer.stream(clause, voice)) as speech:
            while there:
                async with deadline(wait_ms, "tts", "no audio"):
                    there = await anext(speech, None) is not None

    @asynccontextmanager
    async def _of_the_model(self) -> AsyncIterator[None]:
        """The block is its work: counted, and waited for as long as a reply's."""
        wait_ms = self._context.config.llm.total_timeout_ms
        with self._counted():
            async with deadline(wait_ms, "llm", "the answer is not whole"):
                yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """The block is an engine's work. A tool's is not: nobody else waits for it."""
        began = self._context.clock.now()
        try:
            yield
        finally:
            self._context.anticipation.worked(self._context.clock.now() - began)

    @property
    def _voice(self) -> Voice:
        return Voice(self._context.settings.voice, self._context.settings.speed)


def _text(deltas: Sequence[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def _all_run_early(calls: ToolCalls, asked: Sequence[ToolCall]) -> bool:
    return all(call.name in calls for call in asked) and calls.may_be_early(asked)
