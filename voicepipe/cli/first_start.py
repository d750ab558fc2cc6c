"""What `voicepipe serve` does about models that are not on this machine yet: it says what it will
fetch, fetches it, and where the hub cannot be reached says so at once, with the other ways."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import typer

from voicepipe.config import Settings, catalogue
from voicepipe.config.loading import of_profile
from voicepipe.models.choose import DEFAULT_HUB, choose_source
from voicepipe.models.pull import Puller, PullError
from voicepipe.models.registry import Model, load_registry
from voicepipe.models.resolve import is_present, models_dir
from voicepipe.models.sources import SourceError
from voicepipe.runtime.errors import ConfigError, EngineUnavailable, VoicepipeError
from voicepipe.server.second_engine import second_engines, second_settings

ANSWER_S = 3.0  # in which a hub that can be reached takes a connection

_OTHER_WAYS = """\
Three other ways:
  a mirror   {serve} --mirror DIR|URL   (the models folder of a machine that has pulled them)
  the cache  HF_HOME=DIR {serve}   (where the hub's own tools have fetched them)
  own files  {serve}{own}
Or the built-in models, at once: scripts/serve"""

_OWN = {"asr": "asr.model=DIR", "llm": "llm.model=FILE.gguf", "tts": "tts.model=FILE.onnx"}

_NO_OTHERS: dict[str, Any] = {
    **{f"{name}__engine": "" for name in ("asr__fallback", "llm__fallback", "llm__cascade")},
    **{"llm__others": {}, "llm__use": ""},
    **{"tts__fallback__engine": "", "tts__model": "", "tts__voice": ""},
}
"""No models beside those of the profile, and no voice of another engine."""


class HubUnreachable(EngineUnavailable):
    """Models are missing and nobody gives them; the text says what else can be done."""


def missing_models(settings: Settings) -> list[Model]:
    """Models of the registry that these settings need and that are neither shipped nor here. None
    where a cluster has the engines: it is there that they are opened."""
    if settings.cluster.address:
        return []
    registry, folder = load_registry(), models_dir(settings)
    found = (registry.models.get(name) for name in dict.fromkeys(_needed(settings)))
    known = [model for model in found if model is not None and not model.packaged]
    return [model for model in known if not is_present(model, folder)]


def fetch_missing(settings: Settings, mirror: str | None) -> None:
    """Say what is missing, how large and under which licence, and fetch it. Raises HubUnreachable,
    PullError, SourceError.
    """
    models = missing_models(settings)
    if not models:
        return
    _announce(models, settings, mirror)
    try:
        if mirror is None and not hub_answers():
            _pull(models, settings, None, offline=True)  # its cache may have them
        else:
            _pull(models, settings, mirror, offline=False)
    except (PullError, SourceError) as error:
        if mirror is not None or hub_answers():
            raise
        raise HubUnreachable(_what_else(models, settings), stage=models[0].kind) from error


def offers_builtin(error: VoicepipeError) -> bool:
    """Whether the person at the terminal takes the built-in models instead; at no terminal nobody
    is asked.
    """
    if not (isinstance(error, HubUnreachable) and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    typer.echo(str(error), err=True)
    return typer.confirm("Start the built-in models now?", default=True, err=True)


def builtin_models() -> dict[str, Any]:
    """As `settings_from` takes flags: the built-in models in place of all others that were set."""
    shipped = {"__".join(path): value for path, value in of_profile("builtin").items()}
    return _NO_OTHERS | {name: value for name, value in shipped.items() if name[:3] in _OWN}


def hub_address() -> str:
    """URL of the hub, by the environment of its own tools."""
    return os.environ.get("HF_ENDPOINT") or DEFAULT_HUB


def hub_answers() -> bool:
    """Whether somebody takes a connection there, or at the proxy that leads there."""
    try:
        parts = urlsplit(_proxy() or hub_address())
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return False  # no address
    return _takes_connections(parts.hostname or "", port)


def _proxy() -> str:
    """URL of the one that leads to the hub, by the environment as httpx takes it; "": none."""
    hub, proxies = urlsplit(hub_address()), getproxies()
    if proxy_bypass(hub.netloc):
        return ""
    proxy = proxies.get(hub.scheme) or proxies.get("all") or ""
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def _takes_connections(host: str, port: int) -> bool:
    """Within ANSWER_S, the look-up of the name included: a resolver that is away takes far longer
    to say so, and no timeout of a socket's holds for it."""
    taken: list[bool] = []

    def connect() -> None:
        with suppress(OSError, UnicodeError), socket.create_connection((host, port), ANSWER_S):
            taken.append(True)

    thread = threading.Thread(target=connect, name="hub", daemon=True)
    thread.start()
    thread.join(ANSWER_S)
    return bool(taken)


def _needed(settings: Settings) -> Iterator[str]:
    """Names of all models that engines would open."""
    yield from _of_engines(settings)
    for stage, section in second_engines(settings):
        try:
            yield from _of_engines(second_settings(settings, stage, section))
        except ConfigError:
            continue  # told when the server makes its engines
    llm = settings.llm
    drafters = {"llama_cpp": llm.llama_cpp.speculative, "vllm": llm.vllm.speculative}
    if llm.engine in drafters:
        yield drafters[llm.engine].model


def _of_engines(settings: Settings) -> Iterator[str]:
    for stage in catalogue.STAGES:
        engine = catalogue.BUILT_IN[stage].get(getattr(settings, stage).engine)
        if engine is not None and engine.model:
            yield getattr(settings, stage).model


def _announce(models: Sequence[Model], settings: Settings, mirror: str | None) -> None:
    total = sum(model.about_mb for model in models)
    where = mirror or hub_address()
    typer.echo(f"Fetching about {total:,} MB from {where} to {models_dir(settings)}:", err=True)
    for model in models:
        typer.echo(f"  {model.name}  about {model.about_mb:,} MB", err=True)
        typer.echo(f"    {model.about}; licence: {model.licence}", err=True)


def _pull(models: Sequence[Model], settings: Settings, mirror: str | None, offline: bool) -> None:
    from voicepipe.cli.models_cmd import download_progress

    environ = {**os.environ, "HF_HUB_OFFLINE": "1"} if offline else None
    with download_progress() as progress:
        source = choose_source(mirror, environ)
        Puller(source, models_dir(settings), progress).pull_all(models)


def _what_else(models: Sequence[Model], settings: Settings) -> str:
    serve = f"scripts/serve --profile {settings.profile}"
    own = "".join(f" --set {_OWN[kind]}" for kind in dict.fromkeys(m.kind for m in models))
    names = ", ".join(model.name for model in models)
    return (
        f"The model hub at {hub_address()} cannot be reached from here, and its cache on this "
        f"machine has not all of: {names}.\n" + _OTHER_WAYS.format(serve=serve, own=own)
    )
