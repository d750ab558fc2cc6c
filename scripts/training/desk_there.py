"""What a house has or does, told or not: the same questions to both."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from desk_told import Fact, opened, place
from dialogue_values import capitalise
from domain import choose_branches

#: What there may be, and what somebody says who needs it without naming it.
THERE: Final[Mapping[str, str]] = {
    "a lift": "i can't [do|climb] stairs|my mother can't walk up the stairs|how do i get up with my bad knee",
    "a swimming pool": "can [i|we] swim [there|at yours]|i'd like to go for a swim",
    "a sauna": "can i use a sauna there",
    "a cafe": "can i get [a coffee|something to eat|a bite] there|is there somewhere to eat",
    "a restaurant": "can we have dinner there|where can we eat",
    "a playground": "is there something for the kids to [do|play]",
    "a changing table": "where can i change the baby",
    "a ramp": "i'm in a wheelchair can i get in",
    "a car park": "where can [i|we] [park|leave the car]|is there parking",
    "a charging point": "i come in an electric car can i charge it",
    "a cloakroom": "where can i leave my coat",
    "a gym": "can i work out there|is there somewhere to train",
    "a washing machine": "can i [do|wash] my laundry there|can i wash my clothes",
    "a projector": "can we show slides",
    "a kitchen": "can we cook [there|ourselves]|can i make myself something to eat",
    "a cash machine": "where can i get cash",
    "a terrace": "can [i|we] sit outside",
    "a gift shop": "can i buy a souvenir",
    "a vegan menu": "my [wife|husband|friend|daughter] is vegan is there [something|anything] for [her|him|them]|i'm vegan what can i eat|i don't eat meat [or milk|]|we're two vegans is that okay",
    "a children's menu": "is there something for kids to eat|what can the little ones eat",
    "a photo booth": "where can i take a passport photo", "a bar": "can i get a drink there", "a hairdryer": "can i dry my hair there",
    "a fridge": "where can i keep my food cool", "a tv": "can i watch the match there", "a piano": "can i play the piano there",
    "a lost property office": "where do i ask for something i lost", "a water fountain": "where can i fill my bottle",
    "a drinks machine": "", "a mini bar": "", "a conference room": "", "a quiet room": "", "a waiting room": "", "a baby pool": "", "a whirlpool": "", "a slide": "", "a spare key": "",
    "a {o}": "", "a {o} room": "", "a {o} machine": "", "a {o} corner": "", "a {o} shop": "", "a {o} {o}": "",
}  # fmt: skip
THERE_MANY: Final[Mapping[str, str]] = {
    "showers": "can i [have a shower|shower|wash] [after|there]", "lockers": "where can i [leave|lock up] my [things|stuff|valuables]", "toilets": "where can i use the loo|i need the loo", "high chairs": "we have a baby can [she|he] sit at the table",
    "vegetarian dishes": "i'm vegetarian is there [something|anything] for me|i don't eat meat", "gluten free cakes": "i can't have wheat is there something for me|i'm coeliac what can i eat", "free parking spaces": "where can i park",
    "computers": "can i use a computer there|can i go on the internet there", "changing rooms": "where can i get changed", "bicycle stands": "where can i leave my bike", "e-bikes": "i'd rather have a bike with a motor", "gift vouchers": "i need a present for my mum a voucher or so",
    "family rooms": "we're a family with kids", "private lessons": "i'd like a teacher just for me", "evening classes": "i work in the day can i come in the evening", "free samples": "", "baby seats": "", "audio guides": "", "large sizes": "", "second hand books": "", "tandems": "", "group tickets": "", "season tickets": "",
    "{o}s": "", "{o} lessons": "", "{o} bikes": "", "{o} rooms": "", "{o} tickets": "",
}  # fmt: skip
_HAVE: Final = "[|||my wife wants to know|we were wondering] [{is} there {any}|do you have {any}|have you got {any}|would there be {any}|{is} there {any} at yours|do you have {any} there|you have {any} [right|]|i need {any} do you have that|what about {any}|i was wondering if you have {any}|would you have {any}|you wouldn't have {any} would you]"


def _have_asks(what: str, many: bool, needs: str) -> str:
    bare = what.removeprefix("a ").removeprefix("an ")
    named = _HAVE.replace("{is}", "are" if many else "is")
    named = named.replace("{any}", f"[any|] {bare}" if many else f"[{what}|{what}|any {bare}]")
    return f"[{named}|{needs}]" if needs else named


def _thing(rng: random.Random) -> tuple[str, bool, str]:
    """Something that there may be, whether it is many, and needs for it."""
    many = rng.random() < 0.35
    table = THERE_MANY if many else THERE
    what = (
        rng.choice([name for name in table if "{o}" in name])
        if rng.random() < 0.2
        else rng.choice(tuple(table))
    )
    needs = table[what]
    return opened(what, rng), many, needs


def there(rng: random.Random) -> Fact:
    """Something there is, or isn't: the same questions to both."""
    what, many, needs = _thing(rng)
    be, asks = "are" if many else "is", _have_asks(what, many, needs)
    bare = what if many else what.split(" ", 1)[1]
    pick, where = rng.random(), place(rng)
    if pick < 0.4:
        told = f"[There {be} {what}|There {be} {what}|We have {what}|You have {what}|The house has {what}|{capitalise(what)} {be} available]."
        return Fact(bare, choose_branches(told, rng), [(asks, f"Yes, there {be} {what}.")])
    if pick < 0.55:
        told = f"[There {be} {what} {where}|We have {what} {where}]."
        wheres = f"[where {be} the {bare}|where can i find the {bare}|where do i find {what}]"
        return Fact(
            bare,
            choose_branches(told, rng),
            [(asks, f"Yes, there {be} {what} {where}."), (wheres, f"There {be} {what} {where}.")],
        )
    told = f"[There {be} no {bare}|There {be} no {bare}|We have no {bare}|We do not have {what}|There {be} not {'any' if many else 'a'} {bare}|No {bare}]."
    if not what.startswith("a "):
        told = told.replace(f"not a {bare}", f"not {what}")
    return Fact(bare, choose_branches(told, rng), [(asks, f"I'm sorry, there {be} no {bare}.")])


_DONE: Final = (
    "tyres|perms|wedding cakes|takeaway|passport photos|tattoos|piercings|alterations|home visits|children's birthdays|group bookings|refunds|repairs of phones|shoe repairs|dry cleaning|express service|evening appointments|weekend repairs|"
    "catering|bodywork|windscreens|diesel engines|electric cars|hair extensions|waxing|root canals|whitening|emergency calls|night services|private parties|key copies|framing|engraving|rentals|trial lessons|gift wrapping|photocopies|translations|house calls|removals|storage|{o} repairs|{o} work|{o}s|{o} lessons"
)


def done(rng: random.Random) -> Fact:
    """Something that they do, or don't."""
    what = opened(f"[{_DONE}]", rng)
    asks = f"[do you [also|] do {what}|can i get {what} [at yours|there|]|do you offer {what}|what about {what}|are {what} something you do|i'm after {what}|could you do {what} [as well|for me|]|is {what} something you do|d'you do {what}]"
    asks = asks.replace(f"are {what} something", f"is {what} something")
    told, answer = rng.choice((
        (f"We do {what}.", f"Yes, we do {what}."), (f"We also do {what}.", f"Yes, we do {what}."), (f"You do {what} too.", f"Yes, we do {what}."),
        (f"We do not do {what}.", f"I'm sorry, we don't do {what}."), (f"We don't do {what}.", f"I'm sorry, we don't do {what}."), (f"No {what}.", f"I'm sorry, we don't do {what}."), (f"{capitalise(what)} are not done here.", f"I'm sorry, we don't do {what}."),
    ))  # fmt: skip
    return Fact(what, told, [(asks, answer)])


def not_told(told: Sequence[str], system: str, rng: random.Random) -> str:
    """Whether there is something of which the prompt says nothing; empty if none is found."""
    for _ in range(5):
        what, many, needs = _thing(rng)
        bare = what if many else what.split(" ", 1)[1]
        known = " ".join((system, *told)).lower()
        if any(word.removesuffix("s") in known for word in (*bare.split(), *_KIN.get(bare, ()))):
            continue
        return _have_asks(what, many, needs)
    return ""


#: Words that tell of the same thing: where one stands in a prompt, it isn't unknown.
_KIN: Final[Mapping[str, Sequence[str]]] = {
    "swimming pool": ("swim", "pool"), "baby pool": ("swim", "pool"), "car park": ("park",), "free parking spaces": ("park",), "terrace": ("outside", "garden"), "lift": ("step", "ramp", "stairs"), "ramp": ("step", "wheelchair"),
    "restaurant": ("kitchen", "food", "breakfast", "dinner", "menu"), "cafe": ("kitchen", "coffee", "food", "menu"), "bar": ("drink", "wine"), "vegan menu": ("vegetarian", "menu"), "vegetarian dishes": ("vegan", "menu"), "toilets": ("toilet",),
    "gift vouchers": ("gift", "voucher"), "gift shop": ("shop", "gift"), "children's menu": ("child",), "cloakroom": ("coat", "locker"), "lockers": ("locker",), "computers": ("internet",), "playground": ("child", "play"),
    "bicycle stands": ("bike", "bicycl"), "e-bikes": ("bike",), "evening classes": ("evening",), "private lessons": ("lesson",), "showers": ("shower",), "kitchen": ("cook",), "mini bar": ("bar",), "cash machine": ("cash",), "family rooms": ("famil", "room"),
}  # fmt: skip
