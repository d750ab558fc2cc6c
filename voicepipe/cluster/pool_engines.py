"""The adapters as settings make them, and the one way to a cluster that a process has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from voicepipe.cluster.channel import Channel
from voicepipe.cluster.language_model import RemoteModel
from voicepipe.cluster.listing import Listing
from voicepipe.cluster.pool import Pool
from voicepipe.cluster.recognizer import RemoteRecognizer
from voicepipe.cluster.synthesizer import RemoteSynthesizer
from voicepipe.config import AsrSettings, ClusterSettings, LlmSettings, TtsSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.errors import ConfigError

REMOTE: dict[str, Callable[..., Any]] = {
    "asr": RemoteRecognizer,
    "llm": RemoteModel,
    "tts": RemoteSynthesizer,
}
"""The adapter of each stage."""

_POOLS: WeakValueDictionary[tuple[tuple[str, ...], str], Pool] = WeakValueDictionary()


def pool_of(settings: ClusterSettings) -> Pool:
    """The process's way to that cluster; its adapters share it."""
    key = "" if settings.key is None else settings.key.get_secret_value()
    pool = _POOLS.get((settings.address, key))
    if pool is None:
        pool = _POOLS[settings.address, key] = Pool(Listing(settings.address), key)
    return pool


def remote(name: str, channel: Channel, settings: ClusterSettings) -> Any:
    """The adapter of the engine `name` ("llm.fallback"), as the settings want it."""
    stage = name.partition(".")[0]
    options = {"patience_s": settings.silence_ms / 1000}
    if stage != "asr":
        options["hedge_s"] = settings.hedge_ms / 1000
    return REMOTE[stage](channel, name, **options)


def make_recognizer(context: EngineContext[AsrSettings, ClusterSettings]) -> RemoteRecognizer:
    """For engine = "ray"; see `Engine.make`."""
    made: RemoteRecognizer = _of_pool(context.own, context.own.asr)
    return made


def make_language_model(context: EngineContext[LlmSettings, ClusterSettings]) -> RemoteModel:
    """For engine = "ray"; see `Engine.make`."""
    made: RemoteModel = _of_pool(context.own, context.own.llm)
    return made


def make_synthesizer(context: EngineContext[TtsSettings, ClusterSettings]) -> RemoteSynthesizer:
    """For engine = "ray"; see `Engine.make`."""
    made: RemoteSynthesizer = _of_pool(context.own, context.own.tts)
    return made


def _of_pool(settings: ClusterSettings, name: str) -> Any:
    if not settings.address:
        raise ConfigError(
            'engine = "ray" speaks to the pools of a cluster, and cluster.address names none; '
            "see docs/cluster.md"
        )
    return remote(name, pool_of(settings), settings)
