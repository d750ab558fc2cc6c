"""More wordings of `intents_errands.py`, for the chat model alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ERRANDS: Final[Mapping[str, str]] = {
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
}  # fmt: skip
