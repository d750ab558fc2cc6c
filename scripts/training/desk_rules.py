"""Rules of a house: what is allowed, included, needed; ages, deposits, the last entry."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from desk_hours import DAYS
from desk_told import Fact, clock, drawn_price, opened
from dialogue_values import capitalise
from domain import choose_branches
from open_words import open_word
from spoken_numbers import spoken_number

#: What may be allowed or not, and how a caller who has it speaks.
_ALLOWED: Final[Mapping[str, str]] = {
    "dogs": "[can i bring my [dog|little dog|puppy|terrier|dog along he's only small]|are dogs [allowed|okay|welcome]|do you [allow|take|do] dogs [i've got a [little|] [terrier|spaniel|poodle]|]|is my [dog|puppy|labrador] [welcome|allowed]|we have a dog is that okay|may the dog come [too|along|in]|what about [dogs|my dog]|would [he|she] be allowed in my little dog]",
    "cats": "[can i bring my [cat|kitten]|are cats allowed|we have a cat is that okay|do you take cats]",
    "pets": "[can i bring my [pet|rabbit|parrot|cat|dog]|are [pets|animals] [allowed|welcome|okay]|do you take pets|we'd have our [cat|rabbit] with us is that okay]",
    "children": "[are [children|kids|little ones] [welcome|allowed|okay]|can i bring [the kids|my children|my son|a baby|my two little ones]|is it okay with [a baby|kids|small children|a toddler]|is it for children too|may my daughter come along]",
    "photos": "[can [i|we] take [pictures|photos|a picture|a few snaps|photographs] [inside|in there|of it|]|are [we|you] allowed to [photograph|film|take photos]|is it okay to take [photos|pictures]|may i use my camera|i'd like to photograph is that allowed]",
    "prams": "[can i come with [a pram|a buggy|the pushchair|a stroller]|is it okay to bring the [buggy|pushchair|pram]|we have a baby in a pram is that okay|are [prams|buggies|pushchairs] allowed]",
    "bicycles": "[can i bring my [bike|bicycle] [in|along|]|are [bikes|bicycles] allowed|where do i put my bike may it come in]",
    "large bags": "[can i bring my [suitcase|big bag|rucksack|backpack]|are [large bags|big bags|suitcases|backpacks] [allowed|okay]|i have a big bag with me is that okay]",
    "mobile phones": "[can i use my [phone|mobile]|are [phones|mobiles|mobile phones] allowed|may i make a phone call in there]",
    "your own drinks": "[can [i|we] bring our own [wine|drinks|bottle|beer]|may we bring a bottle of wine|do you allow [own drinks|our own drinks]|is it bring your own bottle|can i bring something to drink]",
    "your own food": "[can [i|we] bring [our own|] [food|sandwiches|snacks|a picnic]|may we eat our own [food|sandwiches|lunch] there|can i bring something to eat|is it okay to bring [food|a packed lunch]]",
    "birthday cakes": "[can [i|we] bring [a|our own|a birthday] cake|we want to bring a cake is that allowed|it's my son's birthday may i bring a cake]",
    "street shoes": "[can i wear my normal shoes|are [street shoes|outdoor shoes|trainers] allowed|may i keep my shoes on]",
    "children's parties": "[can we have [a party|my daughter's party] [there|]|do you do [kids parties|children's parties]|can [i|we] celebrate my son's birthday there]",
    "drones": "[can i fly [a|my] drone|are drones allowed|may i use my drone]",
    "barbecues": "[can we [have a barbecue|barbecue|grill]|are barbecues allowed|may we light a barbecue]",
    "ball games": "[can the kids play [football|ball]|are ball games allowed|may we play football there]",
    "scooters": "[can i bring my scooter|are scooters allowed|may my son ride his scooter there]",
    "smoking": "[can [i|we] smoke [there|inside|in the room]|is smoking [allowed|okay]|may i smoke|is there somewhere to smoke|i'm a smoker is that okay]",
    "swimming": "[can [i|we] [swim|go for a swim|go in the water]|is swimming allowed|is it okay to swim there]",
    "loud music": "[can we [play music|have loud music]|is loud music allowed|may we turn the music up]",
    "running": "[can i run there|is running allowed|are the kids allowed to run around]",
    "fishing": "[can i [fish|go fishing] there|is fishing allowed|may my son fish there]",
    "camping": "[can we [camp|put up a tent] [there|]|is camping allowed|may we sleep in a tent]",
    "{o}s": "[can i bring my {o}|are {o}s [allowed|okay|welcome]|may i have a {o} with me|i've got a {o} is that okay|what about {o}s]",
}  # fmt: skip
_WHERES: Final = "[outside|in the garden|on a lead|on the terrace|on the ground floor|in the {o} room|in the hall|in the foyer|until six|after five|before noon|on Mondays|at weekends|in the courtyard|in the yard|without flash|in the cafe|on the {o} side|on the lawn]"


def allowed(rng: random.Random) -> Fact:
    """Something that is allowed, or isn't, or is only somewhere, or costs something."""
    name = rng.choice(tuple(_ALLOWED)[:6] if rng.random() < 0.4 else tuple(_ALLOWED))
    asks = _ALLOWED[name]
    if "{o}" in name:
        word = open_word(rng)
        name, asks = f"{word}s", asks.replace("{o}", word)
    be, what = "is" if name.endswith(("ing", "music", "food")) else "are", capitalise(name)
    pick, price = rng.random(), drawn_price(rng)
    where = opened(_WHERES, rng)
    if where == "without flash" and name != "photos":
        where = "outside"
    if pick < 0.32:
        word = rng.choice(("allowed", "allowed", "welcome", "fine"))
        return Fact(name, f"{what} {be} {word}.", [(asks, f"Yes, {name} {be} {word}.")])
    if pick < 0.62:
        told = f"[{what} {be} not allowed|No {name.removeprefix('your ')}|We do not allow {name}|{what} {be} not permitted|Please no {name.removeprefix('your ')}|{what} {be} forbidden]."
        return Fact(
            name, choose_branches(told, rng), [(asks, f"I'm sorry, {name} {be} not allowed.")]
        )
    if pick < 0.86 or be == "is":
        told = f"[{what} {be} only allowed {where}|{what} {be} allowed {where} only|{what} only {where}|{what} {be} welcome {where} only|{what} {be} allowed but only {where}|{what} {be} welcome, but only {where}|{what} {be} welcome {where} but nowhere else|{what} {be} fine {where} but not elsewhere|{what} = {where} only|{what}: only {where}]."
        return Fact(
            name, choose_branches(told, rng), [(asks, f"{what} {be} only allowed {where}.")]
        )
    told = f"[{what} cost {price}|{what} cost {price} extra|{what}: {price}|We take {price} for {name}|{what} {be} allowed for {price}]."
    return Fact(
        name,
        choose_branches(told, rng),
        [
            (asks, f"Yes, {name} cost {price}."),
            (f"[how much [are|for] {name}|what do {name} cost]", f"Yes, {name} cost {price}."),
        ],
    )


_INCLUDED: Final = (
    "breakfast|breakfast|a towel|bed linen|insurance|the final cleaning|tea and coffee|the audio guide|a welcome drink|dinner|lunch|wifi|parking|skate hire|"
    "shoe hire|the material|the paint|delivery|heating|electricity|service|a wash|the guide|a drink|the first lesson|a locker|the {o}|a {o}|gift wrapping|the sauna|the equipment|the boat trip|a {o} lesson",
    "helmets|towels|life jackets|drinks|the books|skates|rackets|paddles|locks|aprons|child seats|the {o}s|lights|maps|snacks|sheets|batteries|wetsuits|{o}s|balls|glasses|poles|boots",
)


def breakfast(rng: random.Random) -> Fact:
    """When a meal is, and in the same sentence whether it is in the price."""
    meal = rng.choice(("breakfast", "breakfast", "breakfast", "dinner", "lunch", "supper"))
    opens, closes, price, head = clock(rng), clock(rng), drawn_price(rng), capitalise(meal)
    when = f"{meal} is from {opens} to {closes}."
    included, told = rng.choice((
        (f"{head} is {price} extra.", f"[{head} is served from {opens} to {closes} and costs {price}|{head} costs {price} and is from {opens} to {closes}|{head} from {opens} to {closes}, {price} extra|{head} is {price} extra, from {opens} to {closes}]."),
        (f"{head} is included.", f"[{head} is included and served from {opens} to {closes}|{head} is from {opens} to {closes} and included|{head} from {opens} to {closes} is included]."),
    ))  # fmt: skip
    return Fact(meal, choose_branches(told, rng), [
        (f"[is {meal} [included|extra|in the price|free|on top]|is {meal} extra or [included|is it in the price]|do [i|we] [have to|] pay [extra|] for {meal}|does [it|that|the room] include {meal}|do [i|we] get {meal} with that|how much is {meal}|what does {meal} cost|is it with {meal}|what do you charge for {meal}]", included),
        (f"[when is {meal}|what time is {meal}|when do you [serve|do] {meal}|{meal} from when [till|until|to] when|until when [can we have|is] {meal}|how late can [i|we] have {meal}|from when can [i|we] get {meal}|what are the {meal} times|can i still get {meal} at ten when is it]", capitalise(when)),
    ])  # fmt: skip


def included(rng: random.Random) -> Fact:
    """What is in the price and what is extra: one answer however it is asked."""
    many = rng.random() < 0.45
    what = "breakfast" if rng.random() < 0.2 else opened(f"[{_INCLUDED[many]}]", rng)
    many = many and what != "breakfast"
    be, costs = ("are", "cost") if many else ("is", "costs")
    head, pick, price = capitalise(what), rng.random(), drawn_price(rng)
    bare = what.removeprefix("the ").removeprefix("a ").removeprefix("an ")
    asks = f"[{be} {what} included|{be} {what} extra|do [i|we] [have to|] pay [extra|] for {what}|does [it|that|the price] include {what}|{be} {what} in the price|does it come with {what}|do [i|we] get {what} [with that|too|]|{what} {be} that [extra|included|on top]|{be} {what} extra or [included|in the price]|what about {what}|and {what}|how much {be} {what}|{be} {what} [free|on top]|what do you charge for {what}|is there anything to pay for {what}|do {what} cost anything]"
    asks = asks.replace("do " + what + " cost", f"{'do' if many else 'does'} {what} cost")
    if pick < 0.36:
        told = f"[{head} {be} included|{head} {be} included|{head} included|The price includes {what}|{head} {be} in the price|All prices include {what}|Prices are with {bare}]."
        return Fact(bare, choose_branches(told, rng), [(asks, f"{head} {be} included.")])
    if pick < 0.46:
        told = f"[{head} {be} free|{head} {be} free of charge|{head} {costs} nothing]."
        return Fact(bare, choose_branches(told, rng), [(asks, f"{head} {be} free.")])
    if pick < 0.84:
        told = f"[{head} {be} {price} extra|{head} {costs} {price} extra|{head} {be} extra, {price}|{head} {costs} {price}|{head} for {price} extra|{head}: {price} extra|{bare} {price} extra]."
        return Fact(
            bare, capitalise(choose_branches(told, rng)), [(asks, f"{head} {be} {price} extra.")]
        )
    told = (
        f"[{head} {be} not included|The price does not include {what}|Prices are without {bare}]."
    )
    return Fact(bare, choose_branches(told, rng), [(asks, f"I'm sorry, {what} {be} not included.")])


def last_entry(rng: random.Random) -> Fact:
    """The latest that one can come in."""
    time = clock(rng)
    noun = rng.choice(
        (
            "Last entry",
            "Last entry",
            "Last admission",
            "Last entrance",
            "The last admission",
            "The last tickets are sold",
            "Doors close",
        )
    )
    verb = "" if noun.endswith(("sold", "close")) else rng.choice(("is ", "is ", "", ""))
    said = f"{noun} {'' if noun.endswith(('sold', 'close')) else 'is '}at {time}."
    asks = "[when can [i|we] get in at the latest|[when|what time] is [last entry|the last entry|last admission|the latest i can come in]|how late can [i|we] [still|] [get in|come in|enter|buy a ticket|arrive]|until when [can [i|we] [get in|come in|enter|arrive]|do you let people in]|by when do [i|we] have to be there|what's the latest [we|i] can [arrive|get in|come in|show up|turn up]|till when are tickets sold|when do you stop letting people in|is there a last entry|when should [i|we] be there at the latest]"
    return Fact("last entry", f"{noun} {verb}at {time}.", [(asks, said)])


def ages(rng: random.Random) -> Fact:
    """How old one has to be; an age that a caller names is compared."""
    limit = rng.choice((3, 4, 5, 6, 6, 7, 8, 8, 10, 10, 12, 12, 14, 16, 16, 18, 18, 21))
    word = spoken_number(limit)
    told = rng.choice(
        (
            f"The minimum age is {word}.",
            f"Minimum age {word}.",
            f"From {word} years.",
            f"For children of {word} and older."
            if limit < 15
            else f"For adults of {word} and older.",
            f"From age {word}.",
            f"Nobody under {word}.",
            f"You must be {word} or older.",
            f"People under {word} can't take part.",
            f"Open to anybody from {word} years of age.",
        )
    )
    answer = f"the minimum age is {word}."
    asks: list[tuple[str, str]] = [
        (
            "[how old do [i|you|you|they|the kids] have to be|from what age [is it|can they come|can children join]|what's the minimum age|is there [an age limit|a minimum age]|at what age can [kids|they] start|what age is it for|from how old can they come]",
            capitalise(answer),
        )
    ]
    for _ in range(4):
        age = max(2, limit + rng.choice((-4, -3, -2, -1, -1, 0, 1, 2, 3, 5)))
        old = spoken_number(age)
        who = rng.choice(
            (
                "my son",
                "my daughter",
                "my little boy",
                "my girl",
                "my nephew",
                "my niece",
                "my grandson",
                "our youngest",
                "my brother",
            )
        )
        text = f"[{who} is {old} can [he|she|they] [come|join|take part|come along]|can a {old} year old [come|join|do it]|is {old} old enough|{who} is [only|just|] {old} is that [okay|old enough|alright]|would {old} be old enough|{who} who's {old} [could|can] [he|she] join in]"
        asks.append((text, f"{'Yes' if age >= limit else 'No'}, {answer}"))
    return Fact("age", told, asks)


def appointment(rng: random.Random) -> Fact:
    """Whether one can just come."""
    when = opened(
        "[before noon|until eleven|on Mondays|in the afternoon|after two|on weekdays|before ten|at any time|on Saturdays|from nine to eleven]",
        rng,
    )
    asks = "[do i need [an appointment|to book|a reservation] [or can i just [come by|drop in|walk in|turn up]|]|can i [just|] [come by|drop in|walk in|turn up|pop in] [without an appointment|without booking|]|is it [by appointment only|first come first served]|do [i|we] have to [book|make an appointment|reserve]|do you take walk ins|can i come without [an appointment|booking]|should i [book|reserve] [ahead|first]|do i have to ring first|is booking needed]"
    told, answer = rng.choice((
        (f"Walk-ins are welcome {when}.", f"Walk-ins are welcome {when}."), (f"Walk-ins are welcome {when}.", f"Walk-ins are welcome {when}."), (f"You can come without an appointment {when}.", f"You can come without an appointment {when}."),
        ("Walk-ins are welcome.", "Walk-ins are welcome."), ("By appointment only.", "It is by appointment only."), ("Only by appointment.", "It is by appointment only."), ("No walk-ins.", "There are no walk-ins."),
        ("No appointment is needed.", "No appointment is needed."), ("No booking needed.", "No booking is needed."), ("You can come without an appointment.", "You can come without an appointment."), (f"Walk-ins {when} only.", f"Walk-ins are welcome {when}."), (f"Walk-ins only {when}.", f"Walk-ins are welcome {when}."),
        ("Booking is needed.", "Booking is needed."), ("Please book ahead.", "Please book ahead."), ("Please book at weekends.", "Please book at weekends."), ("First come, first served.", "It is first come, first served."),
    ))  # fmt: skip
    return Fact("appointment", told, [(asks, answer)])


def money(rng: random.Random) -> Fact:
    """Deposits, cancelling, discounts, the least that is delivered."""
    p, n = (
        drawn_price(rng, rng.choice(("euro", "pound", "dollar"))),
        spoken_number(rng.randint(2, 12)),
    )
    per, who = (
        spoken_number(rng.choice((5, 10, 15, 20, 25, 30, 50))),
        rng.choice(
            ("students", "members", "seniors", "groups", "locals", "families", "nurses", "children")
        ),
    )
    name, asks, pairs = rng.choice(_MONEY)
    told, answer = rng.choice(pairs)
    day = DAYS[rng.randrange(7)]
    fill = {"{p}": p, "{n}": n, "{c}": per, "{g}": who, "{d}": day}
    texts = [told, answer, asks]
    for key, value in fill.items():
        texts = [text.replace(key, value) for text in texts]
    return Fact(name, capitalise(texts[0]), [(texts[2], texts[1])])


_MONEY: Final[Sequence[tuple[str, str, Sequence[tuple[str, str]]]]] = (
    ("deposit", "[is there a deposit|do [i|we] have to [leave|pay] a deposit|how much is the deposit|what's the deposit|do you want money up front|do [i|we] [have to|] pay [something|anything] [in advance|up front|before]]",
     (("A deposit of {p} is needed.", "The deposit is {p}."), ("The deposit is {p}.", "The deposit is {p}."), ("Deposit: {p}.", "The deposit is {p}."), ("There is no deposit.", "I'm sorry, there is no deposit."), ("We take a deposit of {p}.", "The deposit is {p}."), ("{p} deposit.", "The deposit is {p}."))),
    ("cancelling", "[can i cancel [it|] [later|if something comes up|]|until when can [i|we] cancel|what if [i|we] have to cancel|how late can i cancel|what's your cancellation policy|what happens if [i|we] can't come|is there a fee if i cancel]",
     (("Cancelling is free until {n} hours before.", "You can cancel until {n} hours before."), ("Free cancellation up to {n} days before.", "You can cancel until {n} days before."), ("Please cancel {n} hours ahead.", "You can cancel until {n} hours before."), ("Late cancellations cost {p}.", "Late cancellations cost {p}."), ("If you do not come, we charge {p}.", "If you do not come, we charge {p}."))),
    ("discount", "[is there a discount for {g}|do [{g}|we] get [a discount|anything off|money off]|is it cheaper for {g}|do {g} pay less|any discount for {g}|have you got a reduced price for {g}]",
     (("{c} percent off for {g}.", "Yes, there is {c} percent off for {g}."), ("There is {c} percent off for {g}.", "Yes, there is {c} percent off for {g}."), ("There is a {c} percent discount for {g}.", "Yes, there is {c} percent off for {g}."), ("There is no discount for {g}.", "I'm sorry, there is no discount for {g}."))),
    ("delivery", "[do you deliver|can you [deliver|bring] it [to my house|]|is there delivery|how much is delivery|what does delivery cost|could i have it delivered|is there a charge if you [deliver it|bring it] [i live in town|to me|]|do you deliver i live [in town|round the corner]|do you send things]",
     (("Delivery is {p}.", "Yes, delivery is {p}."), ("Delivery costs {p}.", "Yes, delivery is {p}."), ("We deliver for {p}.", "Yes, delivery is {p}."), ("We don't deliver.", "I'm sorry, we don't deliver."), ("No delivery.", "I'm sorry, we don't deliver."), ("Delivery is free.", "Yes, delivery is free."), ("Delivery within the town is free.", "Yes, delivery within the town is free."), ("We deliver for free in town.", "Yes, delivery within the town is free."), ("We deliver on {d}s.", "Yes, we deliver on {d}s."))),
    ("payment", "[can i pay [by|with] card|do you take [cards|credit cards|card]|how can i pay|is it cash only|do i need cash|can i pay [cash|in cash]|which payments do you take|what about paying by card]",
     (("Cards from {c} euros.", "You can pay by card from {c} euros."), ("Card payments from {c} euros up.", "You can pay by card from {c} euros."), ("Cash only.", "You can pay in cash."), ("We take cards and cash.", "You can pay by card or in cash."), ("No cash.", "You can pay by card."), ("Card only.", "You can pay by card."))),
    ("joining", "[does it cost anything to [join|become a member|sign up]|how much is it to [join|become a member]|what's the [joining fee|membership fee]|is [joining|membership|it] free [to join|]|what do i pay to join|is there a fee for joining]",
     (("Joining is free.", "Joining is free."), ("Joining costs {p}.", "Joining is {p}."), ("The joining fee is {p}.", "Joining is {p}."), ("Membership costs {p} a year.", "Membership is {p} a year."), ("Membership is free.", "Membership is free."), ("A card costs {p} a year.", "A card is {p} a year."))),
    ("holidays", "[are you open [at christmas|at easter|on bank holidays|on public holidays|over the holidays|on new year's eve|on christmas eve|on the bank holiday|on christmas day]|what about [bank holidays|christmas|the holidays|public holidays]]",
     (("Closed on public holidays.", "No, we're closed on public holidays."), ("We are closed on holidays.", "No, we're closed on holidays."), ("Closed over Christmas and on public holidays.", "No, we're closed over Christmas and on public holidays."))),
)  # fmt: skip


RULES: Final[Sequence[tuple[Callable[[random.Random], Fact], float]]] = (
    (allowed, 5), (included, 4),
    (breakfast, 1.5), (last_entry, 1.5), (ages, 2), (appointment, 2.5), (money, 4),
)  # fmt: skip
