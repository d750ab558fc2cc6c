"""Questions to a desk about prices: of one thing in other words than the prompt's, of several."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from desk_facts import Desk
from desk_further import price_further
from desk_prices import Thing
from dialogue_values import with_an
from domain import choose_branches
from instructed_say import Asked
from spoken_numbers import spoken_number

_CHILD: Final = "[my [little|] [girl|boy|son|daughter] [she's {a}|he's {a}|who's {a}|]|a [child|kid|girl|boy]|a {a} year old|kids|the children|my kids|one kid|the kids|the little ones]"
#: Who has a price of their own, and what they call themselves.
_BUYERS: Final[Mapping[str, str]] = {
    "children": f"[a ticket for|tickets for|the entry for|] {_CHILD}",
    "adults": "[a ticket for|tickets for|entry for|] [adults|an adult|one adult|a grown up|grown ups|me|myself|my wife|one|a normal person]",
    "students": "[a ticket for|entry for|] [students|a student|one student|my son he's a student|somebody at university|me i'm a student|a girl at uni]",
    "families": "[a ticket for|] [a family|families|the whole family|the four of us with kids|a family of four|mum dad and two kids]",
    "seniors": "[a ticket for|entry for|] [seniors|a pensioner|my grandma|one senior|pensioners|my granddad|an old lady like me|retired people|a retired person|an oap|me i'm seventy]",
    "members": "[a ticket for|entry for|] [members|a member|me i'm a member|somebody with a member's card]",
    "teenagers": "[a ticket for|entry for|] [teenagers|a teenager|my teenage son|my daughter she's fifteen|a boy of fourteen]",
    "groups": "[a ticket for|entry for|] [groups|a group|our group|somebody in a group|a school class]",
}  # fmt: skip
#: How somebody says who they are and asks then.
_ABOUT_ME: Final[Mapping[str, str]] = {
    "seniors": "[i'm a [pensioner|senior]|i'm retired|i'm [seventy|sixty eight|seventy two|over sixty five]|we're both retired|i draw my pension]", "students": "[i'm a student|i'm at university|i study|i've got a student card]", "members": "[i'm a member|i've got a member's card]",
    "adults": "[i come alone|it's just me|i'm on my own]", "children": "[i'd bring my [son|daughter|nephew|grandson]|i've got my [son|little girl|kid] with me|my [son|girl] is {a}]", "families": "[we're a family|we come with the whole family]", "teenagers": "[i'm fifteen|my daughter is a teenager]", "groups": "[we're a group|we come as a group]",
}  # fmt: skip
_SAME: Final = {"pensioners": "seniors"}


def _who(thing: Thing) -> str:
    who = thing.said.removeprefix("a ticket for ")
    return _SAME.get(who, who)


def of_thing(thing: Thing, rng: random.Random) -> str:
    """How a caller speaks of a thing: ``a haircut``, ``the haircut``, ``a trim``."""
    if (who := _who(thing)) in _BUYERS:
        return choose_branches(_BUYERS[who], rng).replace("{a}", spoken_number(rng.randint(7, 12)))
    if thing.nouns and rng.random() < 0.45:
        return choose_branches(f"[{thing.nouns}]", rng)
    bare = re.sub(r"^(an?|the) ", "", thing.said)
    if thing.unit and bare.endswith(" room") and rng.random() < 0.4:
        return rng.choice(("a", "the", "one")) + f" {bare.removesuffix(' room')}"
    said = (thing.said, thing.said, thing.said, f"the {bare}", bare)
    counted = (f"just {thing.said}", f"one {bare}") if thing.said.startswith("a") else ()
    ways: tuple[str, ...] = (*said, *counted)
    return rng.choice(ways)


def price(desk: Desk, rng: random.Random) -> Asked:
    """What one thing costs: by its name, by another, or by what is done."""
    thing = rng.choice(desk.things)
    others = [other for other in desk.things if other is not thing]

    text = _price_text(thing, others, rng)
    if thing.lasts and (not others or rng.random() < 0.5):
        return Asked(text, thing.answer(), partial(_of_it, thing, True))
    return Asked(text, thing.answer(), partial(price_further, thing, desk.things, None, rng))


#: The length and the price of what was just spoken of.
_HOW_LONG: Final = "[and|okay and|||so] [how long does it take|how long is it|how long is that|how long does that take|how long will it take|how long do you need|how long do i have to wait|when will it be done|how long would i be there|how long are we at it for|how quick is it|how much time does it take|what time do i need for it|will it take long|how long does it take normally]"
_HOW_MUCH: Final = "[and|okay and|||so|good] [what does it cost|how much is it|what's the price|how much is that|what's that cost|what do i pay|what would you charge me|how much would it be|and the price|what do you want for it]"
_LASTS: Final = "[how long does {s} take|how long is {s}|how much time do you need for {s}|how long will i be there for {s}|how long do i wait for {s}|{s} how long is that|how long would {s} take|how many minutes is {s}|what's the time for {s}|how long must i plan for {s}|how quick is {s}|when is it ready if you do {s}|what time does {s} take|how long's {s}|for how long is {s}|how long do you need for {s}]"


def _of_it(thing: Thing, length: bool) -> Asked:
    if length:
        return Asked(_HOW_LONG, thing.lasting())
    return Asked(_HOW_MUCH, thing.answer())


def lasting(desk: Desk, rng: random.Random) -> Asked | None:
    """How long one thing takes; then, at times, its price."""
    known = [thing for thing in desk.things if thing.lasts]
    if not known:
        return None
    thing = rng.choice(known)
    asks = _LASTS.replace("{s}", of_thing(thing, rng))
    return Asked(asks, thing.lasting(), partial(_of_it, thing, False))


def price_words(thing: Thing, rng: random.Random) -> str:
    """What a caller says to ask for the price of a thing."""
    return _price_text(thing, (), rng)


def _price_text(thing: Thing, others: tuple[Thing, ...] | list[Thing], rng: random.Random) -> str:
    who = _who(thing)
    if who in _ABOUT_ME and rng.random() < 0.35:
        about = choose_branches(_ABOUT_ME[who], rng).replace(
            "{a}", spoken_number(rng.randint(7, 12))
        )
        return f"{about} [what do [i|we] pay|how much is that|what would [i|we] pay|what does it cost [me|us|]|how much is it then|what's that|is it cheaper]"
    if thing.verbs and rng.random() < 0.4:
        verb = choose_branches(f"[{thing.verbs}]", rng)
        return f"[how much [is it|would it be|] to {verb}|what does it cost to {verb}|what do you [charge|take|want] to {verb}|how much do [i|you] [pay|charge] to {verb}|i want to {verb} how much is that|i'd like to {verb} what [does|would] that cost|how much to {verb}|what would it cost me to {verb}|if i wanted to {verb} what's that [cost|]|i need to {verb} what's the price|what's the charge to {verb}|how expensive is it to {verb}|can i {verb} and what does it cost|need to {verb} what's that cost|my [wife|husband|mum|friend] wants to {verb} [how much is that|what would that be]|how much you charge to {verb}|what would you charge [me|us] to {verb}|i've got to {verb} how much [is that|would that be]|and if i {verb} what does that cost|what am i looking at to {verb}|we want to {verb} what's the damage|what would i pay to {verb}|so to {verb} that's how much|how much money is it to {verb}|what's it cost to {verb}|would you tell me what it costs to {verb}]"
    said, last = of_thing(thing, rng), thing.said.split()[-1]
    alike = any(last in other.said for other in others)
    if (
        thing.said.startswith("a")
        and " for " not in thing.said
        and not alike
        and rng.random() < 0.1
    ):
        said = rng.choice((with_an(f"a {last}"), f"one {last}", f"the {last}"))
    per = thing.unit.split()[-1] if thing.unit else ""
    night = (
        f"[{thing.unit}|per {per}|for one {per}|for [a|the] {per}|for a whole {per}|||]"
        if per
        else ""
    )
    coins = next((c for c in ("euros", "pounds", "dollars") if c in thing.price), "euros")
    return (
        f"[and what's it cost for {said} {night}|what would you charge for {said}|how much you charge for {said}|i need {said} what's that cost|i need {said} how much is it|what costs {said}|could you tell me the price for {said}|my friend told me about {said} how much is it|if i take {said} what do i pay|what do you want for {said} {night}|{said} costs what|what am i paying for {said}|i'd want {said} what does that come to|how much are we talking for {said}|"
        f"what would {said} cost me {night}|is {said} expensive|i take {said} how much is that|for {said} what do you charge|what's it for {said} {night}|then {said} what's the price|so better {said} what costs this|and how much for {said} {night}|how much is {said} {night}|what does {said} cost {night}|what's the price [of|for] {said} {night}|how much do you charge for {said}|what do you [charge|take|want] for {said}|"
        f"{said} how much|how much for {said} {night}|what's {said} {night}|how much would {said} be|what is {said} [going to cost|then]|price of {said} please|what do i pay for {said} {night}|how expensive is {said}|what is the charge for {said}|"
        f"what would {said} set me back|how much does {said} cost {night}|{said} what's that then|i'd like to know the price of {said}|how many {coins} is {said}|what's the damage for {said}|and the price for {said}|i'm interested in {said} what's the price]"
    )  # fmt: skip


_COUNTED: Final[Mapping[str, tuple[str, str]]] = {
    "adults": ("[adult|grown up]", "[adults|grown ups]"), "children": ("[child|kid]", "[children|kids|children]"), "students": ("student", "students"),
    "seniors": ("[pensioner|senior]", "[pensioners|seniors]"), "members": ("member", "members"), "teenagers": ("teenager", "teenagers"),
}  # fmt: skip


def _tickets(plain: list[Thing], rng: random.Random) -> Asked | None:
    """What several people pay together."""
    known = [thing for thing in plain if _who(thing) in _COUNTED]
    if not known:
        return None
    some = rng.sample(known, min(len(known), rng.choice((1, 2, 2))))
    total, parts = 0, []
    for thing in some:
        count = rng.choice((1, 2, 2, 3)) if len(some) > 1 else rng.choice((2, 2, 3, 4))
        total += count * thing.euros
        word = choose_branches(_COUNTED[_who(thing)][count > 1], rng)
        parts.append(f"{spoken_number(count)} {word}")
    who = " and ".join(parts)
    if len(some) == 1 and _who(some[0]) == "adults" and rng.random() < 0.5:
        who = parts[0].split()[0] + " of us"
    coin = some[0].price.split()[-1].removesuffix("s") + "s"
    text = f"[how much is it for {who}|what do {who} pay|we're {who} how much is that|how much for {who} [together|altogether|]|{who} please what's that|what's that for {who}|what would {who} cost [us|]|we'd be {who} what do we pay|tickets for {who} how much|so for {who} that would be how much]"
    return Asked(text, f"That is {spoken_number(total)} {coin} together.") if total <= 100 else None


def price_sum(desk: Desk, rng: random.Random) -> Asked | None:
    """Two things together, or several of one: sums that are small."""
    plain = [thing for thing in desk.things if thing.euros]
    if not plain:
        return None
    if plain[0].said.startswith("a ticket for "):
        return _tickets([t for t in plain if t.said.startswith("a ticket for ")], rng)
    first = rng.choice(plain)
    coin = first.price.split()[-1].removesuffix("s") + "s"
    others = [thing for thing in plain if thing is not first and not thing.unit]
    if others and not first.unit and rng.random() < 0.6:
        second = rng.choice(others)
        total = first.euros + second.euros
        one, two = of_thing(first, rng), of_thing(second, rng)
        text = f"[how much is {one} and {two} [together|altogether|in total|]|what's {one} and {two} together|{one} and {two} what's that in total|what do {one} and {two} cost together|so {one} plus {two} how much altogether|i'd like {one} and {two} what does that come to|both {one} and {two} how much is that]"
    elif first.said.startswith("a"):
        count = rng.randint(2, 4)
        total, bare = count * first.euros, re.sub(r"^(an?|the) ", "", first.said)
        many = (
            re.sub(r"^(\S+)", r"\1s", bare, count=1)
            if " for " in bare or " of " in bare
            else f"{bare}s"
        )
        text = f"[how much [are|for] {spoken_number(count)} {many}|what do {spoken_number(count)} {many} cost|so {spoken_number(count)} {many} [would be what|how much is that|that's how much]|we need {spoken_number(count)} {many} what's that altogether]"
        if first.unit:
            unit = first.unit.split()[-1]
            text = f"[how much is {first.said} for {spoken_number(count)} {unit}s|what do {spoken_number(count)} {unit}s cost for {first.said}|{first.said} for {spoken_number(count)} {unit}s what's that]"
    else:
        return None
    return Asked(text, f"That is {spoken_number(total)} {coin} together.") if total <= 100 else None
