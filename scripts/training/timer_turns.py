"""Timers as people ask for them: labels of any words, lengths put right, the words in any order."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chatter import figures
from conversation import Conversation
from dialogue_values import Value, draw_value, second_person, with_an
from domain import choose_branches
from house_state import tidy
from open_words import open_word
from person_turns import say
from shapes import Kind
from timer_asked import ask_left, ask_stopped
from timer_clock import clock_turn
from timer_several import stop_and_ask, three_timers
from timer_shapes import AFTER, BARE, BARE_WISH, BEFORE, EXPLAINED, NAMED, REASON
from timer_words import draw_chore, draw_label, draw_length, length_put_right
from tool_turns import cancelled_answer, timer_set_answer
from user_requests import typed


@dataclass(frozen=True)
class TimerWish:
    """Words that ask for a timer, and the call and answer that follow."""

    wish: str
    set: Callable[[], str]


def _set(talk: Conversation, seconds: int, label: str | None) -> str:
    _called(talk, seconds, label)
    return timer_set_answer(seconds, label)


def _called(talk: Conversation, seconds: int, label: str | None) -> None:
    arguments: dict[str, Any] = {"seconds": seconds} | ({"label": label} if label else {})
    talk.timers.append({"label": label, "seconds_left": seconds})
    talk.call("set_timer", arguments, {"id": len(talk.timers), "seconds": seconds, "label": label})


def timer_wish(talk: Conversation) -> TimerWish:
    """A timer to be set, in words that can be joined to others."""
    rng = talk.rng
    value = length_put_right(rng) if rng.random() < 0.12 else draw_length(rng)
    label = draw_label(rng) if rng.random() < 0.6 else None
    if label is None and rng.random() < 0.2:
        return _explained(talk, value)
    if label is None and rng.random() < 0.3:
        value = draw_value("length", rng, rng.random() < 0.2)
        shape = "[set|start|i need|put on|] a {d} timer"
    else:
        shape = rng.choice(NAMED if label else BARE)
    words = choose_branches(shape, rng).replace("{d}", value.text).replace("{l}", label or "")
    words = with_an(words)
    seconds = int(value.data or 0)
    return TimerWish(words, lambda: _set(talk, seconds, label))


def _explained(talk: Conversation, value: Value) -> TimerWish:
    """``i have to take my tablets so time me for ten minutes``: no label, only a reason."""
    rng = talk.rng
    reason = choose_branches(f"[{REASON}]", rng).replace("{c}", draw_chore(rng))
    while "{o}" in reason:
        reason = reason.replace("{o}", open_word(rng), 1)
    wish = choose_branches(EXPLAINED, rng).replace("{b}", choose_branches(BARE_WISH, rng))
    who = "[my gran|my mum|my wife|my friend|the doctor|the recipe|the book|the packet|the box|my husband|the label|gran]"
    wish = wish.replace("{w}", choose_branches(who, rng))
    words = wish.replace("{r}", reason).replace("{d}", value.text)
    return TimerWish(words, lambda: _set(talk, int(value.data or 0), None))


def open_timer(talk: Conversation, label: str | None = None) -> str:
    """A timer of no length: asked after, told, set."""
    rng = talk.rng
    value = length_put_right(rng) if rng.random() < 0.08 else draw_length(rng)
    say(talk, f"[|||for|make it|uh|um|let's say|oh|say] {value.text} [please|||]")
    return _set(talk, int(value.data or 0), label)


def timer_turn(talk: Conversation) -> None:
    """A timer set, asked about, stopped or changed for another; or the time of day."""
    rng = talk.rng
    if "get_time" in talk.tools and rng.random() < 0.22:
        clock_turn(talk)
        return
    if not {"set_timer", "list_timers", "cancel_timer"} <= set(talk.tools):
        return
    pick = rng.random()
    if len(talk.timers) > 1 and rng.random() < 0.15 and stop_and_ask(talk):
        return
    if pick < 0.4 or (not talk.timers and pick < 0.62):
        _set_turn(talk)
    elif pick < 0.8:
        ask_left(talk)
    elif pick < 0.83 or not ask_stopped(talk):
        _changed_for_another(talk)


def _set_turn(talk: Conversation) -> None:
    """One timer, two, one of no length yet, or something to be reminded of; often put right."""
    pick = talk.rng.random()
    if pick < 0.55:
        wish = timer_wish(talk)
        say(talk, tidy(choose_branches(f"{BEFORE} {wish.wish} {AFTER}", talk.rng)))
        talk.assistant(wish.set())
        if talk.rng.random() < 0.2:
            _put_right(talk)
        elif talk.rng.random() < 0.07:
            _how_long_was_it(talk)
    elif pick < 0.72:
        _two(talk)
    elif pick < 0.84:
        _without_length(talk)
    else:
        _reminder(talk)


def _put_right(talk: Conversation) -> None:
    """Another length after all: the one that runs is stopped, and another begun."""
    value, label = draw_length(talk.rng), talk.timers[-1]["label"]
    if label is None and len(talk.timers) > 1:
        return  # stopping it would stop them all
    named = f"|make the {label} timer|the {label} needs|no the {label}|the {label} wants" if label else "|make the timer|change it to|change the timer to"  # fmt: skip
    say(
        talk,
        f"[no|sorry|actually|wait|oh no|no wait||hmm|no no|um no|hang on|oh wait no|no that's too short|no that's too long] [make it|make that|i meant|i said|better|let's say|no|it's|make{named}] {value.text} [please|instead|rather|not that|]",
    )
    talk.timers.pop()
    talk.call("cancel_timer", {"label": label} if label else {}, {"cancelled": 1})
    talk.assistant(f"{cancelled_answer(1, label)} {_set(talk, int(value.data or 0), label)}")


def _how_long_was_it(talk: Conversation) -> None:
    """What was set just now, said again."""
    last = talk.timers[-1]
    say(
        talk,
        "[|sorry|wait|um|so] [how long did i set it for [again|]|how long was that|what did i set it to|what did you set it to|how many minutes was that|how long is it for|what was that set for|for how long did you set it]",
        Kind.QUESTION,
    )
    talk.assistant(timer_set_answer(last["seconds_left"], last["label"]))


def _two(talk: Conversation) -> None:
    """``two timers please tea four minutes and cake forty minutes``."""
    rng = talk.rng
    if rng.random() < 0.2:
        three_timers(talk)
        return
    labels = list(dict.fromkeys((draw_label(rng), draw_label(rng))))
    if len(labels) < 2:
        return
    (a, b), (one, two) = labels, (draw_length(rng), draw_length(rng))
    x, y = one.text, two.text
    words = rng.choice(
        (
            f"[set|start|i need|] [two|2] timers [please|] {a} {x} [and|] {b} {y}",
            f"[set|start|put on] the {a} timer for {x} and the {b} timer for {y}",
            f"[set|start|] a {a} timer [for|] {x} and a {b} timer [for|] {y}",
            f"timers [please|] {a} {x} {b} {y}",
            f"{x} for the {a} and {y} for the {b}",
            f"timer {x} for the {a} and another {y} for the {b}",
            f"a timer {x} for the {a} and one of {y} for the {b}",
            f"whack on a timer {x} for the {a} and one of {y} for the {b}",
            f"[two timers|] one for the {a} {x} and one for the {b} {y}",
            f"{a} timer {x} [and|] {b} timer {y}",
            f"the {a} needs {x} and the {b} {y} [can you time both|set both timers|two timers please|]",
            f"a timer of {x} for {a} and another of {y} for {b}",
        )
    )
    say(talk, f"{BEFORE} {words} {AFTER}")
    first = _set(talk, int(one.data or 0), a)
    talk.assistant(f"{first} {_set(talk, int(two.data or 0), b)}")


def _without_length(talk: Conversation) -> None:
    rng = talk.rng
    label = draw_label(rng) if rng.random() < 0.4 else None
    named = f"[set|start] a {label} timer|a timer for the {label}|{label} timer|i need a timer for my {label}|can you time the {label}"
    bare = "[set|start] a timer|a timer|timer|i need a timer|set another timer|can you time something [for me|]|start the timer|another timer|put a timer on"
    say(
        talk,
        f"[|||please|can you|could you|hey|um|and|now] [{named if label else bare}] [please|||for me|would you]",
    )
    talk.assistant("For how long?")
    talk.assistant(open_timer(talk, label))


def _reminder(talk: Conversation) -> None:
    """What is to be done in so many minutes is the label."""
    rng, value, chore = talk.rng, draw_length(talk.rng), draw_chore(talk.rng)
    d = value.text
    words = choose_branches(
        f"[||please|can you|hey|um|okay|oh and|could you] [remind me in {d} to {chore}|remind me to {chore} in {d}|in {d} remind me to {chore}|nudge me in {d} to {chore}|"
        f"tell me to {chore} in {d}|give me a shout in {d} to {chore}|don't let me forget to {chore} in {d}|i need to {chore} in {d} remind me|{d} from now remind me to {chore}|"
        f"i have to {chore} in {d} can you remind me|right remind me in {d} to {chore} would you|in {d} i have to {chore}|i mustn't forget to {chore} in {d} remind me|could you remind me in {d} that i have to {chore}|will you tell me in {d} to {chore}|shout at me in {d} to {chore}|remind me please in {d} i must {chore}|ping me in {d} to {chore}|set a reminder in {d} to {chore}|make sure i {chore} in {d}|reminder in {d} {chore}]",
        rng,
    )
    talk.user(typed(figures(words), Kind.PLAIN, rng) if rng.random() < 0.3 else tidy(words))
    _called(talk, int(value.data or 0), chore)
    talk.reminder = f"{second_person(chore)} in {value.say}"
    talk.assistant(f"Okay, I'll remind you in {value.say}.")
    if rng.random() < 0.3:
        who = (
            "[who|whom] did i want to"
            if re.match("call|ring|text|phone|meet|write", chore)
            else "what did i want to"
        )
        say(
            talk,
            f"[|so|okay|and|um] [{who} {chore.split()[0]}|what was it i had to do|what did i want to be reminded of|what's the reminder|what will you remind me of|what must i do in {d}]",
            Kind.QUESTION,
        )
        talk.assistant(f"I'll remind you to {talk.reminder}.")


def _changed_for_another(talk: Conversation) -> None:
    """The one is stopped and another begun, in one sentence."""
    rng, value = talk.rng, draw_length(talk.rng)
    labels = [timer["label"] for timer in talk.timers if timer["label"]]
    old = rng.choice(labels) if labels and rng.random() < 0.6 else None
    new = draw_label(rng) if rng.random() < 0.3 else None
    which = (
        f"the {old} [timer|one]|my {old} timer" if old else "it|the timer|that one|that|my timer"
    )
    another = (
        f"a {new} timer|one for the {new}|a new one for the {new}"
        if new
        else "one|a new one|another one|one instead|it"
    )
    say(
        talk,
        f"[|no|no no|okay|actually|um|oh] [i meant|] [cancel|stop|forget|drop|scrap] [{which}] and [set|start|make|do] [{another}] [for|of] {value.text} [instead|please|]",
    )
    talk.timers = [timer for timer in talk.timers if old and timer["label"] != old]
    talk.call("cancel_timer", {"label": old} if old else {}, {"cancelled": 1})
    talk.assistant(f"{cancelled_answer(1, old)} {_set(talk, int(value.data or 0), new)}")
