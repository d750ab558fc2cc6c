"""Conversations at a desk whose system prompt tells its hours, its prices and how it is booked."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from conversation import Conversation
from desk_booking import BookingTalk
from desk_facts import Desk, draw_desk
from desk_hours import DAYS
from desk_words import GOODBYES
from desk_world import draw_told_desk
from dialogue_values import capitalise
from domain import choose_branches
from instructed_questions import ask
from instructed_say import tell
from instructed_words import (
    FAREWELL,
)
from set_phrases import BYE, HELLO
from sheet_desk import draw_sheet_desk
from talk_turns import turn
from till import TILL

#: What is said to a desk that only notes names and numbers.
_NOTED: Final = (
    "phone",
    "number_put_right",
    "number_put_right",
    "spelled",
    "introduced",
    "ask_phone",
    "ask_who",
    "name",
)


#: How many are houses of any kind that are only asked.
_TOLD_SHARE: Final = 0.2
#: And how many have a sheet of facts for a prompt.
_SHEET_SHARE: Final = 0.32
#: Whoever only greets is greeted back as anywhere else.
_GREETED: Final = {
    "[hello|hi|hello there|hi there|hey|hiya|yes hello|um hello]": HELLO,
    "[good morning|hello good morning|morning]": "Good morning! How can I help you?",
    "[good afternoon|hello good afternoon]": "Good afternoon! How can I help you?",
    "[good evening|hello good evening]": "Good evening! How can I help you?",
}


def instructed_conversation(rng: random.Random, tools: tuple[str, ...]) -> Conversation:
    """A whole conversation at a desk with a prompt of facts; some have these tools."""
    desk = _draw_house(rng)
    talk = Conversation(rng, _drawn_tools(desk, rng, tools))
    _begin(talk, desk)
    at = BookingTalk(talk, desk)
    if desk.kind == "bar" or not desk.noun:
        if rng.random() < 0.08:
            at.reached()
    elif rng.random() < 0.06:
        heard = rng.choice(tuple(_GREETED))
        tell(talk, heard, exact=True)
        talk.assistant(_GREETED[heard])
    if desk.kind == "bar":
        _at_the_bar(at)
    elif desk.noun and rng.random() < 0.9:
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))):
            ask(talk, desk)
        at.book()
    else:
        for _ in range(rng.choice((1, 1, 2, 3, 4, 5, 6, 8))):
            if desk.notes and rng.random() < 0.5:
                turn(talk, rng.choice(_NOTED))
            elif rng.random() < 0.15:
                at.aside()
            else:
                ask(talk, desk)
    if rng.random() < 0.4:
        day = at.plan.known.get("day")
        name = DAYS[day.data] if day and day.data >= 0 else "then"
        tell(talk, FAREWELL if rng.random() < 0.5 else GOODBYES.replace("{d}", name))
        talk.assistant(BYE)
    return talk


def _draw_house(rng: random.Random) -> Desk:
    pick = rng.random()
    if pick < _SHEET_SHARE:
        return draw_sheet_desk(rng)
    return draw_told_desk(rng) if pick < _SHEET_SHARE + _TOLD_SHARE else draw_desk(rng)


def _begin(talk: Conversation, desk: Desk) -> None:
    """The prompt, and at times a greeting that isn't learnt."""
    rng, more = talk.rng, ""
    if talk.tools:
        more = rng.choice(
            (
                "You can also set timers.",
                "You can tell the time and set timers.",
                "You can also tell the time.",
                "",
                "",
            )
        )
    system = desk.system
    glue = "\n" if "\n" in system else " "
    talk.messages.append({"role": "system", "content": f"{system}{glue}{more}".strip()})
    if rng.random() < 0.3:
        hello = choose_branches(
            f"[{desk.name}, [good morning|good afternoon|hello|how can I help you].|Hello, this is {desk.name}.|{desk.name}. How can I help?|Good morning, {desk.name}.]",
            rng,
        )
        talk.messages.append({"role": "assistant", "content": capitalise(hello), "learn": False})


def _drawn_tools(desk: Desk, rng: random.Random, tools: tuple[str, ...]) -> tuple[str, ...]:
    if desk.kind == "bar":
        return rng.choice(((*TILL, "get_time"), TILL, (*tools, *TILL), ()))
    return tools if rng.random() < 0.25 else ()


def _at_the_bar(at: BookingTalk) -> None:
    """Orders at the till, and between them questions that the prompt answers."""
    for _ in range(at.rng.choice((1, 2, 3, 4, 5, 6))):
        if at.long():
            return
        if at.rng.random() < 0.55:
            turn(at.talk, "bar")
        else:
            ask(at.talk, at.desk)
