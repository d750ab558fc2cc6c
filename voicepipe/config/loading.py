"""Load settings in layers, and say exactly which value of which layer is wrong.

Later layers win: defaults, the profile, `voicepipe.toml`, the environment
(`VOICEPIPE_ASR__MODEL=...`), the command line. Every problem of every layer is reported at once.
"""

from __future__ import annotations

import difflib
import json
import logging
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from voicepipe.config import CONTRADICTION, Settings, catalogue, renamed
from voicepipe.config.extended import settings_type
from voicepipe.config.idle import idle_waits
from voicepipe.config.schema import Path as SettingPath
from voicepipe.config.schema import Rule, is_section, nearest_key, rules
from voicepipe.runtime.errors import ConfigError

log = logging.getLogger(__name__)

ENV_PREFIX = "VOICEPIPE_"
CLIENT_KEY = "VOICEPIPE_API_KEY"  # what `tail`, `bench` and `call` give a server
DEFAULT_FILE = "voicepipe.toml"
SHOWN_CHARS = 60  # of a wrong value in a message

_KEY = ("server", "api_key")
_KUBERNETES_LINK = re.compile(
    r"([A-Z0-9]+_)*?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9]+)*|(?P<address>PORT)|"
    r"PORT_\d+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?)"
)
# A Kubernetes service called "voicepipe" puts VOICEPIPE_PORT=tcp://... into every pod, one called
# "voicepipe-redis" VOICEPIPE_REDIS_PORT=tcp://...


@dataclass(frozen=True, slots=True)
class Given:
    """One value that somebody set."""

    path: SettingPath
    value: Any
    source: str  # what a person would look for: "voicepipe.toml: asr.model"
    inline: bool = False  # the source already shows key=value
    of_profile: bool = False

    def label(self) -> str:
        """Name the source, the key and, unless secret, the value."""
        rule = rules().get(self.path)
        if rule is None or not self.inline:
            return self.source
        return f"{self.source}={'***' if rule.secret else _shown(self.value)}"


def load_settings(
    profile: str | None = None,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """All layers merged and checked.

    `profile`: a name from `profile_names()`; None takes VOICEPIPE_PROFILE, then the file's
    `profile`, then "builtin". `file`: None takes VOICEPIPE_CONFIG, then ./voicepipe.toml if there
    is one. `environ`: None is the process environment. `overrides`: dotted key to value, from the
    command line; texts are converted as environment values are.

    Raises ConfigError that lists every unknown key and every wrong value with its source.
    """
    environ = os.environ if environ is None else environ
    settings = _checked(_layers(profile, file, environ, overrides))
    if settings.server.api_key is None and environ.get(CLIENT_KEY):
        log.warning("%s is a client's key; a server's is VOICEPIPE_SERVER__API_KEY", CLIENT_KEY)
    return settings


def sources(
    profile: str | None = None,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> dict[SettingPath, str]:
    """Of every setting that somebody set: where the value that counts comes from."""
    layers = _layers(profile, file, environ, overrides)
    return {given.path: given.source for given in map(_current, layers)}


def _layers(
    profile: str | None,
    file: Path | None,
    environ: Mapping[str, str] | None,
    overrides: Mapping[str, Any] | None,
) -> list[Given]:
    """Every value that somebody set; later ones win."""
    environ = os.environ if environ is None else environ
    from_file = _file_layer(file, environ)
    from_environment = list(_environment_layer(environ))
    from_flags = [
        Given(tuple(key.split(".")), value, f"--set {key}", inline=True)
        for key, value in (overrides or {}).items()
    ]
    if profile is not None:
        from_flags.append(Given(("profile",), profile, "--profile", inline=True))
    layers = [*from_file, *from_environment, *from_flags]
    chosen = next((given for given in reversed(layers) if given.path == ("profile",)), None)
    return [*_profile_layer(chosen), *layers]


def profile_names() -> tuple[str, ...]:
    """The profiles that ship with voicepipe."""
    folder = files("voicepipe.profiles")
    return tuple(
        sorted(
            item.name.removesuffix(".toml")
            for item in folder.iterdir()
            if item.name.endswith(".toml")
        )
    )


def parse_assignments(pairs: Iterable[str]) -> dict[str, str]:
    """`["asr.model=base.en"]` of `--set` options to `{"asr.model": "base.en"}`.

    Raises ConfigError for a pair without "=".
    """
    found = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key.strip():
            raise ConfigError(f"--set {pair}: write it as section.key=value, e.g. server.port=9000")
        found[key.strip()] = value
    return found


def of_profile(name: str) -> dict[SettingPath, Any]:
    """What a profile sets, as it stands in its file. Raises ConfigError."""
    return {given.path: given.value for given in _profile_layer(Given(("profile",), name, name))}


# --- layers -----------------------------------------------------------------------------------


def _profile_layer(chosen: Given | None) -> list[Given]:
    name = "builtin" if chosen is None else str(chosen.value)
    if name not in profile_names():
        names = profile_names()
        close = difflib.get_close_matches(name, names, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        label = chosen.label() if chosen else "profile"
        raise ConfigError(
            f"{label}: there is no profile {name!r}{hint} Profiles: {', '.join(names)}."
        )
    text = (files("voicepipe.profiles") / f"{name}.toml").read_text(encoding="utf-8")
    shipped = _flatten(tomllib.loads(text), f"profile {name}")
    return [replace(given, of_profile=True) for given in shipped]


def _file_layer(file: Path | None, environ: Mapping[str, str]) -> list[Given]:
    asked = file or (Path(environ["VOICEPIPE_CONFIG"]) if environ.get("VOICEPIPE_CONFIG") else None)
    path = asked or Path(DEFAULT_FILE)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if asked is None:
            return []
        raise ConfigError(f"{path}: no such file; give --config an existing TOML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    try:
        return list(_flatten(tomllib.loads(text), str(path)))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def _flatten(table: Mapping[str, Any], source: str, at: SettingPath = ()) -> Iterator[Given]:
    for key, value in table.items():
        path = (*at, key)
        if isinstance(value, dict) and (is_section(path) or path not in rules()) and value:
            yield from _flatten(value, source, path)
        elif value != {} or not is_section(path):  # an empty [section] sets nothing
            yield Given(path, value, f"{source}: {'.'.join(path)}")


def _environment_layer(environ: Mapping[str, str]) -> Iterator[Given]:
    for name in sorted(environ):
        if not name.startswith(ENV_PREFIX) or name in ("VOICEPIPE_CONFIG", CLIENT_KEY):
            continue
        key, value = name.removeprefix(ENV_PREFIX), environ[name]
        link = _KUBERNETES_LINK.fullmatch(key)
        if link is not None and (link["address"] is None or "://" in value):
            continue
        yield Given(tuple(key.lower().split("__")), value, name, inline=True)


# --- checking ---------------------------------------------------------------------------------


def _checked(layers: list[Given]) -> Settings:
    problems: list[str] = []
    winners: dict[SettingPath, Given] = {}
    for given in map(_current, layers):
        problem = _unknown(given)
        if problem:
            problems.append(problem)
        else:
            winners[given.path] = given
    kind = settings_type()
    merged = kind().model_dump()
    for given in winners.values():
        rule = rules()[given.path]
        value, wrong = _converted(given.value, rule)
        if given.path == _KEY and isinstance(given.value, str) and not given.value.strip():
            problems.append(
                f"{given.source} is empty, and nobody would be asked for a key; set one, leave it "
                "out, or write none"
            )
        elif wrong:
            problems.append(_wrong(given))
        elif rule.secret and _is_no_text(value):
            problems.append(f"{given.label()}: is no UTF-8 text")
        else:
            _put(merged, given.path, value)
    try:
        settings = kind.model_validate(merged)
    except ValidationError as error:
        problems += [_explain(winners, detail) for detail in error.errors(include_url=False)]
    else:
        problems += _unknown_engines(winners)
    if problems:
        raise ConfigError("\n".join(dict.fromkeys(problems)))
    people = {path: given.label() for path, given in winners.items() if not given.of_profile}
    for line in idle_waits(settings.turns, people):
        log.warning("%s", line)
    return settings


def _current(given: Given) -> Given:
    """Under the name that the setting has today."""
    path, value = renamed.current(given.path, given.value, given.source)
    return replace(given, path=path, value=value)


def _unknown(given: Given) -> str | None:
    if given.path in rules():
        return None
    name = ".".join(given.path)
    if is_section(given.path):
        return f"{given.source}: {name} is a section; set one of its keys, e.g. {_example(name)}"
    near = nearest_key(given.path)
    if given.source.startswith(ENV_PREFIX):
        known = f"{ENV_PREFIX}{near.replace('.', '__').upper()}" if near else ""
        hint = f"; did you mean {known}?" if near else ""
        return f"{given.source}: {name} is not a setting{hint}"
    where = given.source.removesuffix(f": {name}")
    hint = f"; did you mean {near}?" if near else ""
    return f"{where}: {name} is not a setting{hint}"


def _example(section: str) -> str:
    return next(".".join(path) for path in rules() if ".".join(path).startswith(section + "."))


def _converted(value: Any, rule: Rule) -> tuple[Any, bool]:
    """The value in the setting's own type, and whether it is plainly of the wrong type.

    pydantic does the rest; only what it would let pass (true for 1) or what texts need (lists,
    numbered choices, unset) is done here."""
    if isinstance(value, bool):
        return value, rule.kind != "boolean"
    if not isinstance(value, str):
        return value, False
    if rule.optional and value.strip().lower() in {"", "none", "null"}:
        return None, False
    if rule.kind == "array":
        return _list_of(value)
    if rule.kind == "object":
        return _table_of(value)
    if rule.choices and rule.kind == "integer":
        try:
            return int(value), False
        except ValueError:
            return value, True
    return value, False


def _list_of(text: str) -> tuple[Any, bool]:
    """A JSON list, or texts separated by commas."""
    if text.lstrip().startswith("["):
        try:
            return json.loads(text), False
        except json.JSONDecodeError:
            return text, True
    return [part.strip() for part in text.split(",") if part.strip()], False


def _table_of(text: str) -> tuple[Any, bool]:
    """A JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, True
    return value, not isinstance(value, dict)


def _is_no_text(value: Any) -> bool:
    """Bytes of another encoding, as Python has them from its environment: with such a key each
    request would fail, for it is compared as UTF-8."""
    return isinstance(value, str) and value != value.encode("utf-8", "replace").decode("utf-8")


def _put(tree: dict[str, Any], path: SettingPath, value: Any) -> None:
    for name in path[:-1]:
        tree = tree[name]
    tree[path[-1]] = value


def _explain(winners: Mapping[SettingPath, Given], error: ErrorDetails) -> str:
    """Trace a pydantic error back to the value that caused it."""
    place, message = error["loc"], error["msg"]
    expected = message if error["type"] == CONTRADICTION else None
    for end in range(len(place), 0, -1):
        given = winners.get(tuple(str(part) for part in place[:end]))
        if given is not None:
            if place[end:] and rules()[given.path].of_several:
                return _wrong_within(given, place[end:], error)
            return _wrong(given, expected)
    must_be = "must be " if expected else ""  # a default that another value contradicts
    return f"{'.'.join(map(str, place))}: {must_be}{message}"


def _wrong_within(given: Given, place: tuple[int | str, ...], detail: ErrorDetails) -> str:
    """What is wrong in one of several tables; never its value, which may be a secret."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    where = f"{given.source}{''.join(steps)}"
    if detail["type"] == "extra_forbidden":
        close = difflib.get_close_matches(str(place[-1]), rules()[given.path].table_keys, 1)
        return f"{where} is not a setting" + (f"; did you mean {close[0]}?" if close else "")
    if detail["type"] == "missing":
        return f"{where} is missing"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}"


def _wrong(given: Given, expected: str | None = None) -> str:
    """`expected`: instead of the setting's own rule."""
    rule = rules()[given.path]
    shown = "" if given.inline or rule.secret else f", not {_shown(given.value)}"
    choices = [str(choice) for choice in rule.choices]
    close = difflib.get_close_matches(str(given.value).lower(), choices, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{given.label()}: must be {expected or rule.expected()}{shown}{hint}"


def _unknown_engines(winners: Mapping[SettingPath, Given]) -> list[str]:
    problems = []
    for stage in catalogue.STAGES:
        given = winners.get((stage, "engine"))
        if given is None:
            continue
        names = catalogue.names(stage)
        if given.value not in names:
            close = difflib.get_close_matches(str(given.value), names, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            shown = "" if given.inline else f", not {_shown(given.value)}"
            problems.append(f"{given.label()}: must be one of {', '.join(names)}{shown}{hint}")
    return problems


def _shown(value: Any) -> str:
    write: Callable[[Any], str] = str if isinstance(value, str) else repr
    text = write(value).replace("\n", "\\n")
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 3] + "..."
