"""Timers as people ask for them: labels of any words, lengths put right, the words in any order."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from conversation import Conversation
from dialogue_values import draw_value
from domain import choose_branches
from open_words import open_drink, open_snack, open_word
from person_turns import say
from shapes import Kind
from spoken_numbers import spoken_number
from tool_turns import timer_set_answer, timers_answer


@dataclass(frozen=True)
class TimerWish:
    """Words that ask for a timer, and the call and answer that follow."""

    wish: str
    set: Callable[[], str]


_WAIT: Final = "[no|no sorry|sorry|no wait|wait|i mean|er no|actually|or rather|hang on]"


def _label(talk: Conversation) -> str:
    rng, pick = talk.rng, talk.rng.random()
    if pick < 0.45:
        return draw_value("label", rng, False).say
    if pick < 0.7:
        return rng.choice((open_snack, open_drink))(rng).split()[rng.choice((0, -1))]
    return open_word(rng) if pick < 0.9 else f"{open_word(rng)} {open_word(rng)}"


def _set(talk: Conversation, seconds: int, label: str | None) -> str:
    arguments: dict[str, Any] = {"seconds": seconds} | ({"label": label} if label else {})
    talk.timers.append({"label": label, "seconds_left": seconds})
    talk.call("set_timer", arguments, {"id": len(talk.timers), "seconds": seconds, "label": label})
    return timer_set_answer(seconds, label)


def timer_wish(talk: Conversation) -> TimerWish:
    """A timer to be set, in words that can be joined to others."""
    rng = talk.rng
    written = rng.random() < 0.2
    value, length = draw_value("duration", rng, written), draw_value("length", rng, written)
    label = _label(talk) if rng.random() < 0.55 else None
    d = value.text
    if rng.random() < 0.1:
        d = f"{draw_value('duration', rng, written).text} {choose_branches(_WAIT, rng)} {d}"
    if label:
        wish = rng.choice(
            (
                f"[set|start|put on] a [timer for {d}|{d} timer] [call it {label}|called {label}|for the {label}|for {label}]",
                f"{label} timer [for|] {d}",
                f"put [a|on a] {label} timer [on|] for {d}",
                f"[set|start] a timer for [no longer than|exactly|just|about|uh|] {d} call it {label}",
                f"{d} [timer|] for the {label}",
                f"[set|start] [a|the|my|another|a second] {label} timer [for|of|] {d}",
                f"[a second|another|one more] timer for [the|] {label} {d}",
                f"[time|] {d} for [the|my] {label}",
                f"[set|start] a timer for [the|my] {label} [for|] {d}",
            )
        )
    elif rng.random() < 0.3:
        value = length
        wish = f"[set|start|i need|put on|] a {length.text} timer"
    else:
        wish = rng.choice(
            (
                f"[set|start|put on|run] a timer [for|of|] {d}",
                f"timer {d}",
                f"{d} on the timer",
                f"let [a|the] timer run for {d}",
                f"[a|another|one more] timer [for|of] {d}",
                f"[set|time|count down] {d}",
                f"[give me|i need] a timer for {d}",
                f"set me a timer for {d} [i'm having a rest|i'm baking|it's for the oven|i'm cooking]",
            )
        )
    seconds = int(value.data or 0)
    return TimerWish(choose_branches(wish, rng), lambda: _set(talk, seconds, label))


def open_timer(talk: Conversation) -> str:
    """A timer of no length: asked after, told, set."""
    value = draw_value("duration", talk.rng, talk.rng.random() < 0.2)
    say(talk, f"[|for|make it|uh|let's say] {value.text} [please|||]")
    return _set(talk, int(value.data or 0), None)


def timer_turn(talk: Conversation) -> None:
    """A timer set, asked about, stopped or changed for another."""
    rng = talk.rng
    if (
        "set_timer" not in talk.tools
        or "list_timers" not in talk.tools
        or "cancel_timer" not in talk.tools
    ):
        return
    pick = rng.random()
    if pick < 0.45 or (not talk.timers and pick < 0.7):
        wish = timer_wish(talk)
        say(
            talk,
            f"[|||||please|can you|could you|would you mind|okay|and|hey|also|now|then] {wish.wish} [||||please|thanks|okay]",
        )
        talk.assistant(wish.set())
    elif pick < 0.8:
        _left(talk)
    else:
        _stopped(talk)


def _left(talk: Conversation) -> None:
    rng = talk.rng
    timers = [dict(timer) for timer in talk.timers]
    if not timers:
        timers = [
            {"label": _label(talk) if rng.random() < 0.6 else None, "seconds_left": 0}
            for _ in range(rng.choice((0, 1, 1, 1, 2, 2)))
        ]
    for timer in timers:
        minutes = rng.randint(1, 60) if rng.random() < 0.85 else 60 * rng.randint(1, 4)
        timer["seconds_left"] = 60 * minutes - (0 if rng.random() < 0.55 else rng.randint(1, 59))
        if rng.random() < 0.1:
            timer["seconds_left"] = rng.randint(1, 59)
    label = next((t["label"] for t in timers if t["label"]), None)
    if label and rng.random() < 0.6:
        say(
            talk,
            f"[how long [until|till|for|before] the {label} [timer|is done|is ready|is up|]|how much [time|longer] is left on the {label}|"
            f"how long [has|have] the {label} got left|what's left on the {label}|how long does the {label} still need|"
            f"how's the {label} timer doing|is the {label} timer done [yet|]|how many minutes for the {label}]",
            Kind.QUESTION,
        )
    else:
        label = None
        say(
            talk,
            "[how much time [is left|have i got left|do i have left|is left on the timer]|[what|which] timers [are "
            "running|have i got|are on|do i have|are there]|is any timer [on|running]|do i have a timer [on|running|set]|"
            "read me the timers|how's the timer doing|when [will|does] the timer [be done|go off|ring|end]|how long till "
            "the timer [rings|goes off]|how many minutes are left [on my timer|]|what's still running|how long is the "
            "timer still going|timers|any timers running|how long has the timer got|and the timer|is the timer still "
            "[on|going]|check the timer|how many timers are there] [please|||]",
            Kind.QUESTION,
        )
    talk.call("list_timers", {}, {"timers": timers})
    talk.assistant(timers_answer(timers, label))


def _stopped(talk: Conversation) -> None:
    rng = talk.rng
    label = next((t["label"] for t in talk.timers if t["label"]), None)
    if label is None and rng.random() < 0.3:
        label = _label(talk)
    if label and rng.random() < 0.7:
        say(
            talk,
            f"[|right|okay|and|please|now] [cancel|stop|drop|kill|delete|forget|turn off|end|clear] [the {label} [one|timer]|the timer for "
            f"the {label}|my {label} timer] [please|i'm finished|it's ready|]",
        )
        talk.timers = [timer for timer in talk.timers if timer["label"] != label]
        talk.call("cancel_timer", {"label": label}, {"cancelled": 1})
        talk.assistant(f"Your {label} timer is cancelled.")
        return
    if rng.random() < 0.25:
        value = draw_value("duration", rng, False)
        say(
            talk,
            f"[cancel|stop|forget] [it|the timer|that one] and [set|start|make] [one|a new one|another one|one instead] for {value.text} [instead|please|]",
        )
        talk.timers = []
        talk.call("cancel_timer", {}, {"cancelled": 1})
        talk.assistant(f"Your timer is cancelled. {_set(talk, int(value.data or 0), None)}")
        return
    many = rng.random() < 0.3
    say(
        talk,
        "[please|okay|] [cancel|stop|clear|kill] all [the|my|] timers [please|they are done|]"
        if many
        else "[|ah|oh|okay|please|no|and] [stop|cancel|end|turn off|forget|kill|delete|drop] [the timer|my timer|that timer|it the timer] [as well|please|again|too|now|]",
    )
    count = rng.choice((2, 3, 1)) if many else 1
    talk.timers = []
    talk.call("cancel_timer", {}, {"cancelled": count})
    words = (
        "Your timer is cancelled."
        if count == 1
        else f"Your {spoken_number(count)} timers are cancelled."
    )
    talk.assistant(words)
