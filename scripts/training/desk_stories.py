"""What callers tell before they ask: what happened to them, who is coming, how they heard of the place."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from dialogue_values import draw_value
from domain import choose_branches
from open_words import open_word, with_drawn

_WHO: Final = "[my [wife|husband|son|daughter|mum|dad|sister|brother|friend|boss|neighbour|gran|cousin|partner|{o}]|{p}|a friend of mine|somebody at work]"
_STORIES: Final = (
    f"[{_WHO} told me about you|{_WHO} recommended you|i [saw|found|read about] you [online|in the paper|on the map|in {{c}}|last week|]|i got your number from {_WHO}|i walked past your [door|place|{{o}}] yesterday|i've never been to yours|it's our first time|i was there years ago|we used to come every summer]",
    "[i [hurt|twisted|broke|bumped] my [back|knee|foot|{o}] [last week|yesterday|on {w}|]|i've lost [a filling|my {o}|a button] you see|my [screen|zip|{o}|heel|bike|car|phone|tap] is [broken|smashed|stuck|making noises|leaking]|my {o} [won't start|fell down|is too long|is too small|stopped working]|the {o} came off again]",
    f"[{_WHO} [has a birthday|is visiting|is coming to stay|wants to learn something|is bored|is off school|just turned {{n}}|is getting married|loves {{o}}|needs a {{o}}|is new in town] [next week|on {{w}}|soon|in {{m}}|]|we have guests [on {{w}}|from {{c}}|]|the kids have holidays|it's for [my birthday|a present|the office party|the school|our anniversary]]",
    "[we're [coming|driving up|on our way] from {c} [on {w}|tomorrow|next week|]|we're in {c} for {n} days|i'm [new here|only here for the weekend|on holiday|working late this week|on my way to {c}|in the area on {w}|a bit late with this]|we just moved [here|to {c}]|i live [round the corner|in {c}|next to the {o}]|we're on a [day trip|school trip|cycling tour]]",
    "[i [tried to look it up|couldn't find it online|looked on your website|asked the {o}|lost your leaflet|forgot what you said last time|rang before but nobody answered] [but the page was down|and i'm confused|so i thought i'd ring|]|sorry to bother you [again|]|this may be a silly question|i've got a question for you|it's about {w}|i'm just planning [my week|our trip|a party]|before i come all the way]",
    "[i'd love to come|i'm thinking of coming [on {w}|in {m}|]|i want to try it|we've been looking forward to it|i'm so excited|i've been meaning to ring for ages|i can't decide|i haven't done it for years|i've never done it before|she has never done it|i'm a bit nervous about it]",
)  # fmt: skip


def told_first(rng: random.Random) -> str:
    """A sentence or two that want nothing by themselves."""
    text = choose_branches(f"[{rng.choice(_STORIES)}]", rng)
    if rng.random() < 0.15:
        text += " and " + choose_branches(f"[{rng.choice(_STORIES)}]", rng)
    draws = {
        "{o}": lambda: open_word(rng),
        "{p}": lambda: draw_value("name", rng, True).say,
        "{c}": lambda: draw_value("city", rng, False).text,
        "{w}": lambda: draw_value("weekday", rng, False).text,
        "{m}": lambda: draw_value("month", rng, False).text,
        "{n}": lambda: rng.choice(("two", "three", "five", "six", "ten", "sixteen")),
    }
    return f"{with_drawn(text, draws)} {rng.choice(('so', 'and', 'and i wondered', 'and i wanted to ask', 'so tell me', '', '', '', 'just wondering', 'so'))}"
