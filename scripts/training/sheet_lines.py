"""How a prompt's sheet writes its rows: a label with its columns, in prose, lists, tables, JSON."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Final, NamedTuple

from dialogue_values import capitalise
from order_items import joined


class Row(NamedTuple):
    """A label and its columns: what each is (``price``, ``length``, ``who`` ...) and its words."""

    label: str
    columns: Sequence[tuple[str, str]]
    article: str = ""  # ``a ``, ``the ``: before the label in a sentence


#: What a column says in a sentence.
_VERBS: Final = {
    "price": ("is {v}", "costs {v}", "costs {v}", "is {v}"),
    "many": ("are {v}", "cost {v}"),
    "pays": ("pay {v}", "pay {v}", "are {v}"),
    "length": ("takes {v}", "takes {v}", "lasts {v}"),
    "who": ("is with {v}", "is taught by {v}", "is done by {v}"),
    "when": ("is on {v}", "is {v}"),
    "size": ("is for {v}", "takes {v}", "fits {v}"),
    "extra": ("is {v}", "comes {v}", "is {v}"),
    "does": ("does {v}", "is for {v}", "takes {v}", "handles {v}"),
    "is": ("is {v}",),
}
#: The question of a column, where a prompt is written as questions and answers.
_QUESTIONS: Final = {
    "many": ("What do {l} cost?", "{L}?"),
    "pays": ("What do {l} pay?", "{L}?"), "price": ("How much is {l}?", "What does {l} cost?", "{L}?", "Price of {l}?"),
    "length": ("How long is {l}?", "How long does {l} take?"), "who": ("Who does {l}?", "{L}: with whom?"), "when": ("When is {l}?",),
    "size": ("For how many is {l}?", "How many fit {l}?"), "extra": ("What comes with {l}?",), "does": ("What does {l} do?", "Who is {l}?"), "is": ("{L}?",),
}  # fmt: skip


def rows_text(rows: Sequence[Row], heading: str, rng: random.Random) -> list[str]:
    """The rows as sentences or lines of a prompt; the heading stands before them where one is needed."""
    pick = rng.random()
    if pick < 0.22:
        return _sentences(rows, rng)
    if pick < 0.27:
        return _questions(rows, rng)
    if pick < 0.3:
        return [
            f"If asked for {row.label}: {', '.join(v for _, v in row.columns)}." for row in rows
        ]
    if pick < 0.36:
        told = {row.label: ", ".join(v for _, v in row.columns) for row in rows}
        return [f"{heading.removesuffix(':') or 'Facts'}: {json.dumps(told, ensure_ascii=False)}."]
    lines = _terse(rows, rng)
    if pick < 0.52:  # all in one line
        glue = (
            rng.choice(("; ", "; ", ". ", " / "))
            if any(len(row.columns) > 1 for row in rows)
            else rng.choice((", ", ", ", "; ", ". ", " / "))
        )
        body = glue.join(lines)
        return [capitalise(f"{heading} {body}.".strip())]
    if pick < 0.75:
        return (
            [capitalise(f"{heading} {joined(lines)}.".strip())]
            if pick < 0.6
            else [capitalise(f"{line}.") for line in lines]
        )
    mark = rng.choice(("\n- ", "\n- ", "\n", "\n* ", "\n• "))
    if not heading:
        return [f"{mark.strip()} {mark.join(lines)}".strip()]
    return [
        f"{heading}{mark}{mark.join(lines)}"
        if rng.random() < 0.6 or mark != "\n"
        else "\n".join(lines)
    ]


def _terse(rows: Sequence[Row], rng: random.Random) -> list[str]:
    """``cut 45 euros, 30 min``, ``cut: 45 euros``, ``cut | 45 euros | 30 min``, ``cut (30 min) 45 euros``."""
    style = rng.choice((" ", " ", " ", ": ", ": ", " - ", " – ", " = ", " | ", "(", "(", " for "))
    between = {" | ": " | ", " - ": " - ", " – ": " – "}.get(style, rng.choice((", ", ", ", " / ")))
    if style == " for " and any(
        kind not in ("price", "pays", "many") for row in rows for kind, _ in row.columns
    ):
        style = " "
    lines = []
    for row in rows:
        values = [value for _, value in row.columns]
        if style == "(":
            tail = f", {between.join(values[1:])}" if values[1:] else ""
            if (
                row.columns[0][0] == "price" and values[1:]
            ):  # the price outside: ``cut (30 min) 45``
                lines.append(
                    f"{row.label} ({between.join(values[1:])}){rng.choice((' ', ': '))}{values[0]}"
                )
            else:
                lines.append(f"{row.label} ({values[0]}){tail}")
        else:
            lines.append(f"{row.label}{style}{between.join(values)}")
    return lines


def _sentences(rows: Sequence[Row], rng: random.Random) -> list[str]:
    """``A cut is 45 euros and takes thirty minutes.``"""
    verbs = {kind: rng.choice(_VERBS[kind]) for row in rows for kind, _ in row.columns}
    told = []
    for row in rows:
        parts = [verbs[kind].replace("{v}", value) for kind, value in row.columns]
        told.append(f"{row.article}{row.label} {joined(parts)}")
    if rng.random() < 0.35:
        return (
            [f"{capitalise(joined(told))}."]
            if rng.random() < 0.5
            else [f"{capitalise(', '.join(told))}."]
        )
    if rng.random() < 0.2:
        return [f"{capitalise('; '.join(told))}."]
    return [f"{capitalise(one)}." for one in told]


def _questions(rows: Sequence[Row], rng: random.Random) -> list[str]:
    told = []
    before, after = rng.choice((("Q: ", " A: "), ("", " "), ("Q: ", "\nA: ")))
    for row in rows:
        for kind, value in row.columns:
            question = (
                rng.choice(_QUESTIONS[kind])
                .replace("{l}", f"{row.article}{row.label}")
                .replace("{L}", capitalise(row.label))
            )
            told.append(f"{before}{question}{after}{capitalise(value)}.")
    return told
