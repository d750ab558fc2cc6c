"""Alarms and reminders: set, put right, in one breath too, and asked for."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from conversation import Conversation
from dialogue_values import Value, draw_value
from open_words import open_word
from person_turns import say
from shapes import Kind

_NO: Final = "[|no|sorry|actually|no wait|no sorry|hmm no|oh|wait]"


def second_thought(rng: random.Random, time: Value) -> Value:
    """At times another is said first and taken back in the same breath: ``six no seven``."""
    if rng.random() > 0.12:
        return time
    first = draw_value("time", rng, False).text
    turned = rng.choice(("no", "no wait", "no sorry", "i mean", "sorry", "no make it", "actually", "hmm no", "or rather", "er no"))  # fmt: skip
    return time._replace(text=f"{first} {turned} {time.text}")


def alarm_turn(talk: Conversation) -> None:
    """An alarm: set, put right, asked for."""
    rng, time = talk.rng, second_thought(talk.rng, draw_value("time", talk.rng, False))
    say(
        talk,
        f"[|and|please|can you|okay|also] [wake me [up|] at {time.text}|set [an|my] alarm [for|at] {time.text}|alarm [for|at] {time.text}|"
        f"i have to get up at {time.text}|i need to be up at {time.text}|get me up at {time.text}] [please|tomorrow|]",
    )
    talk.assistant(f"Okay, your alarm is set for {time.say}.")
    if rng.random() < 0.4:
        time = draw_value("time", rng, False)
        say(talk, f"{_NO} [make it|better|i meant|rather|at|] {time.text} [is better|please|]")
        talk.assistant(f"Okay, your alarm is set for {time.say}.")
    talk.alarm = time.say


def ask_alarm(talk: Conversation) -> None:
    """When the alarm rings."""
    say(
        talk,
        "[|so|and|sorry] [what time is my alarm [set for|]|when is my alarm [set|]|when do i have to get up|when will you wake me|"
        "did i set an alarm|is my alarm set|when does my alarm [ring|go off]|what's my alarm]",
        Kind.QUESTION,
    )
    talk.assistant(
        f"Your alarm is set for {talk.alarm}." if talk.alarm else "There is no alarm set."
    )


def remind_turn(talk: Conversation) -> None:
    """A reminder: set, put right, asked for."""
    rng, time = talk.rng, second_thought(talk.rng, draw_value("time", talk.rng, False))
    chore = draw_value("chore", rng, False)
    if rng.random() < 0.3:
        words = f"{rng.choice(('feed', 'call', 'collect', 'clean', 'fetch', 'email', 'check', 'buy'))} the {open_word(rng)}"
        chore = chore._replace(text=words, say=words)
    say(
        talk,
        f"[|and|please|can you|also|okay] [remind me [at {time.text} to {chore.text}|to {chore.text} at {time.text}]|"
        f"at {time.text} remind me to {chore.text}|don't let me forget to {chore.text} at {time.text}|"
        f"a reminder at {time.text} to {chore.text}|tell me to {chore.text} at {time.text}]",
    )
    talk.assistant(f"Okay, I'll remind you to {chore.say} at {time.say}.")
    if rng.random() < 0.35:
        old, time = time, draw_value("time", rng, False)
        say(talk, f"{_NO} [make it|better|i meant|not {old.text}|rather|at|] {time.text}")
        talk.assistant(f"Okay, I'll remind you to {chore.say} at {time.say}.")
    talk.reminder = f"{chore.say} at {time.say}"


def ask_reminder(talk: Conversation) -> None:
    """What there is to be reminded of."""
    say(
        talk,
        "[|so|and|sorry] [what [will|do] you remind me of [and when|]|what was it you're reminding me of|what are my reminders|"
        "is there anything i should remember|what did i want to be reminded of|when will you remind me|what do i have to do later|"
        "did i set a reminder|do i have any reminders|what must i not forget]",
        Kind.QUESTION,
    )
    talk.assistant(
        f"I'll remind you to {talk.reminder}." if talk.reminder else "There are no reminders."
    )
