"""Three timers in one breath; one stopped and another asked about."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Any

from conversation import Conversation
from person_turns import say
from shapes import Kind
from timer_words import draw_label, draw_left, draw_length
from tool_turns import cancelled_answer, timer_set_answer, timers_answer


def three_timers(talk: Conversation) -> None:
    """``three timers ninety seconds for plank thirty seconds for rest and one minute for squats``."""
    rng = talk.rng
    labels = list(dict.fromkeys(draw_label(rng) for _ in range(3)))
    lengths = [draw_length(rng) for _ in labels]
    if len(labels) < 3:
        return
    of = rng.choice(
        (
            "{d} for {l}",
            "{d} for the {l}",
            "{l} {d}",
            "the {l} {d}",
            "one for {l} {d}",
            "{l} for {d}",
        )
    )
    parts = [
        of.replace("{d}", length.text).replace("{l}", label)
        for label, length in zip(labels, lengths, strict=True)
    ]
    listed = rng.choice(
        (
            f"{parts[0]} {parts[1]} and {parts[2]}",
            f"{parts[0]}, {parts[1]} and {parts[2]}",
            f"{parts[0]} and {parts[1]} and {parts[2]}",
        )
    )
    say(
        talk,
        f"[|please|can you|hey|okay|now] [set [me|] three timers|three timers [please|]|i need three timers|start three timers|timers please|set timers] {listed} [|please|thanks]",
    )
    said = []
    for label, length in zip(labels, lengths, strict=True):
        seconds = int(length.data or 0)
        talk.timers.append({"label": label, "seconds_left": seconds})
        talk.call(
            "set_timer",
            {"seconds": seconds, "label": label},
            {"id": len(talk.timers), "seconds": seconds, "label": label},
        )
        said.append(timer_set_answer(seconds, label))
    talk.assistant(" ".join(said))


def stop_and_ask(talk: Conversation) -> bool:
    """``cancel the bread timer and what's left on the pasta``; whether there were two to speak of."""
    rng = talk.rng
    labels = [
        timer["label"]
        for timer in talk.timers
        if timer["label"] and len(timer["label"].split()) < 3
    ]
    if len(labels) < 2:
        return False
    gone, kept = rng.sample(labels, 2)
    say(
        talk,
        f"[|okay|right|oh|please|can you] [cancel|stop|drop|end|kill] the {gone} [timer|one|] [it's burning|it's done|it's ready||||] and [what's left on the {kept}|how long [has|for] the {kept} [got|]|how long on the {kept}|tell me how long the {kept} has|how much time is left on the {kept}|when is the {kept} [done|ready]]",
        Kind.QUESTION,
    )
    talk.timers = [timer for timer in talk.timers if timer["label"] != gone]
    talk.call("cancel_timer", {"label": gone}, {"cancelled": 1})
    running: list[dict[str, Any]] = [
        {"label": timer["label"], "seconds_left": draw_left(rng, max(1, timer["seconds_left"]))}
        for timer in talk.timers
    ]
    talk.call("list_timers", {}, {"timers": running})
    talk.assistant(f"{cancelled_answer(1, gone)} {timers_answer(running, kept)}")
    return True
