"""Talk that wants nothing: feelings, news, praise, blame, excuses, wishes; one short warm answer a kind."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_turns import filled
from conversation import Conversation
from set_phrases import (
    BYE,
    FINE,
    GOOD_TO_HEAR,
    KIND,
    SEE,
    SORRY_TO_HEAR,
    TAKE_TIME,
    WELCOME,
    YOU_TOO,
)
from talk_numbers import plainly

_OH: Final = "[|||||||oh|ah|well|okay|right|so|um|uh|ugh|haha|you know|honestly|by the way|hey|listen|oh well|mm|hmm|nice] ~"
_VERY: Final = "[|so|very|really|a bit|quite|rather|totally|terribly|absolutely|just|feeling a bit|feeling so|awfully|kind of|super]"
_WHO: Final = "[my [mother|father|mum|dad|brother|sister|wife|husband|son|daughter|boss|friend|neighbour|dog|cat|{o}]|{p}|she|he]"
_TODAY: Final = (
    "[||||today|tonight|this morning|again|right now|at the moment|lately|these days|all day]"
)

CONGRATULATIONS: Final = "Congratulations! That's great news."
NO_PROBLEM: Final = "No problem at all."
DO_BETTER: Final = "I'm sorry. I'll try to do better."
ONLY_PROGRAM: Final = "No, I'm only a program, but thank you for asking."
NO_FAVOURITE: Final = "I don't have a favourite, I'm only a program."

#: What is said: what is answered, the weight of the kind.
_SOCIAL: Final[Mapping[str, tuple[str, float]]] = {
    # Feelings and misfortunes.
    f"{_OH} [i'm|i am|i feel|i'm feeling|we're] {_VERY} [tired|sad|ill|sick|poorly|exhausted|stressed|lonely|worn out|fed up|down|upset|worried|nervous|scared|angry|unwell|knackered|shattered|miserable|anxious|under the weather|heartbroken|drained|grumpy|homesick|out of sorts|not great|not well] {_TODAY}|"
    f"{_OH} [i [had|'ve had|have had] [a|such a] [bad|rotten|awful|terrible|long|rough|horrible|hard|dreadful|lousy|stressful|nasty|tough] [day|night|week|morning|time|journey] {_TODAY}|it was [a|such a] [long|rotten|awful|hard] [day|night|week] [today|at work|]]|"
    f"{_OH} [i [can't|couldn't|didn't] sleep {_TODAY}|i slept badly {_TODAY}|i've got [a cold|a headache|the flu|a terrible headache|a sore throat|back pain]|my [head|back|foot|{{o}}] is killing me|i could [cry|scream|fall asleep standing]|i [need|could use] a [hug|holiday|break|rest]|i could sleep for a week]|"
    f"{_OH} [{_WHO} [died|passed away|is ill|is in hospital|is very sick|left me|broke up with me|had an accident|isn't well|is limping|got hurt|ran away|lost the job|is sad|shouted at me] [last week|yesterday|today|]|i [lost my job|got fired|failed my exam|failed my test|missed my train|missed the bus|broke my {{o}}|burnt my dinner|dropped my {{o}}|fell down the stairs|lost my {{o}} game|got soaked|had a row with {{p}}|crashed the car|spilled everything] {_TODAY}]|"
    f"[poor thing|poor {{p}}|it hurts|everything goes wrong {_TODAY}|nothing works {_TODAY}|nobody likes me|i miss {{p}}|i miss my [mum|dog|wife|home|{{o}}]|i feel awful|life is hard|it's all too much|what a rotten day|what an awful week|we lost the game|i'm not doing well|not so good|i've been better|could be better|things are bad]":
        (SORRY_TO_HEAR, 6),
    f"{_OH} [i'm|i am|i feel|we're] {_VERY} [excited|happy|glad|pleased|proud|thrilled|delighted|in a good mood|over the moon|relieved|looking forward to {{o}}|hopeful|cheerful|great|on top of the world] {_TODAY}|{_OH} [i had [a|such a] [good|great|lovely|wonderful|fantastic|nice|brilliant] [day|night|week|morning|time|walk|weekend] {_TODAY}|"
    f"i slept [well|like a baby|really well]|the sun is out|it was [lovely|great|wonderful|fun] {_TODAY}|i love [this song|this house|it here]|i can't wait for [{{w}}|the {{o}}|tomorrow]|{_WHO} is such a [good|clever|sweet|lovely|funny] [boy|girl|one|thing]|everything [is|went] [fine|well|great] {_TODAY}|"
    f"i [feel|'m feeling] [much|] better [now|today|]|the {{o}} was [great|delicious|lovely|so good]|that [tastes|smells|looks|sounds] [good|great|lovely|delicious]|life is good|i like it here|it works|that worked [well|]|i'm [good|fine|very well|great|not bad] [thanks|thank you|]|can't complain|all good [here|]|not too bad]":
        (GOOD_TO_HEAR, 4),
    f"{_OH} [i|we|{_WHO}] [passed [my|the] [driving exam|theory test|exam|exams|test|{{o}} exam|finals|swimming test]|got [the job|a new job|promoted|married|engaged|a place at university|a raise|a baby|the keys to our house|a new house|first prize|a medal|into college]|won [the lottery|the game|a prize|the race|the {{o}} cup|first prize]|finished [my|the] [thesis|degree|book|marathon|{{o}}]|had a baby|graduated|made it] {_TODAY}|"
    f"{_OH} [i'm|we're] [getting married|engaged|going to be a [father|mother|dad|mum|grandmother|uncle]|having a baby|pregnant|a grandad now|an aunt now] {_TODAY}|{_OH} [it's a [boy|girl]|good news i got the {{o}}|guess what i [won|passed|got in]|great news {{p}} said yes|we [won|did it]|i did it|my team won|i learned to swim|i can ride a bike now|i got an a in {{o}}]":
        (CONGRATULATIONS, 5),
    f"{_OH} [it's my birthday {_TODAY}|today is my birthday|i [turn|am turning] {{n}} today|it's my [big|] birthday today|i have my birthday today|i'm the birthday [boy|girl]|birthday today]": ("Happy birthday!", 2),
    # To the assistant: praise, blame, excuses, thanks, wishes.
    f"{_OH} [perfect|lovely|great|wow|brilliant|haha|] ~ [you're|you are] [very kind|so kind|very helpful|very quick|so quick|so patient|a star|the best|a genius|brilliant|amazing|great|a treasure|a lifesaver|wonderful|a good one|awesome|so clever|very clever|lovely|so sweet|an angel|a legend|my hero|a champ|a gem|a darling|smart|good at this|better than my last one|a dear|funny]|"
    f"{_OH} [well done|good job|great job|good work|full marks|top marks|nice work|that was [quick|fast|easy]|wow that was [quick|fast|easy]|clever you|good boy|good girl|clever thing|bravo|impressive|i'm impressed|i like you|i love you|i like your voice|you have a nice voice|you sound nice|you did well|you got it right|ten out of ten|hats off|you make my day|you're the first to get that right|nobody ever gets that right|you made me smile|what would i do without you|that's clever|that was clever|that's amazing|smart cookie]": (KIND, 5),
    f"{_OH} [useless|rubbish|hopeless|pathetic|great help|thanks for nothing|] ~ [you're|you are] [useless|stupid|so slow|hopeless|no help|no use|no good to me|not very clever|not very good|an idiot|annoying|rubbish|dumb|terrible|thick|a waste of time|driving me mad|getting on my nerves|not listening|not helpful|the worst|really bad at this|no good] [are you|aren't you|you know|today|]|"
    f"{_OH} [you're not much [help|good] [are you|]|you're not worth much|you never [listen|understand|get it|help]|you don't understand [anything|a thing|me]|you can't do anything [can you|]|what are you even good for|what's the point of you|i hate you|i hate this|this is [annoying|useless|ridiculous|frustrating|hopeless|a joke|driving me mad]|that was [bad|no help|useless]|my [old one|phone] was better|you know nothing|"
    f"is that all you can do|you're not the brightest|stupid [thing|machine|computer|robot]|dumb [thing|machine|robot]|for heaven's sake|oh for goodness sake|you don't know much do you|you disappoint me|i'm not happy with you|worst assistant ever|you made me [angry|cross]|typical]": (DO_BETTER, 5),
    f"{_OH} [sorry|i'm sorry|i am sorry|my apologies|apologies|i apologise|i apologize|forgive me|please forgive me|excuse me] [[for|about] [being rude|shouting|being snappy|being curt|that|what i said|the noise|the mess|earlier|the confusion|snapping|being slow|my tone|keeping you waiting|the trouble|bothering you]|i was [unfair|mean|cross|a bit sharp|grumpy|shouting|impolite|nasty|snappy] [earlier|just now|back then|]|i didn't mean [that|it|to shout|to be rude]|that was [rude|unfair|mean] of me|i shouldn't have [said that|shouted]|i was in a bad mood|i lost my temper|i [mumbled|confused you|mixed it up]]|"
    f"{_OH} [i [was|have been|'ve been] [unfair|mean|nasty] sorry|i didn't mean it|i take that back|i take it back|no hard feelings|i shouldn't have said that|sorry about [that|earlier|before|the shouting|all this]|i'm a bit slow today sorry|sorry i'm being difficult|i was wrong sorry|my bad|my fault|that was my mistake|my mistake|didn't mean to be rude]": (NO_PROBLEM, 5),
    f"{_OH} [cheers|thanks|thank you|ta|many thanks] [love|mate|dear|pal|darling|honey|my friend|my lovely|sweetheart|buddy|man|boss|chief|{{p}}|very much indeed|a million|ever so much|for everything|for that|all the same|anyway|though|]|[[my wife|my mother|everybody|{{p}}|my friend|the boss] says [thanks|cheers|many thanks]|top marks ~ thanks|"
    f"[perfect|lovely|brilliant|wonderful|great|super|excellent|fab|grand|magic|sweet|spot on|ace] [thanks|thank you|cheers|ta] [a lot|so much|dear|love|mate|]|i appreciate [it|that|your help]|much obliged|you've been [a great help|very helpful|so kind|really useful] [thanks|thank you|]|that's [very|so|really] kind [of you|] [thanks|thank you|]|that's a great help [thanks|]|you helped me a lot|bless you|god bless you|that'll be all thanks|that's all i needed thanks|thanks a bunch you [star|legend|angel]]": (WELCOME, 5),
    f"{_OH} [[have a|have yourself a|i wish you a|hope you have a|and a] [nice|good|lovely|great|wonderful|pleasant|relaxing|fantastic|fun|quiet] [day|weekend|evening|week|night|holiday|time|afternoon|rest of the day|one|easter|sunday]|enjoy [the|your] [weekend|evening|day|rest of the day|holiday|sunday|week]|"
    "[merry christmas|happy christmas|happy new year|happy easter|happy holidays|season's greetings|happy diwali|eid mubarak|good luck|all the best|best wishes|happy {w}]] [||||dear|then|to you|to you too|my friend|everyone|love|mate]": (YOU_TOO, 4),
    f"{_OH} [hold on|hang on|wait|one moment|moment|just a sec|a moment|one second|bear with me|give me a minute|hang on a tick|half a minute] ~ [my mobile's going off|there's somebody outside|the doorbell rang|i'm getting a call|i have to ask {{p}}|let me ask [my wife|my husband|{{p}}|them]|i'm looking for my {{o}}|the kids are shouting|the baby's crying|i need to check something|let me think|i have to think about it|i'm on the other line|i dropped my {{o}}|the dog is barking|i'm looking it up|i'll be right back|my {{o}} is here|]|"
    "[let me [think|ask my wife|check with {p}|see|ask the others] [about it|first|for a second|]|i'll be back in a [minute|second|sec]|i need a minute|not yet give me a second|i have to ask [my wife|my boss|{p}] first|i'm thinking|back in a moment|i'm still thinking|i haven't decided yet|don't rush me|no rush]": (TAKE_TIME, 4),
    # Asked back.
    "[|||hi|hello|hey|good morning|good afternoon|good evening|oh hello|morning|hi there|hiya|yo|and|so] [dear|my dear||||] ~ [how are you [doing|feeling|keeping|getting on|] [today|this morning|tonight|this evening|these days|] [dear|my friend|love|then|mate|my dear|]|how's it going [today|mate|then|]|how are things [with you|today|]|how do you do|how's [your day|life|everything] [going|been|] [so far|]|are you well [today|dear|]|you alright [there|mate|]|what's up|how have you been|are you having a good day|how's yourself|and yourself|and how are you|and you|how goes it|you okay]": (FINE, 4),
    "[do you like [coffee|tea|cake|music|chocolate|pizza|{o}|{o}s|dogs|cats|children|it here|your job|me|wine|football|{s}|jazz|the {o}|cooking|dancing|people|summer|rain]|do you [ever|] [eat|drink|dream|get bored|cry|laugh|dance|get lonely|feel pain|fall in love|go out|go on holiday|have fun|watch films|read books|drink coffee|drink tea|get hungry|have weekends off]|are you [married|single|hungry|thirsty|bored|lonely|sad|a girl|a boy|a woman|a man|angry|jealous|cold|rich|religious]|"
    "have you got [a family|children|friends|a girlfriend|a boyfriend|a dog|brothers|any hobbies|a body|feelings|parents]|do you have [a family|kids|friends|a wife|a husband|pets|hobbies|feelings|a car|a mother|birthdays|dreams]|have you [ever|] [eaten {o}|tried {s}|seen the sea|had coffee|tasted {o}]|would you like [a coffee|some tea|some cake|a biscuit|a day off|a hug|{s}|to come with me]|will you marry me|do you want [some|a coffee|cake|to be my friend|to come along]] [||||too|then|though|by the way|dear]": (ONLY_PROGRAM, 4),
    "[what's your favourite [colour|food|song|film|drink|animal|book|day|season|music|{o}]|which [{o}|colour|song|season|day|animal] do you like [best|most]|what do you like [best|most|to eat|to drink|to do]|what's the best [song|colour] for you|do you have a favourite [colour|song|{o}|food|team]|what kind of [music|films|books] do you like]": (NO_FAVOURITE, 2),
    # Said by the way.
    f"{_OH} [silly me|i figured|as i thought|just as i expected|worth asking|no harm in asking|i see|i understand|that makes sense|makes sense|who knows|whatever|never knew that|interesting|is that so|really|oh really|fancy that|imagine that|that's life|such is life|time flies|already|so late already|so early still|so no [office|school|{{o}}] [then|today|tomorrow] [great|lovely|]|no wonder|i knew it|told you so|"
    f"that explains it|i'm [puffed out|on my way|at home|back|in the kitchen|off work|waiting for {{p}}|watching tv|cooking|cleaning|not sure yet|working from home|just in from work|sitting in the garden] {_TODAY}|the kids are [asleep|at school|in bed|loud today]|{_WHO} is [here|asleep|coming later|at work|late again|waiting outside|always late]|we have guests {_TODAY}|there's nobody here|i'm making [{{s}}|dinner|tea|{{o}}]|that's [dear|expensive|pricey|a lot|cheap|odd|strange|late|early]|"
    f"that's a bit steep|there's still time|time to go to work|it's [quiet|busy|late|early] [here|in here|] {_TODAY}|{_WHO} told me about you|i got you from {_WHO}|you live in a box|i read about you|i've heard of you|we've just moved in|i'm new here|this is my first time|i never used one of these]": (SEE, 4),
    f"{_OH} [[thanks|thank you|cheers|ta|right then|that's it|okay then|then] [for everything|for your help|very much|again|] ~ [bye|goodbye|bye bye|bye now|see you|see you later|see you [on|] {{w}}]|[then|okay|well|right] goodbye ~ and thanks [for your help|for everything|]|okay [then|] see you {{w}}|see you {{w}} then]|{_OH} [i'm off|i'm off then|got to go|gotta go|i have to run|i must dash|right i'm away|see you|see ya|see you [later|soon|tomorrow|on {{w}}|next week|{{w}}]|bye|bye bye|bye for now|goodbye [dear|]|cheerio|ciao|ta ra|toodle pip|so long|until next time|until {{w}}|later|laters|catch you later|take care|look after yourself|farewell|i'm leaving now|speak soon|talk later|have to leave now bye|bye love|bye mate|adios|au revoir]": (BYE, 3),
}  # fmt: skip
_ASKED: Final = tuple(_SOCIAL)
_WEIGHTS: Final = tuple(weight for _, weight in _SOCIAL.values())


def social_turn(talk: Conversation) -> None:
    """One of these; never a call, never another subject."""
    asked = talk.rng.choices(_ASKED, _WEIGHTS)[0]
    words = filled(talk.rng, f"[{asked}]").replace(" 've", "'ve").replace(" 'm", "'m")
    if talk.order and " all" in words:
        return  # at a counter that ends the order
    plainly(talk, words, exact=False)
    talk.assistant(_SOCIAL[asked][0])
