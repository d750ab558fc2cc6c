"""A recognizer in another process, by the contract of one in this."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.audio import pcm as sound
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.cluster.channel import Call, Channel, OpenCall
from voicepipe.cluster.errors import Lost, Refused, unpacked_error
from voicepipe.cluster.items import Unreadable, packed_options, unpacked
from voicepipe.cluster.reading import TRIES, placed
from voicepipe.cluster.remote_engine import RemoteEngine
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import Latest

MAX_KEPT_S = 120.0
"""Audio kept until the utterance is over, for another replica; engines hear no longer ones."""


class RemoteRecognizer(RemoteEngine):
    """Implements `contract.Recognizer`. `patience_s`: the longest wait for a final."""

    def __init__(self, channel: Channel, engine: str = "asr", patience_s: float = 30.0) -> None:
        super().__init__(channel, engine, patience_s)

    def open(self, options: AsrOptions) -> RemoteUtterance:
        """See the contract. With no engine to be had it raises nothing: `final` does."""
        return RemoteUtterance(self._channel, self._engine, options, self._patience_s)


class RemoteUtterance:
    """Implements `contract.Utterance`. It stays with its replica; if that is lost, another hears
    all of the audio again."""

    def __init__(
        self, channel: Channel, engine: str, options: AsrOptions, patience_s: float
    ) -> None:
        self._channel, self._engine, self._options = channel, engine, options
        self._patience_s = patience_s
        self._kept: list[Int16] = []  # references: the session keeps the same arrays
        self._room = round(MAX_KEPT_S * SAMPLE_RATE)
        self._hypotheses: Latest[Hypothesis] = Latest()
        self._stable, self._fed = "", 0
        self._finals: dict[int, asyncio.Future[Transcript]] = {}
        self._asked: dict[int, float] = {}  # when, by the loop's clock
        self._numbers = itertools.count(1)
        self._avoid: set[str] = set()
        self._known: Transcript | None = None
        self._cancelled = False
        self._call: OpenCall | None = None
        with suppress(EngineError):  # the way may be there again when it is needed
            self._open()

    def feed(self, pcm: Int16) -> None:
        """See the contract."""
        if self._cancelled or not pcm.size:
            return
        self._known, self._fed = None, self._fed + pcm.size
        if self._room:
            self._kept.append(pcm[: self._room])
            self._room -= self._kept[-1].size
        if self._call is not None:
            self._call.send({"op": "audio"}, sound.to_bytes(pcm))

    def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """See the contract."""
        return self._hypotheses.read()

    async def final(self) -> Transcript:
        """See the contract; asks at most `TRIES` replicas."""
        if self._call is None:
            self._avoid.clear()  # what failed then may be there again
        for last in (False,) * (TRIES - 1) + (True,):
            if self._known is not None:
                return self._known
            if self._cancelled:
                raise EngineError("the utterance was cancelled", stage="asr")
            try:
                return await self._ask()
            except (Lost, Refused):
                if last or not self._avoid:  # one host, and it is gone
                    raise
        raise AssertionError("the last try returns or raises")

    def cancel(self) -> None:
        """See the contract."""
        self._cancelled, self._known = True, None
        self._kept.clear()
        self._hypotheses.close()
        if self._call is not None:
            self._call.close()
            self._call = None
        self._fail_finals(EngineError("the utterance was cancelled", stage="asr"))

    # --- channel.Receiver

    def message(self, header: Mapping[str, Any], payload: bytes) -> None:
        """A hypothesis, a transcript, or why there is none."""
        try:
            self._heed(header)
        except Unreadable as error:
            self.failed(EngineError(f"{self._engine}: {error}", stage="asr"))

    def failed(self, error: EngineError) -> None:
        """The replica is gone, or refuses: the next final goes elsewhere; so does what is fed, if
        there is somebody."""
        call, self._call = self._call, None
        if call is not None:
            call.close()  # it may not be over: what came could not be read
            if call.replica:
                self._avoid.add(call.replica)
        self._fail_finals(error)
        if self._avoid and isinstance(error, Lost | Refused) and not self._cancelled:
            with suppress(EngineError):
                self._open()

    # ---

    def _heed(self, header: Mapping[str, Any]) -> None:
        if self._options.spoken is not None and "spoken" in header:
            self._options.spoken.take(header["spoken"])
        number = header.get("n")
        if number is None:
            self._show(unpacked(header))
        elif (final := self._finals.get(number)) is not None and not final.done():
            if "kind" in header:
                final.set_exception(unpacked_error(header))
            else:
                final.set_result(self._placed(unpacked(header), number, header))

    def _open(self) -> OpenCall:
        call = Call(self._engine, "listen", packed_options(self._options))
        self._call = self._channel.open(call, self, frozenset(self._avoid))
        for pcm in self._kept:
            self._call.send({"op": "audio"}, sound.to_bytes(pcm))
        return self._call

    async def _ask(self) -> Transcript:
        call = self._call or self._open()
        number, now = next(self._numbers), asyncio.get_running_loop().time
        fed = self._fed
        final = self._finals[number] = asyncio.get_running_loop().create_future()
        self._asked[number] = now()
        call.send({"op": "final", "n": number})
        try:
            async with asyncio.timeout(self._patience_s):
                transcript: Transcript = await final
        except TimeoutError:
            text = f"{self._engine}: no final came from its process within {self._patience_s:g} s"
            raise EngineError(text, stage="asr", retryable=True) from None
        finally:
            answered = final.done() and not final.cancelled()
            del self._finals[number], self._asked[number]
            if not answered:
                call.send({"op": "drop", "n": number})
        if fed == self._fed:
            self._known = transcript
        return transcript

    def _placed(self, transcript: Transcript, number: int, header: Mapping[str, Any]) -> Transcript:
        if self._call is None:
            return transcript
        waited_s = asyncio.get_running_loop().time() - self._asked[number]
        found = placed("asr", self._call, header, waited_s)
        return replace(transcript, route={**transcript.route, **found})

    def _show(self, hypothesis: Hypothesis) -> None:
        """`stable` only ever grows, even where another replica begins anew."""
        if not self._cancelled and hypothesis.stable.startswith(self._stable):
            self._stable = hypothesis.stable
            self._hypotheses.put(hypothesis)

    def _fail_finals(self, error: EngineError) -> None:
        for final in self._finals.values():
            if not final.done():
                final.set_exception(error)
