"""The host's side of one call: an engine is asked, its items go down, messages come up."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Protocol

from voicepipe.asr.contract import Recognizer, Utterance
from voicepipe.audio.pcm import Int16
from voicepipe.cluster.errors import packed_error
from voicepipe.cluster.items import packed, samples, unpacked, unpacked_options
from voicepipe.cluster.reading import WINDOW
from voicepipe.cluster.served import ServedEngine
from voicepipe.llm.contract import ChatRequest, LanguageModel
from voicepipe.runtime.errors import EngineError, VoicepipeError
from voicepipe.runtime.streams import closing
from voicepipe.tts.contract import Synthesizer

log = logging.getLogger(__name__)

Send = Callable[[Mapping[str, Any], bytes], None]


class HostedCall(Protocol):
    """What a host keeps of a call."""

    async def run(self) -> None:
        """Serve it to its end. Raises EngineError: the call has failed."""
        ...

    def receive(self, header: Mapping[str, Any], payload: bytes) -> None:
        """A message of its gateway."""
        ...


class HostedStream:
    """A generation or a clause. The engine is one window ahead of its reader at most."""

    def __init__(
        self,
        served: ServedEngine,
        items: Callable[[], AsyncIterator[Any]],
        send: Send,
        priority: int = 0,
    ) -> None:
        self._served, self._items, self._send = served, items, send
        self._priority = priority
        self._room = WINDOW
        self._more = asyncio.Event()

    async def run(self) -> None:
        """See `HostedCall`."""
        async with self._served.turn(self._priority) as queue_s, closing(self._items()) as items:
            began_s, first = time.monotonic(), True
            async for item in items:
                header, payload = packed(item)
                first_s = queue_s + time.monotonic() - began_s if first else None
                if first:
                    header |= {"host_s": first_s, "queue_s": queue_s}
                    first = False
                self._served.noted(item, queue_s, first_s)
                await self._until_wanted()
                self._send({**header, "op": "item"}, payload)

    def receive(self, header: Mapping[str, Any], payload: bytes) -> None:
        """More is wanted."""
        if header["op"] == "more":
            self._room += header["n"]
            self._more.set()

    async def _until_wanted(self) -> None:
        while self._room <= 0:  # its gateway's deadline, or its end, ends the call
            self._more.clear()
            await self._more.wait()
        self._room -= 1


class HostedWarmUp:
    """A prompt computed ahead. It takes no turn: the engine has it wait while callers are answered,
    and would have it wait with a turn that those need."""

    def __init__(self, model: LanguageModel, request: ChatRequest) -> None:
        self._model, self._request = model, request

    async def run(self) -> None:
        """See `HostedCall`."""
        await self._model.warm(self._request)

    def receive(self, header: Mapping[str, Any], payload: bytes) -> None:
        """Nothing more is to be said."""


class HostedUtterance:
    """An utterance: audio comes up; hypotheses and, when asked for, transcripts go down."""

    def __init__(self, served: ServedEngine, asked: Mapping[str, Any], send: Send) -> None:
        self._served, self._send = served, send
        self._options = unpacked_options(asked)
        self._utterance: Utterance | None = None
        self._early: list[tuple[Mapping[str, Any], bytes]] = []  # it was not opened yet
        self._finals: dict[int, asyncio.Task[None]] = {}
        self._broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """See `HostedCall`; ends with the utterance."""
        recognizer: Recognizer = self._served.engine
        utterance = self._utterance = recognizer.open(self._options)
        try:
            for header, payload in self._early:
                self.receive(header, payload)
            async for hypothesis in utterance.hypotheses():
                self._tell(*packed(hypothesis))
            while self._finals:  # engines may end the hypotheses before the last final
                await asyncio.wait(self._finals.values())
            await self._broken  # else its gateway closes it
        finally:
            utterance.cancel()
            await self._end_finals()

    def receive(self, header: Mapping[str, Any], payload: bytes) -> None:
        """Audio, the wish for a final, or that nobody waits for one any more."""
        if self._broken.done():
            return
        utterance = self._utterance
        if utterance is None:
            self._early.append((header, payload))
            return
        match header["op"]:
            case "audio":
                self._feed(utterance, samples(payload))
            case "final":
                number = header["n"]
                name = f"final {number}"
                task = asyncio.create_task(self._final(utterance, number), name=name)
                self._finals[number] = task  # also one that is dropped before its first step goes
                task.add_done_callback(lambda _: self._finals.pop(number, None))
            case "drop":
                if (dropped := self._finals.get(header["n"])) is not None:
                    dropped.cancel()

    def _feed(self, utterance: Utterance, pcm: Int16) -> None:
        """An engine that chokes on it ends this call, and not the connection, which is others'."""
        try:
            utterance.feed(pcm)
        except Exception as error:
            self._broken.set_exception(error)
            self._broken.exception()  # nobody may be waiting any more
            for task in self._finals.values():
                task.cancel()
            utterance.cancel()

    async def _final(self, utterance: Utterance, number: int) -> None:
        asked_s = time.monotonic()
        try:
            transcript = await utterance.final()
            header, _ = packed(transcript)
            header["host_s"] = time.monotonic() - asked_s
            self._served.noted(transcript, transcript.queue_s, header["host_s"])
        except Exception as error:  # the utterance goes on: more may be fed, and asked again
            header = packed_error(as_engine_error(error, "asr"))
        self._tell({**header, "n": number}, b"")

    def _tell(self, header: Mapping[str, Any], payload: bytes) -> None:
        spoken = self._options.spoken
        known = {} if spoken is None else {"spoken": spoken.known}
        self._send({**header, **known, "op": "item"}, payload)

    async def _end_finals(self) -> None:
        tasks = list(self._finals.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def as_engine_error(error: Exception, stage: str) -> EngineError:
    """What a gateway may be told: of a fault of ours or a library's only its kind."""
    if isinstance(error, EngineError):
        return error
    if isinstance(error, VoicepipeError):
        return EngineError(str(error), stage=stage)
    log.error("the %s engine failed", stage, exc_info=error)
    return EngineError(f"the {stage} engine failed: {type(error).__name__}", stage=stage)


def hosted(served: ServedEngine, doing: str, asked: Mapping[str, Any], send: Send) -> HostedCall:
    """The call that was asked for. Raises Unreadable, KeyError: not as this version has it."""
    match doing:
        case "listen":
            return HostedUtterance(served, asked, send)
        case "answer":
            model: LanguageModel = served.engine
            request = unpacked(asked)
            return HostedStream(served, lambda: model.stream(request), send, request.priority)
        case "warm":
            return HostedWarmUp(served.engine, unpacked(asked))
        case "speak":
            speaker: Synthesizer = served.engine
            clause, voice = asked["clause"], unpacked(asked["voice"])
            return HostedStream(served, lambda: speaker.stream(clause, voice), send)
    raise KeyError(doing)
