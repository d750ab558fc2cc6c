"""Which voice says what, and the voices that are loaded for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from scripts.make_piper_voice import write_voice
from tests.tts.test_fallback import Deep
from voicepipe.config import LatencySettings, Settings, SimulatedSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable, RequestRefused
from voicepipe.server.engine_factory import create_synthesizer
from voicepipe.server.voices import a_voice_for_each_language
from voicepipe.tts.by_language import Choice, VoicePlan, VoicesByLanguage
from voicepipe.tts.contract import Speech, Synthesizer, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer

DE = Voice(language="de")


async def speak(engine: Synthesizer, clause: str, voice: Voice) -> int:
    """Samples of it."""
    return sum([speech.pcm.size async for speech in engine.stream(clause, voice)])


@pytest.mark.parametrize(
    ("plan", "voice", "choice"),
    [
        # espeak-ng speaks them all: the table's voice, in the timbre of the default
        (VoicePlan("espeak", {}), DE, Choice("", "de+f3")),
        (VoicePlan("espeak", {}, "en-gb+m2"), DE, Choice("", "de+m2")),
        (VoicePlan("espeak", {}, "en-gb+m2"), Voice(language="en"), Choice("", "en-gb+m2")),
        (VoicePlan("espeak", {}, "de", own="en"), Voice(language="en"), Choice("", "de")),  # as set
        (VoicePlan("espeak", {}, "de", own="en-GB"), Voice(language="en-GB"), Choice("", "de")),
        (VoicePlan("espeak", {}, "de", own="en"), Voice(language="fr"), Choice("", "fr-fr+f3")),
        (VoicePlan("espeak", {}), Voice(language="zh-TW"), Choice("", "cmn+f3")),
        (VoicePlan("espeak", {"de": "de+m1"}), DE, Choice("", "de+m1")),
        (VoicePlan("espeak", {"de": "espeak:de+m1"}), DE, Choice("", "de+m1")),
        (VoicePlan("espeak", {}), Voice("fr", language="de"), Choice("", "fr")),  # asked for
        (VoicePlan("espeak", {}), Voice(language="fi"), Choice("", "fi")),  # no table, but known
        (VoicePlan("espeak", {}), Voice(language="fi-FI"), Choice("", "fi")),
        (VoicePlan("espeak", {}), Voice(language="xx"), Choice("", "")),
        (VoicePlan("espeak", {}), Voice(), Choice("", "")),
        (VoicePlan("espeak", {"de": "piper:piper-de"}), DE, Choice("piper-de", "")),
        # a Piper voice speaks one
        (VoicePlan("piper", {}, speaks="en"), Voice(language="en"), Choice("", "")),
        (VoicePlan("piper", {}, speaks="en"), DE, Choice("espeak", "de+f3")),
        (VoicePlan("piper", {}, speaks=None), DE, Choice("", "")),
        (VoicePlan("piper", {}, speaks="en", espeak_installed=False), DE, Choice("", "")),
        (VoicePlan("piper", {"de": "piper-de"}, speaks="en"), DE, Choice("piper-de", "")),
        (VoicePlan("piper", {"de": "espeak:de"}, speaks="en"), DE, Choice("espeak", "de")),
        (VoicePlan("piper", {"sv": "a"}, speaks="en"), Voice(language="sv_SE"), Choice("a", "")),
        # named by a session or an agent
        (VoicePlan("piper", {}, named={"ann": "ann.onnx"}), Voice("ann"), Choice("ann.onnx", "")),
        (
            VoicePlan("espeak", {}, named={"ann": "piper:a"}),
            Voice("ann", language="de"),
            Choice("a", ""),
        ),
        (
            VoicePlan("piper", {}, named={"bot": "espeak:de+m1"}),
            Voice("bot"),
            Choice("espeak", "de+m1"),
        ),
        (
            VoicePlan("espeak", {}, named={"de": "piper:a"}),
            Voice("de"),
            Choice("", "de"),
        ),  # its own
        # a server's voices are its own business
        (VoicePlan("openai", {"de": "anna"}), DE, Choice("", "anna")),
        (VoicePlan("openai", {}), DE, Choice("", "")),
    ],
)
def test_the_choice_of_a_voice(plan: VoicePlan, voice: Voice, choice: Choice) -> None:
    assert plan.choose(voice, ("en-us", "de", "fi", "fr")) == choice


class Loader:
    """Makes engines and remembers them."""

    def __init__(self, make: Callable[[], SimulatedSynthesizer] | None = None) -> None:
        self.made: dict[str, SimulatedSynthesizer] = {}
        self.closed: list[str] = []
        self._make = make or (lambda: Deep(SimulatedSettings(tts=LatencySettings(mean_ms=20))))

    def __call__(self, name: str) -> SimulatedSynthesizer:
        engine = self.made[name] = self._make()
        close = engine.aclose

        async def aclose() -> None:
            self.closed.append(name)
            await close()

        engine.aclose = aclose  # type: ignore[method-assign]
        return engine


def voices(loader: Loader, most: int = 2) -> VoicesByLanguage:
    main = SimulatedSynthesizer(SimulatedSettings(tts=LatencySettings(mean_ms=20)))
    named = {"de": "a", "fr": "b", "es": "c"}
    return VoicesByLanguage(main, VoicePlan("piper", named, speaks="en"), loader, most)


@pytest.mark.virtual_time
async def test_a_voice_is_loaded_when_it_first_speaks_and_comes_at_the_main_ones_rate() -> None:
    loader = Loader()
    both = voices(loader)
    await both.start()
    assert loader.made == {}
    english = await speak(both, "Hello there.", Voice(language="en"))
    assert loader.made == {}
    german = await speak(both, "Guten Tag.", DE)
    assert list(loader.made) == ["a"]
    assert english
    assert german == pytest.approx(english * 10 / 12, rel=0.5)  # of about as many letters
    assert both.sample_rate == 24_000
    await speak(both, "Noch einmal.", DE)
    assert list(loader.made) == ["a"]
    await both.aclose()
    assert loader.closed == ["a"]


@pytest.mark.virtual_time
async def test_the_longest_unused_gives_way() -> None:
    loader = Loader()
    both = voices(loader)
    await both.start()
    for code in ("de", "fr", "de", "es"):
        await speak(both, "Bonjour.", Voice(language=code))
    await asyncio.sleep(0)
    assert loader.closed == ["b"]
    await both.aclose()


@pytest.mark.virtual_time
async def test_a_voice_that_speaks_is_not_taken_away(caplog: pytest.LogCaptureFixture) -> None:
    loader = Loader()
    both = voices(loader, most=1)
    await both.start()
    stream = both.stream("Das ist ein langer Satz, der noch gesprochen wird.", DE)
    await anext(stream)
    assert await speak(both, "Bonjour.", Voice(language="fr"))  # by the main one
    assert list(loader.made) == ["a"]
    assert "tts.max_voices" in caplog.text
    await stream.aclose()
    await both.aclose()


@pytest.mark.virtual_time
@pytest.mark.parametrize("ticks", range(5))
async def test_a_voice_that_was_waited_for_is_not_taken_away_when_it_comes(ticks: int) -> None:
    loaded = asyncio.Event()

    class Slow(Deep):
        async def start(self) -> None:
            await loaded.wait()

    loader = Loader(lambda: Slow(SimulatedSettings(tts=LatencySettings(mean_ms=20))))
    both = voices(loader, most=1)
    await both.start()
    german = asyncio.create_task(speak(both, "Guten Tag.", DE))
    await asyncio.sleep(0.01)
    loaded.set()
    for _ in range(ticks):
        await asyncio.sleep(0)
    assert await speak(both, "Bonjour.", Voice(language="fr"))  # by the main one
    assert await german
    assert loader.closed == []
    await both.aclose()


def test_a_main_voice_that_cannot_speak_now_is_told_of() -> None:
    both = voices(Loader())
    assert both.problem is None
    both.main.problem = "the espeak worker is dead"  # type: ignore[attr-defined]
    assert both.problem == "the espeak worker is dead"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "error",
    [
        EngineUnavailable("the voice is not on this machine", stage="tts"),
        OSError("the voice is not on this machine"),
        TimeoutError("the voice is not on this machine"),
    ],
)
async def test_what_cannot_be_loaded_is_said_once_and_the_main_voice_speaks(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    class Absent(Deep):
        async def start(self) -> None:
            raise error

    both = voices(Loader(lambda: Absent(SimulatedSettings())))
    await both.start()
    for _ in range(2):
        assert await speak(both, "Guten Tag.", DE)
    assert sum("not on this machine" in line for line in caplog.messages) == 1
    await both.aclose()


@pytest.mark.virtual_time
@pytest.mark.parametrize("plan", [{"de": "a"}, {"de": "piper:a"}])
async def test_a_voice_that_the_engine_does_not_have_is_said_once_and_the_main_voice_speaks(
    plan: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    class Choosy(SimulatedSynthesizer):
        async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
            if voice.name or self is not main:
                raise RequestRefused("this engine has no such voice", stage="tts")
            async for speech in super().stream(clause, voice):
                yield speech

    loader = Loader(lambda: Choosy(SimulatedSettings()))
    main = Choosy(SimulatedSettings(tts=LatencySettings(mean_ms=20)))
    both = VoicesByLanguage(main, VoicePlan("simulated", plan), loader, 2)
    await both.start()
    for _ in range(2):
        chunks = [speech async for speech in both.stream("Guten Tag.", DE)]
        assert chunks[0].route["tts"].startswith("no voice")  # it is not to be cached
    assert sum("no such voice" in line for line in caplog.messages) == 1
    with pytest.raises(RequestRefused):  # a client is told what it asks for in vain
        await speak(both, "Guten Tag.", Voice("ann", language="de"))
    await both.aclose()


async def test_real_engines_espeak_for_one_language_and_piper_for_another(tmp_path: Path) -> None:
    """espeak-ng in its worker, a tiny Piper voice in one that is started for it."""
    write_voice(tmp_path / "tiny.onnx")
    voices = {"de": f"piper:{tmp_path / 'tiny.onnx'}"}
    settings = Settings(tts={"engine": "espeak", "voices": voices})
    clock = MonotonicClock()
    both = a_voice_for_each_language(create_synthesizer(settings, clock), settings, clock)
    assert isinstance(both, VoicesByLanguage)
    await both.start()
    try:
        espeak = await speak(both, "Bonjour, comment allez-vous ?", Voice(language="fr"))
        piper = await speak(both, "Guten Tag, wie geht es Ihnen?", DE)
    finally:
        await both.aclose()
    assert espeak > both.sample_rate  # more than a second
    assert piper > both.sample_rate // 10
