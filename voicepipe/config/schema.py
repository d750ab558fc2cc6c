"""What settings exist and what each may hold, read off the models in `config/`.

Gives the loader two things pydantic's own errors lack: the nearest right name of an unknown key,
and the whole rule a wrong value broke ("a whole number from 0 to 65535").
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache
from typing import Any

from voicepipe.config.extended import settings_type

Path = tuple[str, ...]
"""A setting's place, e.g. `("server", "port")`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What one setting may hold."""

    kind: str  # JSON Schema type: "string", "integer", "number", "boolean", "array", "object"
    optional: bool = False  # may be unset
    choices: tuple[str | int, ...] = ()
    least: float | None = None  # smallest value allowed
    above: float | None = None  # the value must be greater than this
    most: float | None = None  # greatest value allowed
    secret: bool = False  # never printed
    of: tuple[str, ...] = ()  # what the texts of an array may be; () = anything
    table_keys: tuple[str, ...] = ()  # tables with these keys, not texts: an array, or by name

    @property
    def of_several(self) -> bool:
        """Whether a fault may be named within the value: several tables, or texts by name."""
        return self.of_tables or self.kind == "object"

    @property
    def of_tables(self) -> bool:
        """Whether the value is several tables, each with settings of its own."""
        return bool(self.table_keys)

    def expected(self) -> str:
        """The rule in words, to follow "must be"."""
        if self.choices:
            words = "one of " + ", ".join(str(choice) for choice in self.choices)
        elif self.kind in {"integer", "number"}:
            words = ("a whole number" if self.kind == "integer" else "a number") + self._range()
        else:
            keys = ", ".join(self.table_keys)
            texts = f"a list of some of {', '.join(self.of)}" if self.of else "a list of texts"
            array = f"a list of tables of {keys}" if keys else texts
            named = "tables by name" if keys else "texts by name"
            known = {"boolean": "true or false", "array": array, "object": named}
            words = known.get(self.kind, "a text")
        return words + (", or empty for none" if self.optional else "")

    def _range(self) -> str:
        if self.above is not None:
            upper = "" if self.most is None else f" and at most {self.most:g}"
            return f" above {self.above:g}{upper}"
        if self.least is None:
            return ""
        if self.most is None:
            return f", {self.least:g} or more"
        # "g" would turn 600000 into 6e+05 only from 1e6 on with .15g
        return f" from {self.least:.15g} to {self.most:.15g}"


@cache
def rules() -> dict[Path, Rule]:
    """Every setting and its rule."""
    schema = settings_type().model_json_schema()
    return dict(_walk(schema, schema.get("$defs", {}), ()))


def _walk(node: dict[str, Any], defs: dict[str, Any], at: Path) -> list[tuple[Path, Rule]]:
    node = {**node, **defs.get(str(node.get("$ref", "")).removeprefix("#/$defs/"), {})}
    if "properties" not in node:
        return [(at, _rule(node, defs, at))]
    found = []
    for name, child in node["properties"].items():
        found += _walk(child, defs, (*at, name))
    return found


def _rule(node: dict[str, Any], defs: dict[str, Any], at: Path) -> Rule:
    options = node.get("anyOf", [node])
    values = [option for option in options if option.get("type") != "null"]
    value = values[0]
    inner = value.get("items") or value.get("additionalProperties") or {}
    reference = inner.get("$ref", "") if isinstance(inner, dict) else ""
    table = defs.get(str(reference).removeprefix("#/$defs/"), {})
    table_keys = tuple(table.get("properties", {}))
    return Rule(
        kind=value.get("type", "string"),
        optional=len(values) < len(options),
        choices=tuple(value.get("enum", ())),
        least=value.get("minimum"),
        above=value.get("exclusiveMinimum"),
        most=value.get("maximum"),
        secret=value.get("format") == "password" or bool(table_keys),  # one may be among them
        of=tuple(inner.get("enum", ())) if isinstance(inner, dict) else (),
        table_keys=table_keys,
    )


ELSEWHERE = {
    "prompt": "llm.instructions",
    "system_prompt": "llm.instructions",
    "system": "llm.instructions",
    "voice_id": "tts.voice",
    "lang": "asr.language",
    "url": "llm.base_url",
    "api_base": "llm.base_url",
    "model_path": "llm.model",
}
"""Names that other products have for settings of ours, and that look like none of them."""


def nearest_key(at: Path) -> str | None:
    """The setting whose dotted name is closest to an unknown one; None if nothing is close."""
    dotted = {".".join(path): path for path in rules()}
    elsewhere = ELSEWHERE.get(at[-1])
    if elsewhere in dotted:
        here = ".".join((*at[:-1], elsewhere.rpartition(".")[2]))
        return here if here in dotted else elsewhere
    same_name = [name for name, path in dotted.items() if path[-1] == at[-1]]
    if same_name:  # right name, wrong section
        return difflib.get_close_matches(".".join(at), same_name, 1, cutoff=0)[0]
    close = difflib.get_close_matches(".".join(at), dotted, 1, cutoff=0.6)
    if close:
        return close[0]
    by_last = difflib.get_close_matches(at[-1], [path[-1] for path in dotted.values()], 1, 0.75)
    return next((n for n, path in dotted.items() if by_last and path[-1] == by_last[0]), None)


def is_section(at: Path) -> bool:
    """Whether settings live below this name."""
    return any(len(path) > len(at) and path[: len(at)] == at for path in rules())
