"""Talk about nothing in particular, questions to a front desk, and requests that nobody here can meet."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import draw_value
from domain import choose_branches, wrap
from open_words import open_snack, open_word, with_drawn
from order_items import joined
from person_turns import say
from set_phrases import (
    ABILITIES,
    BREAKFAST,
    BYE,
    CHECK_OUT,
    COLLEAGUE,
    ENJOY,
    EVERY_DAY,
    FINE,
    GOOD_NIGHT,
    GOOD_TO_HEAR,
    HEAR_YOU,
    HELLO,
    ONLY_JOKING,
    PARK_BEHIND,
    PETS,
    PROGRAM,
    REFUSED,
    SAY_AGAIN,
    SINGLE_ROOM,
    SORRY_ABOUT_THAT,
    TAKE_TIME,
    VEGAN,
    WELCOME,
    WIFI,
    YOU_TOO,
)
from shapes import Kind
from spoken_numbers import spoken_number

_TALK: Final[Mapping[str, str]] = {
    "[sleep well|good night|night night|sweet dreams|i'm off to bed|time for bed|nighty night|good night then|i'm going to sleep now]": GOOD_NIGHT,
    "[bye|bye then|see you later then|see you then|see you tomorrow|cheers bye|thanks bye|great see you then|goodbye then|"
    "that's all bye|talk soon|catch you later|okay bye now|right i'm off|i'll be off then|ta ta|farewell]": BYE,
    "[cheers|ta|thanks love|thanks mate|all right cheers|many thanks|much appreciated|thanks a million|great thanks|"
    "thank you kindly|lovely thanks|brilliant|brilliant thanks|super|awesome thanks|nice one|cool|cool thanks|"
    "fantastic|excellent|great|marvellous|wonderful thank you|good to know|okay thanks|fair enough|alright thanks]": WELCOME,
    "[happy christmas|happy birthday to you|happy new year|happy easter|happy holidays|have a good weekend|have a nice day|have a good one|"
    "enjoy your day|same to you|you too|good luck]": YOU_TOO,
    "[do you [ever|] sleep|do you get tired|when do you sleep|do you ever rest|are you always awake|do you never sleep]": "No, I never sleep. I'm always here.",
    "[how's your day [been|going]|how was your day|how are things|how do you do|are you well|how are you keeping|you alright|"
    "what's up|how's life|everything okay with you|how are you today my friend]": FINE,
    "[can you hear me [okay|alright|well|properly|now|] [i'm on speaker|my line is bad|i'm in the car|i'm on the train|it's noisy here|my phone is old|the line is bad|]|do you hear me [well|]|am i [clear|loud enough|coming through]|is the line okay|how's the line|is my voice okay|testing one two can you hear me|are you listening|is this thing on|is anyone there|hey can you hear me|uh are you there|anybody home|"
    "hello are you there]": HEAR_YOU,
    "[i'm very well|i'm good|not bad|i'm fine thanks|mine too|pretty good|can't complain|so far so good|i'm great]": GOOD_TO_HEAR,
    "[it's [busy|quiet|nice|lovely] [in here|here|today|tonight] [today|] [isn't it|]|lovely weather isn't it|nice place this is|"
    "what a day|long day today|you have a nice place]": "Yes, it is. How can I help you?",
    "[that's a pity|what a shame|oh no|that's bad|too bad|oh dear|what a pity]": SORRY_ABOUT_THAT,
    "[what else can you do|what are you good at|what do you do|what are you for|how do you work|what should i ask you|what can i say to you]":
        ABILITIES,
    "[who am i talking to|am i [speaking|talking] to [a machine|a robot|a computer|a person|a human|a real person] [or what|here|]|[is this|are you|is that|am i speaking to] a real [person|human] [or a [machine|robot|computer|recording]|at all|or not|at all or a machine|]|are you [real|alive|a person or a machine|an actual person|a human being|flesh and blood|a bot|human|a machine|a computer|artificial|an ai] [or not|at all|]|is that a recording|do i speak with a [machine|human|robot]|you're not a real person are you]":
        PROGRAM,
    "[entertain me|say something|say something funny|make me smile|cheer me up|i need a laugh]": "Why did the clock go to school? It wanted to be on time.",
    "[just a moment|hold on a second|let me think|give me a minute|hang on a moment|wait i'm thinking|one second please]": TAKE_TIME,
    "[i'm just kidding|that's a joke|only joking|that was a joke|just kidding]": ONLY_JOKING,
    "[we're going on holiday|we're away next week|we fly to {c} tomorrow|i'm off to {c}|we come home on the {d}|we're [back|away|gone|home] [on the {d}|on the {d} of {m}|until {w}|for {n} days|from {w}]|i'm on holiday until {w}|"
    "my mother is visiting|my friends are coming over|we're having a party]": ENJOY,
    "[i don't understand|i'm confused|that makes no sense|what do you mean|huh|what]": "I'm sorry. You can ask me for the time, a timer, a booking or an order.",
    "[you got it wrong|that's not what i asked|that's not right|no that's wrong|you're not listening|wrong|that's not it]": SAY_AGAIN,
    "[hello|hi|hiya|good day|hello there|hey there|hi hi]": HELLO,
}  # fmt: skip
_DESK: Final[Mapping[str, str]] = {
    "[are you open on [bank|public] holidays|are you open at [christmas|easter]|when [do|are] you [open|start] [in the morning|on sundays|]|"
    "opening [times|hours] [on sunday|today|please|]|what time do you [close|shut|open] [tonight|today|on {w}|]|when do you close|until when are you open|"
    "how late are you open|are you open [on|] {w}|are you open late|what are your hours]": EVERY_DAY,
    "[is there [wifi|internet] here|how do i get online|is wifi included|what's the code for the wifi|i need the internet|can i use the wifi|"
    "do you have wireless|wifi password please|is the wifi free]": WIFI,
    "[is there [parking|somewhere to park|a place to park]|is there somewhere to leave the car|where do i leave my car|can i park here|"
    "where can we park|do you have a garage for guests|is parking free]": PARK_BEHIND,
    "[could we [get into|have] our room [a bit|] earlier|can we check in early|may we arrive before noon|is early check in possible]": "Yes, you can check in at noon.",
    "[could we check in late|we'll arrive late|can we come at eleven at night|i'll be there around midnight|is a late arrival okay]": "Yes, of course. Reception is open all night.",
    "[what time do we have to [check out|leave]|when must we be out of the room|until when can i keep the room|check out time]": CHECK_OUT,
    "[i come in a wheelchair is that okay|is there a ramp|is it wheelchair friendly|can i bring a pram|do you have a lift|is there step free access]": "Yes, of course. There is a ramp and a lift.",
    "[do you have vegetarian [food|dishes|options]|is there anything vegan|do you do gluten free|anything without meat]": VEGAN,
    "[can i bring my dog|are dogs okay|is my cat welcome|do you take pets]": PETS,
    "[how much is a room [per night|]|what does a [room|double room] cost|what do you charge for a night|room prices please]": SINGLE_ROOM,
    "[when is breakfast|what time is breakfast|breakfast times please|until when can we have breakfast]": BREAKFAST,
    "[i want to talk to [someone|a person|a human]|get me the manager|a real person please|can i speak to your boss|operator|human please]": COLLEAGUE,
    "[is [the gym|the pool|the sauna] included|is it included in the price]": "Yes, it is included.",
    "[is breakfast [included|extra|in the price]|does the room come with breakfast|do i get breakfast with the room]": "Yes, breakfast is included.",
}  # fmt: skip
_UNKNOWN: Final = (
    "[who|when|why] [invented|discovered|painted|wrote|built|founded] the {o}",
    "[explain|describe|define|summarize] [{o}|{o} {o}|{o} computing|the theory of {o}] [to me|for me|]",
    "[who|what] [was|is|are] {o} {o}",
    "what's the [best|biggest|oldest|capital|meaning|cure|price|point] [of|for] [{o}|a {o}|the {o}]",
    "[tell me|what do you know] about [{o}|the {o} of {o}|{o} history]",
    "how do [you|i] [make|cook|bake] [{s}|a {o} {s}|pancakes|bread]",
    "[write|compose] [me|] [a poem|an essay|a story|a letter|a song|a speech|code|an email] [about {o}|on {o}|to my {o}|]",
    "[debug|fix|check|review|write|run] [this|my|some] [code|program|script|essay|python|computer|homework|spreadsheet|paperwork]",
    "do my [taxes|homework|tax return|accounts|shopping online]",
    "[what's|what is|how much is] {n} [times|plus|minus|divided by|percent of] {n}",
    "[send|write] [a text|a text message|an email|a mail] to {p} [about {o}|that i like {o}|saying hello]",
    "[can you|could you|] [ring up|text|email|mail] my [mother|brother|boss|doctor|friend] [about {o}|and say hello|]",
    "[book|find|get] me [a flight|a ticket|a train|a hotel] to {c}",
    "[who|which team] [won|wins|will win|is winning] the [{o}|match|cup|race|election|basketball|final] [yesterday|last night|tonight|]",
    "what's the [score|result] [in|of] the [{o}|basketball|match|game|cricket|football]",
    "[will it|is it going to] [rain|snow|be sunny|be cold|storm] [next week|tomorrow|tonight|today|on {w}|in {c}]",
    "[what's|how's] the weather [like|] [today|tomorrow|in {c}|at the weekend|]",
    "[what's|what is] the [exchange rate|value|price|share price] of [the pound|the dollar|{o}|gold|bitcoin]",
    "[translate|how do you say|what's the word for] {o} [into|in] [french|german|spanish|italian|japanese]",
    "[recommend|suggest] [me|] [a film|a book|a good doctor|a {o}|some {o}]",
    "how [tall|old|far|big|heavy|deep|long|fast] is [the {o}|a {o}|{c}|the moon|{p}]",
    "[how many|how much] {o} [are there|is there] in [a {o}|{c}|the world]",
    "[can you|] [sing|play] [the {o} song|an opera|chess with me|a game with me|me a lullaby]",
    "[what should i think of|who do i choose in] the [election|{o} vote]",
    "[order|buy] me [a new {o}|shoes|a car|a phone|a {o} online]",
    "[what should i do about|what helps against|is it normal to have] [a cold|my {o}|a headache|a cough|my back]",
    "[read|show] me [the news|my emails|my messages|the paper|a story about {o}]",
    "[what's|any] [in the news|happening in {c}|new about {o}]",
    "[why|how] [does|do|is|are] [the {o}|{o}] [{o}|so {o}|blue|work|made]",
    "[drive|take|fly] me to {c}",
    "[hack|break into|spy on] [my neighbour's {o}|the {o}|my {o}]",
    "[how do i|can you help me] [fix|repair|install|sell|grow|find] my [{o}|car|phone|printer|roof]",
)


def chat_turn(talk: Conversation) -> None:
    """Small talk."""
    answered(talk, _TALK)


def desk_turn(talk: Conversation) -> None:
    """A question to the front desk; now and then two at once."""
    if talk.rng.random() < 0.15:
        first, second = talk.rng.sample(tuple(_DESK), 2)
        words = [filled(talk.rng, asked) for asked in (first, second)]
        say(talk, f"{words[0]} and {words[1]}", Kind.QUESTION)
        talk.assistant(f"{_DESK[first]} {_DESK[second]}")
        return
    answered(talk, _DESK)


def draw_desk_question(rng: random.Random) -> tuple[str, str]:
    """A question to the front desk and its answer."""
    asked = rng.choice(tuple(_DESK))
    return filled(rng, asked), _DESK[asked]


def answered(talk: Conversation, answers: Mapping[str, str]) -> None:
    """One of the things said, answered as the table has it."""
    asked = talk.rng.choice(tuple(answers))
    words = filled(talk.rng, asked)
    if talk.order and " all" in words:
        return  # at a counter that ends the order
    say(talk, words)
    talk.assistant(answers[asked])


def filled(rng: random.Random, text: str) -> str:
    """Open words in place of ``{o}`` and the like."""
    text = choose_branches(text, rng)
    return with_drawn(text, {key: partial(draw, rng) for key, draw in _DRAWS.items()})


_DRAWS: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "{o}": open_word,
    "{s}": open_snack,
    "{n}": lambda rng: spoken_number(rng.randint(2, 200)),
    "{f}": lambda rng: draw_value("surname", rng, False).say.lower(),
    "{p}": lambda rng: draw_value("name", rng, False).say.lower(),
    "{c}": lambda rng: draw_value("city", rng, False).text,
    "{m}": lambda rng: draw_value("month", rng, False).text,
    "{w}": lambda rng: draw_value("weekday", rng, False).text,
    "{d}": lambda rng: draw_value("monthday", rng, False).text,
}


def unknown_turn(talk: Conversation) -> None:
    """What cannot be helped with: it is said, in the same words whatever it is."""
    words = filled(talk.rng, talk.rng.choice(_UNKNOWN))
    if talk.rng.random() < 0.4:
        kind = (
            Kind.QUESTION if words.startswith(("who", "wh", "how", "is", "will")) else Kind.REQUEST
        )
        words = wrap(kind, words, talk.rng)
    say(talk, words, Kind.QUESTION)
    talk.assistant(REFUSED)


_LISTED: Final = "[shopping list|list|grocery list]"


def shopping_turn(talk: Conversation) -> None:
    """Things of any words put on the shopping list, taken off, and read back."""
    rng = talk.rng
    if talk.groceries and rng.random() < 0.35:
        say(
            talk,
            f"[|so|and|okay] [what's on [the|my] {_LISTED}|what do i [have to|need to] buy|read me [the|my] {_LISTED}|"
            "what's on the list|what did i put on the list|what do we need [to buy|from the shop]]",
            Kind.QUESTION,
        )
        talk.assistant(f"Your list has {joined(talk.groceries)}.")
        return
    if talk.groceries and rng.random() < 0.2:
        item = rng.choice(talk.groceries)
        say(talk, f"[take|cross|remove] {item} [off the list|from my list|off again]")
        talk.groceries = [thing for thing in talk.groceries if thing != item]
        talk.assistant(f"Okay, I've taken {item} off your list.")
        return
    items = [draw_grocery(rng) for _ in range(rng.choice((1, 1, 2, 2, 3, 3)))]
    items = [item for item in dict.fromkeys(items) if item not in talk.groceries]
    if not items:
        return
    words = (
        joined(items)
        if rng.random() < 0.5
        else " ".join((*items[:-1], "and", items[-1]))
        if len(items) > 1
        else items[0]
    )
    say(
        talk,
        f"[|and|also|please|can you|oh and] [add {words} to [the|my] {_LISTED}|put {words} on [the|my] {_LISTED}|{words} on the "
        f"list|i need to buy {words}|note down {words} for the shopping|we need {words}]",
    )
    talk.groceries += items
    talk.assistant(f"Okay, I've added {joined(items)} to your shopping list.")


def draw_grocery(rng: random.Random) -> str:
    """Something for the shopping list."""
    if rng.random() < 0.6:
        return draw_value("grocery", rng, False).say
    return open_word(rng) if rng.random() < 0.5 else open_snack(rng).split()[0]


def lost_turn(talk: Conversation) -> None:
    """Something was left behind: described, and asked about later."""
    rng = talk.rng
    thing = draw_value("lost", rng, False).say if rng.random() < 0.7 else open_word(rng)
    say(talk, f"[i left my {thing} [with you|here|in the bar|in your place] [yesterday|on {{w}}|]|i've lost my {thing}|has someone found "
              f"[my|a] {thing}|someone found my {thing}|did anyone find my {thing}|i can't find my {thing}]".replace(
                  "{w}", draw_value("weekday", rng, False).text))  # fmt: skip
    talk.assistant(f"I'm sorry to hear that. I'll ask the staff to look for your {thing}.")
    if rng.random() < 0.4:
        look = rng.choice(("green", "blue", "black", "old", "small", "red", open_word(rng)))
        say(
            talk,
            f"[it's a {look} one|it's {look}|a {look} one|it's {look} with a {open_word(rng)} {open_word(rng)}]",
        )
        talk.assistant(f"Thank you. I'll tell them that your {thing} is {look}.")
    talk.lost = thing


def ask_lost(talk: Conversation) -> None:
    """What was lost is asked for."""
    if talk.lost:
        say(
            talk,
            "[and|so|] what [have i lost|did i lose|was i looking for|did i leave behind]",
            Kind.QUESTION,
        )
        talk.assistant(f"You are looking for your {talk.lost}.")


def named_number(talk: Conversation) -> None:
    """The number of an order or an invoice: said after the caller, and asked for again."""
    rng = talk.rng
    kind = rng.choice(("order", "order", "invoice", "booking"))
    value = draw_value("digits", rng, rng.random() < 0.3)
    text = " ".join(value.text) if value.text.isdigit() and rng.random() < 0.5 else value.text
    why, said = rng.choice(
        (
            ("[i want to [send back|return] [something|my {o}|a {o}]|return please|i'd like my money back]",
             "Thank you. I'll send you a return label for number {v}."),
            ("[i need [a copy of|] my invoice|how do i get a copy of my invoice|can you send me my bill]",
             "Of course. I'll send you the invoice number {v} by email."),
        )
    )  # fmt: skip
    say(
        talk,
        f"{filled(rng, why)} [the {kind} number is|{kind} number|number|no|it's number|for {kind}] {text}",
    )
    talk.assistant(said.replace("{v}", value.say))
    talk.numbers[f"{kind} number"] = value.say
    if rng.random() < 0.6:
        say(
            talk,
            f"[and|so|right|] [which {kind} number did i give you|what was the {kind} number [i gave you|]|the {kind} number i told you was|which {kind} did i ask about|"
            f"what number did i [tell you|give you|say]]",
            Kind.QUESTION,
        )
        talk.assistant(f"Your {kind} number is {value.say}.")
