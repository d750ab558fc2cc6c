"""Two recognizers that listen at the same time: the first one's words where it is sure of them, the
second one's elsewhere.

A small model that was taught by synthetic voices knows what it knows: on those it is right when it
is sure, and on people it is not sure. So its confidence tells whose words to take, and where it
understands little from the start it is not asked any more."""

from __future__ import annotations

import asyncio
import difflib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

from voicepipe.asr.contract import AsrOptions, Hypothesis, Recognizer, Transcript, Utterance
from voicepipe.audio.pcm import Int16

ALIKE = 0.75
"""Share of words, in their order, from which on two texts are the same sentence heard twice."""

MIN_ALIKE_WORDS = 4
NEARLY_SURE = 0.05
"""So much less confidence will do where the second one has heard nearly the same."""

LOST = 0.65
"""Of the confidence that it takes: whose partials are below it does not understand who speaks."""

LOST_PARTIALS, LOST_FROM_S = 2, 0.9
"""So many in a row, each when so much had been fed, and no more is heard by the first one, unless
it was once trusted: its confidence sinks in mid-turn, too, at half a word behind a pause. What that
saves and loses is in docs/hearing.md."""


class PairedRecognizer:
    """Implements `contract.Recognizer`. `decisions` counts whose words were taken;
    `Transcript.route["asr"]` says it."""

    def __init__(
        self, first: Recognizer, second: Recognizer, sure: float, sure_word: float
    ) -> None:
        self.first, self.second = first, second
        self.sure, self.sure_word = sure, sure_word
        self.name = f"{first.name}+{second.name}"
        self.decisions: Counter[str] = Counter()

    async def start(self) -> None:
        """Both engines. Raises EngineUnavailable if one is missing."""
        await asyncio.gather(self.first.start(), self.second.start())

    def open(self, options: AsrOptions) -> PairedUtterance:
        """As the engines'."""
        return PairedUtterance(self, options)

    async def aclose(self) -> None:
        """Both engines."""
        try:
            await self.first.aclose()
        finally:
            await self.second.aclose()

    def trusts(self, text: str, confidence: float) -> bool:
        """Whether the first one's words are taken without asking the second."""
        sure = self.sure if len(text.split()) > 1 else self.sure_word
        return bool(text) and confidence >= sure

    def choose(self, first: Transcript, second: Transcript) -> Transcript:
        """Whose words count; both were silent: the first one's reason."""
        trusted = self.trusts(first.text, first.confidence)
        taken = first if trusted or self._borne_out(first, second) else second
        if not taken.text and not first.text:
            taken = first
        both = replace(
            taken,
            work_s=first.work_s + second.work_s,
            queue_s=max(first.queue_s, second.queue_s),
        )
        return self.taken(both, "first" if taken is first else "second")

    def taken(self, transcript: Transcript, whose: str) -> Transcript:
        """Of whom it is, counted and said."""
        self.decisions[whose] += 1
        return replace(transcript, route={**transcript.route, "asr": whose})

    def _borne_out(self, first: Transcript, second: Transcript) -> bool:
        """Two that hear the same sentence but for a word are both near it, and the first one knows
        its small world better."""
        nearly_sure = first.confidence >= self.sure - NEARLY_SURE
        words, others = first.text.lower().split(), second.text.lower().split()
        if not nearly_sure or len(words) < MIN_ALIKE_WORDS:
            return False
        return difflib.SequenceMatcher(None, words, others, autojunk=False).ratio() >= ALIKE


class PairedUtterance:
    """Implements `contract.Utterance` with two."""

    def __init__(self, owner: PairedRecognizer, options: AsrOptions) -> None:
        self._owner = owner
        self.first: Utterance = owner.first.open(options)
        self.second: Utterance = owner.second.open(options)
        self._trusted = False  # the first one, at some time
        self._doubtful = 0  # partials of the first one in a row
        self._lost = False  # the first one is not asked any more
        self._asked = 0  # finals that wait for it

    def feed(self, pcm: Int16) -> None:
        """See the contract."""
        if not self._lost:
            self.first.feed(pcm)
        self.second.feed(pcm)

    async def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """See the contract: whose the final would be by now. Nothing is stable, for the final may
        be the other one's."""
        newest: dict[str, Hypothesis] = {}
        async for whose, partial in _merged(first=self.first, second=self.second):
            if whose == "first":
                self._doubt(partial)
            newest[whose] = partial
            if self._lost:
                newest.pop("first", None)
            first, second = newest.get("first"), newest.get("second")
            sure = first is not None and self._owner.trusts(first.text, first.confidence)
            shown = first if sure else second
            if shown is partial:
                yield replace(shown, stable="", tentative=shown.text)

    async def final(self) -> Transcript:
        """See the contract. Nobody waits for the second one where the first is sure; if it is not
        asked for its words, its decode goes on for a later final. Raises the error of either."""
        if self._lost:
            return self._owner.taken(await self.second.final(), "second")
        asked = asyncio.ensure_future(self.second.final())
        self._asked += 1
        try:
            first = await self.first.final()
            if self._owner.trusts(first.text, first.confidence):
                return self._owner.choose(first, Transcript(""))
            return self._owner.choose(first, await asked)
        finally:
            self._asked -= 1
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)

    def _doubt(self, partial: Hypothesis) -> None:
        """A partial of the first one: after too many that say little it is let go."""
        self._trusted = self._trusted or self._owner.trusts(partial.text, partial.confidence)
        sure = partial.confidence >= LOST * self._owner.sure
        self._doubtful = 0 if sure or partial.audio_s < LOST_FROM_S else self._doubtful + 1
        if self._doubtful >= LOST_PARTIALS and not (self._trusted or self._asked):
            self._lost = True
            self.first.cancel()

    def cancel(self) -> None:
        """See the contract."""
        self.first.cancel()
        self.second.cancel()


async def _merged(**utterances: Utterance) -> AsyncIterator[tuple[str, Hypothesis]]:
    """The partials of all, as they come, with their names."""
    streams = {name: one.hypotheses() for name, one in utterances.items()}
    asked = {asyncio.ensure_future(anext(stream)): name for name, stream in streams.items()}
    try:
        while asked:
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            for ticket in done:
                name = asked.pop(ticket)
                if isinstance(ticket.exception(), StopAsyncIteration):
                    continue
                yield name, ticket.result()
                asked[asyncio.ensure_future(anext(streams[name]))] = name
    finally:
        for ticket in asked:
            ticket.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
