"""A voice for each language: the settings', else espeak-ng's, before one voice reads them all. And
for each name that the settings know beside the engine's own."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from voicepipe.languages.known import language_of
from voicepipe.runtime.errors import RequestRefused, VoicepipeError
from voicepipe.runtime.streams import closing
from voicepipe.tts.clause_rate import ClauseRate
from voicepipe.tts.contract import Speech, Synthesizer, Voice

log = logging.getLogger(__name__)

PATIENCE_S = 4.0
"""A reply waits for its first sound no longer than `tts.first_audio_timeout_ms`, 5 s by default."""

ESPEAK, PIPER = "espeak:", "piper:"
DEFAULT_TIMBRE = "f3"


@dataclass(frozen=True, slots=True)
class Choice:
    """Who says it: `engine` "" is the main one, "espeak", or a Piper voice's name or file."""

    engine: str
    voice: str


@dataclass(frozen=True, slots=True)
class VoicePlan:
    """What the settings say of voices. `speaks`: the language of the main engine's only voice;
    None: it speaks them all."""

    engine: str  # tts.engine
    voices: Mapping[str, str]  # tts.voices
    default: str = ""  # tts.voice
    speaks: str | None = None
    espeak_installed: bool = True
    own: str | None = None  # asr.language: `default` was chosen for it
    named: Mapping[str, str] = field(default_factory=dict)  # by the name that a session may give

    def choose(self, voice: Voice, known: Collection[str] = ()) -> Choice:
        """A voice that the client named is the one; the server's own gives way to the language's.
        `known`: the main engine's voices."""
        if voice.name in self.named and voice.name not in known:
            return self._named(self.named[voice.name])
        code = _code(voice.language)
        if not code or voice.name not in ("", self.default):
            return Choice("", voice.name)
        if named := self.voices.get(code):
            return self._named(named)
        if self.engine == "espeak":
            if code == _code(self.own) and self.default:
                return Choice("", self.default)
            return Choice("", self._espeak(code) or (code if code in known else voice.name))
        if self.speaks in (None, code) or not self.espeak_installed or not self._espeak(code):
            return Choice("", voice.name)
        return Choice("espeak", self._espeak(code))

    def _named(self, name: str) -> Choice:
        if name.startswith(ESPEAK):
            bare = name.removeprefix(ESPEAK)
            return Choice("" if self.engine == "espeak" else "espeak", bare)
        if name.startswith(PIPER) or self.engine == "piper":
            return Choice(name.removeprefix(PIPER), "")
        return Choice("", name)

    def _espeak(self, code: str) -> str:
        """The default voice where it speaks the language, else its timbre in another one."""
        wanted = language_of(code).voice
        base, _, timbre = self.default.partition("+")
        if base.split("-")[0] == code and self.engine == "espeak":
            return self.default
        return f"{wanted}+{timbre or DEFAULT_TIMBRE}" if wanted else ""


def _code(language: str | None) -> str:
    """ISO 639 of "sv-SE", whether there is a table for it or not: so voices are named."""
    bare = (language or "").replace("_", "-").split("-")[0].lower()
    return language_of(language).code or bare


@dataclass(slots=True)
class _Loaded:
    engine: Synthesizer
    ready: asyncio.Task[None]
    speaking: int = 0  # clauses that it speaks, or that wait for it
    late: bool = False  # somebody has waited long enough; it comes when it comes


@dataclass(slots=True)
class VoicesByLanguage:
    """A Synthesizer before the main one. Other engines are loaded when they are first to speak,
    `most` of them at a time; the longest unused goes. Their audio comes at the main one's rate.

    A voice that cannot be loaded, or that its engine does not have, is said so once, and the main
    engine speaks in its place. So it does while one is loading that takes longer than `patience_s`.
    """

    main: Synthesizer
    plan: VoicePlan
    load: Callable[[str], Synthesizer]  # of a `Choice.engine`; raises EngineError
    most: int
    patience_s: float = PATIENCE_S
    name: str = field(init=False)
    _loaded: OrderedDict[str, _Loaded] = field(default_factory=OrderedDict)
    _failed: set[str] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)
    _closing: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.name = self.main.name

    @property
    def sample_rate(self) -> int:
        return self.main.sample_rate

    @sample_rate.setter
    def sample_rate(self, rate: int) -> None:
        """The contract's attribute is plain, so it can be written."""
        self.main.sample_rate = rate

    @property
    def problem(self) -> str | None:
        """The main engine's, where it tells: it speaks for all that are not there."""
        return getattr(self.main, "problem", None)

    async def start(self) -> None:
        """The main engine."""
        await self.main.start()

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """As the engines'."""
        own = self.main.voices()
        choice = self.plan.choose(voice, own)
        source, spoke = await self._source(choice, clause, voice), False
        if source is not None:
            try:
                async with closing(source) as chunks:
                    async for speech in chunks:
                        spoke = True
                        yield speech
                return
            except RequestRefused as error:
                if spoke or choice == Choice("", voice.name):
                    raise
                self._say_refused(choice, error)
        route = {"tts": f"no voice {voice.name or choice.engine or choice.voice}"}
        name = voice.name if voice.name in own else ""
        async with closing(self.main.stream(clause, replace(voice, name=name))) as chunks:
            async for speech in chunks:
                yield replace(speech, route={**speech.route, **route}) if route else speech
                route = {}  # said with the first: it is not to be cached

    def voices(self) -> tuple[str, ...]:
        """The main engine's, and those that are loaded when they are named."""
        own = self.main.voices()
        return (*own, *(name for name in self.plan.named if name not in own))

    async def aclose(self) -> None:
        for loaded in self._loaded.values():
            self._close(loaded)
        self._loaded.clear()
        await asyncio.gather(*self._closing, return_exceptions=True)
        await self.main.aclose()

    async def _source(
        self, choice: Choice, clause: str, voice: Voice
    ) -> AsyncIterator[Speech] | None:
        """Who was chosen, speaking; None: it is not there."""
        voice = replace(voice, name=choice.voice)
        if not choice.engine:
            return self.main.stream(clause, voice)
        loaded = await self._engine(choice.engine)
        return None if loaded is None else self._other(loaded, clause, voice)

    async def _other(self, loaded: _Loaded, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        rate = ClauseRate(loaded.engine.sample_rate, self.sample_rate)
        spoke = False
        loaded.speaking += 1
        try:
            async with closing(loaded.engine.stream(clause, voice)) as chunks:
                async for speech in chunks:
                    yield replace(speech, pcm=rate.convert(speech.pcm))
                    spoke = True
        finally:
            loaded.speaking -= 1
        if spoke and (tail := rate.tail()).size:
            yield Speech(tail)

    async def _engine(self, name: str) -> _Loaded | None:
        """Loaded, or None: the main one must do."""
        if name in self._failed:
            return None
        try:
            self._say_who_speaks(name)
            loaded = self._loaded.get(name) or self._begin(name)
            there = loaded is not None and await self._comes_in_time(name, loaded)
        except Exception as error:  # a library's own, too
            self._failed.add(name)
            if (broken := self._loaded.pop(name, None)) is not None:
                self._close(broken)
            theirs = None if isinstance(error, VoicepipeError) else error
            text = "no voice %s, %s speaks in its place: %s"
            log.warning(text, name, self.main.name, error, exc_info=theirs)
            return None
        return loaded if there else None

    async def _comes_in_time(self, name: str, loaded: _Loaded) -> bool:
        """Whether it is ready, or soon is. Raises what its start does."""
        self._loaded.move_to_end(name)
        if not loaded.ready.done():
            if loaded.late:
                return False
            loaded.speaking += 1  # when it is ready, nobody takes it away from who has waited
            try:
                await asyncio.wait((loaded.ready,), timeout=self.patience_s)
            finally:
                loaded.speaking -= 1
        if not loaded.ready.done():
            loaded.late = True
            log.warning("%s is still loading, %s speaks in its place", name, self.main.name)
            return False
        if loaded.ready.cancelled():  # all are being closed
            return False
        loaded.ready.result()
        return True

    def _say_who_speaks(self, name: str) -> None:
        """An operator who has heard one voice all day wants to know of another, once."""
        if name not in self._told:
            self._told.add(name)
            log.info("a voice beside %s is loaded: %s", self.main.name, name)

    def _say_refused(self, choice: Choice, error: RequestRefused) -> None:
        """The settings name a voice that its engine does not have; once, too."""
        if str(choice) not in self._told:
            self._told.add(str(choice))
            text = "no voice %r, %s speaks in its place: %s"
            log.warning(text, choice.voice or choice.engine, self.main.name, error)

    def _begin(self, name: str) -> _Loaded | None:
        if len(self._loaded) >= self.most and not self._make_room():
            log.warning("tts.max_voices (%d) voices speak at once; no room for %s", self.most, name)
            return None
        engine = self.load(name)
        ready = asyncio.create_task(engine.start(), name=f"tts-load-{name}")
        self._loaded[name] = _Loaded(engine, ready)
        return self._loaded[name]

    def _make_room(self) -> bool:
        for name, loaded in self._loaded.items():
            if not loaded.speaking and loaded.ready.done():
                del self._loaded[name]
                self._close(loaded)
                return True
        return False

    def _close(self, loaded: _Loaded) -> None:
        task = asyncio.create_task(_unload(loaded), name="tts-unload")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _unload(loaded: _Loaded) -> None:
    """Also while it is still being loaded."""
    loaded.ready.cancel()
    await asyncio.gather(loaded.ready, return_exceptions=True)
    await loaded.engine.aclose()
