"""What callers say to a desk when they book: openings, changes, questions about it, little talk."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from set_phrases import (
    ENJOY,
    HAPPY_BIRTHDAY,
    KIND,
    ONLY_JOKING,
    SORRY_ABOUT_THAT,
    TAKE_TIME,
    WELCOME,
)

#: How a caller begins.
NOUNS: Final = "[|hi|hello|good morning|good afternoon|um|yes hello|hey|good evening|hi there|uh hi|morning|okay|right|well|so|hiya|oh hello|er yes]"
OPENINGS: Final = (
    "[i'd like|i would like|i want|i need|can i [have|get|book|make]|could i [book|have|get|make]|i'd like to [book|make|reserve]|i want to [book|make]|we'd like|may i book|please book [me|us|]|book [me|us|]|let's book|i was hoping to book|do you have|have you got|any chance of|is it possible to [get|book]|then|put me down for|] {h}",
)
OF_KIND: Final[Mapping[str, str]] = {
    "practice": "[i need to see the [doctor|dentist]|can the doctor see me|i'd like to come in|can i come in|i want to make an appointment|i need an appointment|could i see the doctor|an appointment please|i have to see somebody]",
    "vet": "[i need an appointment|can i come in|i need to see the vet|can the vet have a look|i'd like to come by|something's wrong with my pet]",
    "hair": "[can i come in|i need an appointment|i'd like an appointment|i want to come in|have you got an appointment|could you fit me in|are you free]",
    "garage": "[can i bring my car in|my car needs looking at|i need an appointment|i'd like to bring the car|could you look at my car|i have to bring my car in|can you fix my car]",
    "lessons": "[i'd like an appointment|i want to learn something|can i come for a lesson|i'd like to book a lesson]",
    "rooms": "[i need a room|we need a room|i'd like to book a room|can i book a room|is there a room free|room please|have you got a room|we want to meet]",
    "hotel": "[i need a room|i'd like to book a room|do you have a room|have you got a room free|we'd like to stay|can we stay at yours|i want to stay]",
}
TALK: Final[Mapping[str, str]] = {
    "[thanks|thank you|cheers|ta|great thanks|lovely thank you|thank you very much|many thanks|perfect thanks|brilliant thank you|super thanks|that's great thank you|okay thanks|thanks a lot|good to know thanks|that helps|thank you so much|how kind of you|that's very nice of you|how nice of you]": WELCOME,
    "[i'm so excited|i can't wait|i'm really looking forward to it|we're so looking forward to it|it's for my mother's birthday|i haven't been out in [ages|a year]|it's been so long|we're celebrating|we've never been there before|it's a surprise for my wife|my friends told me about you|i haven't had one in ages]": ENJOY,
    "[it's my birthday [today|]|today is my birthday|it's my birthday you know]": HAPPY_BIRTHDAY,
    "[you're very kind|you're great|most people get that wrong|well done|you got it right|you're good at this|that was quick|wow that was easy|you're a star|so patient]": KIND,
    "[hold on [a second|a minute|]|one moment|just a moment|let me think|let me look|wait let me check my [diary|calendar]|hang on|bear with me|give me a second|let me ask my wife]": TAKE_TIME,
    "[i'm so nervous|i hate going there|i'm a bit scared|i've had a bad week|it hurts so much|what a shame|that's a pity|oh no|oh dear|i'm so tired|i feel terrible|it really hurts]": SORRY_ABOUT_THAT,
    "[i'm only joking|just kidding|that was a joke]": ONLY_JOKING,
}  # fmt: skip
PET_TALK: Final = "[poor thing|poor little thing|the poor thing is so sad|[he's|she's] such a good [boy|girl]|[he's|she's] never been ill before|i'm so worried about [him|her]|i love [him|her] so much|[he's|she's] my best friend|[he|she] is only [two|three|one]]"
FAREWELL: Final = "[|okay|great|thanks|thank you|perfect|right|lovely|cheers|alright then|that's all] [bye|goodbye|bye bye|see you|see you then|see you soon|bye for now|ciao|cheerio|that's all bye|see ya|bye then|take care|until then|have a nice day bye]"
NO: Final = (
    "[|||yes but|actually|no|sorry|wait|oh|no wait|hang on|hmm|um|oh no|sorry my mistake|actually sorry|oh sorry no|one moment|hold on|wait a second|my wife says|my husband says|"
    "hmm wait|one change|oh wait|thinking about it|you know what|on second thoughts|uh no|could you change that]"
)
CHANGES: Final = "[make it {v}|{p}{v}|i meant {p}{v}|better {p}{v}|{v} is better|[can|could] we do {v} instead|{p}{v} instead|rather {p}{v}|i said {v}|change it to {v}|make that {v}|let's make it {v}|it should be {v}|[i'd|we'd] rather have {v}|i'd prefer {v}|{p}{v} would be better|let's say {v} instead|can you change it to {v}|it's {v} actually|no {v}|{v} not {o}|not {o} but {v}|[he|she|my {w}] says {p}{v}|[he|she|my {w}] wants {v}|they'd rather have {v}|it's to be {v}|let's go for {v}|switch to {v}|{v} after all|can it be {v}|i'd better take {v}|sorry {v}|i've just been told {v}|{v} suits [me|us|him|her] better|{v} works better [for me|for us|] than {o}|{v}'s better for me than {o}|forget {o} make it {v}|could we swap {o} for {v}|put {v} instead of {o}|{o} was wrong it's {v}|did i say {o} i meant {v}|would {v} be possible instead|is {v} possible|i need to change it to {v}|can you put {v}|could that be {v}|we decided on {v}|no make it {v}|you'd better put {v}|{v} then i think]"
CHANGED: Final[Mapping[str, str]] = {
    "count": "[make it {v} people|make it {v} of us|make that {v} people|{v} people|we're {v} now|there'll be {v} of us|it's {v} people not {o}|for {v} people|and {v} people|we'd be {v}|my aunt is coming too so {v}|actually {v} of us|we'll be {v} after all|so {v} people|that's {v} not {o}|could we be {v}|can we be {v}|is {v} okay|{v} of us now is that okay|can you make it {v}|we've become {v}|two more are coming so {v}|it's getting bigger could we be {v}|it's growing we're {v} now|one can't come so {v}|only {v} of us after all|would {v} fit as well|{v} people is that alright|some have dropped out so {v}]",
    "nights": "[make it {v} nights|it's {v} nights|{v} nights not {o}|for {v} nights|better {v} nights|we'd stay {v} nights|{v} nights instead]",
    "name": "[it's {v}|the name is {v}|put it under {v}|make it {v}|i meant {v}|under {v} [please|instead]|not {o} it's {v}|it's for {v}|better put it under {v}]",
    "room": "[make it {v}|rather {v}|better {v}|let's take {v}|[i'd|we'd] rather [take|have] {v}|{v} is nicer let's take that|i meant {v}|can we have {v} instead|no {v}|{v} not {o}|change it to {v}|one change we'd rather have {v}]",
    "length": "[make it {v}|for {v}|better {v}|{v} instead|rather {v}|{v} not {o}|let's say {v}|it'll take {v}]",
    "place": "[make it {v}|rather {v}|{v} please|better {v}|{v} it might [rain|be cold|be warm]|{v} after all|can we sit {v}]",
    "plate": "[it's {v}|the plate is {v}|i meant {v}|plate {v}]",
    "animal": "[it's {v}|i meant {v}]",
    "matter": "[{v} i meant|actually {v}]",
    "phone": "[it's {v}|my number is {v}|better take {v}|use {v}|the number is {v}|call me on {v} instead]",
}  # fmt: skip
RECALLS: Final[Mapping[str, str]] = {
    "count": "[how many [of us|people] [is that|did you put down|did i say|are we|was it]|for how many [is it|was that|people]|how many are we|how many people have you got|how big is the table|how many are you expecting|how many of us are down|how many did i say we are|for how many have you got us down]",
    "time": "[what time [was that|is it|did i say|did you put down|are we coming|is it at|do i have to be there]|when [is it|am i coming|are we coming|do we have to be there|did you say|did i say|was it again|exactly is it|must i be there|exactly]|what time do you expect [me|us]|when do i come|when shall i be there|when's my appointment|when did we say|remind me when it is|what time am i down for|when are you expecting [me|us]|when do i have to show up|tell me again when i come|what's the time of it|at what time|so when is it [again|]|what time have you got]",
    "day": "[which day [was that|is it|did i say|have you got [down|]|is that]|what day [is it|did you write down|have you got]|on which day [is it|]|and the day was|what day am i coming|which day did we say|which day did you write|when am i coming|when was that for|what day am i down for|remind me of the day|it was which day|is it still the same day which was it|what day are we coming|what date have you got]",
    "name": "[under which name|what name [is it under|did i give|did you put down]|who's it [under|booked under]|whose name is it under|what's the name on it|which name have you got|what name did you put me under|which name did you put me down under|who did you book it for|can you repeat the name|under whose name|what name do you have|who's down for it|on whose name is it|who is coming|who did i say is coming|the name you've got is|what name am i under|which name is that on|what did you put as the name|whose name have you got]",
    "nights": "[how many nights [is it|did i book|was that|did i say|are we staying]|for how many nights|for how long are we staying]",
    "length": "[how long [is it|have i got it|do we have it] [for|]|for how long did i book|how long was that|until when do we have it]",
    "place": "[is that inside or outside|where did you put us|inside or out|are we sitting inside]",
    "room": "[which room [is it|was that|did i take|have you got|is it now|do we have]|what room is it|which one did i take|which one is it now|which one do we have now|what kind of room was it]",
    "service": "[what am i having done [again|]|what did i book|what was it i'm having|what have you got me down for]",
    "person": "[who [is it|was it|am i|was i] with [again|]|who [am i seeing|is it i'm with|was it i'm with|will i see|did i ask for|is doing it|have you got me with] [again|]|with whom was it|which [doctor|one|person] is it|who have i got]",
    "span": "[what time [was that|is it|did i say]|when exactly|from when till when [is it|have i got it|]|until when have we got it|when does it start|when [was that|did you say|did i say]|when exactly is it]",
    "term": "[for how long [is it|did i book|have i got them|]|how long [was that|is it|did i say]|till when can i keep it]",
    "kind": "[which one [is it|was it|did i take|have i got]|what kind was it|which one did you put down]",
    "number": "[how many [did i book|was it|have i got|did i say|is it now|did you put down]|how many is that]",
    "card": "[what card number [did i give|have you got|did i tell you|did you write down]|which card number have you got|what's my card number|read my card number back|what number of card did i tell you|what was the number of my card|say the card number again]",
    "birth": "[what date of birth [did i give|have you got|did you write]|when was i born|which birthday have you got|is my date of birth in there]",
    "heights": "[what heights [have you got|did i say]|how tall did i say|which heights did you note]",
    "age": "[what age [did i say|have you got]|how old did i say|which age did you put down]",
    "work": "[what [is it|was it] for|what did i say needs doing|what are you going to do to the car]",
    "reason": "[what did i say it's for|what have you got as the reason]",
    "animal": "[what's [he|she|it|my {a}] called|do you know [his|her|its] name|which animal did you put down|what name did i give for the {a}|you know what [he|she] is called right]",
    "matter": "[what did i say is wrong|what did i say is the matter|what have you got as the trouble]",
    "email": "[what e-mail have you got|read me the e-mail back|which e-mail did i give|what address did i give you|my e-mail again please]",
    "postcode": "[what postcode have you got|which postcode did i give|the postcode again please|read the postcode back]",
    "plate": "[which plate did i give you|what plate did i say|what's the plate|can you read back the plate|what number plate have you got]",
    "phone": "[what's my number|[read me|read|say] [my|the] number [back|again] [please|]|what number [did i leave|did i give you|have you got|did you note]|can you repeat [the|my] [phone|telephone|] number|which number did you write down|which number was it i left|which phone number have you got]",
}  # fmt: skip
ALL: Final = "[sum it up [for me|]|read [it|that|the whole thing|everything|me the booking] back [to me|please|]|what have you got [so far|down|]|can you repeat [that|the booking|everything]|what did i book|what have i booked|tell me the booking again|go over it once more|what have you written down|and the whole booking again|what's the booking|so what have we got|one more time the whole thing|just run through it again|what is booked now|give me the whole lot again|let me hear it once more|what've i got|what's down for me|tell me everything you have|all of it again please|could you go through all of it|say the whole booking|read me my booking|what have you got down for me|what did you write]"
HOLD: Final = "[don't book it yet|not yet|wait don't book it|hold on don't book it yet|don't confirm it yet|no wait a bit|please wait with the booking|let me think first|hang on don't do it yet|keep it open for a second|not just yet] [i have to ask my [partner|husband|boss|friend|mother]|i need to check my calendar|i'm not sure|let me ask her first|]"
DONE: Final = "[okay she says it's fine|okay that works|he says yes|right it's fine|okay i checked|good all clear|okay i'm sure now|it's all fine] [go ahead|book it|please book it|you can book it|yes please|do it]"
DROPPED: Final = "[no forget it|never mind|no don't book it|cancel that|leave it|i don't want it any more|forget about it|no thank you i'll call again|let's leave it|no cancel it]"
CANCELS: Final = "[please|can you|sorry i have to|i need to|could you|] cancel [it|my booking|the booking|that|the {n}|it again|everything|the whole thing] [please|again|i can't make it|we can't come|something came up|i'm ill|]"
#: Why, beside what is told: words that nothing follows from.
WHY: Final = (
    "[it'll be cold|it might rain|my friend is coming too|that's better for us|i've looked at my diary|because of the kids|the other one is too loud|i can't before that|we have a train to catch|"
    "i'm working before that|it's nicer|she can't make it earlier|my boss says so|if that's not a problem|there's a match on|i need the day off|he's always late|my mother insists|sorry about that|if it's no trouble|"
    "i just saw my calendar|the babysitter can't come|so everybody can make it|that suits my wife|my car is at the station|we changed our minds|it's her birthday|i snore]"
)
WHY_BEFORE: Final = "[my friend just called|i've just seen my calendar|goodness me|for goodness sake|silly me|what was i thinking|there's somebody else coming|my husband just told me|how stupid of me|oh my|good grief|typical|never mind|bother|blast|sorry about this]"
