"""What the caller told and wants to hear again: alarms, reminders, names, numbers."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name
from open_words import open_word
from person_turns import say
from shapes import Kind
from spoken_numbers import UNITS

_NO: Final = "[|no|sorry|actually|no wait|no sorry|hmm no|oh|wait]"


def alarm_turn(talk: Conversation) -> None:
    """An alarm: set, put right, asked for."""
    rng, time = talk.rng, draw_value("time", talk.rng, False)
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
    rng, time = talk.rng, draw_value("time", talk.rng, False)
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


def ask_who(talk: Conversation) -> None:
    """Who the caller is, or how their name is spelled."""
    rng, name = talk.rng, talk.name
    if name and name.isalpha() and rng.random() < 0.3:
        say(talk, "[can|could] you spell my name [please|]")
        talk.assistant(f"{capitalise(name)} is spelled {' '.join(name.upper())}.")
        return
    say(
        talk,
        "[|so|and|sorry|thank you|right] [what's my name|what is my name [again|]|what was my name|who am i|who was i again|do you [know|remember] "
        "[my name|who i am|what i'm called]|say my name [again|]|how am i called|what am i called|can you tell me my name|"
        "did you get my name|what name did you [get|write down|hear]|sorry what name did you get|what's my name then|what do you call me|who am i speaking as|what name did i give [you|]|do you still know my name]",
        Kind.QUESTION,
    )
    talk.assistant(f"Your name is {name}." if name else "I don't know your name yet.")


def introduced(talk: Conversation) -> None:
    """A name among other words: greeted, explained, put right."""
    rng = talk.rng
    name = invented_name(rng) if rng.random() < 0.3 else draw_value("name", rng, False).text
    text = capitalise(name) if rng.random() < 0.3 else name
    say(
        talk,
        f"[hi i'm {text}|hello this is {text}|hey {text} here|i'm {text} by the way|my name's {text} by the way|{text} is my name|"
        f"it's {text} with [a|an] {name[0]}|it's {text}|you're speaking to {text}|they call me {text}|i'm well my name's {text}|"
        f"good morning this is {text}|the name's {text}|name's {text}|my name is {text} nice to meet you]",
    )
    talk.name = capitalise(name)
    talk.assistant(f"Nice to meet you, {talk.name}. How can I help you?")
    if rng.random() < 0.12:
        right = capitalise(draw_value("name", rng, False).text)
        say(talk, f"no [it's|my name is|i said|not {text}] {right.lower()}")
        talk.name = right
        talk.assistant(f"I'm sorry, {right}. How can I help you?")
    if rng.random() < 0.3:
        ask_who(talk)


def number_put_right(talk: Conversation) -> None:
    """A telephone number with one digit wrong: the last one, or all of it again."""
    rng = talk.rng
    digits = [rng.randint(0, 9) for _ in range(rng.randint(5, 9))]
    say(
        talk,
        f"[you can reach me [on|at]|call me [back|if you find it|] on|my number is|my phone number is|phone|ring me on|it's] {heard_number(talk, digits)}",
    )
    talk.assistant(f"Thank you. Your number is {number_words(digits)}.")
    if rng.random() < 0.5:
        digits[-1] = (digits[-1] + rng.randint(1, 9)) % 10
        again = f"[||so {heard_number(talk, digits)}]"
        say(
            talk,
            f"[no|sorry|no sorry|wait] [it ends in|the last digit is|the last one is|ends with|it should end in|the last digit should be|at the end it's] {UNITS[digits[-1]]} {again}",
        )
        talk.assistant(f"I'm sorry. Your number is {number_words(digits)}.")
    talk.numbers["number"] = number_words(digits)


def number_words(digits: list[int]) -> str:
    return " ".join(UNITS[digit] for digit in digits)


def heard_number(talk: Conversation, digits: list[int]) -> str:
    """As it is told: in words with "oh" and "double", or in figures."""
    rng = talk.rng
    if rng.random() < 0.3:
        return (" " if rng.random() < 0.5 else "").join(map(str, digits))
    zero, said, index = rng.choice(("oh", "zero")), [], 0
    while index < len(digits):
        word = zero if digits[index] == 0 else UNITS[digits[index]]
        if index + 1 < len(digits) and digits[index + 1] == digits[index] and rng.random() < 0.6:
            said.append(f"double {word}")
            index += 1
        else:
            said.append(word)
        index += 1
    return " ".join(said)
