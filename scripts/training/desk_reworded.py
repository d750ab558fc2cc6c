"""Answers of a desk in another assistant's words: history, so that what follows is found behind it."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from typing import Final

from dialogue_values import capitalise


def reworded(answer: str, rng: random.Random) -> str:
    """The same said otherwise; empty where no other wording is known."""
    for pattern, ways in _WAYS:
        found = re.fullmatch(pattern, answer)
        if found:
            text = rng.choice(ways)
            for index, part in enumerate(found.groups(), 1):
                low = re.sub(r"^(An?|The) ", lambda word: word[0].lower(), part)
                text = text.replace(f"{{{index}}}", low)
            if rng.random() < 0.25:
                text = _TENS.sub(r"\1-\2", text)
            return capitalise(text)
    return ""


_TENS: Final = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) (one|two|three|four|five|six|seven|eight|nine)\b"
)
_PRICE: Final = r"(?:[\w ]+? )?(?:euros?|pounds?|dollars?|cents|pence)(?: [\w ]+)?"
_WAYS: Final = (
    (rf"(?!No|Yes|I'm|That|Over|After|Before)([\w' -]+?) (?:is|are) ({_PRICE})\.", ("that's {2}.", "it's {2}.", "{1} costs {2}.", "{2}.", "that would be {2}.", "we charge {2} for that.", "for {1} we charge {2}.", "{1}? {2}.")),
    (r"Yes, on (\w+) we're open (.+)\.", ("yes, {2}.", "yes, we are.", "we are, {2}.", "on {1} we are here {2}.", "of course, {2} on {1}.")),
    (r"No, we're closed on (\w+)s\.", ("no, {1} is our day off.", "I'm afraid not, we're shut on {1}.", "no, not on {1}s.", "sorry, {1}s we are closed.")),
    (r"On (\w+) we (open|close) at (.+)\.", ("at {3}.", "we {2} at {3} on {1}.", "on {1} that's {3}.", "{1}? At {3}.")),
    (r"We're open (.+)\.", ("{1}.", "our hours are {1}.", "you can come {1}.", "we are here {1}.")),
    (r"That is ([A-Z][\w ]+)\.", ("{1} does that.", "you'd see {1}.", "{1}.", "that would be {1}.", "with {1}.")),
    (r"([\w' -]+?) takes? (.+)\.", ("about {2}.", "it takes {2}.", "{2}.", "you should plan {2}.", "that's {2}.")),
    (r"I'm sorry, I don't know that\.", ("I'm afraid I can't say.", "that I don't know, sorry.", "I have no information on that.", "sorry, I'm not sure.")),
)  # fmt: skip
