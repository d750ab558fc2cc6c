"""Sums up a conversation's oldest turns before they leave the prompt: made ahead while nobody
speaks, and put in force in one step, so that a prefix cache misses once and not at every turn.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache, partial

from voicepipe.config import SummarySettings
from voicepipe.conversation import summary as cut
from voicepipe.conversation.items import Item, MessageItem, TextPart
from voicepipe.conversation.summary import Summary
from voicepipe.llm.contract import (
    IDLE_PRIORITY,
    ChatRequest,
    Finish,
    LanguageModel,
    MadeWay,
    Message,
    TextDelta,
)
from voicepipe.llm.prompt import CHARS_PER_TOKEN
from voicepipe.llm.redacted import MANY_CHARS
from voicepipe.privacy.redactor import Redactor, redactor
from voicepipe.runtime.errors import ConfigError, VoicepipeError
from voicepipe.runtime.plugins import installed
from voicepipe.runtime.streams import closing
from voicepipe.session.context import Context
from voicepipe.session.ids import new_id

log = logging.getLogger(__name__)

GROUP = "voicepipe.summaries"
MODEL = "llm"
"""In `llm.summary.by`: the session's own model."""

MAKE_AT, USE_AT = 0.7, 0.9
"""How full the history is, in parts of what the prompt holds, when a summary of its oldest turns is
made, and when it takes their place."""

LOOK_S = 0.1
"""Between two looks whether anybody speaks."""

MAX_FAILURES = 3
"""In a row; then this session is not summed up any more."""

Summarize = Callable[[str, str], Awaitable[str]]
"""`(transcript, before)`: what was said, and the summary of what was before that ("" = nothing)."""


@cache
def load(name: str) -> Summarize | None:
    """The entry point that `llm.summary.by` names; None where it is the model, or nothing.

    Raises ConfigError.
    """
    if name in ("", MODEL):
        return None
    point = installed(GROUP).get(name)
    if point is None:
        known = ", ".join(sorted(installed(GROUP))) or "none is installed"
        raise ConfigError(
            f"llm.summary.by: there is no {name!r}; it is 'llm', or an entry point of {GROUP}: "
            f"{known}"
        )
    try:
        found = point.load()
    except Exception as error:  # whatever a foreign package does at import
        raise ConfigError(f"llm.summary.by: {name} ({point.value}): {error}") from error
    if not inspect.iscoroutinefunction(found):
        raise ConfigError(f"llm.summary.by: {name} ({point.value}) is no async function")
    summarize: Summarize = found
    return summarize


class Summaries:
    """Of one session. `at_rest`: nobody speaks and nothing is under way; `use` puts an item before
    all others in the place of an earlier one, and says whether there was room."""

    def __init__(
        self,
        context: Context,
        at_rest: Callable[[], bool],
        use: Callable[[Item, str | None], bool],
    ) -> None:
        self._context, self._at_rest, self._use = context, at_rest, use
        self._settings = context.config.llm.summary
        self._summarize = _summarizer(context)
        self._made: tuple[str, frozenset[str]] | None = None
        self._task: asyncio.Task[None] | None = None
        self._failures = 0

    def look(self) -> None:
        """A response is over: the history may have become long."""
        idle = self._task is None or self._task.done()
        if self._settings.by and idle and self._is_due():
            self._task = self._context.tasks.spawn(self._work(), "summary")

    def _is_due(self) -> bool:
        limit = USE_AT if self._made is not None else MAKE_AT
        wanted = self._context.settings.truncation.enabled and self._failures < MAX_FAILURES
        return wanted and self._fullness() > limit

    def _fullness(self) -> float:
        """Of what is in the prompt word for word."""
        items = cut.without(self._context.conversation.items, self._context.summary)
        return cut.size(items) / self._max_chars

    @property
    def _max_chars(self) -> int:
        return self._context.settings.truncation.max_tokens * CHARS_PER_TOKEN

    async def _work(self) -> None:
        while self._is_due():
            if not self._at_rest():
                await asyncio.sleep(LOOK_S)
                continue
            if self._made is None:
                await self._make()
            if self._made is None:
                return  # disturbed, or it failed: the next response's end is time enough
            if self._fullness() > USE_AT and self._at_rest():
                self._put_in_force(*self._made)
                self._made = None

    async def _make(self) -> None:
        context = self._context
        told_before = context.summary_text  # first: it lets go of one that the client has deleted
        before = context.summary
        kept = [*cut.without(context.conversation.items, before)]
        share = 1 - context.settings.truncation.retention
        oldest = cut.oldest_turns(kept, round(share * self._max_chars))
        if not oldest:
            return
        text = await self._undisturbed(cut.transcript(oldest), told_before)
        if text:
            covered = frozenset() if before is None else before.covered
            self._made = text, covered | {item.id for item in oldest}

    async def _undisturbed(self, said: str, before: str) -> str:
        """The summary; "" where somebody began to speak, or where it failed."""
        task = asyncio.ensure_future(self._summarize(said, before))
        deadline = self._context.clock.now() + self._settings.deadline_ms / 1000
        try:
            while not task.done() and self._at_rest() and self._context.clock.now() < deadline:
                await asyncio.wait([task], timeout=LOOK_S)
        finally:
            if not task.done():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(task, return_exceptions=True)
        if task.cancelled():
            late = self._context.clock.now() >= deadline
            return self._failed(f"not made within {self._settings.deadline_ms} ms") if late else ""
        error = task.exception()
        if isinstance(error, MadeWay):
            return ""
        if error is not None:  # a foreign function's text may quote what was said
            told = str(error) if isinstance(error, VoicepipeError) else type(error).__name__
            return self._failed(told)
        text = str(task.result()).strip()[: self._settings.max_tokens * CHARS_PER_TOKEN]
        return text or self._failed("it is empty")

    def _failed(self, why: str) -> str:
        self._failures += 1
        log.warning("session %s: no summary: %s", self._context.session_id, why)
        return ""

    def _put_in_force(self, text: str, covered: frozenset[str]) -> None:
        before = self._context.summary
        item = MessageItem(new_id("item"), "system", (TextPart(text),))
        if self._use(item, None if before is None else before.item_id):
            self._context.summary = Summary(item.id, covered)
            self._failures = 0
        else:
            self._failed("the conversation has no room for it (limits.max_items)")


def _summarizer(context: Context) -> Summarize:
    """A function of one's own is told no more of callers' personal data than a model is."""
    llm, privacy = context.config.llm, context.config.privacy
    own = load(llm.summary.by)
    if own is None:
        return partial(ask_model, context)
    redact = redactor(llm.redact, privacy)
    return own if redact is None else partial(_redacted, own, redact, privacy.presidio)


async def _redacted(own: Summarize, redact: Redactor, slow: bool, said: str, before: str) -> str:
    """`slow`: the redactor takes longer than patterns do, so always in a thread."""

    async def without(text: str) -> str:
        in_thread = slow or len(text) > MANY_CHARS
        return await asyncio.to_thread(redact, text) if in_thread else redact(text)

    return await without(await own(await without(said), await without(before)))


async def ask_model(context: Context, said: str, before: str) -> str:
    """The session's own model, at low priority; the session's place in its cache is left alone."""
    settings: SummarySettings = context.config.llm.summary
    known = f"The summary so far:\n{before}\n\nWhat was said since:\n" if before else ""
    request = ChatRequest(
        messages=(Message("system", settings.instructions), Message("user", f"{known}{said}")),
        tool_choice="none",
        max_tokens=settings.max_tokens,
        priority=IDLE_PRIORITY,
        request_id=new_id("summary"),
        model=context.settings.model,
        session_id=f"{context.session_id}/summary",
    )
    model: LanguageModel = context.engines.model
    pieces: list[str] = []
    whole = False
    async with closing(model.stream(request)) as deltas:
        async for delta in deltas:
            whole |= isinstance(delta, Finish)
            if isinstance(delta, TextDelta):
                pieces.append(delta.text)
    if not whole:
        raise MadeWay("an answer was waited for meanwhile")
    return "".join(pieces)
