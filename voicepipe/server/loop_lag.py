"""Measures how late this process is, for admission; says its stock phrases once beforehand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterator

from voicepipe.agents.variables import names_in
from voicepipe.config import Settings
from voicepipe.config.agents import AgentSettings
from voicepipe.ledger.records import TurnRecord
from voicepipe.resilience.admission import Admission
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import closing
from voicepipe.session.engines import Engines
from voicepipe.session.language import SessionLanguage
from voicepipe.tts.clauses import ClauseSplitter
from voicepipe.tts.contract import Voice

log = logging.getLogger(__name__)

LAG_EVERY_S = 0.05
"""Twenty timers a second cost nothing and give 200 values in ten seconds."""

PHRASE_DEADLINE_S = 10.0


async def watch_loop(admission: Admission, clock: Clock) -> None:
    """For ever: note by how much a timer is late. Its owner, the service, cancels it."""
    while True:
        due = clock.now() + LAG_EVERY_S
        await asyncio.sleep(LAG_EVERY_S)
        admission.loop_lag_ms.add(max(0.0, clock.now() - due) * 1000)


def note_turn(admission: Admission, record: TurnRecord) -> None:
    """A turn was measured."""
    if record.overhead_us is not None:
        admission.overhead_ms.add(record.overhead_us / 1000)


async def say_once(engines: Engines, settings: Settings) -> int:
    """Let the phrase cache learn the greetings, the fillers, what is said while tools run and into
    pauses; returns how many clauses. Without a cache there is nothing to learn.
    """
    if not settings.tts.cache_mb:
        return 0
    phrases = list(_stock(settings, engines.synthesizer.voices()))
    for phrase, voice in phrases:
        try:
            async with asyncio.timeout(PHRASE_DEADLINE_S):
                async with closing(engines.synthesizer.stream(phrase, voice)) as speech:
                    async for _ in speech:
                        pass
        except (EngineError, TimeoutError) as error:
            log.warning("a stock phrase could not be said beforehand: %s", error)
        except Exception as error:  # a library's own; callers may fare better
            problem = f"{type(error).__name__}: {error}"
            log.warning("a stock phrase could not be said beforehand: %s", problem)
    return len(phrases)


def _stock(settings: Settings, voices: Collection[str]) -> Iterator[tuple[str, Voice]]:
    """Stock phrases, each in the language and the voice in which sessions will ask for it."""
    filler, greeting, agents = settings.filler, settings.greeting, settings.agents.values()
    language, voice = _speaker(settings, voices, AgentSettings())
    own = language.prompts
    phrases = list(own.fillers if filler.phrases is None else filler.phrases)
    clauses = phrases if filler.after_ms else []
    text = greeting.text or (own.greeting if greeting.enabled else "")
    clauses += [one.say for one in (*settings.tools.http, *settings.tools.mcp) if one.say]
    clauses += _clauses(text, language)
    yield from ((clause, voice) for clause in clauses)
    if settings.turns.listening_after_ms:
        speakers = [_speaker(settings, voices, one) for one in (AgentSettings(), *agents)]
        for its, said_by in {speaker[1]: speaker for speaker in speakers}.values():
            words = its.prompts.listening if filler.listening is None else filler.listening
            yield from ((word, said_by) for word in words)
    for agent in agents:
        if agent.greeting and not names_in(agent.greeting):  # else it differs from call to call
            its, said_by = _speaker(settings, voices, agent)
            yield from ((clause, said_by) for clause in _clauses(agent.greeting, its))


def _speaker(
    settings: Settings, voices: Collection[str], agent: AgentSettings
) -> tuple[SessionLanguage, Voice]:
    """What an agent speaks; one of which nothing is said, as the server itself."""
    language = SessionLanguage(agent.language or settings.asr.language)
    name = agent.voice if agent.voice in voices else settings.tts.voice
    return language, Voice(name, settings.tts.speed, language.reply_code)


def _clauses(text: str, language: SessionLanguage) -> list[str]:
    splitter = ClauseSplitter(None, language.reply_table)
    return [*splitter.push(text), *splitter.flush()]
