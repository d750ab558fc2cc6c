"""Words from outside the small world, so that a tiny model learns to copy what it never saw."""

# ruff: noqa: E501  lists of words are read across

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from coffee_bar import DRINKS, SNACKS
from slots import phrases

_WORDS: Final = Path(__file__).with_name("open_words.txt")  # frequent ones of English
_FLAVOURS: Final = phrases(
    "vanilla, caramel, chocolate, hazelnut, almond, coconut, cinnamon, pumpkin, ginger, honey, maple,"
    "lavender, rose, mint, peppermint, lemon, lime, orange, mango, peach, pear, plum, cherry, berry,"
    "strawberry, raspberry, blackberry, blueberry, cranberry, banana, apple, rhubarb, fig, date,"
    "walnut, pecan, pistachio, peanut, sesame, poppy seed, oatmeal, raisin, carrot, coffee, toffee,"
    "salted caramel, white chocolate, dark chocolate, double chocolate, passion fruit, pineapple,"
    "melon, grape, elderflower, jasmine, rooibos, camomile, fennel, nettle, turmeric, saffron, spicy,"
    "ham, cheese, tuna, egg, bacon, chicken, turkey, salmon, hummus, avocado, tomato, mozzarella,"
    "spinach, mushroom, goat cheese, cheddar, brie, onion, garlic, olive, plain, toasted, warm, fresh,"
    "freshly squeezed, homemade, vegan, gluten free, sugar free, whole wheat, rye, multigrain"
)
_DRINK_BASES: Final = phrases(
    "latte, tea, coffee, mocha, smoothie, milkshake, juice, lemonade, iced tea, hot chocolate, soda,"
    "water, frappe, cappuccino, cold brew, steamer, macchiato, matcha, chai, shake, cordial, cola,"
    "kombucha, ginger beer, tonic, spritzer, herbal tea, fruit tea, infusion"
)
_SNACK_BASES: Final = phrases(
    "muffin, bagel, cake, cookie, scone, tart, pie, croissant, sandwich, toastie, roll, bun, brownie,"
    "danish, doughnut, pancake, waffle, crumble, bar, biscuit, yoghurt, granola, porridge, panini,"
    "wrap, baguette, salad, soup, loaf, slice, eclair, strudel, pretzel, flapjack, shortbread, crepe"
)
_WHOLE: Final = phrases(
    "glass of tap water, bottle of water, bottle of sparkling water, cup of tea, cup of coffee,"
    "pot of tea, mug of cocoa, glass of milk, slice of toast, piece of cake, bowl of soup,"
    "bag of crisps, packet of nuts, glass of wine, beer, ginger ale, iced lemon tea, babyccino,"
    "gibraltar, filter coffee, ice cream, fruit salad, cheese toastie, pain au chocolat, key lime pie,"
    "slice of pie, glass of juice, pot of green tea, can of cola, glass of cider, scoop of ice cream"
)


_RUDE: Final = re.compile(
    r"fuck|shit|turd|retard|slut|whore|bitch|nigg|rape|rapist|nazi|cunt|dick|cock|porn|sex|slave|idiot|kill"
    r"|murder|suicid|piss|damn|bastard|ass$|tits|nude|naked|orgas|gay|jew|negro|racis|sexis|terroris|fag|trann|dyke|spic$|gook|chink|coon$|kike|cripple|genocid"
)


_MEASURES: Final = phrases(
    "pint, glass, bottle, can, jug, half pint, bowl, portion, plate, slice, piece, cup, mug, pot, bag, carafe, shot, scoop"
)
_POURED: Final = phrases(
    "lager, ale, stout, bitter, champagne, prosecco, port, sherry, rum, whisky, gin, rose wine, merlot, squash, ginger beer,"
    "buttermilk, cranberry juice, malt, mead, punch, mineral water, soda water, barley water, eggnog, broth"
)
_FILLINGS: Final = phrases("tuna, ham, cheese, egg, bacon, chicken, salmon, beef, turkey, hummus")


def _poured(rng: random.Random) -> str:
    return rng.choice(_POURED)


@functools.cache
def _words() -> tuple[str, ...]:
    return tuple(word for word in _WORDS.read_text().split() if not _RUDE.search(word))


def open_word(rng: random.Random) -> str:
    """Any English word."""
    return rng.choice(_words())


def with_open_words(text: str, rng: random.Random) -> str:
    """Any words in place of each ``{o}``."""
    return with_drawn(text, {"{o}": lambda: open_word(rng)})


def with_drawn(text: str, draws: Mapping[str, Callable[[], str]]) -> str:
    """Each place of each key gets its own draw."""
    for key, draw in draws.items():
        while key in text:
            text = text.replace(key, draw(), 1)
    return text


def open_drink(rng: random.Random) -> str:
    """A drink of some flavour; one in three is of a word that no bar has."""
    return _open(rng, DRINKS, _DRINK_BASES)


def open_snack(rng: random.Random) -> str:
    """Something to eat, likewise."""
    return _open(rng, SNACKS, _SNACK_BASES)


def _open(rng: random.Random, known: tuple[str, ...], bases: tuple[str, ...]) -> str:
    pick = rng.random()
    if pick < 0.08:
        return rng.choice(_WHOLE)
    if pick < 0.14:
        return f"{rng.choice(_MEASURES)} of {rng.choice((open_word(rng), rng.choice(_FLAVOURS), _poured(rng)))}"
    if pick < 0.17 and bases is _SNACK_BASES:
        kind = rng.choice(("brown", "white", "rye", "toasted", "wholemeal", open_word(rng)))
        return (
            f"{rng.choice(_FILLINGS)} {rng.choice(('sandwich', 'toastie', 'roll'))} on {kind} bread"
        )
    base = rng.choice(bases) if pick < 0.8 else rng.choice(known)
    flavour = rng.choice(_FLAVOURS) if rng.random() < 0.65 else open_word(rng)
    return base if flavour in base.split() else f"{flavour} {base}"
