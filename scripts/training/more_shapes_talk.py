"""More wordings of `intents_talk.py`, for the chat model alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TALK: Final[Mapping[str, str]] = {
    "human": """
        . could i [please|] [talk|speak] to [your|the] manager
        . let me talk to a [human|person|real person]
        . is there a [human|person|real person] i can talk to
        . i want to complain to the manager
        . i don't want to talk to a machine
        """,
    "name": """
        . i am {name} [by the way|]
        . my name is {name} by the way
        . hello my name is {name}
        . hi [i'm|this is] {name} [speaking|here|]
        . you can call me {name}
        . call me {name} [please|]
        . {name} {surname} is my name
        """,
    "ask_name": """
        . what is my name [again|]
        . do you [still|] know [my name|what my name is|who i am]
        . who am i
        . what did i say my name was
        """,
    "how_are_you": """
        . how are you [this morning|tonight|these days]
        . how do you do
        . are you having a good day
        . hello how are you [doing|today|]
        . what's up
        """,
    "hello": """
        . [hello|hey|hi] assistant
        . greetings
        . [hello|good day] [sir|madam|everyone|my friend]
        . is anyone there
        . [yo|howdy|good day]
        . [good morning|good evening|good afternoon] [to you|everybody|there|]
        . [hello|hi] [again|you|hello]
        . i have a question
        """,
    "who_are_you": """
        ? am i [talking|speaking] to a [machine|computer|person|robot]
        ? do you have a name
        ? are you alive
        ? what kind of [assistant|thing] are you
        . who am i [talking|speaking] to
        . with whom am i speaking
        . are you a [real|human|living] [person|being]
        . tell me who you are
        """,
    "abilities": """
        ? what are you good at
        ? what sort of things can you do
        ? tell me what you can do
        ? what do you do
        ? which things can i ask for
        . what [exactly|] can you do [for me|for us|here]
        . how do you help people
        . in what way can you help
        """,
    "thanks": """
        . [cheers|thanks a million|many thanks|that helps|awesome|brilliant|excellent|super]
        . [good job|well done|nice|i appreciate it|you saved me|great job]
        . [thanks|thank you] that was [very|so|really] [helpful|kind|nice|quick]
        . [oh|] that's [very|so] [nice|kind] of you
        """,
    "joke": """
        . say something funny
        . tell me something funny
        . i want to hear a joke [about {animal}s|]
        . do you know [a|any] [joke|jokes] [about {animal}s|about {food}|]
        . cheer me up with a joke
        """,
    "bye": """
        . [okay|alright|well] [bye|goodbye] [then|now|]
        . [bye|goodbye] and [thank you|thanks]
        . good night [and sleep well|everyone|]
        . i'm leaving now goodbye
        . take care [bye|]
        . until tomorrow
        """,
    "repeat": """
        ? what was that [again|]
        . once more please
        . excuse me what did you just say
        . i missed that
        . huh
        . [could|can] you [say|tell me] that [once more|one more time]
        . one more time please
        . what did you say
        """,
    "volume": """
        . could you [talk|speak] [louder|slower|faster|more slowly|more quietly] [please|]
        . [talk|speak] a [bit|little] [louder|slower|more quietly]
        . please [slow|slowly] [down|] [a little|a bit|]
        . it's noisy here speak louder
        . not so [fast|loud]
        """,
    "stop": """
        . [oh|ah|no|] [never mind|forget it|forget about it]
        . [please|] [stop|be quiet] [now|for a minute|for a moment|]
        . hold on a [second|minute|moment]
        . one [second|minute] please
        . give me a [second|moment]
        . just a [second|moment|minute]
        . okay stop
        """,
    "feeling": """
        . i am [so|very|really] [tired|bored|sad|sick|stressed|lonely]
        . i feel [sad|bad|tired|bored|sick|lonely] [today|]
        . today is my birthday
        . [guess what|you know] it's my birthday
        . i'm [so|very] happy [today|]
        . i didn't sleep well
        """,
}  # fmt: skip

UNKNOWN: Final = """
    ? what's the forecast for [tomorrow|{weekday}|the weekend|{city}]
    ? will there be a storm {day}
    ? is it going to be [sunny|cloudy|windy|foggy|icy] {day}
    ? what are the headlines [today|]
    ? did anything happen in {country} [today|]
    ? who is playing [football|tennis|cricket|basketball] tonight
    ? how many goals did {team} score
    ? who won the {city} marathon
    ? is it a good time to invest in {company}
    ? how much is one euro in [dollars|pounds|yen]
    ? how many pills should i take for {ailment}
    . my [knee|back|head|stomach|foot|tooth|ear|chest] hurts what [should i do|helps|can i do]
    . my [arm|neck|eyes|throat|sink|hand|belly] [hurts|hurt] which [pill|medicine] can i take
    . i feel [ill|dizzy|feverish|a pain in my arm] [what should i take|is it serious|]
    ? which medicine is good for {ailment}
    ? do i need a lawyer for {legal}
    . my [boss|landlord|neighbour|bank|brother] wants to [sue me|fire me|raise the rent]
    . my [boss|landlord|neighbour|bank|brother] [hates me|lied to me|owes me money] what can i do
    . [the bank|my landlord|my boss|the school] wants me to [leave|pay|move out] what are my rights
    ? do i have a right to [a refund from the bank|a holiday|see my file|stay in my flat]
    ? what are my rights [as a tenant|at work|as a customer|when i'm ill]
    ? can [they|my boss|the police|a shop] [fire|arrest|stop|charge|search] me [for that|for it|]
    ? am i allowed to [vote|drive at sixteen|record a call|work at night|leave my job]
    ? do i have to pay [tax|a fine|for the accident|my brother's debts]
    ? is it legal to [park on the pavement|record a call|keep a {animal}|download films]
    ? what does [bonjour|danke|gracias|ciao|konnichiwa] mean
    ? which road do i take to {city}
    ? how long is the drive [to {city}|from {city} to {city2}]
    ? how long does it take to fly to {city}
    ? where can i buy a [{animal}|{vehicle}|house|ring] in {city}
    ? what's the best [restaurant|museum|hotel|beach|school] in {city}
    ? who [invented|discovered|wrote|composed] [the telephone|penicillin|the mona lisa|hamlet]
    ? who [invented|discovered|built] {thing}
    ? when did [the titanic sink|the war end|columbus sail|the wall fall|the queen die]
    ? in which year did [the war end|the wall fall|man land on the moon|{person} die]
    ? what is [the chemical symbol for gold|the boiling point of water|a prime number|{topic}]
    ? how many [planets|countries|oceans|bones|languages|stars|continents] are there
    ? what's the [largest|longest|oldest] [city|river|lake|mountain] in [the world|{country}]
    ? how high is [mount fuji|the tower|the mountain|everest]
    ? why do [cats purr|leaves fall|we dream|birds sing|people yawn|dogs bark|{animal}s sleep]
    ? why is [the sea salty|grass green|fire hot|ice slippery|the {animal} so big]
    ? can [pigs fly|a {animal} swim|fish sleep|robots feel|you feel pain]
    ? what's [fifteen percent of {big}|half of {big}|{big} divided by {level}|{big} times {big2}]
    ! add {big} and {big2}
    ! multiply {big} by {level}
    ! calculate [the area of a circle|my tax|the tip|the interest]
    ! convert {big} [miles to kilometres|pounds to kilos|dollars to euros]
    ! tell me [a story|a fairy tale|a secret|the truth about {topic}|who {person} was]
    ! tell me about [{person}|{city}|{country}|your childhood|the history of {city}]
    ! give me a [recipe|poem|horoscope|riddle|quote|fun fact|workout plan|diet plan]
    ! summarise [the news|this book|my emails|{topic}]
    ! search the internet for [{topic}|cheap flights|{animal} pictures]
    ! look up [{topic}|my symptoms|{person}]
    ! show me [a map|pictures of {city}|a video|the route to {city}]
    ! play [chess|a game|a quiz|a film] with me
    ! write [a speech|some code|a cover letter|a birthday card] for [me|{name}]
    ! draw [a picture|a {animal}|a map]
    ! [transfer|send|pay] [money to {name}|{big} euros to {name}]
    ! buy [a lottery ticket|shares in {company}|a plane ticket|tickets for the game]
    ! book [a cruise|a flight to {city} for {weekday}|a train to {city}|a hotel in {city}|a car]
    ? when is [the next train to {city}|my flight|the next bus|easter|the next full moon|sunset]
    ? is my [flight|train] [late|on time|delayed]
    ? which [film|book|series|song|laptop|camera|college] [do you recommend|should i get]
    ? what's on [television|at the cinema] tonight
    ? what is [{big}|{count}] [times|plus|minus] [{big2}|{count2}]
    ? how much is [{big}|{count}] [times|plus|minus] [{big2}|{count2}]
    ? what is {percent} percent of {big}
    ? have you [heard of|read about|been to] [{person}|{city}|{topic}|the titanic]
    ? what do you [think about|know about|say to] [{topic}|{person}|{country}|{company}]
    ? is {city} [bigger|older|nicer|warmer|more expensive] than {city2}
    ? which is [bigger|better|faster|older] a {animal} or a {vehicle}
    ? who is {name} {surname}
    ? what is [a verb|an atom|a black hole|inflation|a haiku|democracy|a mortgage|dna|a tsunami]
    ? why did [{person} die|the dinosaurs die|rome fall|{company} fail|they cancel that show]
    ? when [was|is] [the next election|the olympic games|{city} founded|the world cup]
    ? where does [coffee|rain|gold|the wind|chocolate] come from
    ? how [is|was] [glass|paper|cheese|steel|the universe] made
    ? what's your opinion [on|about] [politics|religion|{topic}|the election]
    ? which party should i vote for
    ? are you in love
    ? what should i wear [today|tomorrow|to a wedding]
    ? what should i name my [dog|cat|baby|boat]
    ? how do i [lose weight|learn {language}|get rich|find a job|tie a tie|grow roses]
    ? how do i [change a tyre|fix my {vehicle}|bake {food}|write an application|stop smoking]
    ? how do you [make|bake|cook] [{food}|bread|sushi|pancakes]
    ? how many calories are in [a {food}|an apple|chocolate]
    ? is [{food}|coffee|chocolate|red wine|sugar] [healthy|bad for you|good for my heart]
    ? does [god exist|money make you happy|{company} pay well|a {animal} lay eggs]
    ? where [was {person} born|is {city}|is {country}|do {animal}s live|does {person} live]
    ? what [currency|language] do they use in {country}
    ? who is [the president|the richest man in the world|the boss of {company}|my neighbour]
    ? how [fast|heavy|old] is [a {animal}|{thing}|the fastest {vehicle}]
    ? how much does a [{vehicle}|house in {city}|{animal}] cost
    . i [need|want] [help with my homework|a lawyer|a new job|to lose weight|to learn {language}]
    ! [order|get|buy|send|bring|call|book] me a [helicopter|{vehicle}|{animal}|rocket|house|doctor]
    ! [buy|sell|wash|fix|repair|drive|paint|park] [my {vehicle}|a {vehicle}|my house|the fence]
    ! [delete|read|check|open|answer] my [emails|messages|mail|files|photos|bank account]
    ! take a [photo|picture|screenshot|selfie]
    ! [post|share] [this|that|a photo] on [the internet|facebook|twitter]
    ! [walk|feed|wash|call] the {animal}
    ! [clean|paint|build|sell] [the house|my flat|a table|a wall]
    ? can you [see me|smell that|dance|swim|fly|cook|paint my house|babysit|do magic|count sheep]
    ? how many [steps|calories|kilometres] did i [walk|burn|run] today
    ? what did i [eat|do|say|wear] [yesterday|last week|last year]
    ? who [called|rang|texted|visited] [me|] [today|yesterday]
    ? [is|was] {person} [alive|married|rich|dead]
    ? how do i get [a visa|a passport|married|divorced|a refund from {company}]
    . i [want|need|would like] [a haircut for my {animal}|a new {vehicle}|to fly to the moon]
    . i'd like to [know about {topic}|learn about {topic}|talk about politics|apply for a loan]
"""
