"""Talk about nothing in particular, short answers, and what is out of the small world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TALK: Final[Mapping[str, tuple[float, str]]] = {
    "call": (1.0, """
        ! [call|ring|phone] {name}
        ! call {name} {surname}
        ! send a message to {name}
        ! tell {name} [that i'm late|i'm on my way|dinner is ready|to call me|to come home]
        ! leave a message for {name}
        """),
    "human": (0.8, """
        . i'd like to [speak|talk] to [a person|a human|someone|the manager|reception]
        . can i [speak|talk] to [a real person|somebody|the manager|the boss]
        ! put me through to [reception|the manager|room {roomno}|the kitchen]
        ! get me a human
        """),
    "name": (1.0, """
        . my name is {name}
        . my name is {name} {surname}
        . i'm {name}
        . this is {name} [speaking|{surname}]
        . it's {name} [here|from room {roomno}]
        """),
    "ask_name": (0.5, """
        ? what's my name
        ? do you [know|remember] my name
        ? do you remember who i am
        """),
    "hello": (1.8, """
        . [hello|hi|hey|good morning|good afternoon|good evening]
        . [hello|hi|hey] there
        . [hello|hi|good morning] i have a question
        . [hello|hi|] can you help me
        . hello is anybody there
        . [hello|hi] can you hear me
        . i need some help [please|]
        """),
    "how_are_you": (1.0, """
        ? how are you [today|doing|]
        ? how's it going
        ? are you [okay|well|happy|tired]
        . nice to meet you
        ? did you sleep well
        ? how was your day
        """),
    "who_are_you": (1.2, """
        ? who are you
        ? what are you
        ? what's your name
        ? are you [a robot|a human|a computer|real|a person]
        ? how old are you
        ? where are you [from|]
        ? who [made|built] you
        """),
    "abilities": (1.0, """
        ? what can you do
        ? how can you help me
        ? what can i ask you
        ? what do you know
        """),
    "thanks": (1.6, """
        . [thank you|thanks] [very much|so much|a lot|]
        . [great|perfect|okay|lovely|wonderful] [thanks|thank you]
        . that's [great|perfect|all|fine|very kind|wonderful]
        . you're [great|very helpful|the best|very kind]
        . that was [quick|helpful]
        """),
    "joke": (0.8, """
        ! tell me a joke
        ! make me laugh
        ? do you know [any|a good] jokes
        . [another|one more] joke please
        """),
    "bye": (1.2, """
        . [goodbye|bye|bye bye|good night|see you later|see you tomorrow|see you]
        . [thanks|thank you|okay] [goodbye|bye]
        . i have to go now [bye|]
        . that's all for [today|now] [thanks|goodbye|]
        . have a nice [day|evening|weekend]
        """),
    "repeat": (1.0, """
        ? [could|can] you [repeat|say] that again
        ! say that again
        ! repeat that
        . pardon
        . sorry what did you say
        . i didn't [hear|understand|catch] that
        . what was that
        . come again
        """),
    "volume": (0.8, """
        ! [speak|talk] [louder|up|more quietly|slower|faster|more slowly]
        . [louder|quieter|slower] please
        . i can't hear you
        . you're too [loud|quiet|fast]
        . a little [louder|slower] please
        """),
    "stop": (1.0, """
        . [stop|be quiet|quiet please|shut up|stop talking|hold on|wait|wait a moment|one moment]
        . [never mind|forget it|cancel|cancel that|that's enough|enough]
        . stop it please
        . wait a [second|minute]
        """),
    "wrong": (0.8, """
        . that's [wrong|not right|not what i said|not what i meant]
        . no i said {time}
        . no i meant the {room}
        . no not {count} {count2}
        . you [misunderstood|didn't understand] me
        """),
    "feeling": (0.8, """
        . i'm [tired|bored|sad|happy|sick|stressed|lonely|in a hurry|late]
        . i had a [bad|long|great|hard] day
        . i can't sleep
        . it's my birthday [today|]
        """),
}  # fmt: skip

SHORT: Final = """
    . [yes|no|okay|sure|maybe|alright|exactly|correct|right|yeah|nope|of course|not yet|not really]
    . yes please
    . no thanks
    . no thank you
    . no that's all
    . yes that's right
    . yes that's fine
    . i don't know
    . {count} [people|persons|of us|]
    . for {count} [people|]
    . just [me|one|two|the two of us]
    . [at|around|about|for|maybe at] {time}
    . {time}
    . {day}
    . {day} at {time}
    . [in|for] {duration}
    . {duration}
    . {name}
    . {name} {surname}
    . under {surname} [please|]
    . in the name of {surname}
    . the {room}
    . in the {room}
    . to the {destination}
    . the {size} one
    . {size} [please|]
    . {pizza} [please|]
    . [a|the] {food} [please|]
    . [a|the] {drink} [please|]
    . room {roomno}
    . number {digits}
    . for {nights} nights
    . from {weekday}
    . with milk please
    . without sugar
    . to take away
    . the {label} one
    . both of them
    . all of them
    . the first one
    . the last one
    . something else
    . nothing else
"""

UNKNOWN: Final = """
    ? [what's|how's|what is] the weather [like|] in {city} [today|tomorrow|]
    ? what's the weather [like|] [today|tomorrow|{day}]
    ? will it [rain|snow] [today|tomorrow|in {city}|on {weekday}|{day}]
    ? is it [raining|sunny|cold|snowing|warm|windy] in {city}
    ? do i need an umbrella in {city}
    ? how [hot|cold] [is it|will it be] in {city}
    ~ what the weather is like in {city}
    ? what's the temperature in {city}
    ? what's [in the news|new in the world|happening in {country}|on the news]
    ! tell me the [latest|] news [from {country}|]
    ? who won the [match|game|election|world cup|race] [yesterday|last night|in {country}|]
    ? did {team} win [yesterday|last night|the game|]
    ? what was the score of the {team} game
    ? when does {team} play [next|{day}]
    ? what's the [stock price|share price] of {company}
    ? should i [buy|sell] [shares in {company}|a house|a new {vehicle}]
    ? how is the stock market doing
    ? what should i take for {ailment}
    ? what can i do [about|against] {ailment}
    . i have {ailment} what should i do
    ? is {ailment} dangerous
    ? can i sue {legal}
    . i need legal advice about {legal}
    ? what does the law say about {legal}
    ? how do i get [to|from here to] {city}
    ? how far is it [to {city}|from {city} to {city2}]
    ? what's the [fastest|best] way to {city}
    ? how do you say [hello|thank you|good night|i love you|where is the station] in {language}
    ! translate [this|that|good morning|thank you|my letter] into {language}
    ? do you speak {language}
    ? what's {big} [times|plus|minus|divided by] {level}
    ? what is the square root of {big}
    ? how many [kilometres|pounds|metres|litres] are in a [mile|kilo|gallon|foot]
    ? who [was|is] {person}
    ? when was {person} born
    ? how old is {person}
    ? what is the capital of {country}
    ? how many people live in [{city}|{country}]
    ? what language do they speak in {country}
    ! explain {topic} [to me|]
    ! tell me [something|more|] about {topic}
    ? how does [a {vehicle}|{topic}] work
    ? why is the sky blue
    ? what's the [meaning of life|population of {country}|price of {company}]
    ? how [big|far away|old|tall] is {thing}
    ? how long does a {animal} live
    ? what does a {animal} eat
    ! write [a poem|an essay|a story|a song] about [{topic}|a {animal}|{city}]
    ! write [a letter|an email] to my [boss|bank|teacher|friend]
    ! [book|find] [me|] a flight to {city}
    ? how much is a flight to {city}
    ? what's a good [film|movie|book|series] [to watch|]
    ? who should i vote for
    ? do you believe in [god|ghosts|love]
    ? what will the lottery numbers be
    ! sing [me|] a song
    ! recommend [a film|a book|a restaurant in {city}|a hotel in {city}]
    ? what's the recipe for {food}
    ? how do i [cook|make] [a|] {food}
    ? how do i fix my {vehicle}
    ! help me with my [homework|computer|essay|taxes|maths]
    ? what's the exchange rate for [dollars|euros|pounds]
    ? is there life on mars
    ? which [programming language|phone|{vehicle}] is the best
    ! write a computer program for me
    ? can you drive my {vehicle}
    ? what does {language} sound like
    ? is there a lot of traffic [in {city}|today|to {city}]
    ? when does the next [train|bus|plane] to {city} leave
    ? what happened in nineteen {year}
"""
