"""What people say to a coffee bar: sentences for the language model of the recognizer.

Everything is written for voicepipe. Text is in spoken normal form (see :mod:`domain`): sizes in
words and in ounces, prices and telephone numbers in words, letters as letters.
"""

# ruff: noqa: E501  lists of words and wordings are read across

from __future__ import annotations

import random
from typing import Final

from domain import choose_branches
from slots import NAMES, SURNAMES, phrases
from spoken_numbers import random_clock, spoken_number, spoken_time

Rng = random.Random

SIZES: Final = phrases(
    "small, medium, large, extra large, tall, grande, venti, short, regular, big,"
    "little, tiny, huge, short, double, single, triple, jumbo, kids, mini"
)
COUNTED: Final = phrases("one, two, three, four, five, six, a, a, a, a, a, another, one more")
OUNCES: Final = phrases("six, eight, ten, twelve, sixteen, eighteen, twenty, twenty four, thirty")
DRINKS: Final = phrases(
    "coffee, coffee, coffee, drip coffee, filter coffee, brewed coffee, black coffee, white coffee,"
    "latte, latte, cappuccino, cappuccino, americano, americano, espresso, espresso, mocha, mocha,"
    "macchiato, latte macchiato, caramel macchiato, flat white, cortado, ristretto, lungo, doppio,"
    "cold brew, nitro cold brew, iced coffee, iced latte, iced americano, iced mocha, iced tea,"
    "frappuccino, frappe, affogato, breve, cafe au lait, cafe latte, red eye, long black, pour over,"
    "french press, turkish coffee, vietnamese coffee, irish coffee, hot chocolate, cocoa, chai,"
    "chai latte, chai tea, dirty chai, matcha, matcha latte, tea, green tea, black tea, mint tea,"
    "herbal tea, earl grey, english breakfast, white mocha, vanilla latte, pumpkin spice latte,"
    "steamed milk, steamer, hot water, water, sparkling water, lemonade, orange juice, apple juice,"
    "smoothie, milkshake, decaf, decaf coffee, house blend, coffee of the day, espresso shot, blend"
)
ROASTS: Final = phrases(
    "dark roast, light roast, medium roast, blonde roast, french roast, house"
    " roast, italian roast, dark, light, medium, decaf, half caf, regular,"
    "colombian, ethiopian, sumatra, kenyan, brazilian, guatemalan, house blend,"
    "breakfast blend, strong, mild, organic, bold, fair trade, single origin"
)
MILKS: Final = phrases(
    "milk, whole milk, skim milk, skimmed milk, nonfat milk, non fat milk, oat"
    " milk, soy milk, almond milk, coconut milk, rice milk, low fat milk, cream,"
    "two percent milk, one percent milk, half and half, heavy cream, creamer,"
    "lactose free milk, regular milk, hazelnut milk, cashew milk, steamed milk,"
    "goat milk, semi skimmed milk, full fat milk, whipped cream, foam, milk foam,"
    "fat free milk, light cream, condensed milk, cold foam, froth, evaporated"
    " milk, powdered milk, non dairy creamer, soy, oat, almond, coconut"
)
SWEETENERS: Final = phrases(
    "sugar, sugars, brown sugar, white sugar, cane sugar, raw sugar, honey,"
    "sweetener, artificial sweetener, stevia, splenda, equal, sweet and low,"
    "agave, maple syrup, syrup, vanilla syrup, caramel syrup, hazelnut"
    " syrup, caramel, vanilla, hazelnut, chocolate syrup, cinnamon, nutmeg,"
    "cocoa powder, peppermint, ice, simple syrup, caramel sauce, mocha"
    " sauce, chocolate sauce, toffee nut, gingerbread, cinnamon syrup,"
    "lemon, liquid sugar, sugar free vanilla, sugar free syrup, chocolate,"
    "marshmallows, sprinkles, salt, saccharin, sucralose, aspartame, flavor"
)
SNACKS: Final = phrases(
    "croissant, muffin, blueberry muffin, bagel, scone, brownie, cookie, donut,"
    "doughnut, slice of cake, banana bread, sandwich, cheesecake, cinnamon roll,"
    "danish, toast, panini, cake pop, biscotti, chocolate croissant, granola"
    " bar, almond croissant, carrot cake, lemon cake, bacon roll, waffle, pastry"
)
AMOUNTS: Final = phrases(
    "a bit of, a little, a little bit of, lots of, a lot of, some, extra, light, easy on the, heavy,"
    "plenty of, a splash of, a dash of, a drop of, a touch of, a pinch of, no, less, more, double,"
    "half, a hint of, just a bit of, tons of, loads of, very little, not too much, a pump of,"
    "two pumps of, three pumps of, one pump of, a spoon of, two spoons of, a teaspoon of,"
    "two teaspoons of, one packet of, two packets of, three packets of, a packet of, one, two,"
    "three, four, half a spoon of, a shot of, a dollop of, a tablespoon of, one spoonful of,"
    "two cubes of, a cube of, a couple of, a small amount of, a good amount of, the usual amount of,"
    "a ton of, quite a bit of, only a little, just a touch of, an extra, much, so much, too much"
)
SHOTS: Final = phrases(
    "a shot of espresso, an extra shot, one shot, two shots, three shots, four shots, a double shot,"
    "a single shot, a triple shot, an extra shot of espresso, two extra shots, double shots,"
    "two shots of espresso, three shots of espresso, an added shot, a quad shot, half a shot,"
    "one extra shot of espresso, an espresso shot, five shots, six shots of espresso, quad shots"
)
OPENINGS: Final = (
    "i'd like|i would like|can i get|could i get|can i have|could i have|may i have|i'll have|"
    "i will have|i'll take|i want|i need|give me|get me|let me get|let me have|i'll get|we'd like|"
    "make me|please make me|i'd love|can you make me|could you make me|can you get me|please get me|"
    "i'm going to have|i'm gonna have|i think i'll have|i'm looking for|do you have|could you do|"
    "order me|place an order for|i'd like to order|i want to order|can i order|could i order|"
    "i would like to get|i would like to have|i'd like to have|i wanna get|how about|just|hi can i get|"
    "hello i'd like|hey can i get|good morning i'd like|hi i'd like|hello can i have|um i'd like|"
    "okay i'd like|yes i'd like|can we get|we'll have|please give me|i'd really like|"
    "could you get me|would you make me|fix me|pour me|brew me|bring me|hi i want|hey i need"
)
ENDINGS: Final = (
    "||||||please|please|please|thanks|thank you|to go|to go please|for here|for here please|"
    "to take away|that's all|that's it|and that's all|and that's it|if possible|for me|right now|"
    "as well|too|and make it quick|for pickup|today|and nothing else|with that|this morning|now"
)


def sentence(rng: Rng) -> str:
    """One thing said at the counter."""
    kinds = (
        _order,
        _order,
        _order,
        _order,
        _order,
        _order,
        _orders,
        _correction,
        _question,
        _part,
        _part,
        _talk,
        _name,
    )
    return " ".join(rng.choice(kinds)(rng).split())


def _order(rng: Rng) -> str:
    opening = "" if rng.random() < 0.15 else choose_branches(f"[{OPENINGS}]", rng)
    return f"{opening} {_item(rng)} {choose_branches(f'[{ENDINGS}]', rng)}"


def _orders(rng: Rng) -> str:
    link = rng.choice(("and", "and", "and also", "plus", "and then", "as well as"))
    opening = choose_branches(f"[{OPENINGS}]", rng)
    return f"{opening} {_item(rng)} {link} {_item(rng)} {choose_branches(f'[{ENDINGS}]', rng)}"


def _item(rng: Rng) -> str:
    if rng.random() < 0.08:
        return f"{rng.choice(COUNTED)} {rng.choice(SNACKS)}"
    return f"{_article(rng, _drink(rng))} {_extras(rng)}"


def _article(rng: Rng, drink: str) -> str:
    count = rng.choice(COUNTED)
    if count == "a" and drink[0] in "aeiou":
        count = "an"
    many = count not in ("a", "an", "one", "another", "one more")
    if many and rng.random() < 0.8:
        drink += "s"
    return drink if rng.random() < 0.06 else f"{count} {drink}"


def _size(rng: Rng) -> str:
    if rng.random() < 0.3:
        ounces = rng.choice(OUNCES)
        return f"{ounces} {rng.choice(('ounce', 'ounce', 'ounces', 'ounce cup of', 'oz'))}"
    return rng.choice(SIZES)


def _drink(rng: Rng) -> str:
    parts = []
    if rng.random() < 0.7:
        parts.append(_size(rng))
    if rng.random() < 0.18:
        parts.append(
            rng.choice(
                (
                    "hot",
                    "iced",
                    "extra hot",
                    "warm",
                    "cold",
                    "fresh",
                    "skinny",
                    "frozen",
                    "blended",
                    "lukewarm",
                    "kids temperature",
                    "not too hot",
                )
            )
        )
    if rng.random() < 0.35:
        parts.append(rng.choice(ROASTS))
    if rng.random() < 0.1:
        parts.append(rng.choice(SWEETENERS))
    if rng.random() < 0.1:
        parts.append(rng.choice(MILKS))
    if rng.random() < 0.15:
        parts += [
            rng.choice(
                (
                    "single shot",
                    "double shot",
                    "triple shot",
                    "double",
                    "single",
                    "decaf",
                    "two shot",
                    "three shot",
                    "quad",
                    "one shot",
                )
            )
        ]
    rng.shuffle(parts)
    cup = rng.choice(("", "", "", "", "", "", "", "cup of"))
    return f"{' '.join(parts)} {cup} {rng.choice(DRINKS)}".strip()


def _extra(rng: Rng) -> str:
    pick = rng.random()
    if pick < 0.25:
        return rng.choice(SHOTS)
    thing = rng.choice(MILKS if pick < 0.6 else SWEETENERS)
    return thing if rng.random() < 0.35 else f"{rng.choice(AMOUNTS)} {thing}"


def _extras(rng: Rng) -> str:
    count = rng.choice((0, 0, 0, 1, 1, 1, 2, 2, 3))
    if not count:
        return ""
    extras = [_extra(rng) for _ in range(count)]
    link = rng.choice(
        (
            "with",
            "with",
            "with",
            "with",
            "and",
            "and add",
            "add",
            "plus",
            "made with",
            "but with",
            "no",
            "without",
            "hold the",
            "and put in",
            "on the side with",
        )
    )
    text = f"{link} {extras[0]}"
    for extra in extras[1:]:
        text += (
            f" {rng.choice(('and', 'and', 'and', 'with', 'plus', 'and also', 'but', ''))} {extra}"
        )
    return text


def _part(rng: Rng) -> str:
    """An answer to the counter's question: a part of an order."""
    part = rng.choice(
        (
            _size(rng),
            rng.choice(ROASTS),
            _extra(rng),
            _drink(rng),
            rng.choice(DRINKS),
            rng.choice(SHOTS),
            rng.choice(MILKS),
            rng.choice(SWEETENERS),
            rng.choice(SNACKS),
            f"{_extra(rng)} and {_extra(rng)}",
            f"with {_extra(rng)}",
            f"{_size(rng)} {_extra(rng)}",
        )
    )
    before = choose_branches(
        "[||||yes|no|um|okay|just|maybe|yes please|no just|i think|the|can you make it|make it|"
        "i'd like|i want|can i have|could you add|add|put|please add|with|without|a|in|also]",
        rng,
    )
    return (
        f"{before} {part} {choose_branches('[|||please|in it|in that|thanks|instead|on top]', rng)}"
    )


def _correction(rng: Rng) -> str:
    thing = rng.choice((_size(rng), rng.choice(DRINKS), rng.choice(ROASTS), _extra(rng)))
    other = rng.choice((_size(rng), rng.choice(DRINKS), rng.choice(ROASTS), _extra(rng)))
    return choose_branches(
        f"[actually make it a {thing}|no make it {thing}|no make that a {thing}|actually {thing}|"
        f"sorry i meant {thing}|i meant {thing} not {other}|change the {other} to a {thing}|"
        f"can you change that to {thing}|could you make it {thing} instead|no wait {thing}|"
        f"wait make that {thing}|instead of {other} i'd like {thing}|not {other} {thing}|"
        f"make the second one a {thing}|the first one should be {thing}|remove the {thing}|"
        f"take off the {thing}|forget the {thing}|cancel the {thing}|drop the {thing}|"
        f"add {thing} to that|can you add {thing}|add a {thing}|no {thing} please|"
        f"i changed my mind i want {thing}|on second thought {thing}|scratch that {thing}|"
        f"leave out the {thing}|swap the {other} for {thing}|i said {thing}|"
        f"no i said {thing} not {other}|make all of them {thing}|both with {thing}|same with {thing}|"
        f"make it {thing}|make that {thing}|actually can you make it {thing}|no large please|"
        f"actually make that {thing} please|cancel my order|cancel everything|start over|"
        f"cancel the whole order|never mind|one more of those|the same again|another one of those]",
        rng,
    )


def _question(rng: Rng) -> str:
    thing = rng.choice((rng.choice(DRINKS), _drink(rng), rng.choice(SNACKS)))
    return choose_branches(
        f"[how much is that|how much is a {thing}|how much does a {thing} cost|what does that cost|"
        f"what's the price of a {thing}|what's the total|how much do i owe you|what did i order|"
        f"what have i ordered|what's in my order|can you repeat my order|read my order back|"
        f"what's on the menu|what do you have|what drinks do you have|what sizes do you have|"
        f"what kinds of milk do you have|do you have {rng.choice(MILKS)}|do you have {thing}|"
        f"what roasts do you have|is the {thing} sweet|how big is a {_size(rng)}|"
        f"what's in a {thing}|how many shots are in a {thing}|does it come with {_extra(rng)}|"
        f"can i pay with card|can i pay cash|do you take cards|how long will it take|"
        f"when will it be ready|how long do i have to wait|do you have wifi|are you open|"
        f"when do you close|when do you open|what time do you close today|where are you|"
        f"what do you recommend|what's good here|what's the coffee of the day|is it fresh|"
        f"do you have decaf|do you have anything to eat|what pastries do you have|"
        f"what's the difference between a {thing} and a {rng.choice(DRINKS)}|is that hot or cold|"
        f"what's the cheapest drink|which milk is in it|can i get it iced|is my order ready|"
        f"can i pick it up at {spoken_time(*random_clock(rng), rng)}|do you deliver]",
        rng,
    )


def _talk(rng: Rng) -> str:
    return choose_branches(
        "[yes|no|yes please|no thanks|no thank you|okay|that's right|that's correct|correct|sure|"
        "that's all|that's it|nothing else|that's wrong|that's not right|hello|hi|hey|good morning|"
        "good afternoon|good evening|goodbye|bye|thank you|thanks|thank you very much|great|perfect|"
        "sounds good|sorry|what|pardon|say that again|can you repeat that|i don't understand|"
        "wait|wait a minute|hold on|one moment|one second|let me think|i don't know|i'm not sure|"
        "never mind|forget it|stop|cancel|go on|help|how are you|who are you|yes that's right|"
        "no that's wrong|is that all|yeah|yep|yup|nope|nah|of course|please do|go ahead|confirm|"
        "confirm the order|place the order|i'd like to place an order|can i order something|"
        "i'd like to order|i want to order a drink|i'm ready to order|for here|to go|takeaway|"
        "no sugar|no milk|nothing|a coffee please|i'd like a coffee|one coffee|same as before|"
        "the usual|the same|same again|excuse me|oh|oh yes|oh no|well|all right|fine|maybe|later]",
        rng,
    )


def _name(rng: Rng) -> str:
    name = rng.choice((rng.choice(NAMES), f"{rng.choice(NAMES)} {rng.choice(SURNAMES)}"))
    price = spoken_number(rng.randint(2, 40))
    return choose_branches(
        f"[my name is {name}|the name is {name}|it's for {name}|for {name}|i'm {name}|this is {name}|"
        f"{name}|name's {name}|under {name}|put it under {name}|what's my name|"
        f"here is {price} dollars|keep the change|i have a card|i'll pay with card|cash please]",
        rng,
    )


if __name__ == "__main__":
    _rng = Rng(0)
    for _ in range(40):
        print(sentence(_rng))
