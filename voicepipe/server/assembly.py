"""The engines that the settings name, with all that acts on lateness around them.

From the outside in, where the settings ask for it:

    asr   fallback (late final, errors, breaker)
    llm   cache of answers > cascade (small first) > hedge (late first token, errors) > breaker
    tts   cache of phrases > fallback (late first audio, errors, breaker)

Each layer is an engine by its contract, so a session does not know of any of them.
"""

from __future__ import annotations

import re
from pathlib import Path

from voicepipe.asr.contract import Recognizer
from voicepipe.asr.engines import create_recognizer
from voicepipe.asr.fallback import FallbackRecognizer
from voicepipe.asr.paired import PairedRecognizer
from voicepipe.config import AnswerCacheSettings, BreakerSettings, Settings
from voicepipe.llm.cache.embedding import LetterEmbedder
from voicepipe.llm.cache.model import CachingModel
from voicepipe.llm.cache.question import standalone
from voicepipe.llm.cache.redis_store import RedisStore
from voicepipe.llm.cache.semantic import SemanticIndex
from voicepipe.llm.cache.store import AnswerStore, MemoryStore
from voicepipe.llm.contract import LanguageModel
from voicepipe.llm.engines import create_language_model
from voicepipe.llm.routing.cascade import CascadeModel, CascadeRules
from voicepipe.llm.routing.confidence import OpeningWords
from voicepipe.llm.routing.guarded import GuardedModel
from voicepipe.llm.routing.hedged import HedgedModel
from voicepipe.models.resolve import model_path
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.second_engine import second_settings
from voicepipe.session.engines import Engines
from voicepipe.tts.contract import Synthesizer
from voicepipe.tts.engines import create_synthesizer
from voicepipe.tts.fallback import FallbackSynthesizer
from voicepipe.tts.phrase_cache import CachingSynthesizer, PhraseCache
from voicepipe.vad.engines import create_detector, create_end_of_turn

_NO_MODEL_FILE = {"simulated", "openai", "espeak"}
"""Engines that open no file of ours, whatever their `model` setting says."""


def build_engines(settings: Settings, clock: Clock) -> Engines:
    """The engines that the settings name, not yet started.

    Raises ConfigError or EngineUnavailable, saying what is missing and how to get it.
    """
    breakers: dict[str, Breaker] = {}
    return Engines(
        recognizer=_recognizer(settings, clock, breakers),
        model=_answering(settings, clock, breakers),
        synthesizer=_speaking(settings, clock, breakers),
        new_detector=lambda: create_detector(settings.vad),
        end_of_turn=create_end_of_turn(settings.turns),
        breakers=breakers,
    )


def _recognizer(settings: Settings, clock: Clock, breakers: dict[str, Breaker]) -> Recognizer:
    engine = _plain_recognizer(settings, clock)
    other = settings.asr.second
    if other.engine:
        second = _plain_recognizer(second_settings(settings, "asr", "second"), clock)
        engine = PairedRecognizer(engine, second, other.sure, other.sure_word)
    fallback = settings.asr.fallback
    if not fallback.engine:
        return engine
    second = _plain_recognizer(second_settings(settings, "asr", "fallback"), clock)
    breakers["asr"] = _breaker(fallback.breaker, clock)
    return FallbackRecognizer(engine, second, breakers["asr"], fallback.final_ms, clock)


def _answering(settings: Settings, clock: Clock, breakers: dict[str, Breaker]) -> LanguageModel:
    model = _with_fallback(_plain_model(settings), settings, clock, breakers)
    cascade = settings.llm.cascade
    if cascade.engine:
        small = _plain_model(second_settings(settings, "llm", "cascade"))
        rules = CascadeRules(
            _patterns(cascade.large_patterns, "llm.cascade.large_patterns"), cascade.large_chars
        )
        doubt = OpeningWords(min_logprob=cascade.min_logprob)
        model = CascadeModel(small, model, rules, doubt)
    return _with_cache(model, settings, clock)


def _with_fallback(
    model: LanguageModel, settings: Settings, clock: Clock, breakers: dict[str, Breaker]
) -> LanguageModel:
    fallback = settings.llm.fallback
    if not fallback.engine:
        return model
    second = _plain_model(second_settings(settings, "llm", "fallback"))
    breakers["llm"] = _breaker(fallback.breaker, clock)
    guarded = GuardedModel(model, breakers["llm"], clock)
    return HedgedModel(guarded, second, fallback.first_token_ms, clock)


def _with_cache(model: LanguageModel, settings: Settings, clock: Clock) -> LanguageModel:
    cache = settings.llm.cache
    if not (cache.exact or cache.semantic):
        return model
    index = None
    if cache.semantic:
        index = SemanticIndex(
            LetterEmbedder(),
            clock,
            threshold=cache.threshold,
            max_entries=cache.max_questions,
            ttl_s=cache.ttl_s,
        )
    return CachingModel(
        model,
        exact=_answer_store(cache, clock) if cache.exact else None,
        semantic=index,
        needs_no_context=standalone(_patterns(cache.patterns, "llm.cache.patterns")),
        model_id=f"{settings.llm.engine}/{settings.llm.model}",
    )


def _answer_store(cache: AnswerCacheSettings, clock: Clock) -> AnswerStore:
    if cache.redis_url is None:
        return MemoryStore(clock, max_bytes=round(cache.max_mb * 2**20), ttl_s=cache.ttl_s)
    url = cache.redis_url.get_secret_value()
    return RedisStore(url, clock, ttl_s=cache.ttl_s, timeout_ms=cache.redis_timeout_ms)


def _speaking(settings: Settings, clock: Clock, breakers: dict[str, Breaker]) -> Synthesizer:
    engine = _plain_synthesizer(settings, clock)
    fallback = settings.tts.fallback
    if fallback.engine:
        second = _plain_synthesizer(second_settings(settings, "tts", "fallback"), clock)
        breakers["tts"] = _breaker(fallback.breaker, clock)
        engine = FallbackSynthesizer(
            engine,
            second,
            breakers["tts"],
            fallback.first_audio_ms,
            clock,
            fallback_voice=fallback.voice,
        )
    if not settings.tts.cache_mb:
        return engine
    return CachingSynthesizer(engine, PhraseCache(round(settings.tts.cache_mb * 2**20)))


# One engine each, as the settings' sections `asr`, `llm` and `tts` say ---------------------------


def _plain_recognizer(settings: Settings, clock: Clock) -> Recognizer:
    return create_recognizer(
        settings, _path(settings.asr.engine, settings.asr.model, settings), clock
    )


def _plain_model(settings: Settings) -> LanguageModel:
    return create_language_model(settings, _path(settings.llm.engine, settings.llm.model, settings))


def _plain_synthesizer(settings: Settings, clock: Clock) -> Synthesizer:
    tts = settings.tts
    file = _path(tts.engine, tts.model, settings) if tts.model else None
    return create_synthesizer(settings, file, clock)


def _path(engine: str, model: str, settings: Settings) -> Path | None:
    return None if engine in _NO_MODEL_FILE else model_path(model, settings)


def _breaker(options: BreakerSettings, clock: Clock) -> Breaker:
    return Breaker(BreakerOptions(**options.model_dump()), clock)


def _patterns(texts: tuple[str, ...], setting: str) -> tuple[re.Pattern[str], ...]:
    found = []
    for text in texts:
        try:
            found.append(re.compile(text, re.IGNORECASE))
        except re.error as error:
            raise ConfigError(f"{setting}: {text!r} is not a regular expression: {error}") from None
    return tuple(found)
