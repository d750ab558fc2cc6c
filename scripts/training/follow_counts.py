"""``Four adults and three children``: how many is that?"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from conversation import Conversation
from dialogue_values import capitalise
from shapes import Kind
from spoken_numbers import spoken_number
from talk_numbers import plainly, told_before

_GROUPS: Final = (
    "adults",
    "children",
    "kids",
    "grown ups",
    "students",
    "pensioners",
    "men",
    "women",
    "boys",
    "girls",
    "dogs",
    "cats",
    "babies",
    "friends",
    "colleagues",
)


def counted_turn(talk: Conversation) -> None:
    """``four adults and three children``: how many is that?"""
    rng = talk.rng
    some = rng.sample(_GROUPS, rng.choice((2, 2, 2, 3)))
    numbers = [rng.randint(2, 7) for _ in some]
    listed = [
        f"{spoken_number(number)} {group}" for number, group in zip(numbers, some, strict=True)
    ]
    words = f"{', '.join(listed[:-1])} and {listed[-1]}"
    plainly(talk, f"[we are|we're|there'll be|it's for|we come with|there are|we'd be|] {words}")
    told_before(
        talk,
        rng.choice(
            (
                f"{capitalise(words)}, lovely.",
                f"Okay, {words}.",
                "How nice!",
                "I see. What can I do for you?",
                f"{capitalise(words)}, noted.",
            )
        ),
    )
    plainly(
        talk,
        "[|so|and|okay|hmm] [how many is that [altogether|in total|in all|]|how many are we [altogether|in total|]|what does that make|altogether that's how many|how many of us is that|how many does that make [altogether|]|in total how many]",
        Kind.QUESTION,
    )
    animals = any(group in ("dogs", "cats") for group in some)
    talk.assistant(
        f"That is {spoken_number(sum(numbers))}{' altogether' if animals else ' people'}."
    )
