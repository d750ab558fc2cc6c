"""How a prompt's sentences are put on the page: prose, lists, numbered, questions and answers, notes."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Final

from dialogue_values import capitalise
from domain import choose_branches

#: What may stand over the facts.
_HEADINGS: Final = (
    *("Facts:", "Information:", "What you know:", "Good to know:", "FACTS", "NOTES", "Info", ""),
    *("Here is what you know.", "Answer from these notes.", "What callers ask:", "Please note:"),
    *("About us:", "The facts are these.", "Use only this:", "", "", ""),
)


def laid_out(
    opener: str, sentences: Sequence[str], rest: Sequence[str], rng: random.Random,
    asks: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """The whole prompt: who speaks, what is known (in some layout), what else is wanted.

    ``asks`` gives a question for some of the sentences: a layout of questions and answers uses it.
    """
    pick = rng.random()
    if pick < 0.4 or len(sentences) < 2:
        parts = [opener, *sentences, *rest]
        if rng.random() < 0.12:  # the facts first, then who speaks
            parts = [*sentences, opener, *rest]
        text = joined_lines([part for part in parts if part])
        if rng.random() < 0.06:
            return text.lower()
        return text
    if pick < 0.72:
        return _listed(opener, sentences, rest, rng)
    if pick < 0.84 and asks:
        return _questions(opener, sentences, rest, asks, rng)
    if pick < 0.9:
        return _as_json(opener, sentences, rest, rng)
    glue = rng.choice(("; ", "; ", " / ", " | ", " ... ", ", "))
    notes = glue.join(_bare(sentence) for sentence in sentences)
    heading = rng.choice(_HEADINGS)
    return joined_lines([part for part in (opener, heading, f"{notes}.", *rest) if part])


def joined_lines(parts: Sequence[str]) -> str:
    """Sentences in a row; what has lines of its own stands apart."""
    text = ""
    for part in parts:
        lines = "\n" in part or "\n" in text.rpartition(". ")[2]
        apart = "\n" if lines or text[-1:] not in ".:!?" else " "
        text = f"{text}{apart}{part}" if text else part
    return text


def _bare(sentence: str) -> str:
    return sentence.removesuffix(".")


def _listed(opener: str, sentences: Sequence[str], rest: Sequence[str], rng: random.Random) -> str:
    """One fact a line, or numbered in one."""
    marks = rng.choice(("- ", "- ", "- ", "* ", "", "", "• ", "1)", "1.", "(1)"))
    stop = rng.random() < 0.5
    lines = []
    for index, sentence in enumerate(sentences, 1):
        mark = marks.replace("1", str(index)) + " " if "1" in marks else marks
        lines.append(f"{mark}{sentence if stop else _bare(sentence)}")
    heading = rng.choice(_HEADINGS)
    if "1" in marks and rng.random() < 0.5:
        body = " ".join(lines if stop else [f"{line}." for line in lines])
        return " ".join(part for part in (opener, heading, body, *rest) if part)
    parts = [opener, heading, *lines, " ".join(rest)]
    if rng.random() < 0.15:
        parts = [heading, *lines, opener, " ".join(rest)]
    return "\n".join(part for part in parts if part)


def _as_json(opener: str, sentences: Sequence[str], rest: Sequence[str], rng: random.Random) -> str:
    """``Facts: {"opening_hours": "9-18", "price": ...}``: what a label says stands in its key."""
    told: dict[str, str] = {}
    for index, sentence in enumerate(sentences, 1):
        head, mark, value = _bare(sentence).partition(": ")
        if not mark or len(head) > 20 or "\n" in sentence:
            head, value = f"{rng.choice(('fact', 'info', 'note', 'rule'))}_{index}", _bare(sentence)
        told[head.lower().replace(" ", "_")] = re.sub(r"\n[-*•]? ?", "; ", value).lstrip("-*• ")
    parts = (rng.choice(("Facts:", "Data:", "Info:", "")), json.dumps(told, ensure_ascii=False))
    text = " ".join(part for part in parts if part)
    if rng.random() < 0.5:
        return " ".join(part for part in (f"{text}.", opener, *rest) if part)
    return joined_lines([part for part in (opener, f"{text}.", *rest) if part])


def _questions(
    opener: str, sentences: Sequence[str], rest: Sequence[str], asks: Mapping[str, str],
    rng: random.Random,
) -> str:  # fmt: skip
    """``Q: Is there parking? A: Parking is free.``"""
    before, after = rng.choice((("Q: ", " A: "), ("Q: ", "\nA: "), ("", " "), ("- ", " - "), ("If asked: ", " Say: ")))  # fmt: skip
    glue = rng.choice(("\n", "\n", " "))
    parts = []
    for sentence in sentences:
        if sentence in asks:
            question = " ".join(choose_branches(asks[sentence], rng).split())
            question = re.sub(r"\bi\b", "I", capitalise(question))
            parts.append(f"{before}{question}?{after}{sentence}")
        else:
            parts.append(sentence)
    return glue.join(part for part in (opener, *parts, " ".join(rest)) if part)
