"""How somebody speaks to a desk, and what a question to it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from chatter import figures, with_chatter
from conversation import Conversation
from dialogue_values import with_an
from domain import choose_branches
from shapes import Kind
from user_requests import misheard, typed


class Asked(NamedTuple):
    """A question, its answer, and how to ask the same of something else (``and on Sunday``)."""

    text: str
    answer: str
    again: Callable[[], Asked | None] | None = None


def tell(talk: Conversation, text: str, kind: Kind = Kind.PLAIN, exact: bool = False) -> None:
    """The user says or types it; names and days are capitals in ``text``. ``exact``: no chatter."""
    rng, text = talk.rng, choose_branches(text, talk.rng)
    text = re.sub(r"\s+([.,])", r"\1", with_an(" ".join(text.split())))
    text = re.sub(r"\b(for|please) \1\b", r"\1", text)
    text = re.sub(r"\b([ap]) m\b", r"\1m" if rng.random() < 0.4 else r"\1 m", text)
    if not exact and rng.random() < 0.06:
        text = with_chatter(text, rng)
    if rng.random() < 0.7:
        heard = re.sub(r"(?<=\b\w)-(?=\w\b)", " ", text.lower())  # letters apart stay apart
        heard = re.sub(r"[.,?!-]", "", heard)
        letters = re.search(r"(\b\w ){3}", heard)  # nobody can copy a letter that was lost
        talk.user(heard if letters else misheard(heard, rng))
        return
    text = typed(figures(text) if rng.random() < 0.35 else text, kind, rng)
    talk.user(re.sub(r"(?<=[.] )[a-z]", lambda match: match.group(0).upper(), text))
