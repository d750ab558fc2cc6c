"""One call, from what the model wrote to what it is told. Nothing a tool does gets past here: it
has a deadline, its failure is a sentence, and a service that keeps failing is left alone.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Awaitable
from typing import TypeVar

from voicepipe.llm.contract import ToolCall
from voicepipe.llm.encodable import encodable
from voicepipe.resilience.breaker import Permit
from voicepipe.runtime.clock import Clock
from voicepipe.tools.contract import Facts, Output, ServerTool, ToolError, ToolResult
from voicepipe.tools.schema import read_arguments

log = logging.getLogger(__name__)
T = TypeVar("T")

STOP_DEADLINE_S = 1.0
"""A tool that does not stop when it is cancelled is reported, not waited for."""


async def run_tool(tool: ServerTool, call: ToolCall, facts: Facts, clock: Clock) -> ToolResult:
    """Run it. Never raises for what a model wrote or a tool did, and takes no longer than its
    deadline; to cancel this is to cancel the tool."""
    began = clock.now()
    try:
        output = await _run(tool, call, facts, clock)
    except ToolError as error:
        took_ms = (clock.now() - began) * 1000
        _tell_log(tool, error, took_ms)
        told = encodable(error_text(str(error)))
        return ToolResult(tool.name, told, failed=True, took_ms=took_ms, in_history=tool.in_history)
    took_ms = (clock.now() - began) * 1000
    return ToolResult(
        tool.name,
        encodable(output.text),
        took_ms=took_ms,
        afterwards=output.afterwards,
        in_history=tool.in_history,
    )


def error_text(message: str) -> str:
    """How a model is told of a failure."""
    return json.dumps({"error": message}, ensure_ascii=False)


async def _run(tool: ServerTool, call: ToolCall, facts: Facts, clock: Clock) -> Output:
    ours = not tool.mcp_label
    arguments = read_arguments(call, tool.declaration.parameters, regexes=ours)
    permit = None
    if tool.breaker is not None and (permit := tool.breaker.enter()) is None:
        raise ToolError(
            f"{tool.name} is out of order at the moment",
            detail="not called: it failed or was late too often (its breaker is open)",
        )
    began = clock.now()
    try:
        output = await _within(tool, tool.run(arguments, facts))
    except ToolError as error:
        if permit is not None:
            _judge(permit, error, (clock.now() - began) * 1000)
        raise
    else:
        if permit is not None:
            permit.succeeded((clock.now() - began) * 1000)
        return output
    finally:
        if permit is not None:
            permit.done((clock.now() - began) * 1000)  # cancelled: nobody wanted it any more


def _judge(permit: Permit, error: ToolError, after_ms: float) -> None:
    if error.fault:
        permit.failed()
    else:
        permit.succeeded(after_ms)  # a service that refuses an order is in order itself


async def _within(tool: ServerTool, running: Awaitable[Output]) -> Output:
    """The output, unless the deadline comes first or the tool breaks. Raises ToolError."""
    deadline_s = tool.options.deadline_ms / 1000
    task = asyncio.ensure_future(running)
    try:
        await asyncio.wait([task], timeout=deadline_s)
    finally:
        if not task.done():
            await _stopped(task, tool.name)
    if task.cancelled() or not task.done():
        message = f"{tool.name} did not answer within {deadline_s:g} s"
        raise ToolError(message, detail=f"no answer within {tool.options.deadline_ms} ms")
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, ToolError):
        raise error
    raise ToolError(f"{tool.name} failed", detail=_where(error)) from error


async def _stopped(task: asyncio.Future[T], name: str) -> None:
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=STOP_DEADLINE_S)
    if not done:
        log.error("the tool %s does not stop when it is cancelled: it is left behind", name)
        task.add_done_callback(lambda left: left.cancelled() or left.exception())


def _where(error: BaseException) -> str:
    """The kind of error and its line, without its message: that may quote the caller."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{at}"


def _tell_log(tool: ServerTool, error: ToolError, took_ms: float) -> None:
    if not error.fault:
        log.info("tool %s (%s): the arguments were refused", tool.name, tool.source)
        return
    what = error.detail or "it reported a failure"
    log.warning("tool %s (%s) failed after %.0f ms: %s", tool.name, tool.source, took_ms, what)
    log.debug("tool %s", tool.name, exc_info=error)
