"""Whose order it is: said with it or by itself, and asked for later."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from conversation import Conversation
from desk_names import first_name
from dialogue_values import capitalise, draw_value, invented_name
from order_add import added
from order_items import draw_items
from order_spoken import spoken_order
from set_phrases import NO_NAME_YET
from shapes import Kind
from till import has_till, keep, order_words, say

_SAID: Final = (
    "[|||so|hi|hello|uh|good good so|okay so|hey|good morning|right|hiya] "
    "[i'm {n}|my name's {n}|my name is {n}|it's {n}|this is {n}|{n} here|the name's {n}|my good name is {n}|{n} speaking]"
)
_FOR: Final = (
    "[|||oh|and|by the way|um] [it's for {n}|the order is for {n}|put it under {n}|under the name {n}|for {n}|the name is {n}|it's under {n}|"
    "call me {n}|just call me {n}|i'm {n} by the way|i am {n}|{n} is the name|the cup is for {n}|the cup's for {n}|name's {n}|the name's {n}|name's {n} for the cup|name is {n}|{n} will pick it up|{n} picks it up|{n} will collect it|it's {n} who collects it|for my friend {n}|shout {n} when it's ready|call out {n} when it's done|"
    "you can call me {n}|they call me {n}|everybody calls me {n}|put the name {n}|name on the order is {n}|it'll be {n} collecting|say it's for {n}|the name to call is {n}|mark it {n}|for {n} that is|{n}'s the name|oh and i'm {n}|this is for {n}|all of it is for {n}|"
    "the order's for {n}|write {n} on it|put {n} on [it|the cup]|{n} on the cup|my name's {n} for the [cup|order]|"
    "name for the order is {n}|make it out to {n}|call it out for {n}|that's for {n}|you can put {n} on it|order name {n}] "
    "[please|by the way|thanks|||||]"
)
_ASKED: Final = (
    "[||||so|and|okay|sorry|hey|okay okay|thank you|right|wait] [who's the order for then|who is [it|the order|that] for|whose name is on the [cup|order]|which name did you put on the cup|what name is on [it|the cup|the order|my order]|"
    "do you [remember|know|recall|have] my name [still|]|what's my name [again|]|what was my name|what name did i [give|give you|say|tell you]|"
    "under [what|which] name is [it|the order]|whose [name|order] is [it|that] [under|]|what name have you got [down|] [for me|]|who am i [then|again|]|"
    "you wrote my name down what was it|can you say my name|who did i say [it|the order] was for|did you get my name|what am i called|what did i say my name was|"
    "what name am i under|which name am i down as|what name have you got me down as|what name is it on|what do you call me|by which name will you call me|which name will you call out|you'll call which name|what name will you shout|do you know who i am|do you still know my name|have you still got my name|what am i down as|"
    "you do remember my name|which name did you [put|write] [down|on it]|do you recall who i am|tell me who the order is for] [do you remember|please|then|||||]"
)


def _drawn(talk: Conversation) -> tuple[str, str]:
    """A name as it is said, and as it is told."""
    rng = talk.rng
    pick = rng.random()
    name = invented_name(rng) if pick < 0.2 else draw_value("name", rng, False).text
    if pick > 0.5:
        name = first_name(rng)
    return capitalise(name) if rng.random() < 0.3 else name, capitalise(name)


def for_name(talk: Conversation) -> None:
    """Somebody says whose order it is."""
    said, talk.name = _drawn(talk)
    say(talk, _FOR.replace("{n}", said))
    talk.assistant(f"Okay, the order is for {talk.name}. Anything else?")


def for_my_name(talk: Conversation) -> None:
    """The order is for a name that was told before, or is asked for."""
    say(
        talk,
        "[put it under my name|it's for me|the order is for me|under my name|on my name|use my name] [please|]",
    )
    if not talk.name:
        talk.assistant("What's your name?")
        said, talk.name = _drawn(talk)
        say(talk, f"[it's|my name is|] {said}")
    talk.assistant(f"Okay, the order is for {talk.name}. Anything else?")


def named_order(talk: Conversation) -> None:
    """``i'm priya and i want a chai latte``: the order is taken, the name is kept."""
    rng = talk.rng
    items = [i for i in draw_items(rng)[:2] if all(i.drink != o.drink for o in talk.order)]
    if not items:
        return
    said, talk.name = _drawn(talk)
    words, told = spoken_order(rng, items)
    name = _SAID.replace("{n}", said)
    want = "[i want|i'd like|can i get|can i have|i'll have|could i get|i'd love|let me get|i'm having]"
    if rng.random() < 0.75:
        say(talk, f"{name} [and|and|and|] {want} {words} [please|thanks||]")
    else:
        say(
            talk,
            f"{want} {words} [and|] [my name is|i'm|it's for me] {said}".replace(
                "it's for me", "it's for"
            ),
        )
    if has_till(talk):
        added(talk, items, told)
        _with_the_name(talk)
        return
    keep(talk, [*talk.order, *items])
    talk.assistant(f"Okay, {order_words(talk)}. Nice to meet you, {talk.name}. Anything else?")


def _with_the_name(talk: Conversation) -> None:
    last = talk.messages[-1]
    if str(last["content"]).startswith("Okay, "):
        said = str(last["content"]).removesuffix(" Anything else?")
        last["content"] = f"{said} Nice to meet you, {talk.name}. Anything else?"


def ask_whose(talk: Conversation) -> None:
    """Whose order it is is asked for; mostly by whoever has told it."""
    if not talk.name and talk.rng.random() < 0.7:
        for_name(talk)
        return
    say(talk, _ASKED, Kind.QUESTION)
    name = talk.name
    talk.assistant(f"Your name is {name}." if name else NO_NAME_YET)
