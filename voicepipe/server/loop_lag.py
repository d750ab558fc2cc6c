"""Measures how late this process is, for admission; says its stock phrases once beforehand."""

from __future__ import annotations

import asyncio
import logging

from voicepipe.agents.variables import names_in
from voicepipe.config import Settings
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
    language = SessionLanguage(settings.asr.language)
    phrases, greeting = settings.filler.phrases, settings.greeting
    own = language.prompts
    clauses = list(own.fillers if phrases is None else phrases) if settings.filler.after_ms else []
    text = greeting.text or (own.greeting if greeting.enabled else "")
    clauses += [one.say for one in (*settings.tools.http, *settings.tools.mcp) if one.say]
    clauses += _clauses(text, language)
    said = [(clause, settings.tts.voice) for clause in clauses]
    if settings.turns.listening_after_ms:
        listening = (
            own.listening if settings.filler.listening is None else settings.filler.listening
        )
        agents = settings.agents.values()
        voices = {settings.tts.voice, *(one.voice or settings.tts.voice for one in agents)}
        said += [(word, voice) for word in listening for voice in sorted(voices)]
    for agent in settings.agents.values():
        if agent.greeting and not names_in(agent.greeting):  # else it differs from call to call
            own_voice = agent.voice or settings.tts.voice
            said += [(clause, own_voice) for clause in _clauses(agent.greeting, language)]
    for clause, name in said:
        voice = Voice(name, settings.tts.speed, language.reply_code)
        try:
            async with asyncio.timeout(PHRASE_DEADLINE_S):
                async with closing(engines.synthesizer.stream(clause, voice)) as speech:
                    async for _ in speech:
                        pass
        except (EngineError, TimeoutError) as error:
            log.warning("a stock phrase could not be said beforehand: %s", error)
    return len(said)


def _clauses(text: str, language: SessionLanguage) -> list[str]:
    splitter = ClauseSplitter(None, language.reply_table)
    return [*splitter.push(text), *splitter.flush()]
