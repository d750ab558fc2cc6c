"""Tools that are asked in every turn, before the model: what they say is said as it stands, what
they tell is what the model knows of this turn, and neither is an item of the conversation.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

from voicepipe.llm.call_ids import new_call_id
from voicepipe.llm.contract import ChatRequest, Delta, Finish, TextDelta, ToolCall
from voicepipe.runtime.clock import Clock
from voicepipe.session.commands import CreateResponse
from voicepipe.session.prompting import after_calls
from voicepipe.session.tool_calls import ToolCalls
from voicepipe.session.turn_notes import ReplyTimes

_NOTHING = {"ok": True}  # what an empty answer is taken for


class AskedFirst:
    """Of one reply. `gate`: set when the caller's turn is surely over; only what reads may be asked
    before."""

    def __init__(
        self, calls: ToolCalls, gate: asyncio.Event, times: ReplyTimes, clock: Clock
    ) -> None:
        self._calls, self._gate, self._times, self._clock = calls, gate, times, clock

    async def ask(self, request: ChatRequest, options: CreateResponse) -> tuple[str, ChatRequest]:
        """What is said to the caller, "" for nothing; and what the model is asked then."""
        if not _answers_the_caller(request, options):
            return "", request
        for name in self._calls.first:
            how = self._calls.options(name)
            if not how.read_only:
                await self._gate.wait()
                self._times.behind_gate = True
            call = ToolCall(new_call_id(), name, "{}")
            began = self._clock.now()
            done = await self._calls.run(call, early=not self._gate.is_set())
            self._times.spent("tool", None, began)
            if done.failed and how.say_failed:
                return how.say_failed, request
            if done.failed:
                continue
            say, informs = told(done.text)
            if say:
                return say, request
            if informs:
                request = after_calls(request, "", [call], [done])
        return "", request


def _answers_the_caller(request: ChatRequest, options: CreateResponse) -> bool:
    """Whether it is the caller's words that are answered, as the session answers them: not an input
    or instructions of the client's own, nor a call that it wants to see."""
    own = options.input is not None or options.instructions is not None or options.tools == ()
    last = request.messages[-1] if request.messages else None
    return not own and request.tool_choice == "auto" and last is not None and last.role == "user"


def told(result: str) -> tuple[str, bool]:
    """What a tool has to say, and whether it tells the model something instead."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        return "", bool(result.strip())
    if not isinstance(value, dict):
        return "", bool(value)
    say = value.get("say")
    if isinstance(say, str) and say.strip():
        return say.strip(), False
    known = [one for one in value.values() if not isinstance(one, str) or one.strip()]
    return "", value != _NOTHING and any(known)


async def spoken(words: str) -> AsyncGenerator[Delta]:
    """Words as if a model had given them."""
    yield TextDelta(words)
    yield Finish("stop", route={"llm": "tool"})
