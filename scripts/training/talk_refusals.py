"""What nobody here can do: the world outside, calls, messages, taxis, deliveries, knowledge, advice."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from chat_turns import filled
from conversation import Conversation
from set_phrases import REFUSED
from talk_numbers import plainly

_WHO: Final = "[my [wife|husband|mother|mum|dad|boss|sister|brother|son|daughter|doctor|dentist|office|bank|neighbour|landlord|grandma|friend {p}|{o}]|{p}|{p}|the [doctor|dentist|police|plumber|bank|school|office|{o}|vet|hairdresser]]"
_LATE: Final = "[that|and say|and tell [him|her|them]|to say|saying|] [i'm [late|running late|sick|ill|on my way|stuck in traffic|not coming|at home|busy|here|coming|delayed]|we're [late|coming|here|on the way]|i'll be [late|there at {n}|there soon]|the {o} is {o}|dinner's ready|happy birthday|hello|to call me]"
_DO: Final = "[||||||can you|could you|please|would you|hey|will you|i want you to|i need you to|go ahead and|and|okay now|could you please|be a dear and|do me a favour and|i'd like you to|so|quickly]"
_TAIL: Final = (
    "[|||||for me|please|would you|if you can|now|right now|will you|thanks|quickly|love]"
)
_ASK: Final = "[||||||||hey|and|so|okay and|um|tell me|by the way|quick question|do you know|one more thing|out of curiosity|my lad wants to know|oh and|uh|right|fair enough and|just wondering]"
_WHEN: Final = "[today|tomorrow|tonight|this afternoon|at the weekend|on {w}|next week|this evening|later|right now|in {c}|on {w} in {c}|]"
_ASIDE: Final = "[|||||||||do you reckon|do you know|do you think|i wonder|we'd like to know|my son asks|by any chance|you know|then]"

#: Wishes.
_WISHES: Final = (
    f"[call|ring|phone|telephone|dial|call up|ring up|facetime|get hold of] {_WHO} [{_LATE}||||at home|at work|on the phone|back|again]",
    f"[get|put] {_WHO} on the [phone|line]",
    f"[give|make] {_WHO} a [call|ring|bell|shout]",
    f"[make|place] a [call|phone call] to {_WHO}",
    f"[send|write|shoot|drop] {_WHO} [an email|an e-mail|a text|a message|a mail|a note|a postcard|a letter|a voice message] {_LATE}",
    f"[send|write|post] [an email|an e-mail|a text|a message|a mail|a letter] to {_WHO} {_LATE}",
    f"[text|email|e-mail|message|mail|whatsapp|tell|let] {_WHO} {_LATE}",
    "[read|check|open|answer|delete|forward] my [emails|e-mails|messages|texts|mail|inbox|voicemail|post]",
    "[order|call|get|book|hail|find|fetch|arrange|send for] [me|us|] [a taxi|a cab|a car|a ride|a minicab|an uber|a lift] [to [the airport|the station|{c}|the {o}|my hotel|{p}'s house|town|work|the hospital]|home|for {n} people|for six|as soon as possible|]",
    "[order|get|fetch|bring|have] [me|us|] [in|] [pizza|two pizzas|{n} more pizzas|chinese|sushi|some takeaway|a takeaway|curry|burgers|{s}|a pizza] [from [{p}'s|the {o}|{f}'s|the place on the corner|that chinese place]|delivered|delivered to the house|delivered [here|to us]|from outside]",
    "[order|buy|get|book|find|reserve] [me|us|] [tickets|two tickets|a ticket|seats] [for|to] [the [ballet|theatre|cinema|match|game|concert|museum|{o}|zoo|cup final]|{c}|the train to {c}|the show]",
    "[book|find|get|look up|search for] [me|us|] [cheap|] [flights|a flight|a train|a hotel|a rental car|a bus|a cruise|a holiday|the next bus] [to|in|from] [{c}|the {o}|the coast|town]",
    "[order|buy] [me|us|] [a new {o}|some {o}|{n} {o}s|flowers|a book|shoes|a present for {p}] [online|on the internet|from the shop|from {f}'s|from amazon]",
    "[transfer|send|pay|wire|lend] [{n} euros|{n} pounds|some money|the rent|my bill] to [{p}|my sister|my landlord|the {o}|my account]",
    "[translate|say] [{o}|good morning|i love you|this|the word {o}|hello my friend|{o} {o}] [into|in|to] [french|german|japanese|spanish|italian|chinese|polish|turkish]",
    "[write|compose|draft|make up] [me|] [a poem|an essay|a story|a letter|a song|a speech|some code|a python function|a cover letter|a report|a rap] [about|on|for] [{o}|the {o}|my {o}|{p}|the {o} of {o}]",
    "[explain|describe|define|summarise] [{o}|the {o}|how {o} works|{o} theory|osmosis|inflation|{o} {o}] [to me|to my kid|simply|in short|]",
    "[recommend|suggest] [me|us|] [a good|a|some] [film|book|{o}|comedy|restaurant in {c}|doctor|present for {p}|game|hotel in {c}|series]",
    "[give|find|get|tell] me [a recipe for {s}|the lottery numbers|directions to {c}|the way to {c}|the traffic news|the football results|the headlines|my horoscope|the weather|the weather for {c}|a fun fact|the latest news|{p}'s address|today's news|a poem]",
    "[show|send] me [a picture of {o}|photos of {c}|the way on a map|a map|my photos|a video of {o}]",
    "[take|make] a [photo|picture|selfie|video|screenshot]",
    "[post|share] [this|a photo|that i'm {o}] on [facebook|the internet|instagram|my page]",
    "[fix|repair|update|restart|hack|unlock] my [computer|phone|car|printer|{o}|laptop|bike|email account]",
    "[do|finish|check] my [homework|taxes|tax return|essay|maths homework|accounts]",
    "[play|have a game of] [chess|cards|hide and seek|a game|snake] with me",
    "[walk|wash|feed] the [dog|cat|{o}|car]",
    "[clean|cook|paint|iron|tidy] [my {o}|the {o}|something|dinner|my flat]",
)
#: Questions.
_QUESTIONS: Final = (
    f"[what's|how's|what is|how is] the weather [like|going to be|looking|] {_WHEN}",
    f"[will|is] it [rain|going to rain|snow|going to snow|be sunny|going to be hot|stay dry|be windy|freeze|raining|snowing|cold outside|hot out there|sunny] {_WHEN}",
    f"[do i need|should i take|should i bring] [an umbrella|a coat|sunscreen|a jacket|boots|a hat] {_WHEN}",
    f"[how [hot|cold|warm] [is it|will it be|does it get] [outside|out|] {_WHEN}|what's the forecast {_WHEN}|is there [a storm|snow|rain] coming {_WHEN}]",
    "[when|what time] [is|does|will] the [next|last|first] [train|bus|plane|ferry|tram|flight] [to {c}|into town|home|to the {o}] [leave|go|come|]",
    "[is|are] [my flight|the train to {c}|the buses|the {o} train] [late|on time|delayed|running|cancelled]",
    "[how do [i|we] get|what's the [best|quickest|fastest] way|which road|how far is it|how long does it take] to [{c}|the station|the airport|the {o}|the beach|town|the nearest {o}] [from here|by car|on foot|]",
    "[where's|where is] the [nearest|next|closest] [chemist|hospital|supermarket|bank|petrol station|{o} shop|police station|post office]",
    "[what's|is there anything|anything] [in|on] the news [today|this morning|tonight|about {o}|]",
    "[what happened|what's going on|what's new] in [the world|{c}|the election|politics|the {o}|{c} today]",
    "who [won|is winning|wins|played in|scored in] the [match|game|cricket|football|race|cup|election|{o}|tennis|marathon|final|derby] [last night|yesterday|today|tonight|on {w}|]",
    "[what's|what was|how's] the [score|result] [of|in] the [match|game|{o}|football|rugby|final]",
    "[how many goals did|did|how did] [{c}|{o}|my team|{o} united] [score|win|lose|play|do] [last night|yesterday|]",
    "[who|when|where] [invented|discovered|wrote|painted|built|founded|composed|directed|starred in] [the {o}|{o}|the {o} of {o}|{o} and {o}|hamlet|penicillin|the telephone]",
    "[who|what] [was|is] [{p} {f}|the first {o} on the moon|the {o} of {c}|the president of {c}|the king of {o}|the mayor of {c}|the richest person|the {o} minister|the pope]",
    "[what's|what is] the [capital|population|currency|language|flag|biggest city] of [{o}|{c}|{o}land|bolivia|peru|chad|that country]",
    "what [year|day] did [the {o} [go down|start|end|happen]|the war [end|start]|{p} {f} die|the titanic sink|the {o} fall]",
    "how [tall|old|far|big|deep|long|heavy|high|fast|hot] is [the {o}|{c}|mount {o}|the moon|the sun|{p} {f}|a {o}|the tower|the river {o}]",
    "how many [people|{o}s|legs|planets|calories|countries|stars|bones] [live|are there|are|does it have] [in|on] [{c}|a {o}|the world|a {s}|europe|the sky|a week]",
    "why [do|does|are|is] [cats|dogs|{o}s|people|the {o}|the sky|water|a {o}|leaves|babies] [purr|bark|blue|sleep|{o}|fall|wet|cry|so {o}|yawn]",
    "what [is|are|does] [a {o}|{o}|{o} {o}|an atom|osmosis|gravity|a black hole|democracy|dna] [mean|for|made of|exactly|]",
    "what's [{n} [times|plus|minus|divided by] {n}|the square root of {n}|{n} percent of {n}|half of {n}|{n} and {n}]",
    "how [much|many] [is|are] [{n} [dollars|pounds|miles|kilos|yen] in [euros|kilometres|pounds]|a house in {c}|a flight to {c}]",
    "what's the [exchange rate|stock price|share price|price of gold|price of petrol|value] [of [{o}|the dollar|the pound|my bank]|today|]",
    "[should i|is it time to|can i|do i have to] [buy shares|invest in {o}|sell my house|pay tax|sue my {o}|sign the {o}|take {o} for it|see a doctor|get married|vote|quit my job|leave him|eat {o}]",
    "[what should i|what can i|what do i] [take|put|do|use] [for|on|about|against] [a sting|my {o}|a headache|a cough|a sore throat|a fever|my back pain|the bite|a burn|my cold]",
    "i've got [a pain|a lump|a spot|a burn|a bite] on my [leg|{o}|back|hand|neck] [what do i do with it|what is it|is that bad|what helps]",
    "[which|what] [party|film|book|phone|car|laptop|show|series|college] [should i|shall i|would you] [vote for|watch|read|buy|see|get|choose] [tonight|next|]",
    "[what's|is there anything] [on|good on] [tv|television|the telly|at the cinema|netflix] [tonight|tomorrow|]",
    "how do [i|you|we] [cook|make|bake|fix|clean|grow|knit|learn|build|sell|tie|draw|remove|catch|get rid of] [a {o}|{o}|{s}|{o}s|a {o} {o}|goulash|my {o}]",
    "[is there|what's] [life on mars|a god|a cure for {o}|the meaning of life|the meaning of {o}|a word for {o}|a {o} in {c}]",
    "[who|what] do you think [of|about] [the election|{o}|the president|the {o}|politics|religion|{p} {f}]",
    "[did|has] [anyone|{p}|somebody] [call|called|written|rung|message] [me|] [today|while i was out|yesterday|]",
    "[what did i|where did i] [eat|wear|do|watch|go] [yesterday|last week|on {w}|last year|in {c}]",
    "[how do you say|what's] [{o}|thank you|good night|cheers|hello] in [french|japanese|spanish|turkish|welsh|latin|{o}ish]",
)


def draw_wish(rng: random.Random) -> str:
    """A wish that nobody here can meet, without courtesy around it."""
    return filled(rng, rng.choice(_WISHES))


def refused_outside(talk: Conversation) -> None:
    """One of these: refused in the one wording."""
    rng = talk.rng
    if rng.random() < 0.45:
        words = f"{_DO} {rng.choice(_WISHES)} {_TAIL}"
    else:
        words = f"{_ASK} {rng.choice(_QUESTIONS)} {_ASIDE}"
    plainly(talk, filled(rng, words), exact=False)
    talk.assistant(REFUSED)
