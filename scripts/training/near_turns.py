"""Talk that sounds like a wish and is none, and more ways to greet, thank, part and refuse."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_turns import answered, filled
from conversation import Conversation
from person_turns import say
from set_phrases import (
    ABILITIES,
    BYE,
    EVERY_DAY,
    GOOD_NIGHT,
    PROGRAM,
    REFUSED,
    RETURNS,
    ROASTS,
    SAY_AGAIN,
    SEE,
    SINGLE_ROOM,
    TAKE_TIME,
    WELCOME,
    YOU_TOO,
)
from shapes import Kind

_NEAR: Final[Mapping[str, str]] = {
    # Wishes taken back or never meant: nothing is to be changed.
    "[don't|please don't|no don't|do not] [set a timer|turn anything off|order anything|do anything|touch the lights|book anything|play any music|"
    "place the order|change it|add that|turn it off|call anybody|cancel it] [yet|please|now|]": "Okay.",
    "[no need for|i don't need|i don't want|never mind about|forget about] [a timer|a reminder|music|the lights|the heating|a taxi|a table|an alarm|the {o}] [now|today|thanks|]": "Okay.",
    "[leave|keep] [the lights|the heating|everything|it|the order|my order|the timer] [as it is|like that|the way it is|alone|on]": "Okay.",
    "[i was only|i'm only|i was just|just] [asking|wondering|looking|thinking aloud|curious|saying] [that's all|]": "Okay.",
    "[that's not for you|i wasn't talking to you|i'm talking to {p}|not you|i was talking to my friend|ignore that|you weren't meant]": "Okay.",
    # Told, not asked for.
    "[i [had|drank|ordered|made|spilled] a {s} [yesterday|this morning|at home|last week]|my [mother|friend|neighbour|sister] [makes|likes|sells|bakes] [{o} {s}|{s}]|"
    "i [like|love|hate|prefer|miss] [{o}|{s}|{o} music|jazz|tea|coffee|cold weather|my {o}]|there's [a {o}|somebody|a cat|a {o} {o}] [outside|in the garden|on the table|at the door]|"
    "we [went|drove|walked] to {c} [yesterday|last week|on {w}]|the [{o}|film|book|meal|trip] was [good|long|awful|lovely|too long]|"
    "[{p}|my son|my boss] [says|thinks|told me] [{o} is {o}|it's {o}|hello]|i [bought|saw|found|sold|painted|fixed] a {o} [yesterday|today|last week|in {c}]|"
    "[timers|alarms|lights|taxis|menus] are [useful|funny|a good thing|strange|expensive]|my [phone|watch|car|oven] has a [timer|clock|light|heater] [too|]|"
    "the [coffee|tea|music|light|{s}] [here|in {c}|at work] is [good|bad|nice|expensive|better]]": SEE,
    # Who it is.
    "[what should i call you|what do i call you|do you have a name|have you got a name|what's your name|what are you called|who are you again|how do i address you|"
    "who's speaking|who's there|and who are you|and you are|who is this|what's your name then]": PROGRAM,
    # Thanks, wishes, farewells.
    "[|oh|well|great|perfect|lovely|right|okay|haha] [thanks|thank you|cheers|ta|many thanks] [very much|so much|ever so much|a lot|a bunch|again|a million|] "
    "[for [that|your help|everything|waiting|your patience|the help|telling me|asking]|you're [very|so|really|too] [kind|patient|helpful|good|quick]|that's [kind|helpful|all i needed|great|good to know]|that helps|{p}|my friend|dear|]": WELCOME,
    "[you've been|you were|you have been] [ever so|so|very|really|most|quite|] [helpful|kind|patient|good|lovely|a great help|a big help|useful] [thanks|thank you|today|]": WELCOME,
    "[|well|oh|well i never|wow|gosh|my my] [you're|you are] [very|so|really|ever so|] [patient|helpful|kind|polite|fast|good] [thanks|thank you|cheers]": WELCOME,
    "[merry christmas|happy [christmas|easter|new year|diwali|birthday|anniversary|halloween|holidays]|season's greetings|congratulations|enjoy [the weekend|your evening|the rest of your day]|have a [great|lovely|good|nice] [day|evening|weekend|week|time]] [to you|too|everyone|]": YOU_TOO,
    "[|okay|right|well|no matter|never mind|thanks|too bad|that's all|great|lovely|all right|alright|i'm tired|it's late|no] [good night|sleep well|night|nighty night|sweet dreams|good night then|i'm going to bed|off to bed now]": GOOD_NIGHT,
    "[|okay|right|well|no matter|never mind|thanks|too bad well|that's all|great|lovely|all right|alright|i have to go|okay then|no thanks] [bye|goodbye|bye bye|see you|see you soon|bye for now|cheerio|until next time|so long|have to run|i must go|i'm leaving now|bye then]": BYE,
    "[|oh|uh|um|sorry|wait] [i'm not sure|let me see|let me look|let me check|i'll think about it|i need to think|wait a moment|hang on a minute|bear with me|one moment|just a second|just a tick]": TAKE_TIME,
    "[what can i [ask|get|do|say] here|what [things|stuff|sort of things] can you do|tell me what you can do|can you [set timers|take orders|book tables|control lights|do things]|what are my choices|how can you help|what do you know|so what can you do|and what else]":
        ABILITIES,
    "[[that's|it's|what] [rubbish|wrong|nonsense|terrible|not good enough|a mistake]|you're [wrong|mixed up]|you misheard [me|that]|you misunderstood|i never said that|i didn't say that|that isn't what i said]": SAY_AGAIN,
    # The desk.
    "[can you check me in|i'd like to check in|i have a room|checking in|i've [booked|got|reserved] a room|we have a reservation] [please|] [under the name|for|the name is|under|it's] [of|] {f}": "Welcome! Your room is ready.",
    "[what's [my|the] room going to cost|what will [my|the] room cost|what do i pay for [my|the] room|how much will [the|my] room be|how much is [my room|a night here]|what does a night cost [here|]]": SINGLE_ROOM,
    "[can|could|may] i [get my money back|have a refund|send it back|return it|exchange it] [for|] [a {o}|the {o}|my {o}|a jacket i bought|it] [i bought|that's broken|please|]": RETURNS,
    "[can i [still|] return [things|something|the {o}|my {o}] [after|within] {n} [days|weeks]|how long can i return [things|the {o}]|what's your return policy|they're too [small|big]|it's too [small|big|tight|long] can i send it back|it doesn't fit]": RETURNS,
    "[how much [is|do you charge for|for] [a|] late [check out|checkout]|what does a late checkout cost|is late check out [free|possible|okay]|can [i|we] check out late]": "Yes, you can check out at two o'clock.",
    "[how long do you stay open|how long are you open|when do you [start|begin|open] in the morning|until what time are you [here|open]|opening [times|hours] [on {w}|please|]|are you open [on|this] {w}|when are you open|what time do you open [on {w}|]|do you close at lunch]": EVERY_DAY,
    "[[light|dark|strong|mild] or [dark|light|medium] roast|which roast|any dark roasts|what roast] [what have you got|what do you have|is there|do you have]": ROASTS,
    "[call me|let me know|tell me|shout|ring me] when [it's|my order is|the coffee is|it is] [ready|done]": "Of course. We'll call you when it's ready.",
}  # fmt: skip
#: What nobody here can do, near to what is done here.
_REFUSED: Final = (
    "[phone|ring|text|call] my [sister|mother|brother|boss|wife|dentist|son|{o}] and [tell|let] [her|him] [that|] [i'm late|i'm on my way|i'll be there at {n}|i'm busy|know i'm late|to wait|dinner is ready]",
    "[send|write] [a message|a text message|a text|an email|a letter|a postcard|a fax] to [{p}|my sister|my boss|the {o}] [that|saying|to say|about] [i'm running late|i'm late|hello|we're coming|{o}|the {o}]",
    "[tell|message|text|email|write to] {p} [that i'm late|i'm on my way|to call me|about the {o}|that dinner is ready]",
    "what's the [score|result|latest] in the [{o}|hockey|tennis|rugby|cricket|football|golf] [match|game|final|]",
    "[give|get|find|read] me [a recipe|a poem|a story|some advice|the meaning|a photo|a map|a list] [for|of|about] [{s}|{o}|the {o}]",
    "how [old|big|far|heavy|tall|deep|hot] is [the {o}|{p}|the universe|the moon|your {o}|mars|a {o}]",
    "what's the [square root|cube|half|double] of {n}",
    "[debug|explain|fix|rewrite|translate|review] this [{o}|python|java|] [code|function|script|text|sentence|bug] [for me|please|]",
    "[do|file|check|finish] my [tax return|taxes|tax forms|accounts|homework|essay|{o} homework]",
    "[what's|tell me] the capital [city|] of [{o}|{c}|{o}land|peru|kenya|nepal|chad|fiji]",
    "how many [people|{o}s|calories|miles|inches] [live|are there|are] in [{c}|a {o}|a {s}|a mile|the {o}]",
    "[who is|who was|who's] [the president|the king|the queen|the boss|the mayor|the author] of [{o}|{c}]",
    "[what|which] [film|movie|book|song|game|programme] [should i|can i|do you] [watch|read|hear|play|suggest] [tonight|next|]",
    "[is|are] [{o}|the {o}|my {o}] [dangerous|poisonous|healthy|legal|illegal|worth it|good for you|safe to eat]",
    "[should i|can i|is it safe to] [take|mix|eat|drink|invest in|sell|buy] {o} [with {o}|after {o}|]",
    "[how do i|how can i|teach me to|show me how to] [{o} a {o}|learn {o}|play {o}|fix a {o}|cook {s}|draw a {o}|tie a {o}]",
    "[give me|tell me|find] [directions|the way|the bus|the next train|a flight|the fastest way] to [{c}|the {o}]",
    "[what's|what is] the [traffic|weather|news|stock market|temperature|time difference] [like|] in [{c}|{o}]",
    "[when|where|why|how] did [the {o}|{o} {o}|the {o} war] [happen|begin|end|start|die]",
    "[convert|change] {n} [dollars|pounds|miles|feet|kilos] [to|into] [euros|kilos|kilometres|metres|pounds]",
    "[sing|dance|cook|drive|paint|clean] [for me|with me|the {o}|something]",
    "[unlock|check|clean|hack|update|charge] my [{o}|email account|computer|bank account|laptop|passwords]",
    "[transfer|send|pay|lend] {n} [euros|pounds|dollars] to [{p}|my {o}|the {o}]",
    "[forget|believe|sell|describe|count] the {o} [for me|]",
)


def near_turn(talk: Conversation) -> None:
    """Nothing that needs a tool."""
    answered(talk, _NEAR)


def refused_turn(talk: Conversation) -> None:
    """Wishes near to those that are met: they are refused."""
    rng = talk.rng
    polite = "[|||can you|could you|please|hey|would you|i want you to]"
    words = filled(rng, rng.choice(_REFUSED))
    asks = words.startswith(("wh", "how", "is ", "are ", "should", "can "))
    say(talk, words if asks else f"{polite} {words}", Kind.QUESTION if asks else Kind.PLAIN)
    talk.assistant(REFUSED)
