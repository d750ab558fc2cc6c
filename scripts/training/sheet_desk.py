"""Houses whose prompt is a sheet: a price list, people, classes, rooms, rules, in any layout."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from desk_customs import per_head
from desk_fact_sets import draw_facts
from desk_facts import CLOSERS, OPENERS, Desk, named
from desk_forms import Sheet
from desk_further import money_of
from desk_layout import laid_out
from desk_offers import free_ages
from desk_prices import Thing
from desk_seasons import always
from desk_told import Fact, in_figures
from desk_topics import draw_topics
from desk_wares import TICKETED, TRADES
from desk_week import draw_hours
from domain import choose_branches
from sheet_prices import draw_prices
from sheet_values import Money
from spoken_numbers import spoken_number

_OPENERS: Final = (
    *OPENERS, *OPENERS,
    "I'm {f} and this is {n}. You take my calls.", "Dear assistant, while we are out you answer for {n}.", "Memo for whoever gets the phone at {n}.", "role = phone host of {n}", "{n}, phone desk.", "{n} / reservations", "Desk of {n}.", "Reception of {n}.", "{n} information line.", "{n} hotline.",
    "You handle calls for {n}.", "You speak for {n}.", "You run the phone of {n}.", "You are the telephone line of {n}.", "You're the assistant of {n}.", "We're {n}.", "{n}, you are on the phone for us.", "You are {f}, the friendly assistant at {n}.", "You answer questions for {n}.", "Phone assistant for {n}.", "Answer as the desk of {n}.",
    "You are the friendly voice of {n}.", "Assistant: {n}", "YOU\nReception of {n}.", "{n}! You talk to its callers.", "Your job: the phone of {n}.", "Callers reach {n}, and you answer.",
)  # fmt: skip
_LAST: Final = (
    "If it is not in here, say that you don't know.",
    "Answer from these facts, nothing else.",
    "Never invent anything.",
    "If you don't know, say so.",
    "Answer only what is asked.",
)
_CHEAP_KINDS: Final = tuple(TRADES)


_AGES: Final = {spoken_number(age): age for age in range(1, 20)}


def with_free(things: Sequence[Thing], free: Fact, rng: random.Random) -> list[Fact]:
    """What adults pay who bring a child that is free: ``two adults and a six year old``."""
    found = re.search(r"under (\w+) are free", free.asks[0][1])
    price = money_of(things[0])
    if not found or found[1] not in _AGES or not price or price.cents % 50:
        return []
    asks = []
    for _ in range(2):
        count, age = rng.choice((1, 2, 2, 2, 3)), rng.randint(1, _AGES[found[1]] - 1)
        who = f"{'an' if count == 1 and rng.random() < 0.7 else spoken_number(count)} adult{'' if count == 1 else 's'}"
        child = rng.choice(
            (
                f"a {spoken_number(age)} year old",
                f"a child of {spoken_number(age)}",
                f"one kid who is {spoken_number(age)}",
                f"my son he's {spoken_number(age)}",
            )
        )
        text = f"[{who} and {child} [how much is that|what's that come to|what do we pay|what's that altogether|how much together]|how much is it for {who} and {child}|we're {who} and {child} what do we pay|what would {who} and {child} cost]"
        total = Money(price.cents * count, price.coin)
        asks.append((text, f"That is {total.said()} together."))
    return [Fact("families together", "", asks)]


class _Written(Sheet):
    """A prompt that is written already: its opener is all of it."""

    def text(self) -> str:
        """The whole prompt."""
        return self.opener


def draw_sheet_desk(rng: random.Random) -> Desk:
    """A house of any kind with a sheet of facts."""
    kind = rng.choice(_CHEAP_KINDS)
    trade = TRADES[kind]
    subject = "Reception" if kind in ("hotel", "camping") and rng.random() < 0.8 else ""
    desk = Desk(f"told {kind}", named(trade.names, rng), draw_hours(trade.hours, rng, subject))
    pick = rng.random()
    desk.hours_told = pick < 0.72
    sentences = [desk.hours.text] if desk.hours_told else []
    if rng.random() < 0.75:
        prices = draw_prices(kind, rng, kind in TICKETED)
        desk.things, desk.facts = prices.things, prices.facts
        lines = list(prices.lines)
        if desk.things[0].said == "a ticket for adults" and rng.random() < 0.4:
            pay = any("children" in thing.said for thing in desk.things)
            free = free_ages(rng, 7 if pay else 14)
            desk.facts += [free, *with_free(desk.things, free, rng)]
            lines.append(free.told)
        sentences.append("\n".join(lines) if rng.random() < 0.4 else " ".join(lines))
    elif rng.random() < 0.4:
        desk.facts.append(per_head(rng))
        sentences.append(desk.facts[-1].told)
    if pick > 0.96:
        desk.facts.append(always(rng))
        sentences.append(desk.facts[-1].told)
    desk.topics = draw_topics("", rng, rng.choice((0, 0, 0, 1, 1)))
    sentences += [topic.told for topic in desk.topics]
    known = ["", *sentences, *(fact.told for fact in desk.facts)]
    drawn = draw_facts(rng, rng.choice((1, 1, 2, 2, 3, 4)), known, lines=True)
    for fact in drawn:
        told = in_figures(fact.told, rng) if rng.random() < 0.5 else fact.told
        desk.facts.append(fact._replace(told=told))
        sentences.append(told)
    if rng.random() < 0.6:
        rng.shuffle(sentences)
    opener = named(
        choose_branches(rng.choice(_OPENERS), rng).replace("{n}", desk.name).replace("{f}", "{n}"),
        rng,
    )
    rest = [rng.choice((*CLOSERS, *_LAST))] if rng.random() < 0.35 else []
    asks = {topic.told: topic.asks for topic in desk.topics}
    asks |= {fact.told: fact.asks[0][0] for fact in desk.facts if fact.told}
    rest = [choose_branches(one, rng) for one in rest]
    sentences = [
        choose_branches(sentence, rng) if "[" in sentence else sentence for sentence in sentences
    ]
    text = laid_out(opener, sentences, rest, rng, asks)
    if rng.random() < 0.12:
        text = re.sub(r"^([^\n.:]+)", lambda found: found[0].upper(), text, count=1)
    desk.sheet = _Written(
        "plain", desk.name, text[:1].upper() + text[1:] if rng.random() < 0.97 else text, 0
    )
    return desk
