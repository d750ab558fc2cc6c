"""The shapes of everything said in the small world, by what is meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shapes import Shape, parse_shapes

#: intent -> (weight, shapes). Weights are relative; see :func:`user_utterance`.
_INTENT_TEXT: Final[Mapping[str, tuple[float, str]]] = {
    "time": (3.0, """
        ? what time is it [now|right now|]
        ? what's the time [now|]
        ? [have you got|do you have] the time
        ? how late is it
        ? what's the exact time
        ? what does the clock say
        ? is it [late|already {time}|past {time}]
        ~ what time it is [now|]
        ~ [the time|how late it is]
        ! [tell me|give me|check] the [time|current time]
        """),
    "date": (2.0, """
        ? what's [the date|today's date] [today|]
        ? what is the date [today|]
        ? which month is it
        ? what date is it [today|]
        ? what's the day of the month
        ? is it the {monthday} [today|]
        ? is it the {monthday} of {month} [today|]
        ? is it [already|still] {month}
        ~ [the date|today's date|what the date is]
        ! [tell me|check] [the date|today's date]
        """),
    "weekday": (2.0, """
        ? what day is it [today|]
        ? which day [of the week|] is it [today|]
        ? what day of the week is it
        ? is [it|today] {weekday} [today|]
        ~ [what day it is|which day of the week it is|what day today is]
        """),
    "set_timer": (5.0, """
        ! set a timer for {duration}
        ! set a {label} timer for {duration}
        ! set a timer for {duration} for the {label}
        ! start a [timer of|timer for] {duration}
        ! start a {label} timer for {duration}
        ! start the {label} timer for {duration}
        ! set me a timer for {duration}
        ! [put on|make|create|add] a timer for {duration}
        ! count down {duration}
        ! time {duration}
        ! set another timer for {duration}
        ! set the timer to {duration}
        ! let me know in {duration}
        ! [wake|call|remind] me in {duration}
        + a timer for {duration}
        + a timer for {duration} for the {label}
        + a {label} timer for {duration}
        . {duration} for the {label} [please|]
        . timer {duration}
        . my {label} needs {duration} set a timer [please|]
        """),
    "set_timer_open": (1.0, """
        ! [set|start] a timer
        ! [set|start] a {label} timer
        + a timer
        + a timer for the {label}
        """),
    "cancel_timer": (2.0, """
        ! [cancel|stop|delete|remove|clear|turn off] the timer
        ! [cancel|stop|delete|remove|clear|turn off] [the|my] {label} timer
        ! cancel [all|all the|all my] timers
        ! [cancel|stop] the timer for the {label}
        . i don't need the {label} timer [anymore|]
        . forget the [timer|{label} timer]
        . never mind the {label} timer
        """),
    "list_timers": (2.0, """
        ? how much time is left [on the timer|on the {label} timer|for the {label}|]
        ? how long is left on [the|my] [timer|{label} timer]
        ? [which|what] timers are running
        ? how many timers [are running|do i have|are there]
        ? are there any timers [running|]
        ? how long until the [timer|{label} timer] [goes off|ends|is done]
        ? how long does the {label} timer still need
        ? is [the|my] {label} timer still running
        ? when is the {label} timer [done|finished|ready]
        ! [list|show me|tell me] [my|all my|the] timers
        ! check [the timer|my timers|the {label} timer]
        ~ how much time is left [on the timer|on the {label} timer|]
        """),
    "alarm": (2.0, """
        ! set an alarm for {time}
        ! set [an|my] alarm for {time} {day}
        ! wake me [up|] at {time}
        ! wake me [up|] at {time} {day}
        ! wake me [up|] {day} at {time}
        ! change my alarm to {time}
        + an alarm for {time}
        + a wake up call at {time}
        + a wake up call {day} at {time}
        """),
    "alarm_open": (0.8, """
        ! set an alarm
        ! set an alarm {day}
        ! wake me [up|] {day}
        + a wake up call
        """),
    "alarm_off": (0.7, """
        ! [cancel|turn off|stop|delete] [the|my] alarm
        ! turn off my alarm {day}
        """),
    "remind": (1.8, """
        ! remind me to {chore} at {time}
        ! remind me to {chore} {day}
        ! remind me at {time} to {chore}
        ! remind me {day} to {chore}
        . don't let me forget to {chore} {day}
        + a reminder to {chore} at {time}
        . i have to {chore} {day} please remind me
        """),
    "remind_open": (0.6, """
        ! remind me to {chore}
        """),
    "light_on": (2.0, """
        ! turn on the {room} {light}
        ! turn the {room} {light} on
        ! switch on the {light} in the {room}
        ! switch the {light} on in the {room}
        ! put the {light} on in the {room}
        ! turn on the {light} in the {room}
        . it's [too|so|very] dark in the {room}
        . lights on in the {room} [please|]
        + [some|more] light in the {room}
        """),
    "light_off": (2.0, """
        ! turn off the {room} {light}
        ! turn the {room} {light} off
        ! switch off the {light} in the {room}
        ! turn out the {light} in the {room}
        . lights off in the {room} [please|]
        . nobody is in the {room} turn the {light} off
        """),
    "light_open": (0.6, """
        ! turn on the {light}
        ! switch on the {light}
        ! turn the {light} on
        """),
    "light_all": (0.7, """
        ! turn off all the lights
        ! switch everything off
        ! turn off every light in the house
        . all lights off [please|]
        """),
    "light_dim": (1.3, """
        ! dim the {room} {light} [to {percent} percent|]
        ! dim the {light} in the {room}
        ! set the {room} {light} to {percent} percent
        ! make the {room} [brighter|darker]
        . the {room} is too bright
        """),
    "light_colour": (1.0, """
        ! make the {room} {light} {colour}
        ! [set|change|turn] the {light} in the {room} to {colour}
        + {colour} light in the {room}
        """),
    "heating_set": (1.6, """
        ! set the [heating|temperature|thermostat] to {degrees} [degrees|]
        ! set the [heating|temperature] in the {room} to {degrees} degrees
        ! [heat|warm|cool] the {room} to {degrees} degrees
        ! turn the heating [up|down] to {degrees} [degrees|]
        . make it {degrees} degrees in the {room}
        """),
    "heating_change": (1.2, """
        ! turn [up|down] the heating in the {room}
        ! turn the heating [up|down] [a bit|a little|in the {room}|]
        ! make it [warmer|cooler|a bit warmer|a bit colder]
        . it's too [cold|hot|warm] in the {room}
        . i'm [cold|freezing|too hot|too warm]
        ! turn the heating [on|off] [in the {room}|]
        """),
    "music_play": (1.8, """
        ! play [some|] {genre}
        ! play [some|] {genre} in the {room}
        ! put [some|] {genre} on
        ! put on [some|] {genre} in the {room}
        . i want to [hear|listen to] [some|] {genre}
        + [some|] {genre}
        ! play something by {name} {surname}
        """),
    "music_open": (0.6, """
        ! play some music
        ! put on some music
        . i want to hear some music
        ! play me something nice
        """),
    "music_control": (1.2, """
        ! [stop|pause] the music
        ! [pause|stop] the song
        ! play the next song
        ! [skip|repeat] this song
        ! play that song again
        ! turn the music [up|down|off]
        ! turn the volume [up|down] [a bit|in the {room}|]
        ! set the volume to {level}
        . next song [please|]
        ? what song is this
        """),
    "lock": (1.4, """
        ! [lock|unlock] the {door}
        ! [open|close|shut] the {door}
        ! make sure the {door} is locked
        . i forgot to lock the {door}
        """),
    "lock_state": (0.7, """
        ? is the {door} [locked|open|closed]
        ? did i lock the {door}
        ! check if the {door} is [locked|closed]
        """),
    "cover": (1.2, """
        ! [open|close] the {cover} in the {room}
        ! [open|close] the {room} {cover}
        ! pull [up|down] the {cover} in the {room}
        ! lower the {cover} in the {room}
        ! raise the {room} {cover}
        ! open the {room} {cover} half way
        """),
    "appliance": (1.6, """
        ! turn [on|off] the {appliance}
        ! turn the {appliance} [on|off]
        ! switch [on|off] the {appliance} in the {room}
        ! switch the {appliance} [on|off]
        ! start the {appliance}
        ! stop the {appliance}
        . is the {appliance} still on
        """),
    "table": (3.0, """
        + a table for {count} at {time}
        + a table for {count} [people|] {day} at {time}
        ! book a table for {count} at {time}
        ! book a table for {count} people {day} at {time}
        ! reserve a table for {count} {day} at {time}
        . i'd like to [book|reserve] a table for {count} [people|] at {time}
        . we'd like to [book|reserve] a table for {count} {day} at {time}
        . can i [book|reserve] a table {day} at {time} for {count} people
        . a table for {count} at {time} in the name of {name}
        . i'd like to book a table for {count} at {time} under the name {surname}
        """),
    "table_open": (1.6, """
        . i'd like to book a table
        + a table
        + a table for {count}
        + a table {day}
        + a table at {time}
        ! book a table for {count}
        ! book a table for {count} {day}
        ! reserve a table {day}
        . do you have a table free {day}
        . can we book a table for {count} people
        . i want to eat here {day}
        . we are {count} people and we'd like to eat
        """),
    "hotel": (1.6, """
        + a [single|double|twin|family|quiet] room for {nights} nights
        + a [single|double|twin] room for {nights} nights from {weekday}
        ! book a [single|double] room for {nights} nights
        . i'd like to [book|reserve] a [single|double] room for {nights} nights
        . do you have a [double|single|quiet] room [free|] {day}
        . we need a room for {count} people for {nights} nights
        . have you got any rooms free {day}
        . i'd like to stay {nights} more nights
        . a room with a view please
        """),
    "meeting": (1.3, """
        ! book a meeting room for {count} people at {time}
        ! book a meeting room {day} at {time}
        + a meeting room for {count} people {day} at {time}
        ! [arrange|schedule|set up] a meeting with {name} {day} at {time}
        ! [arrange|schedule|set up] a meeting with {name} at {time}
        . is there a meeting room free {day}
        ! put a meeting with {name} in my calendar {day}
        """),
    "taxi": (1.8, """
        + a taxi to the {destination} at {time}
        + a taxi to the {destination} {day} at {time}
        ! [book|call|order] a taxi to the {destination} [for {time}|at {time}]
        ! [book|call|order] [me|] a taxi to the {destination}
        + a taxi for {count} people to the {destination}
        . i need to be at the {destination} at {time} can you get me a taxi
        """),
    "taxi_open": (0.8, """
        + a taxi
        + a taxi at {time}
        ! [call|get|book|order] me a taxi
        ! order a taxi for {time}
        """),
    "appointment": (1.5, """
        + a {appointment} {day} at {time}
        + a {appointment} at {time}
        ! book a {appointment} {day} at {time}
        . i'd like to book a {appointment} with {name} {day} at {time}
        . i'd like to make an appointment for a {appointment} at {time}
        """),
    "appointment_open": (0.9, """
        + a {appointment}
        ! book a {appointment}
        ! book a {appointment} {day}
        . i'd like to make an appointment for a {appointment}
        . when can i get a {appointment}
        """),
    "change_booking": (1.3, """
        ! cancel my booking
        ! cancel my [table|reservation|appointment|taxi|room] {day}
        ! cancel the booking for {surname}
        ! [change|move] my [booking|reservation|appointment] to {time}
        ! move my [table|appointment|meeting] to {day}
        . i'd like to [change|cancel] my [booking|reservation|appointment]
        . we'll be {count} people instead
        . i'm running late for my [table|appointment|booking]
        """),
    "drink": (2.6, """
        + a {drink}
        + a {size} {drink}
        + {count} {drink}s
        + a {drink} and a {drink2}
        + a {size} {drink} with [milk|sugar|oat milk|lemon|ice|soya milk|cream]
        + a {drink} without [milk|sugar|ice]
        ! bring me a {drink}
        ! order a {drink}
        + another {drink}
        . a {drink} to take away please
        . one {drink} please
        """),
    "drink_open": (0.6, """
        + something to drink
        . i'm thirsty
        + a [coffee|tea] and something sweet
        ? what [drinks do you have|can i drink here]
        """),
    "pizza": (1.6, """
        + a {size} {pizza} pizza
        + a {pizza} pizza
        + {count} {pizza} pizzas
        + {count} {size} {pizza} pizzas
        ! order a {pizza} pizza
        ! order {count} {size} {pizza} pizzas
        + a {pizza} pizza with extra [cheese|mushrooms|onions|olives|garlic]
        + a {pizza} pizza and a {drink}
        + one {pizza} and one {pizza2} pizza
        """),
    "pizza_open": (0.8, """
        + a pizza
        ! order [a|me a] pizza
        + a {size} pizza
        . i'd like to order [a|some] pizza
        """),
    "food": (2.4, """
        + a {food}
        + a {food} and a {drink}
        + a {food} and a {food2}
        + one {food} and one {drink}
        ! order a {food}
        ! bring me a {food} and a {drink}
        ! send a {food} to room {roomno}
        . i'd like to order a {food}
        . we'd like to order a {food} and a {food2}
        + a {food} with [salad|extra cheese|no onions|chips|bread|rice]
        . i'm [hungry|starving] can i get a {food}
        . for me the {food} please
        """),
    "food_open": (0.9, """
        . i'd like to order [some food|something to eat|dinner|lunch]
        . i'm hungry
        + something to eat
        ? what's on the menu
        ? what can i [eat|order]
        . can i see the menu [please|]
        ! order [dinner|lunch|breakfast]
        """),
    "diet": (0.8, """
        ? do you have anything [vegetarian|vegan|without nuts|without gluten|without milk]
        ? is the {food} [vegetarian|vegan|spicy]
        . i'm allergic to [nuts|milk|eggs|fish]
        . i don't eat [meat|fish|cheese]
        ? are there nuts in the {food}
        """),
    "grocery_list": (2.0, """
        ! add {grocery} to [the|my] [shopping list|list]
        ! add {grocery} and {grocery2} to [the|my] shopping list
        ! put {grocery} on [the|my] [list|shopping list]
        ! order [some|more] {grocery}
        ! buy {grocery} and {grocery2}
        . we're out of {grocery}
        . we need [more|some] {grocery}
        ! take {grocery} off [the|my] list
        ? what's on [my|the] shopping list
        """),
    "price": (0.9, """
        ? how much is [a|the] [{food}|{drink}]
        ? what does a {drink} cost
        ? how much does a {food} cost
        ? how much is [a double room|a single room|breakfast|parking|a taxi to the {destination}]
        ~ how much [a {drink} is|a room costs|breakfast is]
        """),
    "hours": (1.8, """
        ? when [do you|does the {place}] [open|close]
        ? what time [do you|does the {place}] [open|close] [{day}|on {weekday}|]
        ? [are you|is the {place}] open [{day}|now|on {weekday}]
        ? until when is the {place} open
        ? what are your opening hours
        ? what are the opening hours of the {place}
        ~ when the {place} [opens|closes]
        ~ if the {place} is open {day}
        """),
    "wifi": (1.2, """
        ? what's the [wifi|wireless|internet] password
        ? do you have [wifi|free wifi|internet]
        ? how do i [connect to|get on|log in to] the [wifi|internet]
        . the wifi [isn't working|doesn't work|keeps dropping]
        ~ the wifi password
        + the [wifi password|password for the wifi|internet code]
        ? what's the name of the network
        """),
    "parking": (1.0, """
        ? where can i park [my car|]
        ? do you have [parking|a car park]
        ? is [there parking|parking free|the parking free] here
        ? how much is the car park
        ? can i leave my car here [overnight|until {weekday}|]
        + a parking space {day}
        ? where is the car park
        ~ where i can park
        """),
    "where": (1.5, """
        ? where is the {facility}
        ? where's the {facility}
        ? where do i find the {facility}
        ? how do i get to the {facility}
        ? which floor is the {facility} on
        ? is there a {facility} [here|in the building]
        ~ where the {facility} is
        ! show me the way to the {facility}
        """),
    "breakfast": (1.2, """
        ? [when|what time|where] is breakfast
        ? until when is breakfast
        ? is breakfast included
        ? can i have breakfast in my room
        ? what's for breakfast
        ~ when breakfast [is|starts|ends]
        ? do you serve breakfast [on {weekday}|{day}|]
        + breakfast in my room at {time}
        """),
    "checkout": (1.2, """
        ? [when|what time] is check [out|in]
        ? when do i have to [leave|check out]
        ? can i check out [later|late|at {time}]
        ? can i check in [early|at {time}]
        + a late check out
        . i'd like to check [out|in] [now|]
        ~ when i have to check out
        . i want to leave my room
        """),
    "lost": (1.3, """
        . i [lost|have lost|can't find] my {lost}
        . i think i left my {lost} in the [{place}|taxi|room]
        ? has anyone found [my|a] {lost}
        ? did anybody hand in a {lost}
        . i've locked myself out
        . i lost my {lost} [yesterday|this morning|last night]
        . someone has stolen my {lost}
        """),
    "invoice": (1.0, """
        + [an invoice|a receipt|the bill|my bill]
        ! send me [the|my] [invoice|receipt|bill]
        . there's a mistake on my bill
        ! email the invoice to me
        . i need an invoice for room {roomno}
        ? can i get the bill
        ! put it on my room
        """),
    "payment": (0.8, """
        ? can i pay [by card|with cash|in cash|with my phone|later]
        ? do you [take|accept] [credit cards|cash|cards]
        ? can we pay separately
        . i'd like to pay [now|the bill|]
        """),
    "returns": (1.0, """
        . i'd like to [return|send back|exchange] [a|my] {purchase}
        ? can i [return|exchange] my {purchase}
        ? how do i return [something|my order|my {purchase}]
        . the {purchase} doesn't [fit|work]
        . my {purchase} arrived broken
        + my money back
        ? what is your return policy
        """),
    "delivery": (1.4, """
        ? where is my [order|parcel|package|delivery|{purchase}]
        ? when will my [order|parcel|package|{purchase}] [arrive|come|be delivered]
        ? has my [order|parcel|package] [arrived|been sent|come]
        . i'm [waiting for my parcel|still waiting for my order]
        ~ where my [order|parcel|package] is
        ! track my [order|parcel]
        . my order number is {digits}
        . my [parcel|order] hasn't arrived
        """),
    "supply": (1.2, """
        + {count} [more|extra] {supply}
        + some [more|extra] {supply}
        + some [more|extra] {supply} for room {roomno}
        ! bring {count} {supply} to room {roomno}
        ! bring me some more {supply}
        . there are no {supply} in my room
        """),
    "fault": (1.2, """
        . {fault}
        . excuse me {fault}
        . i have a problem {fault}
        . {fault} in room {roomno}
        . hello {fault} can you send someone
        """),
    "cleaning": (0.6, """
        ! clean my room
        ! have my room cleaned at {time}
        . please don't clean my room today
        . i need my [shirt|suit|dress] [ironed|cleaned|washed]
        """),
    "luggage": (0.6, """
        ? can i leave my [bags|luggage|suitcase] here [until {time}|]
        ? where can i put my [bags|luggage]
        ! bring my [bags|luggage] to [my room|room {roomno}]
        """),
    "pets": (0.4, """
        ? are [dogs|pets|cats] allowed
        ? can i bring my [dog|cat]
        """),
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
        . [hello|hi] can you help me
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
        ? can you help me
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
        . it's my birthday [today|on the {monthday} of {month}|]
        """),
}  # fmt: skip

_SHORT_TEXT: Final = """
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
    . {genre}
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

_OUT_OF_DOMAIN_TEXT: Final = """
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

INTENTS: Final[Mapping[str, tuple[Shape, ...]]] = {
    name: parse_shapes(text) for name, (_, text) in _INTENT_TEXT.items()
}
WEIGHTS: Final[Mapping[str, float]] = {name: weight for name, (weight, _) in _INTENT_TEXT.items()}
SHORT_ANSWERS: Final = parse_shapes(_SHORT_TEXT)
OUT_OF_DOMAIN: Final = parse_shapes(_OUT_OF_DOMAIN_TEXT)
