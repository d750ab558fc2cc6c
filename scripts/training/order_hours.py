"""When a bar is open, as its prompt tells it in one sentence: asked in the middle of an order."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, proper
from domain import choose_branches
from open_words import open_word
from shapes import Kind
from spoken_numbers import UNITS
from till import say, tab

_WHO: Final = "[You are the voice of {p}.|You take orders at {p}.|This is {p}.|You answer the phone of {p}.|You are a barista at {p}.|You are the assistant of {p}.|You work at {p} and take orders.|You speak for {p}.]"
_PLACE: Final = "[a coffee bar|the coffee bar|a small cafe|the {n} coffee bar|the {n} cafe|a coffee shop|the bar of a hotel|a bakery|the {n} espresso bar|a tea house|the kiosk at the station]"
_OPEN: Final = (
    "[[The|Our|This] [bar|cafe|shop|counter|place] is open [{d}|] from {a} {u} {b}.|Open [{d}|] from {a} {u} {b}.|Opening hours: [{d}|] {a} {u} {b}.|We open [{d}|] at {a} and close at {b}.|"
    "It opens [{d}|] at {a} and closes at {b}.|You are open [{d}|] from {a} {u} {b}.|Hours: {a} {u} {b} [{d}|].|The doors open [{d}|] at {a}; last orders are taken and the bar closes at {b}.|[{d}|] {a} {u} {b}.]"
)
_REST: Final = (
    "[||Answer in one short sentence.|Be brief.|Take the caller's order.|Keep your answers short.|Be friendly.|Read the order back before you place it.|"
    "Milk is free.|There is a terrace.|Dogs are welcome.|Speak plainly.|The owner is called {n}.]"
)
_FIRST: Final = "[|||||oh and|and|by the way|sorry|quick question|just wondering|hey|uh|um|tell me|excuse me|so|right|okay|one more thing|oh|before i forget|hi|hello|do you know|another thing|lovely|ok cool|no rush but|while i'm here]"
_YOU: Final = "[you|you|you|y'all|ye|youse|you guys|you lot|the bar|the cafe|they]"
_ASKED: Final = (
    f"[[what time|when] do {_YOU} [close|shut|shut up shop|close up|knock off|close today|shut today|open|open up|open tomorrow|close tonight]|[what time|when] are {_YOU} [open till|open until|closing|shutting|open|opening]|"
    f"until when are {_YOU} open|how late are {_YOU} [open|open tonight|there]|till what time [are {_YOU} open|can i come|can i pick it up]|how long are {_YOU} open [today|for|]|[what are|what're] [your|the] [hours|opening hours|opening times|times]|"
    "[when's|what's] closing time|when's last orders|from when are you open|how early do you open|what time's it open till|what time d'you close|when does [it|the bar|the cafe|the shop|the place] [close|open|shut]|you close when|you're open until when|"
    "what hour you close|at what time do you close|at what hour are you closing|when you are closing|are you open [late|in the evening|early]|what time should i be there by|when do i have to be there by|can i come later or do you close|until what time it is open|opening hours please|is there time to come by later or when do you shut]"
)
_LAST: Final = (
    "[||||||today|then|please|by the way|again|i forgot|if i may ask|love|over there|at yours|so]"
)


@dataclass(frozen=True)
class BarHours:
    """What the prompt says, and the one answer to all that is asked about it."""

    system: str
    answer: str


def draw_hours(rng: random.Random) -> BarHours:
    """A bar, and from when till when it is open."""
    opens, closes = 60 * rng.randint(5, 11), 60 * rng.randint(14, 23)
    opens += rng.choice((0, 0, 0, 30, 15, 45))
    closes += rng.choice((0, 0, 0, 30, 15, 45))
    day = rng.choice(("every day", "daily", "seven days a week"))
    parts = rng.random() < 0.45
    figures = not parts and rng.random() < 0.3
    first, last = (_said(minute, parts) for minute in (opens, closes))
    told = choose_branches(_OPEN, rng)
    every = "every day " if "{d}" in told else ""
    written = (_figure(opens), _figure(closes)) if figures else (first, last)
    until = rng.choice(("to", "until", "till", "-" if figures else "to"))
    for key, words in (("{d}", day), ("{a}", written[0]), ("{b}", written[1]), ("{u}", until)):
        told = told.replace(key, words)
    who = choose_branches(_WHO, rng).replace("{p}", choose_branches(_PLACE, rng))
    rest = choose_branches(_REST, rng)
    sentences = [who, capitalise(" ".join(told.split())), rest]
    system = " ".join(" ".join(sentences).replace("{n}", proper(open_word(rng))).split())
    return BarHours(
        system.replace(" - ", "-").replace(" .", "."), f"We're open {every}from {first} to {last}."
    )


def ask_hours(talk: Conversation) -> None:
    """Somebody asks when it opens or closes."""
    hours = tab(talk).hours
    if hours is not None:
        say(talk, f"{_FIRST} {_ASKED} {_LAST}", Kind.QUESTION)
        talk.assistant(hours.answer)


def _said(minute: int, parts: bool) -> str:
    """``half past seven in the morning``, ``six``."""
    hour, rest = divmod(minute, 60)
    of_day = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    at = (hour + 1 if rest == 45 else hour) % 12 or 12
    past = {0: "", 15: "quarter past ", 30: "half past ", 45: "quarter to "}[rest]
    return f"{past}{UNITS[at]}{f' in the {of_day}' if parts else ''}"


def _figure(minute: int) -> str:
    """``7:30``, ``6``, by twelve hours as the answer says it."""
    hour, rest = divmod(minute, 60)
    return f"{hour % 12 or 12}:{rest:02d}" if rest else f"{hour % 12 or 12}"
