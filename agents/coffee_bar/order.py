"""A call's order at the bar: where in it the things are that words point at, and how they are
changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from menu import FOOD, MENU, SIZES, Item, joined, looking, price_words, with_extra
from part import Part
from things import LOOK, Thing, extras, looks, number, things

_WARM: Final = ("hot", "iced", "cold")
_POINTING: Final = {"the", "my", "that", "one", "ones", "of", "with"}


@dataclass
class Order:
    """`items` as they were ordered; `newest` is the one that "it" means."""

    items: list[Item] = field(default_factory=list)
    newest: int = -1
    asks: bool = False  # whether to place it
    lapsed: bool = False  # it had asked, and then something else was spoken of
    offered: Item | None = None  # what was asked after and is not ordered
    gone: bool = False  # what was wanted just before is not on the menu, or was taken off
    spoken_of: list[str] = field(default_factory=list)  # what was last told of the menu
    placed: list[Item] = field(default_factory=list)  # the last one's
    number: int = 0  # of the last that was placed
    read: bool = False  # all of it, by the last answer
    told: str = ""  # by the last answer

    def copy(self) -> Order:
        """Another that is the same."""
        return replace(self, items=list(self.items))

    @property
    def words(self) -> str:
        """As it is said."""
        return joined([item.words for item in self.items]) or "nothing"

    @property
    def total(self) -> str:
        """What it costs."""
        return price_words(sum(item.cents for item in self.items))

    def where(self, thing: Thing) -> list[int]:
        """Where it is, the likeliest first: by name, by its looks, the newest."""
        last_first = range(len(self.items) - 1, -1, -1)
        found = [at for at in last_first if is_a(self.items[at], thing)]
        if not found and thing.name == "coffee" and thing.known:  # any drink is a coffee
            found = [at for at in last_first if not self.items[at].name.endswith(FOOD)]
        if not found and thing.known:  # the chai, of a chai latte
            found = [at for at in last_first if self.items[at].name.startswith(f"{thing.name} ")]
        wanted = set(thing.before.split())

        def distance(at: int) -> tuple[bool, int, int]:
            item = self.items[at]
            alike = len(wanted & set(item.words.split()))
            return item.name != thing.name, -alike, len(set(item.before.split()) - wanted)

        if thing.known and thing.extras:  # "the coffees with milk"
            words = {word for extra in thing.extras for word in extra.split()}
            found = [at for at in found if words <= set(self.items[at].words.split())] or found
        return sorted(found, key=distance)

    def pointed(self, which: str) -> Iterator[int]:
        """Where the things are that words point at: "the latte", "both", "the other one"."""
        items, newest, named = self.items, self.newest, things(which)
        if not items:
            return
        if named:
            found = [at for at in self.where(named[0]) if "other" not in which or at != newest]
            everyone = re.match(r"both|all|those|these|.*[^s]s$", which) or named[0].count > 1
            yield from found if everyone else found[:1]
        elif re.match(r"all|them all", which):
            yield from range(len(items))
        elif re.match(r"both|them|those", which):
            same = [at for at, item in enumerate(items) if item.name == items[newest].name]
            several = len(same) > 1 or items[newest].count > 1
            yield from same if several else range(max(0, len(items) - 2), len(items))
        elif which.startswith("the other") and number(which):
            yield from self._others(number(which))
        elif "other" in which:
            yield self._other()
        elif "first" in which or "second" in which:
            yield 0 if "first" in which else min(1, len(items) - 1)
        elif which.endswith((" one", " ones")) or " one with " in which:
            words = set(re.findall(r"\w+", which)) - _POINTING
            fitting = (at for at, item in enumerate(items) if words <= set(item.words.split()))
            yield next(fitting, newest)
        elif items:
            yield newest

    def _other(self) -> int:
        items, newest = self.items, self.newest
        kind = items[newest].name
        same = [at for at, item in enumerate(items) if item.name == kind and at != newest]
        at = same[-1] if same else newest - 1 if newest > 0 else min(1, len(items) - 1)
        return self.part(at, 1)

    def _others(self, count: int) -> Iterator[int]:
        """So many that are not the newest, where there are so many."""
        others = [at for at in range(len(self.items)) if at != self.newest]
        enough = [at for at in others if self.items[at].count >= count]
        if enough:
            yield self.part(enough[-1], count)

    def part(self, at: int, count: int) -> int:
        """So many of one entry become another; where that is."""
        item = self.items[at]
        if item.count <= count:
            return at
        self.items[at] = replace(item, count=item.count - count)
        self.items.insert(at + 1, replace(item, count=count))
        return at + 1

    def same(self, item: Item) -> int | None:
        """Where there is such a one already."""
        alike = (at for at, one in enumerate(self.items) if _is_alike(one, item))
        return next(alike, None)

    def holding(self, what: str) -> list[int]:
        """Where it is in something, the newest first."""
        last_first = sorted(range(len(self.items)), key=lambda at: (at == self.newest, at))
        return [
            at for at in reversed(last_first) if without(self.items[at], what) != self.items[at]
        ]

    def merge(self) -> None:
        """What has become the same is one entry."""
        if not self.items:
            return
        newest, merged = self.items[self.newest], list[Item]()
        for item in self.items:
            same = next((at for at, one in enumerate(merged) if _is_alike(one, item)), None)
            if same is None:
                merged.append(item)
            else:
                merged[same] = replace(item, count=item.count + merged[same].count)
        self.items = merged
        self.newest = next(at for at, one in enumerate(merged) if _is_alike(one, newest))


def _is_alike(one: Item, other: Item) -> bool:
    return replace(one, count=1) == replace(other, count=1)


def is_a(item: Item, thing: Thing) -> bool:
    """Whether it is called so: a mint tea is a tea."""
    return item.name == thing.name or item.name.endswith(f" {thing.name}")


def without(item: Item, what: str) -> Item:
    """It, without what is in it, or how it was to be. "Milk" is any milk, "oat milk" that one."""
    if what == "anything":
        return replace(item, extras=())
    if looks(what):
        how = re.sub(rf"\b{LOOK}\b", lambda one: "" if one[0] == what else one[0], item.before)
        return replace(item, before=" ".join(how.split()))
    words = {word.removesuffix("s") for word in what.split()}
    return replace(item, extras=tuple(one for one in item.extras if not _holds(one, words)))


def _holds(extra: str, words: set[str]) -> bool:
    has = {word.removesuffix("s") for word in extra.split()}
    return bool(words) and "no" not in has and words <= has


def new(thing: Thing) -> Item:
    """It, ordered."""
    item = Item(thing.name, thing.before, max(thing.count, 1))
    for extra in thing.extras:
        item = with_extra(item, extra)
    return item


def styled(item: Item, text: str) -> Item:
    """With the sizes and styles in it; hot takes the place of iced."""
    for look in looks(text):
        if look in looks(item.before):
            continue
        if look in _WARM:
            item = _warmed(item, look)
            if look == "iced" and item.name.startswith("iced "):
                continue
        item = looking(item, look)
    return item


def _warmed(item: Item, look: str) -> Item:
    before = " ".join(word for word in item.before.split() if word not in _WARM)
    name = item.name
    if look == "hot" and name.removeprefix("iced ") in MENU:
        name = name.removeprefix("iced ")
    elif look == "iced" and f"iced {name}" in MENU:
        name = f"iced {name}"
    return replace(item, name=name, before=before)


def otherwise(item: Item, part: Part) -> Item:
    """The item after a change."""
    thing = part.thing
    if thing is not None and not is_a(item, thing):
        kind = is_a(new(thing), Thing(item.name))  # a green tea is a tea, and keeps its lemon
        kept = item.extras if kind else ()
        size = item.before if item.before in SIZES or item.before.endswith(" ounce") else ""
        count = thing.count or item.count
        other = replace(new(thing), before=thing.before or size, count=count, extras=kept)
        for extra in thing.extras:
            other = with_extra(other, extra)
        return other
    told = thing.before if thing else part.what
    more = thing.extras if thing else extras(part.what)
    item = styled(item, told)
    for extra in more:
        item = with_extra(item, extra)
    count = thing.count if thing else number(part.what)
    counted = thing.counted if thing else count > 0 and not more and not looks(part.what)
    return replace(item, count=count) if counted else item
