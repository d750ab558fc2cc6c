"""Shapes that the recognizer was not trained on, for the chat model alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shapes import parse_shapes

_MORE_UNKNOWN_TEXT: Final = """
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
    ? how do i spell [necessary|rhythm|accommodation|{city}]
    ! spell [necessary|rhythm|accommodation|{name}]
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
    ? where did i [park|put my keys|leave my book]
    ? what did i [eat|do|say|wear] [yesterday|last week|last year]
    ? who [called|rang|texted|visited] [me|] [today|yesterday]
    ? [is|was] {person} [alive|married|rich|dead]
    ? how do i get [a visa|a passport|married|divorced|a refund from {company}]
    . i [want|need|would like] [a haircut for my {animal}|a new {vehicle}|to fly to the moon]
    . i'd like to [know about {topic}|learn about {topic}|talk about politics|apply for a loan]
"""
MORE_UNKNOWN: Final = parse_shapes(_MORE_UNKNOWN_TEXT)

#: Wordings that the recognizer was not trained on, for the chat model alone.
_MORE_SHAPES_TEXT: Final[Mapping[str, str]] = {
    "time": """
        . time [please|]
        ? what time do we have
        ? how late is it [now|already]
        ! look at the clock [and tell me the time|]
        . i need [the time|to know the time|to know what time it is]
        ? could you check what time it is
        ? is it [noon|lunchtime|midnight|bedtime] [yet|already]
        ? what hour is it
        . i've lost my watch what time is it
        """,
    "date": """
        ! remind me [which|what] date it is
        ? what's today's date again
        ? what date do we have today
        . i need today's date [for a form|]
        ? what's the date of today
        ? which date should i write
        ? what year is it
        ! say the date
        """,
    "weekday": """
        ! remind me [what|which] [day|weekday] it is
        ? is it [the weekend|already {weekday}|{weekday} already|a {weekday}] [today|]
        ? what's the day today
        ? what weekday is it [today|]
        . i forgot what day it is
        ? which weekday do we have
        """,
    "set_timer": """
        . i need [to be reminded|a reminder] in {duration}
        ! give me {duration} [on the clock|]
        ! let me know when {duration} [are over|have passed|is up]
        ! tell me when {duration} are up
        ! start counting {duration}
        . the {label} [takes|needs|has to cook for] {duration} [please|] set a timer
        . i'm making {label} set a timer for {duration}
        . set the {label} timer for {duration}
        . {label} timer {duration} [please|]
        . set {duration} on the timer
        ! set a {length} timer
        ! [set|start|give] me a {length} timer
        ! set a {length} timer for the {label}
        ! start a {length} {label} timer
        ! [start|set|begin|make] a {length} [timer|countdown]
        + a {length} timer
        + a {length} timer for the {label}
        . timer for {duration} [please|]
        ! set a timer called {label} for {duration}
        ! set up a {label} timer of {duration}
        ! time the {label} for {duration}
        ! use the timer for {duration}
        """,
    "cancel_timer": """
        ! kill the [timer|{label} timer]
        ! end [the|my] [timer|{label} timer]
        ! get rid of the [timer|{label} timer]
        . the {label} is [done|ready] [you can stop|stop|cancel|please stop] the timer
        . the {label} is done already cancel its timer
        . i don't want the [timer|{label} timer] any more
        . i don't need [the|my] [timer|{label} timer] [any longer|now|any more]
        . no more timers [please|]
        ! stop [every timer|all timers|the clock for the {label}]
        ! switch off the [timer|{label} timer]
        . [timer|{label} timer] off [please|]
        """,
    "list_timers": """
        ? how many minutes [are left|do i have left|left] [on the {label} timer|for the {label}|]
        ? how long do i [still|] have [to wait|] for the {label}
        ? how much longer [for the {label}|does the {label} take|will the timer run|]
        ? do i have any timers [set|running|on]
        ? have i got any timers [running|]
        ? what's left on [the|my] [timer|timers|{label} timer]
        ? what's the status of my [timer|timers|{label} timer]
        ? when will the [{label} timer|timer] ring
        ? when does the [{label} timer|timer] go off
        ? how is the {label} timer doing
        ? which timers have i set
        ! read me my timers
        """,
    "light_on": """
        . i can't see anything in the {room}
        . we need light in the {room}
        ! light up the {room}
        . [lights|light] on {room}
        """,
    "light_off": """
        . no light in the {room} please
        . i forgot the {light} in the {room} please turn it off
        ! kill the {light} in the {room}
        . we don't need the {light} in the {room}
        . the {room} {light} off please
        . the {light} in the {room} off
        . all the {light} in the {room} off [please|]
        . would you mind [turning|switching] off the {light} in the {room}
        ! switch the {room} {light} off
        . the {light} in the {room} can go off
        """,
    "light_all": """
        ! turn [every lamp|all lamps|everything] off [i'm leaving|we're going out|]
        ! switch off all the lights in the house
        . we are going to bed turn off all the lights
        . no lights at all please
        ! put out every light
        """,
    "light_dim": """
        . the {light} in the {room} [is|are] too bright
        ! make the {light} in the {room} [darker|a bit darker|less bright|a little brighter]
        ! turn the {room} {light} down to {percent} percent
        ! put the {light} in the {room} at {percent} percent
        . {percent} percent light in the {room}
        ! dim [the lights|the light] a little in the {room}
        """,
    "light_colour": """
        + the {light} in the {room} in {colour}
        . i want {colour} light in the {room}
        . can the {room} {light} be {colour}
        . can we have the {room} in {colour} light
        """,
    "heating_set": """
        . i want {degrees} degrees in the {room}
        . i'd like it to be {degrees} degrees [in the {room}|]
        . the {room} should be at {degrees} degrees
        ! put the heating [on|at|to] {degrees} degrees
        ! keep the {room} at {degrees} degrees
        . {degrees} degrees in the {room} please
        . can we have {degrees} degrees here
        """,
    "heating_change": """
        . it's [freezing|chilly|really cold|far too cold|very cold] in the {room}
        ! warm up the {room}
        . the {room} is [too cold|freezing|cold again]
        . it's [far too hot|boiling|really hot|very warm] in the {room} turn it down
        . the {room} is [too hot|boiling] turn the heating down
        . i feel [cold|chilly|frozen]
        . we're [cold|freezing]
        """,
    "music_play": """
        . i'd love [some|] {genre}
        . how about [some|a little] {genre}
        . can we have [some|] {genre} in the {room}
        ! play a little {genre} [in the {room}|]
        ! start [some|the] {genre}
        . i feel like {genre}
        . let's hear [some|] {genre}
        """,
    "music_control": """
        . that's too loud turn the music down
        ! turn it down a bit please the music is too loud
        . pause the music for a while
        . pause the song for now
        ! go to the next song
        ! skip this one
        . no more music turn the music off
        ! stop the song
        """,
    "lock": """
        ! please see that the {door} is locked
        . we're leaving lock the {door}
        ! lock up the {door}
        . the {door} should be locked
        ! unlock the {door} [for my sister|for the postman|for {name}]
        ! let {name} in and unlock the {door}
        """,
    "lock_state": """
        . have i locked the {door}
        . has [anyone|anybody|somebody] locked the {door}
        . i'm not sure if the {door} is locked
        . tell me if the {door} is open
        """,
    "cover": """
        ! [open|close] all the {cover} in the {room}
        . the {cover} in the {room} should be [open|closed]
        ! [open|close] the {cover} of the {room}
        . it's dark outside close the {cover} in the {room}
        . i want some sun open the {cover} in the {room}
        """,
    "appliance": """
        . i need the {appliance} on
        . the {appliance} [on|off] please
        ! get the {appliance} started
        ! turn [on|off] the {appliance} in the {room}
        ! switch the {appliance} in the {room} [on|off]
        . we don't need the {appliance} turn it off
        """,
    "alarm": """
        . i [have to|must|want to|need to] get up at {time} [set an alarm|wake me|]
        . i [have to|must] be up at {time} {day}
        ! get me up at {time} [{day}|]
        ! wake us [up|] at {time}
        . alarm at {time} [please|]
        . alarm {day} at {time}
        ! make sure i'm awake at {time}
        """,
    "remind": """
        ! remind me {day} that i [have to|must] {chore}
        . i must {chore} at {time} please remind me
        ! tell me to {chore} at {time}
        ! remind me to {chore} at {time} {day}
        . at {time} i want to {chore} remind me
        """,
    "grocery_list": """
        . {grocery} and {grocery2} go on the list
        . we [have|'ve got] no {grocery} left
        . we need to [buy|get] {grocery} [and {grocery2}|]
        . i have to buy {grocery} put it on the list
        . there's no {grocery} left [in the house|]
        . put {grocery} and {grocery2} down please
        . [read me|show me|tell me] my shopping list
        . what do [i|we] have to buy
        . what's on the list [now|]
        . what is on my list [again|so far]
        """,
    "table": """
        . we are {count} and we'd like to come {day} at {time}
        . is there a table for {count} free at {time}
        . have you got a table for {count} {day} at {time}
        . can you fit {count} of us in {day} at {time}
        . dinner for {count} {day} at {time}
        . lunch for {count} at {time} please
        ! keep a table for {count} at {time}
        . we're {count} people can we come at {time}
        . could we [have dinner|have lunch|come] at {time} we are {count}
        . is it possible to [have|get] a table for {count} {day} at {time}
        """,
    "table_open": """
        . could we [have|get] a table
        . we would like to have dinner [with you|] {day}
        . a table for {count} people is what we need
        . have you got a table [for tonight|free|left]
        . we want to come for [dinner|lunch]
        . is there a table left at {time}
        . i need to reserve a table for {count}
        """,
    "hotel": """
        . is there a [single|double|twin] room free for {nights} nights
        . have you got a [single|double] room for {nights} nights
        . we want to stay for {nights} nights
        . i need somewhere to sleep for {nights} nights
        . do you have a [single|double|family] room
        . i'd like to reserve a room
        """,
    "meeting": """
        . we need the meeting room for {count} people {day} at {time}
        . i have to meet {name} {day} at {time} put it in my calendar
        . can i have the meeting room at {time} for {count} people
        ! make an appointment with {name} {day} at {time}
        """,
    "taxi": """
        . can you get me a taxi to the {destination} [at {time}|for {time}|]
        . we want to go to the {destination} at {time}
        . i have to go to the {destination} {day} at {time} please book a taxi
        . my train leaves soon i need a taxi to the {destination}
        ! have a taxi take us to the {destination} at {time}
        """,
    "taxi_open": """
        . can [someone|somebody|you] call me a taxi
        . we need a [cab|taxi]
        . could i get a [cab|taxi] [here|]
        ! find me a taxi
        """,
    "appointment": """
        . can i come for a {appointment} {day} at {time}
        . could you book me in for a {appointment} {day} at {time}
        . is {time} {day} free for a {appointment}
        . {day} at {time} i'd like a {appointment}
        """,
    "appointment_open": """
        . my hair is too long i need a {appointment}
        . could you book me in for a {appointment} [{day}|]
        . do you have time for a {appointment} [{day}|]
        """,
    "change_booking": """
        . i'm afraid i [have to|must] cancel my [table|booking|reservation|appointment|taxi|room]
        . we can't come please cancel our [table|reservation|booking]
        . can we [move|change] our [booking|reservation|table] to {time}
        . could we come at {time} instead so move the booking to {time}
        . is it possible to move my [appointment|reservation] to {day}
        . i want to cancel my [meeting|table|appointment]
        """,
    "drink": """
        + [just|] a {drink}
        + a [glass|cup|bottle|mug|pot] of {drink}
        + a [big|small|large|nice] [glass|cup] of {drink}
        + {count} [glasses|cups|bottles] of {drink}
        + a {size} {drink} to go
        + {count} {drink}s and a {drink2}
        + {count} {drink}s and a {food}
        + a {drink} and {count} {food}s
        ! make me a {drink}
        + a {drink} with [milk|lemon|ice] to go
        """,
    "pizza": """
        + {count} {pizza} pizzas and a {drink}
        + {count} {pizza} pizzas and {count2} {drink}s
        + one {size} {pizza} pizza
        + a {size} {pizza} pizza and a {drink}
        + the {pizza} pizza
        """,
    "food": """
        + the {food} and the {food2}
        + the {food} and some {food2}
        + the {food} and a {drink}
        + {count} {food}s
        + a {food} with [extra cheese|extra sauce|butter|no onions|cream]
        ! bring a {food} to room {roomno}
        ! bring a {food} and a {drink} to room {roomno}
        """,
    "food_open": """
        . i'm [so|really|very] hungry
        . what do you [have|serve|offer] [to eat|for dinner|for lunch|]
        . what food do you have
        . what can we get to eat
        . we'd like to eat something
        """,
    "pizza_open": """
        . what [kind of|sorts of|] pizzas do you have
        . which pizzas [do you have|are there|can i get]
        . we want pizza
        """,
    "diet": """
        . is there [something|anything] [vegan|vegetarian] [on the menu|to eat|]
        . i can't eat [nuts|milk|eggs|fish] i'm allergic to [nuts|milk|eggs|fish]
        . my son is allergic to [nuts|milk|eggs|fish]
        . which dishes are [vegan|vegetarian]
        . i am [vegan|vegetarian] what can i have
        """,
    "price": """
        . how much [would|will|is] a {drink} [be|cost]
        . what do you [charge|want] for a [{food}|{drink}|double room|single room]
        . what's the price of [a {food}|a {drink}|a double room|a single room|breakfast|parking]
        . what does [parking|breakfast|a double room|a single room] cost [for one day|per night|]
        . is [a {food}|a {drink}] expensive
        """,
    "hours": """
        . until what time is the {place} open [today|tonight|]
        . how long is the {place} open
        . when can i [use|go to|visit] the {place}
        . is the {place} [still|already] open
        . does the {place} open [early|late|{day}]
        . at what time [does|will] the {place} [open|close] [{day}|]
        . are you open [at the weekend|on {weekday}s|every day|on holidays|late]
        """,
    "wifi": """
        . how [can|do] i [get into|use|join] the [wifi|internet|network]
        . i need the [wifi|internet] [password|code]
        . my [phone|laptop|computer] [doesn't|won't] [connect|find the wifi]
        . the [internet|wifi] [isn't|is not] working isn't it
        . is there [wifi|internet] [here|in the room] and what's the password
        . which password do i need for the [wifi|internet]
        . can i have the internet password
        """,
    "parking": """
        . where [should|do|can|may] i [leave|put] [my|the] car
        . i came by car where can i park
        . what does it cost to park here how much is it
        . how much do you charge for parking
        . i need somewhere to park
        """,
    "where": """
        . i can't find the {facility}
        . i'm looking for the {facility}
        . we are looking for the {facility}
        . on which floor is the {facility}
        . which floor has the {facility}
        . which way to the {facility}
        . where can i find the {facility}
        . is the {facility} [far|near here|on this floor]
        """,
    "breakfast": """
        . from when [is|can i have|do you serve] breakfast
        . [at what time|when] do you serve breakfast
        . [how long|until what time] can [i|we] have breakfast
        . is breakfast included in the price
        . does the room [include breakfast is it included|come with breakfast included]
        . can [we|i] have breakfast [up|] in [our|my] room at {time}
        . where do we get breakfast
        """,
    "checkout": """
        . [when|by when|by what time|at what time] [must|do] [i|we] [leave|be out|check out]
        . how long can i [stay|keep] in my room on the last day
        . is it possible to check out [late|a bit later]
        . could we [check out|stay] late
        . from when can i check in
        . can i come early for check in
        """,
    "lost": """
        . my {lost} is gone
        . i can't find my {lost} anywhere
        . i forgot my {lost} [in the {place}|in the taxi|yesterday|]
        . oh no my {lost} [is missing|has disappeared]
        . i must have dropped my {lost} [somewhere|in the {place}]
        . have you [seen|found] my {lost}
        """,
    "invoice": """
        . could you [mail|email|send] me my [invoice|receipt|bill]
        . i need [a receipt|an invoice] for [my boss|my company|the taxes]
        . my bill is wrong there's a mistake
        . can i have my [bill|receipt|invoice]
        """,
    "payment": """
        . can i [pay|settle the bill] with [my|a] [credit card|card|phone]
        . do you want cash or card
        . is it okay to pay [in cash|by card]
        . can each of us pay separately
        """,
    "returns": """
        . the {purchase} i bought [doesn't fit|is too small|is too big|is the wrong colour]
        . this {purchase} is broken can i [give it back|return it|exchange it]
        . i want to give my {purchase} back
        . i don't like the {purchase} i want to return it
        . my {purchase} [is|are] too [small|big] can i give it back
        """,
    "delivery": """
        . my [parcel|package|order] [still|] hasn't [come|arrived|been delivered] [yet|]
        . i ordered [a|some] {purchase} and [it hasn't come|nothing came]
        . when do i get my [parcel|order|{purchase}]
        . how long does my [order|parcel|delivery] take
        . what's [happening with|the status of] my [order|parcel]
        """,
    "supply": """
        . we've run out of {supply}
        . could somebody bring {supply} to room {roomno}
        . the {supply} are missing
        . we need {count} [more|] {supply} in room {roomno}
        . room {roomno} needs {count} [more|] {supply}
        . can we get {count} [more|extra|] {supply}
        """,
    "fault": """
        . the [lamp|heater|fridge|safe|window|bed|door] [is broken|doesn't work] in room {roomno}
        . the [fridge|safe|heater|phone|fan] in my room [is broken|doesn't work|makes a noise]
        . the [shower|television|heating|toilet|lamp] in our room [is broken|doesn't work|leaks]
        . there's a [spider|leak|strange smell|lot of noise] in my room
        . there is no [hot water|heating|soap|light] in [room {roomno}|my room|our bathroom]
        . i can't sleep because of the noise
        . something is wrong with [the shower|the toilet|the lamp|my bed]
        . our [shower|toilet|window|heating] is broken
        """,
    "luggage": """
        . can you [keep|look after|store] my [bags|luggage|suitcase] [until {time}|]
        . may i leave my [bags|luggage|suitcase] [with you|at reception|here] [until {time}|]
        . is there a place for my luggage
        """,
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
MORE_SHAPES: Final = {name: parse_shapes(t) for name, t in _MORE_SHAPES_TEXT.items()}
