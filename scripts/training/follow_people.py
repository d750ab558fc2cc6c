"""Who does what, told by another assistant: the caller says what they need and asks who that is."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from conversation import Conversation
from desk_told import opened
from dialogue_values import capitalise
from domain import choose_branches
from order_items import joined
from shapes import Kind
from sheet_people import draw_team
from talk_numbers import plainly, told_before


def people_turn(talk: Conversation) -> None:
    """``Mia does colour and Jonas does cuts.`` - ``I need a cut, who would I see?``"""
    rng = talk.rng
    team = draw_team(rng, 1)
    place = opened("[salon|shop|school|practice|studio|garage|clinic|{o}]", rng)
    plainly(
        talk,
        f"[who works [there|at your {place}|with you|]|who have you got [there|]|who is on your team|who are your people|what staff do you have|who does what there]",
        Kind.QUESTION,
    )
    verb = rng.choice(("does", "does", "is for", "looks after", "takes care of", "handles"))
    told = [f"{name} {verb} {joined(what)}" for name, what in team.does.items()]
    told_before(
        talk, f"{capitalise(rng.choice((joined(told), ', '.join(told), '. '.join(told))))}."
    )
    for text, answer in rng.sample(team.asks, min(len(team.asks), rng.choice((1, 1, 2)))):
        plainly(talk, f"[||||so|okay|and|right] {choose_branches(text, rng)}", Kind.QUESTION)
        talk.assistant(answer)
