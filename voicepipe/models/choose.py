"""Which source to pull from: a mirror if one is named, else the hub, behind its cache here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from voicepipe.models.hub_cache import CachedHub, HubCache
from voicepipe.models.sources import FolderSource, HubSource, MirrorSource, Source

DEFAULT_HUB = "https://huggingface.co"

_TRUE = {"1", "on", "yes", "true"}


def choose_source(mirror: str | None, environ: Mapping[str, str] | None = None) -> Source:
    """`mirror` is a folder or http(s) URL laid out like a models folder (NAME/FILE); None is the
    model hub with the environment of its own tools: HF_ENDPOINT, HF_TOKEN, HF_HOME (or
    HF_HUB_CACHE), HF_HUB_OFFLINE. Raises SourceError for a folder that is not there."""
    environ = os.environ if environ is None else environ
    if mirror is not None:
        if mirror.startswith(("http://", "https://")):
            return MirrorSource(mirror)
        return FolderSource(Path(mirror).expanduser())
    home = hub_home(environ)
    hub = HubSource(environ.get("HF_ENDPOINT") or DEFAULT_HUB, _token(home, environ))
    cache = HubCache(Path(environ.get("HF_HUB_CACHE") or home / "hub").expanduser())
    offline = environ.get("HF_HUB_OFFLINE", "").lower() in _TRUE
    return CachedHub(hub, cache, offline=offline)


def hub_home(environ: Mapping[str, str]) -> Path:
    """Where the hub's own tools keep what they fetch, and the token: HF_HOME or its default."""
    if stated := environ.get("HF_HOME"):
        return Path(stated).expanduser()
    base = environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "huggingface"


def _token(home: Path, environ: Mapping[str, str]) -> str | None:
    if token := environ.get("HF_TOKEN"):
        return token
    path = Path(environ.get("HF_TOKEN_PATH") or home / "token").expanduser()
    try:
        return path.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None
