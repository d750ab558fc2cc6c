"""What is made ready while nobody waits."""

from __future__ import annotations

from pydantic import Field

from voicepipe.config.section import Section


class AnticipationSettings(Section):
    """Answers to the caller's likely next words, made in idle time; off unless one of the first two
    is set. See docs/anticipation.md."""

    expect: tuple[str, ...] = Field((), max_length=20)  # what callers are likely to say:
    # "yes please", "how much is that"
    ask_model: bool = False  # where nothing is expected: ask the model, once a state of the talk
    most: int = Field(4, ge=1, le=20)  # answers made ready for each turn
    engine_share: float = Field(0.2, gt=0, le=1)  # of a session's time, for its engines' work
