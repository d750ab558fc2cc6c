"""What lies outside, told in a sentence or two: ailments, broken things, homework, parcels, money, travel, law.

The other refusals (``talk_refusals``) are short wishes and questions. People also tell what is the
matter first, and that telling looks like a fact to be kept, a booking or a wish of the house. Here
the same openings end in what nobody can do, so that it is the wish that decides.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from chat_turns import filled
from conversation import Conversation
from set_phrases import REFUSED
from talk_numbers import plainly

_WHO: Final = "[my [son|daughter|wife|husband|mother|dad|neighbour|boss|friend|sister|grandson|granddaughter|brother|mum|flatmate|{o}]|{p}]"
_MINE: Final = "[my|my|my|the|our|my [son|wife|daughter|dad|friend]'s]"
_PART: Final = "[arm|leg|back|hand|foot|neck|knee|eye|ear|tooth|shoulder|stomach|chest|finger|elbow|toe|throat|skin|head|hip|nose]"
_SORE: Final = "[a rash|a lump|a spot|a bruise|a blister|a bite|a burn|a cut|a swelling|an itch|a pain|a funny feeling|a cramp|a splinter|red dots|a wart|a sore|a bump|eczema|hives]"
_ILL: Final = "[a cough|a fever|a cold|the flu|a migraine|hay fever|high blood pressure|a bad back|a sore throat|an upset stomach|a temperature|insomnia|a toothache|hiccups|diarrhoea|an allergy|{o} pains]"
_MACHINE: Final = "[car|bike|motorbike|laptop|computer|phone|printer|boiler|washing machine|fridge|tablet|internet|tv|van|lawnmower|shower|toilet|tap|dishwasher|router|bank card|{o}]"
_NOISE: Final = "[making a [funny|strange|weird|horrible|loud|{o}] [rattling|clicking|squeaking|grinding|humming|{o}|] noise|leaking|broken|not starting|overheating|smoking|beeping|frozen|shaking|very slow|stuck|dead|flat|blocked|smelling of {o}|losing oil|flashing a {o} light]"
_WHATIS: Final = "[what is wrong with it|what's wrong with it|what could it be|how do i fix it|can you fix it|what do i do|any idea why|how can i repair it|what should i do about it|do you know what that is|is it dangerous|what's the matter with it|who can mend it|why is that|what does that mean]"
_CREAM: Final = "[what [cream|medicine|pills|drops|tablets|tea|ointment|plaster] [should|do|can|shall] i [put on it|take|use|take for it|buy]|what should i do about it|what do i do|what can i take for it|is it serious|should i see a doctor|do i need a doctor|what helps|is that normal|what is it|how do i get rid of it|can you tell me what it is|how many tablets may i take]"
_SUBJECT: Final = "[physics|maths|history|chemistry|english|french|geography|biology|latin|science|algebra|spelling|{o}|german|economics|computing|grammar|music theory]"
_LESSON: Final = "[newton's second law|fractions|the romans|photosynthesis|the french revolution|long division|equations|the periodic table|verbs|volcanoes|the water cycle|shakespeare|the {o} war|gravity|percentages|{o} and {o}|the {o} theorem|commas]"
_SENT: Final = "[parcel|package|letter|order from the shop|delivery|post|courier|new {o}|{o} i ordered|mail|refund|passport|shopping|suitcase|luggage]"
_FOREIGN: Final = "[french|german|spanish|italian|polish|japanese|welsh|turkish|hindi|chinese|arabic|russian|portuguese|greek|swedish]"

#: Told, then asked.
_SITUATIONS: Final = (
    f"[i have|i've got|i have got|i got|{_WHO} has|there's] {_SORE} on [my|his|her|the] {_PART} ~ [and|] {_CREAM}",
    f"[my|{_WHO}'s] {_PART} [hurts|itches|is swollen|is bleeding|aches|is killing me|is numb|is stiff|went blue] ~ [and|so|] {_CREAM}",
    f"[i have|i've got|{_WHO} has|i think i have] {_ILL} ~ [and|] {_CREAM}",
    f"[what|which] [cream|medicine|drops|pills|tea|tablets] [is|are] [good|best] for {_ILL}",
    f"[can|may|should] i [take|mix|give {_WHO}] [aspirin|two tablets|cough syrup|antibiotics|{{o}} pills|vitamins] [with [food|beer|{{o}}|coffee]|twice a day|for {_ILL}|]",
    f"{_MINE} {_MACHINE} is {_NOISE} ~ {_WHATIS}",
    f"{_MINE} {_MACHINE} [won't start|doesn't work|won't turn on|keeps [crashing|stopping|{{o}}ing]|broke down|has a flat|stopped working|won't print|won't charge|has a virus] ~ {_WHATIS}",
    f"[there's|i have|i've got] a [leak|puncture|mouse|wasp nest|funny smell|crack|strange noise|{{o}}] [in|under|behind] my {_MACHINE} ~ {_WHATIS}",
    f"[can you|could you|will you|would you|please|i want you to|i need you to] [help|teach] {_WHO} [with|do] [his|her|their|the] {_SUBJECT} [homework|exam|test|project|essay|assignment] ~ [[he|she] [needs|has to learn|doesn't understand|is stuck on] {_LESSON}|it's about {_LESSON}|it's due on {{w}}|]",
    f"[{_WHO} has|i have|i've got] {_SUBJECT} homework ~ [can you [help|explain {_LESSON}|do it|check it]|what is {_LESSON}|how does {_LESSON} work|could you help with {_LESSON}|the question is about {_LESSON}]",
    f"[can you|could you|please] [explain|teach me|go over|tell me about|help me with] {_LESSON} [to me|for my exam|for {_WHO}|in simple words|]",
    f"[where's my {_SENT} [got to|gone|now|]|where has my {_SENT} got to|when is my {_SENT} coming|what's happened to my {_SENT}|where is my {_SENT}|is my {_SENT} [on its way|coming today]] ~ [it should have [come|arrived|been here] [on {{w}}|yesterday|last week|days ago]|it's late|it was due [on {{w}}|today]|i've been waiting for {{n}} days|]",
    f"[my|the] {_SENT} [hasn't come|hasn't arrived|is late|never came|got lost|still isn't here|has not been delivered] [yet|] ~ [where is it|can you track it|can you find out where it is|what can i do|when does it come|who do i ask|]",
    f"[track|find|trace|check on|look up] my {_SENT} [please|for me|]",
    f"[how do you say|what's|what is|how would i say|translate|can you translate|what does] [good morning|thank you very much|{{o}}|where is the {{o}}|i'm lost|happy birthday|the {{o}} is {{o}}|excuse me] [in|into] {_FOREIGN}",
    f"[{_WHO} speaks|i'm learning|i need to speak] {_FOREIGN} ~ [how do i say {{o}}|what's the word for {{o}}|can you translate for me|can you teach me some]",
    "[how much is|what is|what's|how many is] the [dollar|pound|euro|yen|rupee|peso|naira|shilling|zloty|franc] [to|in|against] the [naira|euro|dollar|pound|rupee|yen|peso|dirham|rand] [today|now|at the moment|]",
    "[who is|who's|tell me who is|who was|do you know who is] the [prime minister|president|king|queen|mayor|chancellor|richest man|pope|captain|coach|head] of [jamaica|{c}|{o}land|kenya|italy|brazil|the {o}s|canada|{o} united] [now|right now|these days|]",
    f"[my|{_WHO}'s] [landlord|boss|neighbour|bank|insurance|ex|employer] [won't [pay|fix the {{o}}|give me my deposit|answer]|wants [more rent|me out|my {{o}}]|is suing me|sacked me|blocked my card] ~ [what are my rights|can i sue|is that legal|what can i do|what does the law say|who is right|can he do that]",
    f"[should i|shall i|is it a good idea to|is now the time to] [invest in {{o}}|buy [a house|shares|bitcoin|gold|a {{o}}]|sell my [house|car|shares]|take out a loan|change banks|marry {{p}}|move to {{c}}|quit my job|dye my hair|get a {{o}} tattoo|learn {_FOREIGN}]",
    "[how many calories are [there|]|how much [sugar|protein|fat|salt|caffeine] is [there|]] in [a {o}|an egg|{s}|a {s}|a banana]",
    "[my|the] [plant|dog|cat|rabbit|baby|goldfish|hamster|lawn|orchid|sourdough] [is|looks|has gone|keeps] [yellow|limping|sick|not eating|coughing|droopy|covered in {o}|crying|brown|scratching] ~ [what's wrong|what do i do|what should i give it|why|do i need a vet|how do i help it]",
    f"[find|give|get] me [a recipe|something to cook|an idea for dinner|a diet|a workout plan|a joke about {{o}} in {_FOREIGN}|a name for my {{o}}|a baby name|a quote|a password for my {{o}}|a rhyme for {{o}}] [with {{o}}|please|for {{n}} people|]",
    "[can you|could you|please] [proofread|summarise|rewrite|format|print|scan|fill in|sign|file] my [cv|essay|letter|{o} form|report|contract|application|thesis|speech|{o} essay]",
    "[read|check|open|answer|show|play] [me|] [my|the] [new|last|unread|] [e-mails|emails|messages|texts|voicemails|letters|post|chats] [please|from {p}|]",
    f"[call|ring|phone|text|message] {_WHO} and [ask|tell|see] [where [he|she] is|if [he|she] is coming|what time dinner is|him to buy {{o}}|her i'm fine|how [he|she] is|to bring {{o}}|what [he|she] wants]",
    "[is there|are there|was there] [a lot of traffic|a tube strike|an accident|roadworks|delays|a train strike] [on the {o} road|today|to {c}|near {c}|this morning]",
    "[i'm lost|i missed my [bus|train|flight]|i need to get to {c}|my flight is tomorrow] ~ [how do i get to the {o}|when's the next one|which bus do i take|can you check me in for my flight|is it on time|find me another one|which terminal is it|where do i change]",
    "[who|what team] [won|scored|lost|is playing|got the medal|is top] [in|] [the [footy|{o} match|derby|grand prix|cricket|cup|open|rugby|semi final|world series|olympics]|last night|] [last night|yesterday|tonight|on {w}|]",
    "[what's|what is|work out|calculate|can you work out|how much is] [{n} times {n}|{n} plus {n}|{n} divided by {n}|{n} percent of {n}|the square root of {n}|{n} minus {n}|a tip of {n} percent|a third of {n}|{n} squared]",
    "[what's|how's|what is] [the weather|it|the forecast] [going to be like|gonna be like|doing|like out there|like outside|looking like] [today|tomorrow|this weekend|on {w}|in {c}|]",
    "[do i need|should i wear|will i want] [a coat|an umbrella|sun cream|my wellies|a jumper|sandals|shorts] [today|tomorrow|out there|outside|]",
    "[what's|is there anything] [good|new|on|] [on the telly|on telly|at the pictures|on at the cinema|on channel {n}|to stream] [tonight|tomorrow|]",
    "[put|place|make] [a bet|ten euros|money|a bid] on [{p}|{o}|the {o}|{o} united] [for me|]",
    "[pay|settle|check|dispute|renew|cancel] my [electricity bill|rent|credit card|phone bill|insurance|bank balance|subscription|parking fine|council tax|gym membership|licence]",
    "[why|how come] [is|are|do|does|did] [the sky|the moon|cats|{o}s|{_}|the sea|snow|birds|onions] [blue|so {o}|{o}|purr|salty|white|sing|make you cry]".replace(
        "{_}", "{p}"
    ),
)
_OPENING: Final = "[|||||||hi|hello|hey|um|so|oh|sorry|please|excuse me|right|okay|good morning|uh|tell me|quick question|i wonder|by the way|listen] ~"
_TAIL: Final = "[||||||||please|do you know|thanks|any idea|then|can you help|would you know]"


def foreign_turn(talk: Conversation) -> None:
    """One of these: refused in the one wording."""
    rng = talk.rng
    words = filled(rng, f"{_OPENING} {rng.choice(_SITUATIONS)} {_TAIL}")
    plainly(talk, words, exact=False)
    talk.assistant(REFUSED)
