"""Settings as people read them: lines of a TOML file, a page, one setting explained. Pure."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic import SecretStr

from voicepipe.config.explanations import defaults, explanations, section_docs
from voicepipe.config.loading import ENV_PREFIX, of_profile
from voicepipe.config.schema import Path, rules

HIDDEN = "***"


def as_toml(value: Any) -> str:
    """A value as it stands in the file; secrets hidden, "" for one that is not set."""
    if value is None:
        return '""'
    if isinstance(value, SecretStr):
        return json.dumps(HIDDEN if value.get_secret_value() else "")
    if isinstance(value, tuple | list):
        return "[" + ", ".join(as_toml(item) for item in value) + "]"
    if isinstance(value, FilePath):
        value = str(value)
    if isinstance(value, bool | int | float | str):
        return json.dumps(value, ensure_ascii=False)
    if value == {}:
        return "{}"
    return json.dumps(HIDDEN)  # a table, which may hold a secret


def explained(path: Path, value: Any, source: str | None) -> str:
    """All that there is to say of one setting."""
    name = ".".join(path)
    text = explanations()[path] or "its name says it all"
    lines = [
        f"{name} = {as_toml(value)}",
        *textwrap.wrap(text, 90, initial_indent="  ", subsequent_indent="  "),
        f"  must be      {rules()[path].expected()}",
        f"  default      {as_toml(defaults()[path])}",
        f"  set by       {source or 'nobody'}",
        f"  environment  {variable(path)}",
        f"  flag         --set {name}=...",
    ]
    return "\n".join(lines)


def variable(path: Path) -> str:
    """The name of the environment variable that sets it."""
    return ENV_PREFIX + "__".join(path).upper()


def starting_file(profile: str) -> str:
    """A settings file with everything in it, as a comment."""
    lines = [
        "# Settings of voicepipe. Lines that begin with # show what is so anyway.",
        "# `voicepipe config explain KEY` tells more; environment variables and flags win over",
        "# this file. Keep keys out of it: VOICEPIPE_SERVER__API_KEY=... is read too.",
        "",
        f"profile = {json.dumps(profile)}",
    ]
    so_anyway = {**defaults(), **of_profile(profile)}
    for section, paths in _by_section():
        if section:
            lines += ["", f"[{'.'.join(section)}]"]
        for path in paths:
            if path != ("profile",):
                value = as_toml(so_anyway[path])
                lines += [*_comment(explanations()[path]), f"# {path[-1]} = {value}"]
    return "\n".join(lines) + "\n"


def page() -> str:
    """docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "Made by `python -m voicepipe.config.shown > docs/settings.md` from the settings",
        "themselves; `voicepipe config explain KEY` tells the same of your own, and who set it.",
        "",
        "A setting `section.name` stands in `voicepipe.toml` under `[section]`, in the environment",
        "as `VOICEPIPE_SECTION__NAME`, on the command line as `--set section.name=value`. Flags",
        "win over the environment, that over the file, that over the profile.",
    ]
    for section, paths in _by_section():
        if section:
            lines += ["", f"## {'.'.join(section)}", "", *_paragraph(section_docs()[section])]
        else:
            lines += [""]
        lines += ["| setting | default | must be | |", "|---|---|---|---|"]
        lines += [_row(path) for path in paths]
    return "\n".join(lines) + "\n"


def _by_section() -> Iterator[tuple[Path, list[Path]]]:
    """Sections in their order, each with its own settings; those without any are left out."""
    found: dict[Path, list[Path]] = {}
    for path in defaults():
        found.setdefault(path[:-1], []).append(path)
    yield from found.items()


def _default(path: Path) -> str:
    return as_toml(defaults()[path])


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, 96)]


def _paragraph(text: str) -> list[str]:
    return [text, ""] if text else []


def _row(path: Path) -> str:
    cells = (f"`{path[-1]}`", f"`{_default(path)}`", rules()[path].expected(), explanations()[path])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def changed(values: Mapping[Path, Any], sources: Mapping[Path, str], *, everything: bool) -> str:
    """Every setting that somebody set, or all, with who did."""
    lines = [
        f"{'.'.join(path)} = {as_toml(value)}" + (f"  # {sources[path]}" if path in sources else "")
        for path, value in values.items()
        if everything or path in sources
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
