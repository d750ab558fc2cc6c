"""What is made of one thing that a caller says: each part is done to the order, and answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from acts import parts
from agreeing import places, says_to_place
from menu import FOOD, MENU, MILKS, SYRUPS, Item, joined, number_words, price_words, with_extra
from order import Order, new, otherwise, styled, without
from part import Act, Part
from saying import asks_another, plain
from things import IN_IT, Thing, extras, looks, number, things

MOST: Final = 20  # of things in an order, and of each
SHOWN: Final = ("coffee", "espresso", "cappuccino", "latte", "tea", "croissant", "muffin")
SIZES: Final = ("small", "medium", "large", "extra large")
MORE: Final = "Anything else?"
PLACE: Final = "Shall I place the order?"
NOTHING: Final = "You haven't ordered anything yet. What would you like?"
_ONE: Final = re.compile(r"\b(?:they|it|one)\b(?!.*\b(?:all|total|altogether|come)\b)")
_OFFERED: Final = ("", "it", "that", "this", "those", "them", "one of them", "one of those")


def hear(order: Order, said: str, place: Callable[[str], int]) -> str:
    """What is answered to a caller; "" = it is no affair of the till's. `place`: the bar is told,
    and gives the order's number; LookupError: it takes no more."""
    heard = list(parts(said, order.spoken_of))
    if order.asks and [part.act for part in heard] == [Act.YES] and asks_another(said):
        heard = []  # "okay mary what do you want"
    if [part.act for part in heard] == [Act.AGAIN_PLEASE]:
        return order.told
    if heard:
        order.told = Turn(order, said, place).answer(heard)
        return order.told
    order.told = ""
    if plain(said):  # a yes to what is said now is no yes to the order
        order.asks, order.lapsed, order.offered = False, order.asks or order.lapsed, None
        order.read = False
    return ""


class Turn:
    """One thing that was said. A yes places the order where that was asked just before, and only
    there."""

    def __init__(self, order: Order, said: str, place: Callable[[str], int]) -> None:
        self._order, self._words, self._place = order, said, place
        self._asked, order.asks = order.asks, False
        self._lapsed, order.lapsed = order.lapsed, False
        self._alone = self._cleared = False
        self._gone, order.gone = order.gone, False
        self._read, order.read = order.read, False
        self._told: list[str] = []
        self._changed = self._done = self._decided = False
        self._added: list[Item] = []
        self._told_now: list[Item] = []
        self._rest: int | None = None  # of what was parted
        self._put_right = self._removed = self._doubled = self._priced = False

    def answer(self, heard: list[Part]) -> str:
        """All of it."""
        self._alone = len(heard) == 1
        for part in heard:
            self._do(part)
        self._order.merge()
        self._bound()
        if self._changed or self._cleared:
            self._order.read = False  # and then it became another
        if self._cleared and not (self._order.items or self._done):
            return "Okay, nothing is ordered. What would you like?"
        told = " ".join(dict.fromkeys(one for one in self._told if one))
        if self._done:
            return f"{told} {self._read_back()}".strip()
        if self._changed:
            first = f"Okay, {self._order.words}." if self._order.items else "Okay, that is off."
            return " ".join((first, told.removesuffix(MORE), MORE)).replace("  ", " ")
        if self._asked and not self._decided and told:  # a question before the yes
            self._order.asks = True
            return f"{told.removesuffix(MORE).strip()} {PLACE}"
        self._order.lapsed = self._order.lapsed or (self._asked and not told)
        return told

    def _bound(self) -> None:
        items = self._order.items
        if any(item.count > MOST for item in items):
            self._order.items = [replace(item, count=min(item.count, MOST)) for item in items]
            self._told.append(f"I'm sorry, there are at most {number_words(MOST)} of a thing.")

    def _do(self, part: Part) -> None:
        match part.act:
            case Act.ADD if part.thing and part.which:
                self._tell_again(part.thing)
            case Act.ADD if part.thing:
                self._add(part.thing, part.instead)
            case Act.AGAIN:
                self._again(part.which)
            case Act.CHANGE:
                self._change(part)
            case Act.REMOVE:
                self._remove(part)
            case Act.CLEAR:
                self._order.items, self._order.newest = [], -1
                self._decided = self._cleared = True
            case Act.YES | Act.PLACE | Act.NO | Act.DONE:
                self._decide(part)
            case _:
                self._told.append(self._answer(part))

    # -- a yes, a no, the end ---------------------------------------------------------------------

    def _decide(self, part: Part) -> None:
        self._decided = True
        no, done = part.act is Act.NO, part.act is Act.DONE
        told = self._asked or (self._read and says_to_place(self._words))  # all of it, just before
        if told and self._alone and places(self._words, part.act):
            self._told.append(self._placed())
        elif done or part.act is Act.PLACE or (no and not self._asked) or self._lapsed:
            self._done = True
        elif no:
            self._told.append("Okay. What shall I change?")
        elif not self._changed and self._order.offered:
            self._put(self._order.offered)
        elif not self._changed:
            more = "What else can I get you?" if self._order.items else "What would you like?"
            self._told.append(more)

    def _placed(self) -> str:
        order = self._order
        try:
            placed = self._place(order.words)
        except LookupError:
            return "I'm sorry, the bar takes no more orders right now."
        order.placed, order.items, order.newest, order.number = order.items, [], -1, placed
        return f"Thank you. Your order number is {number_words(placed)}."

    def _read_back(self) -> str:
        if not self._order.items:
            return NOTHING
        self._order.asks = True
        return f"That is {self._order.words}, {self._order.total} in all. {PLACE}"

    # -- questions --------------------------------------------------------------------------------

    def _answer(self, part: Part) -> str:
        order, thing = self._order, part.thing
        match part.act:
            case Act.PRICE:
                return self._price(part)
            case Act.TOTAL:
                return self._total(_ONE.search(part.what) is not None)
            case Act.ORDER if not order.items:
                return NOTHING
            case Act.ORDER:
                order.read = True
                return f"You have ordered {order.words}, {order.total} in all. {MORE}"
            case Act.COUNT if thing:
                found = order.where(thing)
                order.newest = found[0] if found else order.newest
                count = sum(order.items[at].count for at in found)
                return f"{number_words(count).capitalize()}. {MORE}"
            case Act.NUMBER:
                told = f"Your order number is {number_words(order.number)}."
                return told if order.number else f"Nothing is placed yet. {MORE}"
            case Act.MENU:
                order.spoken_of = _menu(part.what)
                return f"We have {joined(order.spoken_of)}. What would you like?"
            case Act.WHICH:
                return f"Which would you like, {part.what}?"
            case Act.HAVE:
                return self._have(part)
            case Act.FREE:
                return f"No, that costs nothing extra. {MORE}"
            case Act.AGAIN_PLEASE:
                return ""  # beside something else
            case Act.UNKNOWN:
                order.gone = True
                return f"I'm sorry, there is no {part.what}. {MORE}"
        return f"I'm sorry, I don't know that. {MORE}"

    def _total(self, of_one: bool) -> str:
        """`of_one`: "how much is it" may be asked of the one that was spoken of."""
        order = self._order
        if order.offered and (of_one or not order.items):
            return f"That is {price_words(order.offered.cents)}."
        if of_one and self._priced:
            return ""  # "what was the green tea again, how much is it"
        return f"That is {order.total}. {MORE}" if order.items else NOTHING

    def _price(self, part: Part) -> str:
        order, thing = self._order, part.thing
        found = order.where(thing) if thing else []
        if found:
            order.newest = found[0]
        if thing:
            item = order.items[found[0]] if found and not thing.before else new(thing)
            item = styled(item, part.what)  # "if it was a large one"
        elif order.offered or order.items:
            item = styled(order.offered or order.items[order.newest], part.what)
        else:
            return f"Of what? We have {joined(SHOWN)}."
        alone = replace(item, count=1, extras=())
        if not found:  # of two nobody knows which is meant
            order.offered = None if self._priced else alone
        self._priced = True
        return f"{alone.words.capitalize()} is {price_words(alone.cents)}."

    def _have(self, part: Part) -> str:
        order, words = self._order, part.what.split()
        kind = words[-1].removesuffix("s")
        kinds = [name for name in MENU if name.split()[-1] == kind]
        sort = re.match(rf"(?:any |some |an? )?(?P<sort>(?:\w+ )+){re.escape(kind)}", part.what)
        if part.thing and part.thing.name == kind and sort and not _is_known(sort["sort"]):
            order.spoken_of = kinds
            return f"I'm sorry, there is no {sort['sort']}{kind}. We have {joined(kinds)}."
        if part.thing:
            order.offered = item = replace(new(part.thing), count=1)
            return f"Yes, {item.words} is {price_words(item.cents)}. Would you like one?"
        if _is_known(words[-1]):
            return f"Yes, we do. {MORE}"
        if kinds:
            order.spoken_of = kinds
            return f"We have {joined(kinds)}. What would you like?"
        order.gone = True
        return f"I'm sorry, there is no {part.what}. {MORE}"

    # -- more -------------------------------------------------------------------------------------

    def _add(self, thing: Thing, instead: bool) -> None:
        order, found = self._order, self._order.where(thing)
        if found and thing.more and thing.before in order.items[found[0]].before:
            self._more(found[0], max(thing.count, 1))
            return
        if found and thing.known and not thing.extras:  # "the latte": nothing new
            if thing.counted:
                order.items[found[0]] = replace(order.items[found[0]], count=thing.count)
                self._touch(found[0])
            order.newest = found[0]
            return
        first, self._put_right = not self._put_right, self._put_right or instead
        if not (instead and not (self._gone or self._removed) and self._replaces(thing, first)):
            self._put(new(thing))

    def _tell_again(self, thing: Thing) -> None:
        """Of what is ordered there are to be as many as are told."""
        items, looks_so = self._order.items, set(thing.before.split())
        for at in self._order.where(thing):
            same = items[at].name == thing.name and looks_so <= set(items[at].before.split())
            if same and items[at] not in self._told_now:
                told = otherwise(items[at], Part(Act.CHANGE, thing))
                items[at] = replace(told, count=thing.count or told.count)
                self._told_now.append(items[at])
                self._touch(at)
                return
        self._put(new(thing))

    def _again(self, which: str) -> None:
        order = self._order
        if order.items:
            for at in list(order.pointed(which)):
                self._more(at, 1)
            self._doubled = True
        elif order.placed:
            self._put(replace(order.placed[-1], count=1))

    def _put(self, item: Item) -> None:
        order, same = self._order, self._order.same(item)
        order.offered = None
        if same is not None:
            self._more(same, item.count)
        elif len(order.items) >= MOST:
            self._told.append(f"I'm sorry, an order has at most {number_words(MOST)} things.")
        else:
            order.items.append(item)
            self._added.append(item)
            self._touch(len(order.items) - 1)

    def _more(self, at: int, count: int) -> None:
        item = self._order.items[at]
        self._order.items[at] = replace(item, count=item.count + count)
        self._doubled = True
        self._touch(at)

    def _touch(self, at: int) -> None:
        self._order.newest, self._order.offered, self._changed = at, None, True

    def _replaces(self, thing: Thing, first: bool) -> bool:
        """Put right: the same thing with another number or look, else what was said before it."""
        order, item = self._order, new(thing)
        found = order.where(replace(thing, before="", extras=()))
        at = found[0] if found else order.newest
        if not 0 <= at < len(order.items) or not (first or found):
            return False
        old = order.items[at]
        if found:
            item = replace(
                styled(old, thing.before),
                count=thing.count or old.count,
                extras=(*old.extras, *item.extras),
            )
        elif old not in self._added and old.name.endswith(FOOD) != item.name.endswith(FOOD):
            return False  # "no sorry, and a muffin": another thing
        order.items[at] = item
        self._added.append(item)
        self._touch(at)
        return True

    # -- otherwise --------------------------------------------------------------------------------

    def _change(self, part: Part) -> None:
        order, named = self._order, things(part.which)
        targets = list(self._targets(part.which))
        said_before = part.thing and any(one.name == part.thing.name for one in self._added)
        if named and part.thing and said_before:
            if not targets:  # "she says lemonade, swap the juice for a lemonade"
                return
            self._forget(part.thing.name, targets)
            targets = list(self._targets(part.which))
        if not named and targets:
            targets = self._likelier(part) or targets
        counted = number(part.what) or number(part.which)
        spoken_of = part.which in _OFFERED or (" of th" in part.which and not named)
        if order.offered and spoken_of and not part.thing and (counted or not targets):
            self._put(otherwise(replace(order.offered, count=counted or 1), part))
        elif self._removed and part.thing and part.which in _OFFERED:
            self._put(new(part.thing))  # "not the croissant, make that a bagel"
        elif targets:
            for at in targets:
                order.items[at] = otherwise(without(order.items[at], part.off), part)
            self._touch(targets[-1])
        elif part.thing:
            self._put(new(part.thing))
        elif named and part.wish:
            self._put(otherwise(new(named[0]), part))
        elif named:
            self._told.append(f"There is no {named[0].name} in your order.")

    def _likelier(self, part: Part) -> list[int]:
        """What is meant rather than what "it" points at, as far as the words tell."""
        order = self._order
        if part.thing and "both" not in part.which:  # "make that two flat whites", after a muffin
            return order.where(part.thing)[:1]
        if part.thing or part.which not in _OFFERED or self._doubled:
            return []
        if part.off:
            return order.holding(part.off)[:1]
        kinds = [extra.split()[-1] for extra in extras(part.what)] if part.instead else []
        return order.holding(kinds[0])[:1] if kinds else []  # "no sorry, soy milk"

    def _forget(self, name: str, targets: list[int]) -> None:
        """What this turn has added by mistake."""
        items = self._order.items
        self._order.items = [
            one
            for at, one in enumerate(items)
            if at in targets or one not in self._added or one.name != name
        ]
        self._order.newest = min(self._order.newest, len(self._order.items) - 1)

    def _targets(self, which: str) -> Iterator[int]:
        """Where the things are that words point at. Some of several are parted from them."""
        order = self._order
        if not order.items:
            return
        if which.startswith("the rest") and self._rest is not None:
            yield min(self._rest, len(order.items) - 1)
        elif " of " in which and not which.startswith(("both", "all")):
            named = things(which)
            at = next(iter(order.where(named[0])), None) if named else self._rest
            if named and at is None:
                return
            if which.endswith(" ones"):
                at = next(order.pointed(which.partition(" of ")[2]), at)
            at = order.newest if at is None or at >= len(order.items) else at
            self._rest = at  # "two with milk and two black"
            yield order.part(at, max(number(which), 1))
        elif self._doubled and which in ("", "it", "that"):  # "the same, but large"
            yield order.part(order.newest, 1)
        else:
            yield from order.pointed(which)

    # -- less -------------------------------------------------------------------------------------

    def _remove(self, part: Part) -> None:
        order = self._order
        if part.what:
            self._without(part)
            return
        if part.thing:
            found, count = order.where(part.thing), part.thing.count or MOST
            if part.thing.known and part.thing.counted:  # "one of the lattes": of several
                found.sort(key=lambda at: order.items[at].count <= count)
            at = found[0] if found else -1
            if not found:
                self._told.append(f"There is no {part.thing.name} in your order.")
                return
        elif self._removed and part.which in _OFFERED:
            return  # "he doesn't want the latte, so take that off"
        else:
            at, count = order.newest, number(part.which) or MOST
            if order.items and re.match(r"both|all|them (?:all|both)", part.which):
                for each in sorted(set(order.pointed(part.which)), reverse=True):
                    del order.items[each]
                self._touch(len(order.items) - 1)
                return
            if part.which not in _OFFERED and not number(part.which):
                at = next(self._targets(part.which), at)
        if not 0 <= at < len(order.items):
            self._told.append(NOTHING)
            return
        item = order.items[at]
        order.items[at : at + 1] = [replace(item, count=item.count - count)][: item.count > count]
        self._removed = order.gone = True
        self._touch(min(at, len(order.items) - 1))

    def _without(self, part: Part) -> None:
        """Something that is in a thing; where it isn't, that is noted."""
        order = self._order
        found = order.where(part.thing) if part.thing else list(order.pointed(part.which))
        at = found[0] if found else order.newest
        if not 0 <= at < len(order.items):
            self._told.append(NOTHING)
            return
        if part.thing and part.thing.counted and part.thing.known:
            at = order.part(at, part.thing.count)  # "out of one of the teas"
        elif " of " in part.which or (self._doubled and not part.which):
            at = order.part(at, max(number(part.which), 1))
        for here in (at, *reversed(range(len(order.items)))):
            less = without(order.items[here], part.what)
            if less != order.items[here]:
                order.items[here] = less
                self._touch(here)
                return
        if not looks(part.what) and part.what != "anything":
            order.items[at] = with_extra(order.items[at], f"no {part.what}")
            self._touch(at)


def _is_known(text: str) -> bool:
    """Whether it may be in a thing, or how one may be."""
    return bool(IN_IT.search(text) or looks(text) or extras(text))


def _menu(asked: str) -> list[str]:
    if re.search(r"\bsizes?\b", asked):
        return list(SIZES)
    if re.search(r"\b(?:eat|food|cakes?|snacks?|pastr\w+|hungry|sweet)\b", asked):
        return list(FOOD)
    if found := re.search(r"\b(?:what|which)(?: \w+)? (milk|syrup)s\b", asked):
        return list(MILKS if found[1] == "milk" else SYRUPS)
    if re.search(r"\b(?:without|no) (?:coffee|caffeine)\b", asked):
        return ["tea", "mint tea", "chai", "hot chocolate", "lemonade", "orange juice"]
    if "chocolat" in asked and not re.search(r"n't\b|\b(?:no|not|without)\b", asked):
        return ["mocha", "hot chocolate", "brownie"]
    if re.search(r"\b(?:cold|iced|soft)\b", asked):
        cold = re.compile("iced|cold|lemonade|juice|water")
        return [name for name in MENU if cold.search(name)]
    kinds = [name for name in MENU if re.search(rf"\b{name.split()[-1]}s?\b", asked)]
    return kinds or list(SHOWN)
