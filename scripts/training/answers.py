"""What the assistant says, by intent, and how such templates are filled."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Final

from domain import SLOT, fill
from set_phrases import (
    ABILITIES,
    BREAKFAST,
    BYE,
    CHECK_OUT,
    COLLEAGUE,
    FINE,
    GOOD_NIGHT,
    GOOD_TO_HEAR,
    HEAR_YOU,
    HELLO,
    KIND,
    PARK_BEHIND,
    PETS,
    PROGRAM,
    REFUSED,
    RETURNS,
    SAY_AGAIN,
    SINGLE_ROOM,
    SORRY_TO_HEAR,
    TAKE_TIME,
    VEGAN,
    WAYS_TO_PAY,
    WELCOME,
    WIFI,
    YOU_TOO,
)

OPTIONAL: Final = re.compile(r"<([^<>]*)>")


def render_answer(template: str, values: Mapping[str, str], rng: random.Random) -> str:
    """Fill an answer template and give it proper case."""

    def optional(match: re.Match[str]) -> str:
        inner = match.group(1)
        return inner if all(s + i in values for s, i in SLOT.findall(inner)) else ""

    # Spaces inside <...> matter ("set< for tea>"), so nothing is stripped before the fill.
    template = OPTIONAL.sub(optional, template)
    if missing := [s + i for s, i in SLOT.findall(template) if s + i not in values]:
        raise KeyError(f"answer {template!r} lacks {missing}")
    text = fill(template, rng, values).text
    text = re.sub(r"\s+([.,?!])", r"\1", text).replace(".m..", ".m.")
    return re.sub(r"(^|(?<!\.m)[.?!] )([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)


Rules = Sequence[tuple[str, str]]

#: intent -> (pattern searched in the unfilled shape, answer); the first match wins.
ANSWERS: Final[Mapping[str, Rules]] = {
    "alarm": (("", "Okay, your alarm is set for {time}< {day}>."),),
    "alarm_off": (("", "Okay, your alarm is off."),),
    "remind": (("", "Okay, I'll remind you to {chore}< {day}>< at {time}>."),),
    "light_on": (("", "Okay, the {room} {light} {be} on."),),
    "light_off": (("", "Okay, the {room} {light} {be} off."),),
    "light_all": (("", "Okay, all the lights are off."),),
    "light_dim": (
        ("percent", "Okay, the {room} {light} {be} at {percent} percent."),
        ("brighter", "Okay, the {room} {light} {be} brighter."),
        ("", "Okay, the {room} {light} {be} dimmed."),
    ),
    "light_colour": (("", "Okay, the {room} {light} {be} {colour} now."),),
    "heating_set": (
        (r"\{room\}", "Okay, the heating in the {room} is set to {degrees} degrees."),
        ("", "Okay, the heating is set to {degrees} degrees."),
    ),
    "heating_change": (
        ("heating off|heating in .* off", "Okay, the heating is off< in the {room}>."),
        ("heating on|heating in .* on", "Okay, the heating is on< in the {room}>."),
        ("hot|too warm|down|cooler|colder", "Okay, I've turned the heating down< in the {room}>."),
        ("", "Okay, I've turned the heating up< in the {room}>."),
    ),
    "music_play": (("", REFUSED),),
    "music_open": (("", REFUSED),),
    "music_control": (("", REFUSED),),
    "lock": (
        ("forgot", "Don't worry, I've locked the {door}."),
        ("unlock", "Okay, the {door} is unlocked."),
        ("lock", "Okay, the {door} is locked."),
        ("open", "Okay, the {door} is open."),
        ("", "Okay, the {door} is closed."),
    ),
    "lock_state": (("", "I can't see that from here, but I can lock the {door} for you."),),
    "cover": (
        ("half", "Okay, the {cover} in the {room} are half open."),
        ("open|up|raise", "Okay, the {cover} in the {room} are open."),
        ("", "Okay, the {cover} in the {room} are closed."),
    ),
    "appliance": (
        ("still", "I can't see that from here, but I can turn the {appliance} off for you."),
        (r"\boff\b|stop", "Okay, the {appliance}< in the {room}> is off."),
        ("", "Okay, the {appliance}< in the {room}> is on."),
    ),
    "change_booking": (
        ("taxi", REFUSED),
        ("cancel the booking for", "Okay, the booking for {surname} is cancelled."),
        ("people instead", "Okay, I've changed it to {count} people."),
        ("late", "No problem, we'll wait for you."),
        ("to {", "Okay, I've moved your {what} to {when}."),
        ("cancel", "Okay, your {what}< {day}> is cancelled."),
        ("", "Of course. What would you like to change?"),
    ),
    "diet": (
        ("vegetarian|vegan", VEGAN),
        ("without nuts|without gluten|without milk|anything", "Yes, I'll ask the kitchen for you."),
        ("allergic to nuts", "Thank you for telling me. We'll leave out the nuts."),
        ("allergic to milk", "Thank you for telling me. We'll leave out the milk."),
        ("allergic to eggs", "Thank you for telling me. We'll leave out the eggs."),
        ("allergic to fish", "Thank you for telling me. We'll leave out the fish."),
        ("eat meat", "Okay, no meat for you."),
        ("eat fish", "Okay, no fish for you."),
        ("eat cheese", "Okay, no cheese for you."),
        ("", "I'm not sure about the {food}. I'll ask the kitchen for you."),
    ),
    "price": (
        ("taxi", REFUSED),
        ("double", "A double room is ninety euros a night."),
        ("single|room", SINGLE_ROOM),
        ("breakfast", "Breakfast is twelve euros."),
        ("parking", "Parking is ten euros a day."),
        (r"\{food\}", "The {food} is nine euros."),
        ("", "The {drink} is three euros."),
    ),
    "wifi": (
        ("isn't|doesn't|won't|is not|keeps", "I'm sorry about that. Please restart your device."),
        ("name of", "The network is called Guest."),
        ("do you have", "Yes, it's free. The network is called Guest."),
        ("", WIFI),
    ),
    "parking": (
        ("space", "Okay, a parking space is reserved for you {day}."),
        ("how much|free here|the parking free", "Parking is ten euros a day."),
        ("^can i leave", "Yes, you can leave your car behind the building."),
        ("", PARK_BEHIND),
    ),
    "breakfast": (
        (r"\{time\}", "Okay, breakfast in your room at {time}."),
        ("included", "Yes, breakfast is included."),
        ("in my room", "Yes, we can bring breakfast to your room."),
        ("for breakfast", "There is bread, fruit, eggs and coffee."),
        ("where", "Breakfast is in the breakfast room on the ground floor."),
        ("", BREAKFAST),
    ),
    "checkout": (
        ("in at", "Yes, you can check in at {time}."),
        ("out at", "Yes, you can check out at {time}."),
        ("late", "Yes, you can check out at two o'clock."),
        ("early", "Yes, you can check in at noon."),
        ("like to check out|leave my room", "Of course. Please leave your key at reception."),
        ("like to check in", "Welcome! Your room is ready."),
        ("is check in|from when", "Check in is from three o'clock."),
        ("", CHECK_OUT),
    ),
    "lost": (
        ("locked", "I'm sorry. I'll send someone with a spare key."),
        ("stolen", "I'm sorry to hear that. Please come to reception and we'll call the police."),
        ("found|hand in|seen", "I'm not sure. I'll ask the staff to look for your {lost}."),
        ("", "I'm sorry to hear that. I'll ask the staff to look for your {lost}."),
    ),
    "invoice": (
        ("mistake", "I'm sorry about that. I'll have your bill checked."),
        (r"\{roomno\}", "Of course. I'll send you the invoice for room {roomno}."),
        ("on my room", "Okay, I'll put it on your room."),
        ("receipt", "Of course. I'll send you the receipt by email."),
        ("bill", "Of course. I'll get your bill ready."),
        ("", "Of course. I'll send you the invoice by email."),
    ),
    "payment": (
        ("separately", "Yes, you can pay separately."),
        ("later", "Yes, you can pay later."),
        ("like to", "Of course. Would you like to pay by card or in cash?"),
        ("", WAYS_TO_PAY),
    ),
    "returns": (
        ("policy|something|my order", RETURNS),
        (
            r"\{purchase\}",
            "You can return your {purchase} within thirty days. What's your order number?",
        ),
        ("", "Of course. What's your order number?"),
    ),
    "delivery": (
        (r"\{digits\}", "Thank you. Order {digits} is on its way and should arrive tomorrow."),
        ("", "I'll check that for you. What's your order number?"),
    ),
    "supply": (
        ("no {", "I'm sorry. I'll bring some {supply} to your room."),
        (r"\{count\}", "Of course. I'll bring {count} {supply} to {to}."),
        ("", "Of course. I'll bring some {supply} to {to}."),
    ),
    "fault": (("", "I'm sorry about that. I'll send someone to {to}."),),
    "cleaning": (
        (r"\{time\}", "Okay, we'll clean your room at {time}."),
        ("don't", "Okay, we won't clean your room today."),
        ("clean my", "Okay, we'll clean your room."),
        ("shirt", "Of course. We'll collect your shirt from your room."),
        ("suit", "Of course. We'll collect your suit from your room."),
        ("", "Of course. We'll collect your dress from your room."),
    ),
    "luggage": (
        ("room", "Of course. We'll bring your bags to {to}."),
        ("", "Yes, you can leave your bags at reception< until {time}>."),
    ),
    "pets": (("", PETS),),
    "call": (("", REFUSED),),
    "taxi": (("", REFUSED),),
    "taxi_open": (("", REFUSED),),
    "human": (
        ("manager|boss", "Of course. I'll put you through to the manager."),
        ("reception", "Of course. I'll put you through to reception."),
        ("kitchen", "Of course. I'll put you through to the kitchen."),
        (r"\{roomno\}", "Of course. I'll put you through to room {roomno}."),
        ("", COLLEAGUE),
    ),
    "hello": (
        ("hear me|anybody|anyone", HEAR_YOU),
        ("morning", "Good morning! How can I help you?"),
        ("good afternoon", "Good afternoon! How can I help you?"),
        ("good evening", "Good evening! How can I help you?"),
        ("", HELLO),
    ),
    "how_are_you": (
        ("meet", "Nice to meet you too."),
        ("", FINE),
    ),
    "who_are_you": (
        ("old|where|made|built", "I'm a computer program that runs right here."),
        ("", PROGRAM),
    ),
    "abilities": (("", ABILITIES),),
    "thanks": (
        ("thank|cheers", WELCOME),
        ("you're (great|the best|very)|good job|well done|great job|that was", KIND),
        ("", WELCOME),
    ),
    "bye": (
        ("have a nice", YOU_TOO),
        ("night", GOOD_NIGHT),
        ("", BYE),
    ),
    "volume": (
        ("louder|up|hear|quiet$", "Okay, I'll speak louder."),
        ("quiet", "Okay, I'll speak more quietly."),
        ("slow|fast$", "Okay, I'll speak more slowly."),
        ("loud", "Okay, I'll speak more quietly."),
        ("", "Okay, I'll speak faster."),
    ),
    "stop": (
        ("quiet|stop|shut", "Okay."),
        ("wait|moment|hold|second|minute", TAKE_TIME),
        ("never|forget|cancel", "Okay, never mind."),
        ("", "Okay."),
    ),
    "wrong": (
        (r"\{time\}", "I'm sorry. I've changed it to {time}."),
        (r"\{room\}", "I'm sorry. I've changed it to the {room}."),
        (r"\{count2\}", "I'm sorry. I've changed it to {count2}."),
        ("", SAY_AGAIN),
    ),
    "feeling": (
        ("birthday", "Happy birthday!"),
        ("happy|great", GOOD_TO_HEAR),
        ("hurry|late", "I'll be quick. What do you need?"),
        ("", SORRY_TO_HEAR),
    ),
}

#: Opening hours and places of the house, so that the same question gets the same answer.
HOURS: Final[Mapping[str, tuple[str, str]]] = {
    "restaurant": ("noon", "ten in the evening"),
    "bar": ("five in the afternoon", "midnight"),
    "gym": ("six in the morning", "ten in the evening"),
    "pool": ("seven in the morning", "nine in the evening"),
    "spa": ("ten in the morning", "eight in the evening"),
    "sauna": ("ten in the morning", "eight in the evening"),
    "shop": ("nine in the morning", "six in the evening"),
    "kitchen": ("noon", "nine in the evening"),
    "cafe": ("eight in the morning", "six in the evening"),
    "library": ("nine in the morning", "six in the evening"),
    "breakfast room": ("seven", "ten in the morning"),
    "roof terrace": ("noon", "midnight"),
}
FLOORS: Final[Mapping[str, str]] = {
    "gym": "on the third floor",
    "pool": "in the basement",
    "spa": "in the basement",
    "sauna": "in the basement",
    "meeting rooms": "on the first floor",
    "conference room": "on the first floor",
    "laundry room": "in the basement",
    "ice machine": "on the second floor",
    "bus stop": "across the street",
    "car park": "behind the building",
    "exit": "next to reception",
    "cash machine": "next to reception",
    "toilets": "next to the lift",
    "stairs": "next to the lift",
    "bathroom": "next to the lift",
}
JOKES: Final = (
    "Why did the clock go to school? It wanted to be on time.",
    "What do you call a sleeping pizza? A pizza that needs a timer.",
)
