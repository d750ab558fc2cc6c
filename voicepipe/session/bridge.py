"""Which words bridge the wait for a reply's first sound, and when: a filler's, or a tool's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from voicepipe.ledger.marks import Marks
from voicepipe.runtime.clock import Clock
from voicepipe.session.audio_output import AudioOutput
from voicepipe.session.filler import Filler
from voicepipe.session.turn import Turn


class Bridge:
    """Of one reply to `turn`, with its marks. `filler`: said if the answer is so late after the
    endpoint; `say` makes one of other words, None: nobody listens.
    """

    def __init__(
        self,
        clock: Clock,
        turn: Turn,
        marks: Marks,
        filler: Filler | None,
        after_ms: int,
        say: Callable[[str], Filler] | None,
    ) -> None:
        self._clock, self._turn, self._marks = clock, turn, marks
        self._planned, self._after_s, self._say = filler, after_ms / 1000, say
        self._sounding = asyncio.Event()  # there is something to deliver: no words any more
        self._stirred = asyncio.Event()  # something has changed for who waits
        self._tool: tuple[str, float] | None = None  # words of the one that runs, and when
        self._filler: Filler | None = None  # the one that is or was said
        self._output: AudioOutput | None = None  # where words go out just now
        self._sent_ms = 0.0

    @property
    def sent_ms(self) -> float:
        """How much went out: always before the answer."""
        return self._sent_ms if self._output is None else self._output.sent_ms

    @property
    def said(self) -> str:
        """The words that went out; "" = none."""
        return self._filler.phrase if self._filler is not None and self.sent_ms else ""

    def announce(self, phrase: str, after_s: float) -> None:
        """Tools begin to run; `phrase` is what the caller is told if they take so long."""
        if phrase and self._marks.get("first_clause") is None:
            self._tool = (phrase, self._clock.now() + after_s)
            self.stir()

    def tools_are_done(self) -> None:
        """Their words are not needed any more."""
        self._tool = None
        self.stir()

    def sound_is_there(self) -> None:
        """The answer can be heard."""
        self._sounding.set()
        self.stir()

    def stir(self) -> None:
        """Look again at what is due."""
        self._stirred.set()

    async def fill(self, output: AudioOutput, play: Callable[[bytes], Awaitable[None]]) -> None:
        """Wait until words are due, and `play` them on `output`; or until none are needed."""
        filler = None if self._say is None else await self._due(self._say)
        if filler is None:
            return
        self._filler, self._output = filler, output
        try:
            async for data in filler.bridge(self._sounding):
                await play(data)
        finally:
            self._sent_ms, self._output = output.sent_ms, None

    async def _due(self, say: Callable[[str], Filler]) -> Filler | None:
        """When it is time for them; None: there is something to deliver, and no need."""
        while not (self._sounding.is_set() or self._needs_no_words):
            self._stirred.clear()
            at_s, words = self._next()
            left_s = None if at_s is None else at_s - self._clock.now()
            if left_s is not None and left_s <= 0:
                return words if isinstance(words, Filler) else say(words)
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._stirred.wait()  # owner: synthesis, which stirs at its end
        return None

    @property
    def _needs_no_words(self) -> bool:
        """The answer is being written, and nothing else was to bridge the wait for its sound."""
        return self._planned is None and self._marks.get("first_clause") is not None

    def _next(self) -> tuple[float | None, Filler | str]:
        """The next words to say and when: the filler's, or sooner those of a tool that runs."""
        endpoint_us = self._turn.marks.get("endpoint")
        at_s: float | None = None
        words: Filler | str = ""
        if self._planned is not None and endpoint_us is not None:
            at_s, words = endpoint_us / 1e6 + self._after_s, self._planned
        if self._tool is not None and (at_s is None or self._tool[1] < at_s):
            words, at_s = self._tool
        return at_s, words
