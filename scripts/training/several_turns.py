"""Several wishes of any kinds in one breath: all are done in the order said, and all are answered."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from chat_turns import draw_desk_question, draw_grocery
from conversation import Conversation
from dialogue_values import capitalise, draw_value
from domain import choose_branches
from house_things import Deed, draw_deed
from order_items import Item, draw_drink, draw_item, draw_snack, joined, with_article
from order_spoken import loose
from person_turns import say
from set_phrases import REFUSED
from spoken_numbers import WEEKDAYS
from talk_facts import as_yours, draw_kept
from talk_names import draw_name
from talk_numbers import heard_number, number_words
from talk_people import draw_person
from talk_refusals import draw_wish
from till import call_till, has_till, keep, order_words, price
from timer_turns import timer_wish
from tool_turns import cancelled_answer, clock_answer, draw_clock, timers_answer


@dataclass(frozen=True)
class Clause:
    """One wish: its words, and what is done and said for it. A deed is answered with other deeds."""

    kind: str
    words: str
    done: Callable[[], str]
    deed: Deed | None = None


def _house(talk: Conversation) -> Clause | None:
    deed = draw_deed(talk.rng)
    return Clause("house", deed.wish, lambda: "", deed)


def _timer(talk: Conversation) -> Clause | None:
    if "set_timer" not in talk.tools:
        return None
    wish = timer_wish(talk)
    return Clause("timer", wish.wish, wish.set)


def _clock(talk: Conversation) -> Clause | None:
    if "get_time" not in talk.tools:
        return None
    rng = talk.rng
    intent, words = rng.choice(
        (
            ("time", "[what time is it|what's the time|tell me the time|what time is it now|tell me what time it is|tell me how late it is]"),
            ("time", "[what time is it|what's the time|tell me the time|give me the time|say what time it is]"),
            ("weekday", "[what day is it|which day is it|tell me the day|tell me what day it is|tell me which weekday it is]"),
            ("date", "[what's the date|tell me the date|tell me today's date|what date is it]"),
        )
    )  # fmt: skip

    def done() -> str:
        day = dt.date(2024, 1, 1) + dt.timedelta(days=rng.randrange(3300))
        hour, minute = draw_clock(rng)
        result = {
            "time": f"{hour:02d}:{minute:02d}",
            "date": day.isoformat(),
            "weekday": capitalise(WEEKDAYS[day.weekday()]),
        }
        talk.call("get_time", {}, result)
        return clock_answer(intent, result)

    return Clause("clock", words, done)


def _timers_left(talk: Conversation) -> Clause | None:
    if "list_timers" not in talk.tools:
        return None
    rng = talk.rng

    def done() -> str:
        timers = [dict(timer) for timer in talk.timers] or [{"label": None, "seconds_left": 0}]
        for timer in timers:
            timer["seconds_left"] = 60 * rng.randint(1, 60)
        talk.call("list_timers", {}, {"timers": timers})
        return timers_answer(timers, None)

    words = "[how long does the timer have left|how much time is left on the timer|what timers are running|tell me how long the timer has|read me the timers]"
    return Clause("timers", words, done)


def _timer_stopped(talk: Conversation) -> Clause | None:
    if "cancel_timer" not in talk.tools:
        return None

    def done() -> str:
        talk.timers = []
        talk.call("cancel_timer", {}, {"cancelled": 1})
        return cancelled_answer(1, None)

    return Clause("timers", "[cancel|stop|kill|end] [the|my] timer", done)


def _alarm(talk: Conversation) -> Clause | None:
    time = draw_value("time", talk.rng, False)

    def done() -> str:
        talk.alarm = time.say
        return f"Your alarm is set for {time.say}."

    words = f"[wake me [up|] at {time.text}|set [an|my] alarm for {time.text}|get me up at {time.text}|an alarm at {time.text}]"
    return Clause("alarm", words, done)


def _reminder(talk: Conversation) -> Clause | None:
    time, chore = draw_value("time", talk.rng, False), draw_value("chore", talk.rng, False)

    def done() -> str:
        talk.reminder = f"{chore.say} at {time.say}"
        return f"I'll remind you to {chore.say} at {time.say}."

    words = f"[remind me at {time.text} to {chore.text}|remind me to {chore.text} at {time.text}]"
    return Clause("remind", words, done)


def _groceries(talk: Conversation) -> Clause | None:
    items = list(
        dict.fromkeys(draw_grocery(talk.rng) for _ in range(talk.rng.choice((1, 1, 2, 2, 3))))
    )

    def done() -> str:
        talk.groceries += [item for item in items if item not in talk.groceries]
        return f"I've added {joined(items)} to your shopping list."

    things = joined(items)
    words = f"[add|put] {things} [to|on] [my|the] [list|shopping list]"
    return Clause("list", words, done)


def _front_desk(talk: Conversation) -> Clause | None:
    asked, told = draw_desk_question(talk.rng)
    return Clause("desk", asked, lambda: told)


def _price(talk: Conversation) -> Clause | None:
    if not has_till(talk):
        return None
    rng = talk.rng
    thing = rng.choice((draw_drink, draw_snack))(rng)

    def done() -> str:
        amount = price(talk)
        talk.call("get_price", {"item": thing}, {"item": thing, "price": amount})
        return capitalise(f"{with_article(thing)} is {amount}.")

    return Clause(
        "price", f"[how much is {with_article(thing)}|what does {with_article(thing)} cost]", done
    )


def _order(talk: Conversation) -> Clause | None:
    items: list[Item] = []
    for _ in range(talk.rng.choice((1, 1, 2))):
        item = draw_item(talk.rng)
        if all(item.drink != other.drink for other in (*items, *talk.order)):
            items.append(item)
    if not items:
        return None

    def done() -> str:
        if has_till(talk):
            call_till(talk, "add_to_order", [*talk.order, *items], items=things)
        else:
            keep(talk, [*talk.order, *items])
        return capitalise(f"{order_words(talk)}.")

    things = " and ".join(loose(talk.rng, item) for item in items)
    opening = "[i'd like|i want|can i get|get me|i'll have|could i have|add|order me|]"
    return Clause("order", f"{opening} {things}", done)


def _name(talk: Conversation) -> Clause | None:
    name = draw_name(talk.rng)

    def done() -> str:
        talk.name = name.written
        return f"Nice to meet you, {talk.name}."

    carrier = "[my name is {n}|i'm {n}|this is {n}|my name's {n}|the name is {n}|{n} here|call me {n}|name's {n}|it's {n}|i'm called {n}]"
    return Clause("name", carrier.replace("{n}", name.heard), done)


def _number(talk: Conversation) -> Clause | None:
    digits = [talk.rng.randint(0, 9) for _ in range(talk.rng.randint(5, 9))]

    def done() -> str:
        talk.numbers["number"] = number_words(digits)
        return f"Your number is {number_words(digits)}."

    words = f"[my number is|phone|my phone number is|call me on|you can reach me on] {heard_number(talk, digits)}"
    return Clause("number", words, done)


def _person(talk: Conversation) -> Clause | None:
    person, name = draw_person(talk.rng), draw_name(talk.rng, whole=0.0)
    words = f"{person.heard} is called {name.heard}"
    return Clause("person", words, lambda: capitalise(f"{person.said} is called {name.written}."))


def _kept(talk: Conversation) -> Clause | None:
    kept = draw_kept(talk.rng)
    words = f"[remember|don't forget|keep in mind] that {kept}"
    return Clause("kept", words, lambda: f"I'll remember that {as_yours(kept)}.")


def _impossible(talk: Conversation) -> Clause | None:
    """What can't be done is refused, the rest is done."""
    return Clause("refused", draw_wish(talk.rng), lambda: REFUSED)


_KINDS: Final[Mapping[Callable[[Conversation], Clause | None], float]] = {
    _house: 12,
    _timer: 6,
    _clock: 4,
    _timers_left: 1.5,
    _timer_stopped: 1,
    _alarm: 2,
    _reminder: 2,
    _groceries: 3,
    _front_desk: 4,
    _name: 2.5,
    _number: 1,
    _person: 0.7,
    _kept: 1,
    _impossible: 2,
}
_AT_A_BAR: Final[Mapping[Callable[[Conversation], Clause | None], float]] = {_order: 14, _price: 4}
_OPENINGS: Final = (
    "[||||||||please|can you|could you|hey|okay|now|so|right|hello|hi|um|could you please|also|and|and please|two things|a few things|right then|when you have a moment|"
    "i'm so tired|what a day|it's been a long day so|i've just come home so|i'm off out so|we have guests tonight so|good morning|i'm in a rush so|be a dear and|thanks and now|fair enough|never mind that|uh let me think]"
)
_LINKS: Final = (" and ", " and ", " and ", " and also ", " and then ", ", ", " then ", " ", " oh and ", " and please ")  # fmt: skip


def several_turn(talk: Conversation) -> None:
    """Two wishes, at times three."""
    _several(talk, _KINDS)


def several_at_bar(talk: Conversation) -> None:
    """The same at a counter, where one of them is mostly an order."""
    _several(talk, {**_KINDS, **_AT_A_BAR})


def _clauses(
    talk: Conversation, kinds: Mapping[Callable[[Conversation], Clause | None], float]
) -> list[Clause]:
    rng, found = talk.rng, list[Clause]()
    wanted = 3 if rng.random() < 0.25 else 2
    for _ in range(20):
        clause = rng.choices(tuple(kinds), tuple(kinds.values()))[0](talk)
        if clause is None:
            continue
        clashes = any(
            clause.kind == other.kind
            if clause.deed is None or other.deed is None
            else clause.deed.thing == other.deed.thing
            for other in found
        )
        if not clashes:
            found.append(clause)
        if len(found) == wanted:
            break
    return found


def _several(
    talk: Conversation, kinds: Mapping[Callable[[Conversation], Clause | None], float]
) -> None:
    rng = talk.rng
    clauses = _clauses(talk, kinds)
    if len({clause.kind for clause in clauses} | {"house"}) < 2:
        return
    words = _linked(rng, [choose_branches(clause.words, rng) for clause in clauses])
    say(talk, f"{_OPENINGS} {words} [||||please|thanks|would you]")
    deeds = [clause.deed for clause in clauses if clause.deed]
    told = {clause.kind: clause.done() for clause in clauses}
    new = {deed.thing for deed in deeds}
    talk.house = [deed for deed in talk.house if deed.thing not in new] + deeds
    done = capitalise(f"{joined([deed.done for deed in deeds])}.") if deeds else ""
    others = [told[c.kind] for c in clauses if c.deed is None and c.kind != "order"]
    first = [told["order"]] if "order" in told else []
    parts = [*first, *([done] if done else []), *others]
    if first or done:
        parts[0] = f"Okay, {parts[0][:1].lower()}{parts[0][1:]}"
    talk.assistant(" ".join((*parts, *(["Anything else?"] if first else []))))


def _linked(rng: random.Random, words: list[str]) -> str:
    text = words[0]
    for more in words[1:-1]:
        text += rng.choice((" ", ", ", " and ")) + more
    return text + rng.choice(_LINKS) + words[-1]
