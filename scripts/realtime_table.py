"""The table "event or field -> what it does here" in docs/realtime.md, from the types of the
official SDK: what is new there has no words here yet, and this says so.

    python -m scripts.realtime_table            # writes it
    python -m scripts.realtime_table --check    # tells whether it is as it would be written
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import openai
from openai.types import realtime as sdk
from pydantic import BaseModel

from scripts import realtime_meanings as meanings
from scripts.realtime_meanings import Meanings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "realtime.md"
BEGIN, END = "<!-- the table: python -m scripts.realtime_table -->", "<!-- end of the table -->"


def main(arguments: list[str]) -> int:
    """The exit status."""
    page = PAGE.read_text(encoding="utf-8")
    written = with_table(page, table())
    if "--check" in arguments:
        return int(page != written)
    PAGE.write_text(written, encoding="utf-8")
    return 0


def with_table(page: str, made: str) -> str:
    """The page with its table replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{made}\n{END}{after}"


def table() -> str:
    """In Markdown. Raises LookupError naming what the SDK knows and we have no words for, or the
    other way round."""
    session = (sdk.RealtimeSessionCreateRequest, sdk.RealtimeTranscriptionSessionCreateRequest)
    parts = (
        ("client event", meanings.CLIENT, event_types(sdk.RealtimeClientEvent)),
        (
            "server event",
            {**meanings.SENT, **meanings.NEVER_SENT},
            event_types(sdk.RealtimeServerEvent),
        ),
        (
            "field of `session`",
            meanings.SESSION,
            [p for model in session for p in fields(model, "session", meanings.SESSION)],
        ),
        (
            "field of `response.create`",
            meanings.RESPONSE,
            fields(sdk.RealtimeResponseCreateParams, "response", meanings.RESPONSE),
        ),
    )
    version = ".".join(openai.__version__.split(".")[:2])
    head = f"Every event and field that `openai` {version} for Python knows.\n"
    return "\n".join([head, *(_part(*part) for part in parts)])


def event_types(union: Any) -> list[str]:
    """Names of the events in one of the SDK's unions."""
    return [get_args(m.model_fields["type"].annotation)[0] for m in _members(union)]


def fields(model: type[BaseModel], path: str, known: Meanings) -> Iterator[str]:
    """Paths of a model's fields: those with words, and where they have none those inside them."""
    for name, field in model.model_fields.items():
        where = f"{path}.{name}"
        inside = [m for m in _members(field.annotation) if _is_model(m)]
        if where in known or not inside:
            yield where
        if where not in known or any(name.startswith(f"{where}.") for name in known):
            for one in inside:
                yield from fields(one, where, known)


def _part(title: str, known: Meanings, found: Any) -> str:
    paths = sorted(set(found))
    missing, gone = sorted(set(paths) - set(known)), sorted(set(known) - set(paths))
    if missing or gone:
        raise LookupError(f"{title}: no words for {missing}; words for what is not there: {gone}")
    rows = [f"| `{path}` | {known[path]} |" for path in paths]
    return "\n".join([f"| {title} | what it does here |", "|---|---|", *rows, ""])


def _members(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        for one in get_args(kind):
            yield from _members(one)
    else:
        yield kind


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
