"""What is said at home: time, timers, lights, heating, music, appliances. Weight and shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HOME: Final[Mapping[str, tuple[float, str]]] = {
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
}  # fmt: skip
