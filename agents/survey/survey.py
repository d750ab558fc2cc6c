"""A survey by keypad: what was entered is kept, and the next question given. A Python tool."""

from __future__ import annotations

from collections import OrderedDict
from typing import Annotated

from voicepipe.tools import Facts, ToolError, tool

QUESTIONS = (
    "how friendly were we, from one to five?",
    "how fast were we?",
    "would you come again? Press one for yes, two for no.",
)
MAX_CALLS = 1000

ANSWERS: OrderedDict[str, list[int]] = OrderedDict()
"""What each call has answered so far, by its session."""


@tool(deadline_ms=1000)
async def note_rating(
    facts: Facts, rating: Annotated[int, "the key that was pressed"]
) -> dict[str, str]:
    """Note what the caller entered on the keypad, and get the next question."""
    if not 1 <= rating <= 5:
        raise ToolError("please press a key from one to five", fault=False)
    answers = ANSWERS.setdefault(facts.get("session_id", ""), [])
    while len(ANSWERS) > MAX_CALLS:
        ANSWERS.popitem(last=False)
    answers.append(rating)
    if len(answers) < len(QUESTIONS):
        return {"say": f"Thank you. Next: {QUESTIONS[len(answers)]}"}
    return {"say": "That was all. Thank you, and goodbye."}
