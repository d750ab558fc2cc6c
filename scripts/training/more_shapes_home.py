"""More wordings of `intents_home.py`, for the chat model alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HOME: Final[Mapping[str, str]] = {
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
}  # fmt: skip
