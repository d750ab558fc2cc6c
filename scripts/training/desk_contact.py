"""Where to turn: numbers, addresses, entrances, what to wear, when things must be back."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random

from desk_told import Fact, clock, opened, place
from open_words import open_word
from spoken_numbers import spoken_number


def contact(rng: random.Random) -> Fact:
    """A number, an address, a place of things."""
    digits = " ".join(spoken_number(rng.randint(0, 9)) for _ in range(rng.choice((3, 4, 5, 6))))
    word, other = open_word(rng), open_word(rng)
    name, told, asks, answer = rng.choice((
        ("emergency", f"In an emergency callers ring {digits}.", "[it's an emergency [who|what number] do i [call|ring]|what's the emergency number|what do i do in an emergency|who can i call at night]", f"In an emergency please ring {digits}."),
        ("emergency", f"For emergencies outside these hours give the number {digits}.", "[i have terrible toothache at the weekend which number must i call|it hurts at night [who|what number] do i call|who do i ring when you're closed|what if something happens on Sunday|is there a number for the night|who helps at the weekend|and if it gets worse at night]", f"In an emergency please ring {digits}."),
        ("emergency", f"Emergency line at night: {digits}.", "[who do i ring at night|who helps if it gets bad in the night|what number do i call when you're closed|is there an emergency line|who can i call at the weekend|where do i ring in an emergency]", f"In an emergency please ring {digits}."),
        ("emergency", f"The emergency number is {digits}.", "[who do i call in an emergency|what's the emergency number|what number do i ring at night|is there an emergency number]", f"The emergency number is {digits}."),
        ("email", f"The email address is {word} at {other} dot com.", "[what's your [email|email address|mail]|can i [write to you|email you]|where can i send [it|an email]|do you have an email address]", f"The email address is {word} at {other} dot com."),
        ("website", f"The website is {word} dot {other}.", "[do you have a website|what's your website|can i [look|book] online|where can i find you online]", f"The website is {word} dot {other}."),
        ("bus", f"The {word} bus stops {(where := place(rng))}.", "[which bus [do i take|goes there|stops there]|how do i get there by bus|is there a bus|can i come by bus]", f"The {word} bus stops {where}."),
        ("entrance", f"The entrance is {(where := place(rng))}.", "[where's the entrance|where do i [go|get] in|which door is it|how do i get in]", f"The entrance is {where}."),
        ("wear", f"Please wear {(wear := opened('[warm clothes|flat shoes|a helmet|sturdy shoes|clean shoes|gloves|a swimming cap|something old|a {o}]', rng))}.", "[what [should|do] [i|we] wear|what do i put on|is there a dress code|do i need special [clothes|shoes]|what should the kids wear]", f"Please wear {wear}."),
        ("return", f"Everything must be back by {(time := clock(rng))}.", "[when do [i|we] have to [bring it back|be back|return it]|until when can [i|we] keep it|by when does it have to be back|how long can [i|we] have it]", f"Everything must be back by {time}."),
    ))  # fmt: skip
    return Fact(name, told, [(asks, answer)])
