"""What a desk's prompt may tell beside hours and prices: parking, breakfast, dogs, rules; and what is asked of it."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dialogue_values import capitalise, draw_value, with_an
from domain import choose_branches
from open_words import open_word
from slots import phrases
from spoken_numbers import spoken_number

#: The one answer where the prompt doesn't tell.
UNTOLD: Final = "I'm sorry, I don't know that."


@dataclass(frozen=True)
class Topic:
    """One fact: the sentence of the prompt, what is asked, what is answered."""

    name: str
    told: str
    asks: str
    answer: str


#: What is asked of each subject.
_ASKS: Final[Mapping[str, str]] = {
    "parking": "[is there [any|] parking|do you have [parking|a car park]|can [i|we] park [there|at yours|nearby|outside]|where [can|do|should] [i|we] [park|leave the car|put the car]|have you got [parking|somewhere to park]|what about parking|we're coming by car|is parking [free|possible]|where do people park|can i leave my car somewhere|is there somewhere for the car|what do i do with the car|where's the car park|and the car where does it go|is there a place for my car]",
    "wifi": "[is there [wifi|wireless|internet]|what's the wifi password|do you have [wifi|internet]|how do i get online [there|]|can i use the wifi|have you got wifi|is the wifi free]",
    "breakfast": "[is breakfast [included|in the price|extra]|does that include breakfast|do [i|we] get breakfast [with that|]|and breakfast is that [included|extra]|is [it|the room] with breakfast|do i have to pay for breakfast]",
    "breakfast time": "[when is breakfast|what time is breakfast|when do you [serve|do] breakfast|breakfast from when [till|until|to] when|[until|till] [when|what time] [can we have|is|do you serve] breakfast|how late can [i|we] have breakfast|from when can [i|we] [get|have] breakfast|what are the breakfast times]",
    "check in": "[when can [i|we] check in|from when can [i|we] check in [at yours|]|what time is check in|what time can [i|we] [arrive|come|get into the room]|when is the room ready|how early can [i|we] [come|check in]|check in is [when|from when]|how late can [i|we] check in|until when can [i|we] check in|till when can [i|we] arrive|we'll be there late is that okay|what's the latest to check in|[we'd get there|we arrive|we'll be there|i'd be there] at [one|noon|eleven|ten|two] [is that okay|can we check in then|is the room ready then]|can we check in at [one|noon|eleven|ten]]",
    "check out": "[when [do|must] [i|we] [check out|leave|be out of the room]|what time is check out|until when [can we stay|do we have to be out of the room|can i keep the room]|by when do [i|we] have to be out|check out is [when|until when]|how late can [i|we] check out|can we [stay|keep the room] until [noon|one|two]]",
    "dogs": "[can i bring my [dog|little dog|puppy]|are dogs [allowed|okay|welcome]|do you [allow|take] [dogs|pets]|is my [dog|puppy|pet] [welcome|allowed]|we have a dog is that okay|may the dog come [too|along|in]]",
    "payment": "[can i pay [by|with] card|do you take [cards|credit cards|card]|how can i pay|is it cash only|do i need cash|can i pay [cash|in cash]|which payments do you take]",
    "address": "[where are you|what's your address|how do i find you|where exactly are you|which street is it|what's the address|where do i have to go|whereabouts are you]",
    "access": "[is there a lift|i'm in a wheelchair [is that okay|]|is it step free|can i come with a wheelchair|is it wheelchair friendly|are there stairs|can i bring a pram]",
    "cancelling": "[can i cancel [it|] [later|if something comes up|]|until when can i cancel|what if i have to cancel|is it free to cancel|how late can i cancel|what's your cancellation policy|what happens if i can't come]",
    "groups": "[how many people can come [at most|]|what's the biggest group [you take|]|how big a group do you take|we're a big group is that okay|is there a limit on people]",
    "late": "[until when does the kitchen [cook|serve]|when are last orders|how late can [i|we] order [food|]|when does the kitchen close|until what time can [i|we] order]",
    "garden": "[can [i|we] sit outside|do you have [a garden|tables outside|a terrace]|is there a [garden|terrace]|have you got seats outside]",
    "vegan": "[do you have [anything vegan|vegan food|vegetarian dishes]|is there anything [without meat|vegetarian|vegan]|i'm [vegan|vegetarian] is that okay|what have you got for [vegans|vegetarians]]",
    "tour": "[when is the [next|] tour|what time is the tour|are there [guided|] tours|do you do tours|can i join a tour]",
    "children": "[are children [welcome|allowed]|can i bring [the kids|my children|my son|a baby]|is it okay with [a baby|kids|small children]|is it for children too]",
    "bring": "[what do i [have to|need to|] bring|do i need to bring anything|should i bring anything|is there anything i need to bring|what does [she|he|my son|my daughter] need to bring|what do we bring|what should [he|she] have with [him|her]|do you want to see anything|what have i got to take with me|anything to bring|do i need any papers|what must i take along|what else do i need to have with me|what do you need me to bring]",
    "toilet": "[where [are|is] the [toilets|toilet|loo|restroom]|is there a [toilet|loo|restroom]|where's the loo|where can i find the toilet]",
    "new": "[do you take new [patients|clients|customers|pupils]|are you taking [new people|new patients|anybody new]|i've never been there before is that okay|can i come as a new [patient|client]|i'm new here]",
    "person": "[who [is|'s] the [boss|manager|owner|director]|who runs [it|the place]|what's the [owner|manager|boss] called|who's in charge]",
    "sauna": "[do you have a sauna|is there a [sauna|spa]|have you got a sauna|can [i|we] use a sauna]",
    "pool": "[is there a [pool|swimming pool]|do you have a pool|have you got a swimming pool|can [i|we] swim [there|at yours]]",
    "gift": "[do you [sell|have|do] [gift cards|vouchers|gift vouchers]|can i buy [a voucher|a gift card]|have you got gift vouchers]",
    "luggage": "[can [i|we] leave [the|our|my] [luggage|bags|suitcases] [there|with you|]|where can [i|we] leave the bags|do you keep luggage]",
}
#: The sentences that a prompt may hold and the answer to each.
_FACTS: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    "parking": (
        ("Parking is free.", "Parking is free."), ("Parking is {p}.", "Parking is {p}."), ("Parking costs {p} a day.", "Parking is {p} a day."), ("Parking is free, {w}.", "Parking is free, {w}."), ("Parking: free, {w}.", "Parking is free, {w}."), ("Free parking {w}.", "Parking is free, {w}."), ("Parking {w}.", "You can park {w}."),
        ("There is no parking.", "I'm sorry, there is no parking."), ("You can park {w}.", "You can park {w}."), ("There is a car park {w}.", "You can park {w}."),
        ("Guests park {w}.", "You can park {w}."),
    ),
    "wifi": (
        ("Wifi is free.", "Wifi is free."), ("The wifi password is {o}.", "The wifi password is {o}."), ("There is no wifi.", "I'm sorry, there is no wifi."),
        ("Wifi: password {o}.", "The wifi password is {o}."), ("The password of the wifi is {o}.", "The wifi password is {o}."),
    ),
    "breakfast time": (("Breakfast is from {a} to {b}.", "Breakfast is from {a} to {b}."), ("Breakfast from {a} to {b}.", "Breakfast is from {a} to {b}."), ("Breakfast is served from {a} to {b}.", "Breakfast is from {a} to {b}.")),
    "check in": (("Check-in is from {t} in the afternoon.", "Check in is from {t} in the afternoon."), ("Check-in from {t} in the afternoon.", "Check in is from {t} in the afternoon."), ("Check-in from {t}.", "Check in is from {t}."), ("Guests can check in from {t}.", "Check in is from {t}."), ("Check-in is from {t} to {h}.", "Check in is from {t} to {h}."), ("Check-in {t} to {h}.", "Check in is from {t} to {h}."), ("Guests arrive between {t} and {h}.", "Check in is from {t} to {h}.")),
    "check out": (("Check-out is until {b}.", "Check out is until {b}."), ("Check-out by {b}.", "Check out is until {b}."), ("Check-out until {b}.", "Check out is until {b}."), ("Guests leave their rooms by {b}.", "Check out is until {b}.")),
    "address": (("The address is {s}.", "We're at {s}."), ("It is at {s}.", "We're at {s}."), ("You are at {s}.", "We're at {s}."), ("We are {w}.", "We're {w}.")),
    "late": (("The kitchen closes at {h}.", "The kitchen closes at {h}."), ("Last orders at {h}.", "Last orders are at {h}."), ("Last orders are at half past {h}.", "Last orders are at half past {h}.")),
    "garden": (("There is a garden.", "Yes, there is a garden."), ("There are {n} tables outside.", "Yes, there are {n} tables outside."), ("There are no tables outside.", "I'm sorry, there are no tables outside."), ("There is a terrace {w}.", "Yes, there is a terrace {w}.")),
    "vegan": (("The {o} {d} is vegan.", "The {o} {d} is vegan."), ("The {d} is vegetarian.", "The {d} is vegetarian."), ("There is no vegan food.", "I'm sorry, there is no vegan food.")),
    "bring": (("Please bring {x}.", "Please bring {x}."), ("Everybody brings {x}.", "Please bring {x}."), ("People should bring {x}.", "Please bring {x}.")),
    "toilet": (("The toilets are {w}.", "The toilets are {w}."), ("Toilets {w}.", "The toilets are {w}.")),
    "new": (("New people are welcome.", "Yes, new people are welcome."), ("No new patients are taken.", "I'm sorry, we don't take anybody new."), ("Nobody new is taken at the moment.", "I'm sorry, we don't take anybody new.")),
    "person": (("The owner is {f}.", "The owner is {f}."), ("The manager is called {f}.", "The manager is {f}."), ("{f} runs it.", "The owner is {f}.")),
    "sauna": (("There is a sauna {w}.", "Yes, there is a sauna {w}."), ("The sauna is {p}.", "The sauna is {p}."), ("There is no sauna.", "I'm sorry, there is no sauna.")),
    "pool": (("There is a pool {w}.", "Yes, there is a pool {w}."), ("There is no pool.", "I'm sorry, there is no pool.")),
    "gift": (("Gift cards are sold.", "Yes, we have gift cards."), ("Gift cards from {p}.", "We have gift cards from {p}."), ("There are no gift cards.", "I'm sorry, there are no gift cards.")),
    "luggage": (("Luggage can be left {w}.", "You can leave luggage {w}."), ("Bags can stay at the desk.", "You can leave luggage at the desk.")),
}  # fmt: skip
_ANYWHERE: Final = (
    "parking",
    "wifi",
    "address",
    "person",
    "toilet",
    "gift",
)
_OF: Final[Mapping[str, Sequence[str]]] = {
    "hotel": ("breakfast time", "check in", "check out", "breakfast time", "check in", "check out", "sauna", "pool", "luggage", "parking"),
    "restaurant": ("late", "garden", "vegan"),
    "bar": ("garden", "vegan", "late"),
    "practice": ("new", "bring"),
    "vet": ("new", "new"),
    "hair": ("new", "gift"),
    "lessons": ("bring", "new"),
    "court": ("bring", "toilet"),
    "tours": ("bring", "luggage"),
    "shown": ("luggage", "toilet"),
    "pool": ("sauna", "bring"),
    "groomer": ("bring", "new"), "therapy": ("bring", "new"), "studio": ("gift", "bring"), "driving": ("bring", "new"), "courses": ("bring", "gift"), "games": ("bring", "gift"), "camping": ("check in", "check out", "toilet", "check in"), "trips": ("bring", "gift", "toilet"),
}  # fmt: skip
#: Parts of words of a prompt that may tell of a subject: then it isn't unknown.
_TOLD_BY: Final[Mapping[str, Sequence[str]]] = {
    "parking": ("park",), "wifi": ("wifi", "internet"), "breakfast": ("breakfast",), "breakfast time": ("breakfast",), "check in": ("check-in", "check in"), "check out": ("check-out", "check out", "leave"),
    "dogs": ("dog", "pet", "animal"), "payment": ("cash", "card", "pay"), "address": (" is at ", "street", "we are ", "road", "lane", "square"), "access": ("lift", "step", "ramp", "wheelchair"),
    "cancelling": ("cancel", "do not come"), "groups": ("people", "group", "seats", "fit"), "late": ("kitchen", "last order"), "garden": ("garden", "outside", "terrace", "courtyard"), "vegan": ("vegan", "vegetarian", "menu"),
    "tour": ("tour",), "children": ("child", "under ", "age", "famil"), "bring": ("bring", "wear"), "toilet": ("toilet",), "new": ("new ", "nobody"), "person": ("owner", "manager", "runs", "director"), "sauna": ("sauna", "spa"), "pool": ("pool", "swim"),
    "gift": ("gift", "voucher"), "luggage": ("luggage", "bag", "locker", "suitcase"),
}  # fmt: skip
_PLACES: Final = (
    "behind the [house|building|{o}]|in front of the [house|station|church|{o}]|in the [yard|basement|garden|{o} street]|on the [ground|first|second|third] floor|next to the [lift|door|stairs|{o}]|"
    "opposite the [park|church|bank|{o}]|on the left|in {o} street|across the road|at the back"
)
_DISHES: Final = phrases(
    "soup, salad, curry, burger, pizza, stew, pasta, risotto, lasagna, cake, pie"
)


def _filled(told: str, answer: str, rng: random.Random) -> tuple[str, str]:
    """The same values in the sentence and in its answer."""
    coins = rng.choice(("euros", "euros", "euros", "pounds", "dollars"))
    early = rng.choice(
        ("six", "seven", "eight", "half past six", "half past seven", "six thirty", "seven thirty")
    )
    late = rng.choice(
        ("nine", "ten", "eleven", "half past nine", "half past ten", "ten thirty", "noon")
    )
    values = {
        "{p}": f"{spoken_number(rng.randint(2, 30))} {coins}",
        "{w}": choose_branches(f"[{_PLACES}]", rng),
        "{n}": spoken_number(rng.randint(2, 12)),
        "{h}": rng.choice(("seven", "eight", "nine", "ten")),
        "{t}": rng.choice(("two", "three", "four", "one", "half past two", "five")),
        "{a}": early,
        "{b}": late,
        "{s}": f"{spoken_number(rng.randint(2, 60))} {capitalise(open_word(rng))} {rng.choice(('Street', 'Road', 'Lane', 'Square'))}",
        "{d}": rng.choice(_DISHES),
        "{k}": capitalise(rng.choice(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))),
        "{x}": rng.choice(("your card", "a towel", "your insurance card", "shoes", f"a {open_word(rng)}", "a passport", "a list of your medicine", "an ID", "your learner's permit", "the vaccination card", "your booking number", "sports clothes", "your own lunch", "a swimsuit", "warm clothes", f"your {open_word(rng)}")),
        "{f}": f"{draw_value('name', rng, True).say} {draw_value('surname', rng, True).say}",
        "{o}": open_word(rng),
    }  # fmt: skip
    for key, value in values.items():
        told, answer = told.replace(key, value), answer.replace(key, value)
    for key in ("{o}",):  # within a place
        value = open_word(rng)
        told, answer = told.replace(key, value), answer.replace(key, value)
    return capitalise(with_an(told)), capitalise(with_an(answer))


def draw_topics(kind: str, rng: random.Random, count: int) -> list[Topic]:
    """Some facts of a house of this kind."""
    names = {*rng.choices((*_OF.get(kind, ()), *_OF.get(kind, ()), *_ANYWHERE), k=count)}
    topics = []
    for name in sorted(names):
        told, answer = _filled(*rng.choice(_FACTS[name]), rng)
        topics.append(Topic(name, told, _ASKS[name], answer))
    return topics


def untold(known: Sequence[Topic], system: str, rng: random.Random) -> str:
    """A question about something that the prompt doesn't tell."""
    told = {topic.name for topic in known}
    text = system.lower()
    for name, stems in _TOLD_BY.items():
        if name in told or any(stem in text for stem in stems):
            told.add(name)
    return _ASKS[rng.choice([name for name in _ASKS if name not in told])]
