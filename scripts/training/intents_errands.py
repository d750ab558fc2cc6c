"""What is said to who takes orders, bookings and complaints. Weight and shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ERRANDS: Final[Mapping[str, tuple[float, str]]] = {
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
}  # fmt: skip
