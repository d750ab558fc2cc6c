"""Tools that are asked in every turn, before the model: what they say is said as it stands, what
they tell is what the model knows of this turn, and neither is an item of the conversation.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace

from voicepipe.llm.call_ids import new_call_id
from voicepipe.llm.contract import ChatRequest, Delta, Finish, TextDelta, ToolCall
from voicepipe.llm.encodable import encodable
from voicepipe.runtime.clock import Clock
from voicepipe.session.bridge import Bridge
from voicepipe.session.commands import CreateResponse
from voicepipe.session.prompting import after_calls
from voicepipe.session.tool_calls import ToolCalls
from voicepipe.session.turn_notes import ReplyTimes
from voicepipe.tools.contract import ToolResult

_NOTHING = {"ok": True}  # what an empty answer is taken for


class AskedFirst:
    """Of one reply. `gate`: set when the caller's turn is surely over; only what reads may be asked
    before."""

    def __init__(
        self,
        calls: ToolCalls,
        bridge: Bridge,
        gate: asyncio.Event,
        times: ReplyTimes,
        clock: Clock,
    ) -> None:
        self._calls, self._bridge, self._gate = calls, bridge, gate
        self._times, self._clock = times, clock

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
            done = await self._run(call)
            if done.failed and how.say_failed:
                return how.say_failed, request
            if done.failed:
                continue
            say, informs = told(done.text)
            if say:
                return say, request
            if informs:
                request = after_calls(request, "", [call], [done])
        # Who has waited for the endpoint waits behind no speculation.
        return "", replace(request, priority=0) if self._gate.is_set() else request

    async def _run(self, call: ToolCall) -> ToolResult:
        self._bridge.announce(*self._calls.words_for([call]))
        began = self._clock.now()
        done = await self._calls.run(call, early=not self._gate.is_set(), first=True)
        self._times.spent("tool", None, began)
        self._bridge.tools_are_done()
        return done


def _answers_the_caller(request: ChatRequest, options: CreateResponse) -> bool:
    """Whether it is the caller's words that are answered, as the session answers them: not an
    input, instructions or tools of the client's own, nor a call that it wants to see."""
    own = (options.input, options.instructions, options.tools)
    if any(one is not None for one in own) or options.tool_choice not in (None, "auto"):
        return False
    spoken_last = next((m.role for m in reversed(request.messages) if m.role != "system"), "")
    return spoken_last == "user" and not request.must_call


def told(result: str) -> tuple[str, bool]:
    """What a tool has to say, and whether it tells the model something instead."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        return "", bool(result.strip())
    if not isinstance(value, dict):
        return "", not _is_empty(value)
    say = value.get("say")
    if isinstance(say, str) and say.strip():
        return encodable(say).strip(), False
    known = {name: one for name, one in value.items() if not _is_empty(one)}
    return "", bool(known) and known != _NOTHING


def _is_empty(value: object) -> bool:
    """A no and a zero are something."""
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())


async def spoken(words: str) -> AsyncGenerator[Delta]:
    """Words as if a model had given them."""
    yield TextDelta(words)
    yield Finish("stop", route={"llm": "tool"})
