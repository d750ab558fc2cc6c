"""Timers asked about and stopped: what the tool says is what is told, to the number."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Any, Final

from conversation import Conversation
from person_turns import say
from shapes import Kind
from timer_words import draw_label, draw_left
from tool_turns import cancelled_answer, timers_answer

_ALL: Final = (
    "how much time [is left|have i got left|do i have left|is left on the timer|left]|[what|which] timers [are running|have i got|are on|do i have|are there]|is any timer [on|running]|do i have a timer [on|running|set]|"
    "read me the timers|how's the timer doing|when [will|does] the timer [be done|go off|ring|end]|how long till the timer [rings|goes off]|how many minutes are left [on my timer|]|what's still running|how long is the "
    "timer still going|timers|any timers running|how long has the timer got|and the timer|is the timer still [on|going]|check the timer|how many timers are there|any others running|are there any others|is anything else running|"
    "any other timers|which ones are running [right now|]|which are still [on|going]|what's left [now|] of the timers|so what timers are left|did i set any timers|have i got any timers|how long left on it|how much longer|how long [now|left|still]|"
    "much longer|is it nearly done|is time up [yet|]|are we there yet|what's the timer [on|at|say]|how's my time|how many minutes [now|left|still]|what timers did i set|what's running|anything still running|give me the timers|what have i got on the clock|"
    "tell me the time left|what have i got running|what have i got going|what's still on the clock|so what's still on the clock|what's on the clock|do i have [some|any] other timers|how many minutes is it now|how many minutes remain|how much time remains|what timers are left|are any of them still going|what else is ticking|anything else ticking|what's ticking|is there another timer|where's the timer at|how far is the timer|list [em|them|my timers|the timers|all timers]|[check|see] is it [still|] running|is it [still|] running|when's that timer up|when is [it|the timer] up|check [again|] what's [still|] running|[what|which] timers have i got [on|going]|show me the timers|any timers on"
)
_AGAIN: Final = "[and now|how about now|how long now|what about now|and how long now|now|still how long|and now how long|is it done now|check again|how much is left now|and how much now|what does it say now]"


def _of(label: str) -> str:
    """Questions after one timer."""
    many = label.endswith("s") and not label.endswith("ss")
    be, have, do = ("are", "have", "do") if many else ("is", "has", "does")
    return (
        f"how long [until|till|for|before] the {label} [timer|{be} done|{be} ready|{be} up|]|how much [time|longer] is left on the {label}|how long {have} the {label} got [left|now|]|what's left on the {label}|how long {do} the {label} still need|"
        f"how's the {label} timer doing|is the {label} timer done [yet|]|how many minutes for the {label}|how {be} the {label}|how {be} [my|the] {label} [coming along|doing|getting on]|"
        f"{be} [my|the] {label} [nearly|almost] [there|done|ready]|how much longer [for|on] the {label}|[much longer|long to go] [on|for] the {label}|when {be} the {label} ready|when can i take the {label} out|{be} the {label} done|"
        f"the {label} how long|the {label} how much time's left|and the {label} [timer|]|what about the {label} [timer|]|how long did you say [for|] the {label}|{label} [timer|] how long|how far {be} the {label}|time left on the {label}|"
        f"back to the {label} how much time's left|what's the {label} timer [at|on]|check the {label} [timer|]|how's that {label} [going|doing|coming on|getting on]|how's the {label} [going|doing|coming on]|[tell me|can you see] how the {label} {be} [doing|coming on]|how many minutes remain [for|before|on] [the|my] {label}|what's the story with the {label}|how are we [doing|fixed] for the {label}|how many more minutes for the {label}|do i need to see to the {label} yet|how many minutes are [pending|remaining|left] for the {label}|how long on the {label}|what's remaining on the {label}|time left on [my|the] {label} [timer|]|when's the {label} timer up|how long have the {label} to go|how long's the {label} got|how is the {label} timer"
    )


def ask_left(talk: Conversation) -> None:
    """How long there is left, of one or of all; asked again a little later."""
    rng = talk.rng
    timers = _running(talk)
    labels = [
        timer["label"] for timer in timers if timer["label"] and len(timer["label"].split()) < 3
    ]
    label = rng.choice(labels) if labels and rng.random() < 0.62 else None
    if label is None and timers and rng.random() < 0.04:
        label = draw_label(rng)
    say(
        talk,
        f"[||||so|and|okay|hey|um|sorry|oh|right|all right|thanks|fair enough|never mind then|great] [{_of(label) if label else _ALL}] [|||please|now|then]",
        Kind.QUESTION,
    )
    _list(talk, timers, label)
    while timers and rng.random() < 0.35:
        say(talk, _AGAIN, Kind.QUESTION)
        for timer in timers:
            timer["seconds_left"] = draw_left(rng, timer["seconds_left"])
        _list(talk, timers, label)
    for timer, now in zip(talk.timers, timers, strict=False):
        timer["seconds_left"] = now["seconds_left"]


def _list(talk: Conversation, timers: list[dict[str, Any]], label: str | None) -> None:
    talk.call("list_timers", {}, {"timers": [dict(timer) for timer in timers]})
    talk.assistant(timers_answer(timers, label))


def _running(talk: Conversation) -> list[dict[str, Any]]:
    """Those that were set, else some that somebody else set."""
    rng = talk.rng
    if talk.timers:
        return [
            {"label": timer["label"], "seconds_left": draw_left(rng, max(1, timer["seconds_left"]))}
            for timer in talk.timers
        ]
    labels = [
        draw_label(rng) if rng.random() < 0.7 else None
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3)))
    ]
    if len(labels) == 1 and rng.random() < 0.3:
        labels = [None]
    return [{"label": label, "seconds_left": draw_left(rng)} for label in dict.fromkeys(labels)]


_STOP: Final = "[cancel|cancel|stop|drop|kill|delete|forget|turn off|end|clear|scrap|lose|switch off|get rid of|remove|sack|bin|ditch|axe|take off]"
_WHY: Final = "[||||please|i'm finished|it's ready|it's done|it's ruined now|it's black already|it rings by itself|i can see it|they're done|i ate it|never mind it|it's cooked|too|as well|i don't need it|quickly]"
_OPENING: Final = "[||||right|okay|and|please|now|um|oh|ah|ssh the little one's sleeping|quick|ssh|can you|could you|oh no|i've got it|well]"


def ask_stopped(talk: Conversation) -> bool:
    """One timer is stopped, or all; now and then there is none. False: nothing was said."""
    rng = talk.rng
    labels = [
        timer["label"]
        for timer in talk.timers
        if timer["label"] and len(timer["label"].split()) < 3
    ]
    if (labels or rng.random() < 0.5) and rng.random() < 0.75:
        gone = bool(talk.timers) and rng.random() < 0.15
        label = draw_label(rng) if gone or not labels else rng.choice(labels)
        _stop_one(talk, label, 0 if gone or (not labels and rng.random() < 0.25) else 1)
        return True
    if rng.random() < 0.25:
        return False
    many = len(talk.timers) > 1 or rng.random() < 0.3
    words = (
        f"{_STOP} [all [the|my|] timers|every timer|all of them|both timers|everything on the timer|the timers]|no more timers|all timers off|timers off"
        if many
        else f"{_STOP} [the timer|my timer|that timer|it the timer] [as well|please|again|too|now|]|i don't need the timer any more|no timer after all|timer off|the timer can go|stop [that|the] [beeping|ringing|bleeping]|make it stop ringing|turn that beeping off|enough of the timer"
    )
    say(
        talk,
        f"{_OPENING} [{words}] [||please|they are done|thanks]"
        if many
        else f"{_OPENING} [{words}]",
    )
    count = (
        (len(talk.timers) or rng.choice((0, 1, 2, 2, 3, 4)))
        if many
        else (1 if talk.timers or rng.random() < 0.8 else 0)
    )
    talk.timers = []
    talk.call("cancel_timer", {}, {"cancelled": count})
    talk.assistant(cancelled_answer(count, None))
    return True


def _stop_one(talk: Conversation, label: str, count: int) -> None:
    known, set_here = label, any(timer["label"] == label for timer in talk.timers)
    if (
        set_here
        and label.endswith("s")
        and not label.endswith("ss")
        and len(label) > 4
        and talk.rng.random() < 0.3
    ):
        label = label[:-1]  # "the fish finger timer"
    say(talk, f"{_OPENING} [{_STOP} [the {label} [one|timer]|the timer for the {label}|my {label} timer|that {label} timer]|i don't need the {label} timer [any more|]|the {label} timer can go|no {label} timer after all|"
              f"the {label} [is|are] [ready|done|out] {_STOP} [the|its] timer|{label} timer off|{label} [looks|look] [done|ready] [already|] {_STOP} that one|[the|] {label} [is|are] [out|ready|done] you can {_STOP} [the {label} timer|that one]|enough of the {label} timer|forget about the {label} timer] {_WHY}")  # fmt: skip
    talk.timers = [timer for timer in talk.timers if timer["label"] != known]
    none = {"error": f"no timer called {known}"} if talk.rng.random() < 0.5 else {"cancelled": 0}
    talk.call("cancel_timer", {"label": known}, {"cancelled": count} if count else none)
    talk.assistant(cancelled_answer(count, known))
