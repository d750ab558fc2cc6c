"""`{{name}}` in an agent's words stands for a variable: of the agent, or a fact of the call."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

FACTS = ("agent", "call_id", "called", "caller", "session_id", "today")
"""What is known of every conversation, though perhaps as an empty text."""

MAX_VALUE_CHARS = 500
"""Of a value that came with a call: a prompt is no place for a book."""

_PLACE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_BRACED = re.compile(r"\{\{\s*([^{}]*[^{}\s])\s*\}\}")


def names_in(text: str) -> tuple[str, ...]:
    """The variables that a text asks for, each once."""
    return tuple(dict.fromkeys(_PLACE.findall(text)))


def unknown_in(text: str, known: Iterable[str]) -> list[str]:
    """What is wrong with a text's variables, in words; [] if nothing."""
    names = [*known, *FACTS]
    problems = [
        f"{{{{{name}}}}} would be said as it stands: a variable's name has letters, digits and _"
        for name in dict.fromkeys(_BRACED.findall(text))
        if name in names and not _PLACE.fullmatch(f"{{{{{name}}}}}")
    ]
    for name in names_in(text):
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"; did you mean {{{{{near[0]}}}}}?" if near else ""
            problems.append(f"{{{{{name}}}}} is not among its variables{hint}")
    return problems


def rendered(text: str, values: Mapping[str, str]) -> str:
    """The text with its variables put in; one without a value is left out."""
    return _PLACE.sub(lambda place: values.get(place[1], ""), text)


def cleaned(value: str) -> str:
    """A value that came with a call, as it may stand in a prompt: one line, not long."""
    return "".join(c if c.isprintable() else " " for c in value)[:MAX_VALUE_CHARS]
