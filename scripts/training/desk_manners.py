"""The manners of a house: what must be, who comes with whom, what happens if; asked in other words."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from desk_told import Fact, clock, drawn_price, opened
from dialogue_values import capitalise, with_an
from domain import choose_branches
from open_words import open_word
from spoken_numbers import spoken_number

#: What is told in several ways, the one way in which it is said, and what somebody says who must know it.
_MUSTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "carrier": ("[Cats come in a carrier|Cats have to be in a carrier|Please bring cats in a carrier|Cats only in a carrier|Cats must be in a carrier]", "Cats have to be in a carrier.", "[does [she|he|my cat|the cat] have to be in a [box|carrier|basket|cage]|can i [just|] carry my cat in my arms|how do i bring the cat|can i bring the cat on a lead|i've got no box for my cat is that okay|can i just hold her|is it okay if the cat sits on my lap]"),
    "lead": ("[Dogs have to be on a lead|Dogs on a lead only|Please keep dogs on a lead|Dogs stay on the lead|Dogs must be on a lead]", "Dogs have to be on a lead.", "[can my dog run free|does the dog have to be on a lead|can i let the dog off|may the dog run around|do i need a lead|how do i bring the dog]"),
    "shoes": ("[Shoes stay at the door|Please take your shoes off|Shoes off inside|No shoes inside]", "Please take your shoes off.", "[can i keep my shoes on|do i have to take my shoes off|what about shoes|can we walk in with our boots]"),
    "pick-up": ("[We pick you up at home|Pick-up at home is included|The teacher comes to your house|We fetch people at home|Pick-up at home is free]", "Yes, we pick you up at home.", "[do you come to the house|do you pick [me|people] up|can somebody fetch me|does the teacher come to us|i don't have a car do you fetch people|does [he|she] come to my house|do i have to come to you or do you pick me up]"),
    "pick-up/": ("[Pick-up costs {p}|Pick-up at home is {p}|We pick you up for {p}|Pick-up: {p}]", "Yes, pick-up is {p}.", "[do you come to the house|do you pick [me|people] up|can somebody fetch me|i don't have a car do you fetch people|what does it cost if you pick me up|how much is the pick up]"),
    "music": ("[Music has to stop at {t}|No music after {t}|Music until {t}|Music must stop at {t}|The music ends at {t}]", "Music has to stop at {t}.", "[how late can [we|the band|the dj] play [music|]|until when can the band play|how late can we have music|when does the music have to stop|how long can we be loud|can we dance all night|till what time is music okay]"),
    "tidying": ("[Please leave it as you found it|Everything must be left clean|The room has to be left clean|Please leave it clean]", "Please leave it clean.", "[do we have to clean [up|]|who cleans up [afterwards|]|is cleaning included|do we need to tidy up]"),
    "talking": ("[No phone calls inside|Please take calls outside|Phone calls only outside]", "Please take calls outside.", "[can i [make a call|use my phone|phone somebody] [inside|there|]|is it okay to be on the phone|can i talk on my phone]"),
    "in writing": ("[Refunds only in writing|Complaints by letter please|Please write to us for refunds|Refunds: please write]", "Please write to us for that.", "[how do i get a refund|i want to complain how do i do that|where can i complain|can i get my money back how]"),
    "paying": ("[You pay when you come|Payment is on the day|Payment at the desk on the day|Pay on arrival|You pay on the day]", "You pay when you come.", "[when do i [have to|] pay|do i pay now|do i have to pay in advance|do you need the money now|can i pay there]"),
    "bill": ("[It is taken off the bill|It comes off the bill later|We take it off the bill|The diagnosis comes off the bill]", "It is taken off the bill.", "[do i pay that on top|is that extra|is that on top of the rest|do i get that back|does that count towards it|do i pay that as well]"),
    "gluten free food": ("[Gluten free {d} on request|We have gluten free {d} on request|We make gluten free {d} on request|Gluten free {d}: on request]", "Gluten free {d} is on request.", "[one of us can't [have|eat] gluten [is that a problem|]|i'm coeliac what can i eat|is there something without wheat|do you have gluten free|i can't eat wheat is that okay|my [wife|son] can't have gluten]"),
}  # fmt: skip


def must(rng: random.Random) -> Fact:
    """``Cats come in a carrier.``"""
    name = rng.choice(tuple(_MUSTS))
    told, answer, asks = _MUSTS[name]
    values = {"{p}": drawn_price(rng), "{t}": clock(rng), "{d}": rng.choice(("pasta", "bread", "pizza", "cake", "food", "soup"))}  # fmt: skip
    texts = [f"{choose_branches(told, rng)}.", answer, asks]
    for key, value in values.items():
        texts = [text.replace(key, value) for text in texts]
    return Fact(name.removesuffix("/"), capitalise(texts[0]), [(texts[2], capitalise(texts[1]))])


def escort(rng: random.Random) -> Fact:
    """``Anyone under sixteen needs a parent with them.``; an age that a caller names is compared."""
    limit = rng.choice((6, 8, 10, 12, 14, 14, 16, 16, 18))
    age = spoken_number(limit)
    told = choose_branches(f"[Anyone under {age} needs a parent with them|Under {age} only with a parent|Children under {age} need a parent with them|Nobody under {age} without a parent|Under {age}s come with a parent].", rng)  # fmt: skip
    said = f"nobody under {age} may come without a parent."
    asks: list[tuple[str, str]] = [("[can the kids come [alone|by themselves|on their own]|does a parent have to be there|do i have to stay with [him|her|them]|from what age can they come alone|can my [son|daughter] come on [his|her] own]", capitalise(said))]  # fmt: skip
    for _ in range(3):
        old = max(3, limit + rng.choice((-4, -3, -2, -1, -1, 0, 1, 2)))
        who = rng.choice(("my brother", "my son", "my daughter", "my sister", "my nephew", "our eldest", "my grandson"))  # fmt: skip
        text = f"[{who} is {spoken_number(old)} can [he|she|they] [come|ride|go|do it] [too|alone|by [himself|herself]|]|can a {spoken_number(old)} year old come [alone|on [his|her] own]|{who} is {spoken_number(old)} is that old enough to come alone]"
        asks.append((with_an(text), f"{'Yes' if old >= limit else 'No'}, {said}"))
    return Fact("parents", told, asks)


#: What may happen, and what is asked of it.
_IFS: Final[Mapping[str, str]] = {
    "you are late": "[i'm late|we're late|my train is late|i come ten minutes late|we can't make it in time|i'm held up]",
    "you are ill": "[i'm ill|i get ill|my son is ill that day|i fall ill|i'm sick]",
    "you lose the key": "[i lose the key|i've lost the key|the key's gone|we lose the key]",
    "you lose the ticket": "[i lose the ticket|i've lost my ticket|the ticket's gone]",
    "something breaks": "[something breaks|i break something|we break a glass|it breaks]",
    "nobody is at the desk": "[nobody's there|there's nobody at the desk|i find nobody at the desk]",
    "the car park is full": "[the car park is full|there's no space to park|i find no parking]",
    "you don't like it": "[i don't like it|she doesn't like it|we're not happy with it]",
    "a {o} is missing": "[a {o} is missing|i can't find a {o}|there's a {o} missing]",
    "the {o} is broken": "[the {o} is broken|the {o} doesn't work|the {o} breaks]",
    "you see a {o}": "[i see a {o}|we meet a {o}|there's a {o}]",
    "you have a {o}": "[i have a {o}|i've got a {o} with me|we have a {o}]",
}
_THENS: Final = (
    "we pay everything back|you get your money back|you can choose another day|please ring us|please call the desk|we wait {n} minutes|you pay half|you pay {p}|it costs {p}|please ring the bell|you can park in {o} street|"
    "please come back later|somebody will help you|we give you a new one|you can change it for free|please tell the {o}|we send a {o}|you may bring it back|please go to the {o}|the {o} is free|you get a {o}|please wait in the {o} room"
)


def if_then(rng: random.Random) -> Fact:
    """``If you lose the key, you pay ten euros.``"""
    when, word = rng.choice(tuple(_IFS)), open_word(rng)
    happens = with_an(_IFS[when].replace("{o}", word))
    when = with_an(when.replace("{o}", word))
    then = rng.choice(_THENS.split("|")).replace("{p}", drawn_price(rng))
    then = opened(then.replace("{n}", spoken_number(rng.choice((5, 10, 15, 20)))), rng)
    told = rng.choice((f"If {when}, {then}.", f"{capitalise(then)} if {when}.", f"If {when}: {then}."))  # fmt: skip
    asks = f"[what [happens|] if {happens}|what do [i|we] do if {happens}|and if {happens}|what about if {happens}|what if {happens} [then|]|suppose {happens} [what then|]|and what when {happens}|if {happens} what do we do]"
    return Fact(when, told, [(asks, f"If {when}, {then}.")])


MANNERS: Final[Sequence[tuple[Callable[[random.Random], Fact], float]]] = (
    (must, 4), (escort, 1.2), (if_then, 2.5),
)  # fmt: skip
