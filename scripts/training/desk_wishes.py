"""What is wished for beside all that a booking needs, and families that come together."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from desk_needs import plural
from dialogue_values import with_an
from domain import choose_branches
from instructed_values import Told
from open_words import with_open_words
from spoken_numbers import spoken_number

#: The words are kept as they are.
WISHES: Final[Mapping[str, str]] = {
    "restaurant": "[by the window|by the window|in the garden|in a quiet corner|upstairs|near the door|by the fire|on the terrace|away from the kitchen|in the {o} room|with a high chair|near the {o}]",
    "hotel": "[on the ground floor|on the top floor|near the lift|with a cot|with a bath|at the back|on the {o} side|facing the {o}]",
    "garage": "[with a courtesy car|with a loan car|with a wash|with a {o}|with a receipt]",
    "hire": "[with a child seat|with helmets|with locks|with a basket|with a map|with a {o}]",
    "camping": "[with electricity|by the lake|in the shade|near the showers|far from the road|near the {o}|next to the {o}]",
    "rooms": "[with a projector|with coffee|with a whiteboard|with a screen|with the kitchen|with a {o}]",
    "court": "[with rackets|with balls|with shoes|with a {o}]",
    "games": "[with shoes|with a birthday cake|with drinks|with a {o}]",
    "studio": "[with my dog|in black and white|outdoors|with a {o}]",
    "trips": "[with life jackets|with lunch|with a {o}]",
}
#: Such a wish as a turn of its own.
ADDS: Final = "[can you add {v}|could we have it {v}|can it be {v}|{v} please|{v} if there is one|oh and {v}|and {v} please|i'd like it {v}|make that {v}|is it possible {v}|we'd want it {v}|do it {v}|put down {v} as well|{v} too|could you note {v}|and also {v}|{v} would be great|can we get that {v}]"
#: Where families come.
FAMILIES: Final = frozenset(("restaurant", "tours", "trips", "games", "camping", "courses"))


def draw_wish(kind: str, rng: random.Random) -> Told:
    """``by the window``, said and kept in the same words."""
    wish = with_an(with_open_words(choose_branches(WISHES[kind], rng), rng))
    return Told(wish.replace("your ", "my "), wish.replace("my ", "your "))


def draw_family(count: int, rng: random.Random) -> Told:
    """``two grown ups and the kids, three of them``: adults and children."""
    adults = rng.randint(1, min(4, count - 1))
    children = count - adults
    big, small = spoken_number(adults), spoken_number(children)
    grown = rng.choice(("adult", "grown up", "grown-up", "adult"))
    kid = rng.choice(("child", "kid", "child", "little one", "bairn", "kiddie"))
    kids = kid if children == 1 else "children" if kid == "child" else f"{kid}s"
    heard = f"{big} {grown}{'' if adults == 1 else 's'} [and|and|plus] {small} {kids}"
    said = (
        f"{big} adult{'' if adults == 1 else 's'} and {small} child{'' if children == 1 else 'ren'}"
    )
    return Told(choose_branches(heard, rng), said, count)


def draw_kinds(kinds: Sequence[str], rng: random.Random) -> Told:
    """``three e-bikes and a city bike``."""
    some = rng.sample(list(kinds), 2 if len(kinds) > 1 and rng.random() < 0.4 else 1)
    heard, said, total = [], [], 0
    for kind in some:
        count = rng.choice((1, 1, 2, 2, 2, 3, 3, 4, 5))
        total += count
        one = with_an(f"a {kind}")
        said.append(one if count == 1 else f"{spoken_number(count)} {plural(kind)}")
        heard.append(rng.choice((one, f"one {kind}")) if count == 1 else said[-1])
    return Told(rng.choice((" and ", " and ", " plus ")).join(heard), " and ".join(said), total)
