"""What is made of one thing that a caller says: each part is done to the order, and answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from acts import parts, places, says_to_place
from menu import FOOD, MENU, Item, joined, number_words, price_words, with_extra
from order import Order, new, otherwise, styled
from part import Act, Part
from saying import plain
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
    if heard:
        return Turn(order, said, place).answer(heard)
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
        self._rest: int | None = None  # of what was parted
        self._put_right = self._removed = self._doubled = self._priced = False

    def answer(self, heard: list[Part]) -> str:
        """All of it."""
        self._alone = len(heard) == 1
        for part in heard:
            self._do(part)
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
        if self._asked and not self._decided:  # a question before the yes
            self._order.asks = True
            return f"{told.removesuffix(MORE).strip()} {PLACE}".strip() if told else ""
        return told

    def _bound(self) -> None:
        items = self._order.items
        if any(item.count > MOST for item in items):
            self._order.items = [replace(item, count=min(item.count, MOST)) for item in items]
            self._told.append(f"I'm sorry, there are at most {number_words(MOST)} of a thing.")

    def _do(self, part: Part) -> None:
        match part.act:
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
        elif order.offered or order.items:
            item = styled(order.offered or order.items[order.newest], part.what)
        else:
            return f"Of what? We have {joined(SHOWN)}."
        alone = replace(item, count=1, extras=())
        self._priced = True
        if not found:
            order.offered = alone
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
        if not (instead and not self._gone and self._replaces(thing, first)):
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
        if part.thing and targets and not named:
            found = order.where(part.thing)
            if found and targets[0] not in found:
                targets = found[:1]  # "make that two flat whites", after a muffin
        counted = number(part.what) or number(part.which)
        spoken_of = part.which in _OFFERED or (" of th" in part.which and not named)
        if order.offered and spoken_of and not part.thing and (counted or not targets):
            self._put(otherwise(replace(order.offered, count=counted or 1), part))
        elif self._removed and part.thing and part.which in _OFFERED:
            self._put(new(part.thing))  # "not the croissant, make that a bagel"
        elif targets:
            for at in targets:
                order.items[at] = otherwise(order.items[at], part)
            self._touch(targets[-1])
            order.merge()
        elif part.thing:
            self._put(new(part.thing))
        elif named:
            self._told.append(f"There is no {named[0].name} in your order.")

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
        if " of " in which and not which.startswith(("both", "all")):
            named = things(which)
            at = next(iter(order.where(named[0])), None) if named else self._rest
            if which.endswith(" ones"):
                at = next(order.pointed(which.partition(" of ")[2]), at)
            at = order.newest if at is None or at >= len(order.items) else at
            self._rest = at  # "two with milk and two black"
            yield order.part(at, max(number(which), 1))
        elif self._doubled and not which:  # "the same, but large"
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
            found = order.where(part.thing)
            at = found[0] if found else -1
            count = part.thing.count or MOST
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
        found = order.where(part.thing) if part.thing else []
        at = found[0] if found else order.newest
        if not 0 <= at < len(order.items):
            self._told.append(NOTHING)
            return
        if " of " in part.which:
            at = order.part(at, max(number(part.which), 1))
        words = {word.removesuffix("s") for word in part.what.split()}
        for here in (at, *reversed(range(len(order.items)))):
            item = order.items[here]
            has = [{w.removesuffix("s") for w in extra.split()} for extra in item.extras]
            kept = tuple(e for e, said in zip(item.extras, has, strict=True) if not words & said)
            if kept != item.extras:
                order.items[here] = replace(item, extras=kept)
                self._touch(here)
                return
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
    if re.search(r"\b(?:cold|iced|soft)\b", asked):
        cold = re.compile("iced|cold|lemonade|juice|water")
        return [name for name in MENU if cold.search(name)]
    kinds = [name for name in MENU if re.search(rf"\b{name.split()[-1]}s?\b", asked)]
    return kinds or list(SHOWN)
