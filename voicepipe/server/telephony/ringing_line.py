"""A call whose stream is up while a program has not decided on it yet."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.protocols.telephony.contract import CallCodec, CallEnded, CallStarted
from voicepipe.server.decision import Decision
from voicepipe.server.live_calls import LiveCall, State
from voicepipe.server.telephony.call_events import CallEvents, WrongDialect
from voicepipe.server.telephony.line import Line, LineLost

HUNG_UP = "hung up before it was up"
"""By a program, which had accepted it, or had the number called."""


async def decision_on(call: LiveCall, deciding: Awaitable[Decision], line: CallEvents) -> Decision:
    """What the program says. What the caller says meanwhile nobody hears; one who hangs up has
    decided."""
    hanging_up = asyncio.create_task(_until_hung_up(line), name=f"call {call.id} rings")
    decided = asyncio.ensure_future(deciding)
    try:
        await asyncio.wait({hanging_up, decided}, return_when=asyncio.FIRST_COMPLETED)
        if not decided.done():
            call.decide(Decision(False, reason="caller hung up"))
        decision = await decided
    finally:
        hanging_up.cancel()
        await asyncio.gather(hanging_up, return_exceptions=True)
    if decision.accepted and not hanging_up.cancelled():  # at the same moment
        return Decision(False, reason="caller hung up")
    if decision.accepted and call.state is State.ENDED:
        return Decision(False, reason=HUNG_UP)
    return decision


async def keep_up(started: CallStarted, codec: CallCodec, line: Line) -> None:
    """Silence for a peer that takes a line without any for dead. The call, its owner, cancels."""
    every_s = codec.abilities.silence_every_s
    while every_s is not None:
        await asyncio.sleep(every_s)
        try:
            for frame in codec.audio(started.output_format.silence(FRAME_MS)):
                await line.send(frame)
        except LineLost:
            return  # who reads it sees it too


async def _until_hung_up(line: CallEvents) -> None:
    try:
        while (events := await line.next()) is not None:
            if any(isinstance(event, CallEnded) for event in events):
                return
    except WrongDialect:
        return
