"""Clauses said before need no engine: greeting, fillers, "anything else?"."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from voicepipe.runtime.streams import closing
from voicepipe.tts.contract import Speech, Synthesizer, Voice

_CHUNK_OVERHEAD_BYTES = 256
_HIT = {"tts_cache": "hit"}


@dataclass(frozen=True, slots=True)
class PhraseKey:
    """What the sound depends on."""

    engine: str
    voice: str
    speed: float
    text: str
    language: str | None = None


class PhraseCache:
    """Whole clauses of speech, at most `max_bytes` of them; the longest unused go first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._clauses: OrderedDict[PhraseKey, tuple[Speech, ...]] = OrderedDict()
        self.bytes = 0
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._clauses)

    def get(self, key: PhraseKey) -> tuple[Speech, ...] | None:
        """The clause's chunks, and count the hit or the miss."""
        chunks = self._clauses.get(key)
        if chunks is None:
            self.misses += 1
            return None
        self.hits += 1
        self._clauses.move_to_end(key)
        return chunks

    def put(self, key: PhraseKey, chunks: tuple[Speech, ...]) -> None:
        """Keep a clause; one larger than an eighth of the cache is not worth the others. Nor is one
        without sound, such as a page of code: nobody waits for it, and it would never go."""
        if not chunks or _size(chunks) > self._max_bytes // 8:
            return
        if (old := self._clauses.pop(key, None)) is not None:
            self.bytes -= _size(old)
        self._clauses[key] = chunks
        self.bytes += _size(chunks)
        while self.bytes > self._max_bytes:
            _, dropped = self._clauses.popitem(last=False)
            self.bytes -= _size(dropped)


class CachingSynthesizer:
    """A Synthesizer before another one. Only audio that came to its end is kept, and none of a
    fallback's: it is another voice. A hit says so in the first chunk's `route["tts_cache"]`.
    """

    def __init__(self, inner: Synthesizer, cache: PhraseCache) -> None:
        self.inner = inner
        self.cache = cache
        self.name = inner.name

    @property
    def sample_rate(self) -> int:
        return self.inner.sample_rate

    @sample_rate.setter
    def sample_rate(self, rate: int) -> None:
        """The contract's attribute is plain, so it can be written."""
        self.inner.sample_rate = rate

    @property
    def problem(self) -> str | None:
        """The engine's, where it tells."""
        return getattr(self.inner, "problem", None)

    async def start(self) -> None:
        """As the engine's."""
        await self.inner.start()

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """As the engine's, at once if the clause was said before in this voice."""
        key = PhraseKey(self.name, voice.name, voice.speed, clause, voice.language)
        if (cached := self.cache.get(key)) is not None:
            for index, speech in enumerate(cached):
                yield speech if index else replace(speech, planned_s=0.0, route=_HIT)
            return
        chunks: list[Speech] = []
        async with closing(self.inner.stream(clause, voice)) as source:
            async for speech in source:
                chunks.append(speech)
                yield speech
        if not any(speech.route.get("tts", "primary") != "primary" for speech in chunks):
            self.cache.put(key, tuple(chunks))

    def voices(self) -> tuple[str, ...]:
        return self.inner.voices()

    async def aclose(self) -> None:
        await self.inner.aclose()


def _size(chunks: tuple[Speech, ...]) -> int:
    return sum(speech.pcm.nbytes + _CHUNK_OVERHEAD_BYTES for speech in chunks)
