"""One request of the user and all that follows from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from answers import OPTIONAL, Rules, render_answer
from booking_turns import asked, book_turn, cancelled
from chat_turns import (
    ask_lost,
    chat_turn,
    desk_turn,
    lost_turn,
    named_number,
    shopping_turn,
    unknown_turn,
)
from conversation import Conversation
from domain import VOCABULARY
from form_turns import FORM_OF, form_turn, recall_booking
from house_turns import house_turn, unseen
from memory_turns import (
    alarm_turn,
    ask_alarm,
    ask_reminder,
    ask_who,
    introduced,
    number_put_right,
    remind_turn,
)
from near_turns import near_turn, refused_turn
from note_turns import ask_note, note_turn
from order_add import MENUS, order_turn
from order_turns import bar_turn
from person_turns import ask_phone_turn, name_turn, phone_turn, small_talk_turn, spelled_turn
from plain_answers import extras, plain_answer
from several_turns import several_turn
from shapes import Kind, Shape
from timer_turns import timer_turn
from tool_turns import NAME_OF_INTENT_TOOL, tool_turn
from user_requests import SLOT, Request, make_request, request
from wish_turns import CORRECTABLE, correct_turn, wishes_turn

#: Follow-ups to something just done at home or set.
_AGAIN: Final[Mapping[str, Rules]] = {
    "light_on": (
        ("[and|] turn [it|them] off again", "Okay, the {room} {light} {be} off."),
        ("and in the {room2} too", "Okay, the {room2} {light} {be} on."),
        ("and the {room2}", "Okay, the {room2} {light} {be} on."),
    ),
    "light_off": (
        ("[no|] turn [it|them] [back|] on [again|]", "Okay, the {room} {light} {be} on."),
        ("and in the {room2} too", "Okay, the {room2} {light} {be} off."),
    ),
    "appliance": (
        ("[and|] [now|] turn it off [again|]", "Okay, the {appliance}< in the {room}> is off."),
    ),
    "heating_set": (
        ("[actually|no|] make it {degrees2} degrees", "Okay, it's set to {degrees2} degrees."),
        ("[a bit|] warmer please", "Okay, I've turned it up."),
    ),
    "music_play": (
        ("[a bit|] louder [please|]", "Okay, I've turned the volume up."),
        ("[stop it|turn it off|that's enough music]", "Okay, the music is off."),
        ("[no|] play [some|] {genre2} instead", "Okay, playing {genre2}."),
    ),
    "cover": (("[and|] in the {room2} too", "Okay, the {cover} in the {room2} are {state}."),),
    "lock": (("and the {door2}", "Okay, the {door2} is {state}."),),
}


def _state_of(answer: str) -> str:
    return answer.rstrip(".").rsplit(" ", 1)[-1]


def again_turn(talk: Conversation, req: Request) -> None:
    """Refer back to what was just done ("turn it off again", "and in the hall too")."""
    template, answer = talk.rng.choice(_AGAIN[req.intent])
    values = extras(req)
    if not all(s + i in values or i for s, i in SLOT.findall(OPTIONAL.sub("", answer))
               if s != "state"):  # fmt: skip
        return
    values["state"] = _state_of(talk.last_answer() or "")
    later = make_request("again", Shape(Kind.PLAIN, template), talk.rng)
    talk.user(later.text)
    talk.assistant(render_answer(answer, values | later.said(), talk.rng))


def _comfort_turn(talk: Conversation) -> None:
    """Yes or no to "Shall I play some relaxing music?"."""
    yes = talk.rng.random() < 0.5
    shape = "yes [please|]|sure|okay|that would be nice" if yes else "no [thanks|thank you|]"
    req = make_request("", Shape(Kind.PLAIN, f"[{shape}]"), talk.rng)
    talk.user(req.text)
    talk.assistant("Okay, playing relaxing music." if yes else "Okay.")


def noise_turn(talk: Conversation) -> None:
    """Words that make no sense together, as a recognizer hears in noise."""
    words = talk.rng.sample(_ALL_WORDS, talk.rng.randint(2, 6))
    talk.user(" ".join(words))
    talk.assistant("I'm sorry, I didn't catch that. Could you say it again?")


_ALL_WORDS: Final = sorted(VOCABULARY)
_ORDERS: Final = frozenset({"drink", "food", "pizza", *MENUS})


#: Turns that are no request of the domain's.
SPECIAL: Final[Mapping[str, Callable[[Conversation], None]]] = {
    "noise": noise_turn,
    "wishes": wishes_turn,
    "phone": phone_turn,
    "ask_phone": ask_phone_turn,
    "spelled": spelled_turn,
    "small_talk": small_talk_turn,
    "recall_booking": recall_booking,
    "bar": bar_turn,
    "name": name_turn,
    "alarm_kept": alarm_turn,
    "ask_alarm": ask_alarm,
    "remind_kept": remind_turn,
    "ask_reminder": ask_reminder,
    "ask_who": ask_who,
    "introduced": introduced,
    "number_put_right": number_put_right,
    "house": house_turn,
    "house_unseen": unseen,
    "timers": timer_turn,
    "book": book_turn,
    "book_asked": asked,
    "book_cancelled": cancelled,
    "chat": chat_turn,
    "front": desk_turn,
    "unknown": unknown_turn,
    "shopping": shopping_turn,
    "lost_and_found": lost_turn,
    "ask_lost": ask_lost,
    "named_number": named_number,
    "several": several_turn,
    "near": near_turn,
    "note": note_turn,
    "ask_note": ask_note,
    "refused": refused_turn,
}


def turn(talk: Conversation, intent: str) -> None:
    """One request of the user and all that follows from it."""
    if intent in SPECIAL:
        SPECIAL[intent](talk)
        return
    req = request(intent, talk.rng)
    talk.user(req.text)
    if intent in NAME_OF_INTENT_TOOL:
        tool_turn(talk, req)
    elif intent in _ORDERS:
        order_turn(talk, req)
    elif intent in FORM_OF and not (intent == "delivery" and "digits" in req.values):
        if intent == "returns" and re.search("policy|something|my order", req.flat):
            talk.assistant(plain_answer(talk, req))
        else:
            form_turn(talk, req)
    else:
        talk.assistant(plain_answer(talk, req))
        if intent == "change_booking" and "cancel" in req.flat:
            talk.booked = []
    if intent in CORRECTABLE and talk.rng.random() < 0.3:
        correct_turn(talk, req)
        return
    if intent in _AGAIN and talk.rng.random() < 0.2 and "?" not in (talk.last_answer() or ""):
        again_turn(talk, req)
    if (talk.last_answer() or "").endswith("relaxing music?") and talk.rng.random() < 0.6:
        _comfort_turn(talk)


def interrupt(talk: Conversation) -> None:
    """Cut the last answer off where a user barged in; nobody should learn to stop there."""
    if not talk.messages:
        return
    message = talk.messages[-1]
    if message["role"] != "assistant" or message.get("tool_calls"):
        return
    words = message["content"].split()
    if len(words) < 3:
        return
    message["content"] = " ".join(words[: talk.rng.randint(1, len(words) - 1)])
    message["learn"] = False
