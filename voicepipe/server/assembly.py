"""The engines that the settings name, with all that acts on lateness around them.

From the outside in, where the settings ask for it:

    asr   fallback (late final, errors, breaker)
    llm   personal data taken out > the call's choice > cache of answers > cascade (small first) >
          hedge (late first token, errors) > breaker
    tts   cache of phrases > fallback (late first audio, errors, breaker)

Each layer is an engine by its contract, so a session does not know of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from voicepipe.asr.contract import Recognizer
from voicepipe.asr.fallback import FallbackRecognizer
from voicepipe.asr.paired import PairedRecognizer
from voicepipe.cluster.pool_engines import pool_of
from voicepipe.config import AnswerCacheSettings, BreakerSettings, Settings
from voicepipe.llm.cache.embedding import ServerEmbedder
from voicepipe.llm.cache.model import CachingModel, Meanings
from voicepipe.llm.cache.question import standalone
from voicepipe.llm.cache.redis_store import RedisStore
from voicepipe.llm.cache.semantic import SemanticIndex
from voicepipe.llm.cache.store import AnswerStore, MemoryStore
from voicepipe.llm.contract import LanguageModel
from voicepipe.llm.redacted import RedactedModel
from voicepipe.llm.routing.cascade import CascadeModel, CascadeRules
from voicepipe.llm.routing.chosen import ChosenModel
from voicepipe.llm.routing.confidence import OpeningWords
from voicepipe.llm.routing.guarded import GuardedModel
from voicepipe.llm.routing.hedged import HedgedModel
from voicepipe.privacy.redactor import redactor
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.engine_factory import CreateEngine
from voicepipe.server.second_engine import OTHERS, second_settings
from voicepipe.server.shared_engines import through_pools
from voicepipe.server.voices import local_engine
from voicepipe.session.dtmf_gather import GET_DIGITS
from voicepipe.session.engines import Engines
from voicepipe.tts.contract import Synthesizer
from voicepipe.tts.fallback import FallbackSynthesizer
from voicepipe.tts.phrase_cache import CachingSynthesizer, PhraseCache
from voicepipe.vad.engines import create_detector, create_end_of_turn


def build_engines(settings: Settings, clock: Clock, shared: CreateEngine | None = None) -> Engines:
    """The engines that the settings name, not yet started. `shared`: makes those that other
    processes have too (`shared_engines.py`); None: all are this process's own.

    Raises ConfigError or EngineUnavailable, saying what is missing and how to get it.
    """
    breakers: dict[str, Breaker] = {}
    create = shared or (through_pools(settings) if settings.cluster.address else local_engine)
    first: LanguageModel = create("llm", settings, clock)
    others = _others(settings, clock, create)
    model = _answering(first, settings, clock, breakers, create)
    if others or hasattr(first, "models"):
        model = ChosenModel(model, others)
    return Engines(
        recognizer=_recognizer(settings, clock, breakers, create),
        model=_without_personal_data(model, settings),
        synthesizer=_speaking(settings, clock, breakers, create),
        new_detector=lambda: create_detector(settings.vad, clock),
        end_of_turn=create_end_of_turn(settings.turns),
        breakers=breakers,
        full=pool_of(settings.cluster).full if settings.cluster.address else lambda: None,
        offered_models=lambda: tuple(_offered(first, settings)),
    )


def _recognizer(
    settings: Settings, clock: Clock, breakers: dict[str, Breaker], create: CreateEngine
) -> Recognizer:
    engine: Recognizer = create("asr", settings, clock)
    other = settings.asr.second
    if other.engine:
        second = create("asr.second", second_settings(settings, "asr", "second"), clock)
        engine = PairedRecognizer(engine, second, other.sure, other.sure_word)
    fallback = settings.asr.fallback
    if not fallback.engine:
        return engine
    second = create("asr.fallback", second_settings(settings, "asr", "fallback"), clock)
    breakers["asr"] = _breaker(fallback.breaker, clock)
    return FallbackRecognizer(engine, second, breakers["asr"], fallback.final_ms, clock)


def _others(settings: Settings, clock: Clock, create: CreateEngine) -> dict[str, LanguageModel]:
    """Those that a call may choose, by name. Raises ConfigError where `llm.use` is none of them."""
    llm = settings.llm
    if llm.use and llm.use not in llm.others:
        named = ", ".join(llm.others) or "none"
        raise ConfigError(f"llm.use: there is no [llm.others.{llm.use}]; there are: {named}")
    return {
        name: create(f"llm.{OTHERS}{name}", second_settings(settings, "llm", OTHERS + name), clock)
        for name in llm.others
    }


def _offered(first: LanguageModel, settings: Settings) -> Iterator[str]:
    """Which models a client may choose: of those with a name of their own, and of those of the
    first engine's server; "" = that engine's own, where the server has several."""
    llm = settings.llm
    billed = llm.api_key is not None
    for name, other in llm.others.items():
        same_server = other.engine == llm.engine and not other.base_url
        if _is_offered(name, llm.offered, billed=bool(other.api_key) or (same_server and billed)):
            yield name
    listed = tuple(getattr(first, "models", ()))
    if (llm.others or listed) and _is_offered(llm.model, llm.offered, billed=billed):
        yield ""
    for name in listed:
        if name not in llm.others and _is_offered(name, llm.offered, billed=billed):
            yield name


def _is_offered(name: str, wanted: Sequence[str] | None, *, billed: bool) -> bool:
    """`billed`: asking it takes a key, so it costs money; that is offered only where it is said."""
    if wanted is None:
        return not billed
    return any(fnmatchcase(name, one) for one in wanted)


def _answering(
    model: LanguageModel,
    settings: Settings,
    clock: Clock,
    breakers: dict[str, Breaker],
    create: CreateEngine,
) -> LanguageModel:
    model = _with_fallback(model, settings, clock, breakers, create)
    cascade = settings.llm.cascade
    if cascade.engine:
        small = create("llm.cascade", second_settings(settings, "llm", "cascade"), clock)
        rules = CascadeRules(
            _patterns(cascade.large_patterns, "llm.cascade.large_patterns"), cascade.large_chars
        )
        doubt = OpeningWords(min_logprob=cascade.min_logprob)
        model = CascadeModel(small, model, rules, doubt)
    return _with_cache(model, settings, clock)


def _without_personal_data(model: LanguageModel, settings: Settings) -> LanguageModel:
    """Outermost: whichever model is asked, it is not told."""
    redact = redactor(settings.llm.redact, settings.privacy)
    if redact is None:
        return model
    return RedactedModel(model, redact, slow=settings.privacy.presidio, callers=(GET_DIGITS,))


def _with_fallback(
    model: LanguageModel,
    settings: Settings,
    clock: Clock,
    breakers: dict[str, Breaker],
    create: CreateEngine,
) -> LanguageModel:
    fallback = settings.llm.fallback
    if not fallback.engine:
        return model
    second = create("llm.fallback", second_settings(settings, "llm", "fallback"), clock)
    breakers["llm"] = _breaker(fallback.breaker, clock)
    guarded = GuardedModel(model, breakers["llm"], clock)
    return HedgedModel(guarded, second, fallback.first_token_ms, clock)


def _with_cache(model: LanguageModel, settings: Settings, clock: Clock) -> LanguageModel:
    cache = settings.llm.cache
    if not (cache.exact or cache.semantic):
        return model
    return CachingModel(
        model,
        exact=_answer_store(cache, clock) if cache.exact else None,
        meanings=_meanings(cache, clock) if cache.semantic else None,
        needs_no_context=standalone(_patterns(cache.patterns, "llm.cache.patterns")),
        model_id=f"{settings.llm.engine}/{settings.llm.model}",
    )


def _meanings(cache: AnswerCacheSettings, clock: Clock) -> Meanings:
    embedder = ServerEmbedder(cache.embedder, clock)
    index = SemanticIndex(
        clock, threshold=cache.threshold, max_entries=cache.max_questions, ttl_s=cache.ttl_s
    )
    return Meanings(embedder, index)


def _answer_store(cache: AnswerCacheSettings, clock: Clock) -> AnswerStore:
    if cache.redis_url is None:
        return MemoryStore(clock, max_bytes=round(cache.max_mb * 2**20), ttl_s=cache.ttl_s)
    url = cache.redis_url.get_secret_value()
    return RedisStore(url, clock, ttl_s=cache.ttl_s, timeout_ms=cache.redis_timeout_ms)


def _speaking(
    settings: Settings, clock: Clock, breakers: dict[str, Breaker], create: CreateEngine
) -> Synthesizer:
    engine: Synthesizer = create("tts", settings, clock)
    fallback = settings.tts.fallback
    if fallback.engine:
        second = create("tts.fallback", second_settings(settings, "tts", "fallback"), clock)
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
