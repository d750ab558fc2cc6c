"""Which of a model's calls are taken: one at a time if the client wants that, and where it must
call, only what fits the tool. Pure."""

from __future__ import annotations

import logging
from dataclasses import replace

from voicepipe.llm.contract import ChatRequest, Message, ToolCall, ToolCallUnusable
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.contract import ToolError
from voicepipe.tools.schema import object_schema, read_arguments

log = logging.getLogger(__name__)


class WantedCalls:
    """Of one generation."""

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._taken = 0

    def take(self, call: ToolCall) -> bool:
        """Whether it counts. Raises ToolCallUnusable for one that had to fit and does not, while
        nothing was taken."""
        if self._taken and not self._request.parallel_tools:
            log.debug("%s is left out: one call at a time is wanted", call.name)
            return False
        fault = self._fault(call) if self._request.must_call else ""
        if fault and self._taken:
            log.warning("a further call of %s is left out: %s", call.name, fault)
            return False
        if fault:
            raise ToolCallUnusable(fault)
        self._taken += 1
        return True

    def check(self) -> None:
        """The answer is over. Raises ToolCallUnusable where a call had to be in it."""
        if self._request.must_call and not self._taken:
            raise ToolCallUnusable("no tool was called, and one must be")

    def _fault(self, call: ToolCall) -> str:
        """In words that quote nothing of the model's."""
        choice = self._request.tool_choice
        if choice not in ("required", call.name):
            return "another tool was called than had to be"
        offered = {tool.name: tool for tool in self._request.tools}
        if call.name not in offered:
            return "it was not offered"
        try:
            read_arguments(call, object_schema(offered[call.name].parameters, call.name))
        except ToolError as error:
            return "" if error.fault else "its arguments do not fit"
        except ConfigError:  # the client's schema is none: then nothing can be said of them
            return ""
        return ""


def reminded(request: ChatRequest) -> ChatRequest:
    """The same once more, and in words: at the beginning, where every chat template takes them."""
    choice = request.tool_choice
    which = "one of your tools" if choice == "required" else f"the tool {choice}"
    told = (
        f"Now call {which}, and say nothing. Its arguments are one JSON object that fits the "
        "parameters declared for it."
    )
    head, rest = request.messages[:1], request.messages[1:]
    if head and head[0].role == "system":
        return replace(
            request, messages=(replace(head[0], content=f"{head[0].content}\n\n{told}"), *rest)
        )
    return replace(request, messages=(Message("system", told), *request.messages))
