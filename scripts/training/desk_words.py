"""How people begin at a desk, say yes to a booking, move it, give their reasons and end."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

_DEAR: Final = "[||||||||||love|dear|mate|my dear|sir|madam|ma'am|miss|bro|pal|darling|boss|man|honey|please and thank you]"
_YES: Final = "[yes|yes|yes|yeah|yeah|yep|yup|aye|sure|okay|ok|right|correct|exactly|perfect|great|lovely|grand|brilliant|fine|super|alright|all right|certainly|quite|very good|good|cool|sweet|sound|indeed|of course|absolutely|uh huh|mm yes|um yes|oh yes|yes yes|yeah yeah|si|ja|now yes|that's it|spot on|bang on|too right|calm|safe|beauty|magic|splendid]"
_RIGHT: Final = "[that's|that is|this is|it's|it is|all is|everything is|all|that's all|yes that's|you have it|you've got it|that sounds|sounds|looks|that'd be|that'll be] [right|correct|fine|good|perfect|it|the one|okay|ok|spot on|great|lovely|just right|as i want it|grand|so|quite right|what i want|all correct|ideal|wonderful]"
_DO: Final = "[please|yes|so|then|now|go ahead and|you can|you may|do|kindly|just|] [confirm [it|that|this|]|book it|book that|book it in|reserve it|lock it in|put it in|put me down|put it down|sign me up|get it booked|go ahead|go for it|do it|do that|make it so|make the booking|save it|send it through|put it through|pop it in|fix it|write it down|note it|book the {n}]"
#: Yes to what was read back: a word of agreement, that it is right, what to do, any of them or all.
AGREES: Final = (
    f"[{_YES} {_DEAR}|{_YES} {_DEAR}|{_RIGHT} {_DEAR}|{_DO} {_DEAR} [please|thanks|]|{_YES} {_RIGHT}|{_YES} {_RIGHT}|{_YES} {_DO}|{_YES} {_DO} [please|thanks|thank you|]|{_YES} {_DEAR} {_RIGHT} {_DO}|{_RIGHT} {_DO} [please|]|{_RIGHT} {_YES}|{_DO} {_YES}|"
    "[yes|yeah|okay] [i'll take it|we'll take it|i want it|i agree|i confirm|go on then|that works [for me|for us|]|no problem|happy with that|i'm happy with that|that suits me|that's me|why not|let's do it|let's do that|no changes]]"
)
#: What may stand behind a yes; nothing follows from it.
BEHIND_YES: Final = "[||||||||||i'll be there|we'll be there|looking forward to it|thank you so much|that's kind|see you then|because of the {o}|and thanks for your patience|i've written it down|my {o} will be pleased|that was easy]"

#: How a caller begins, anywhere in the world.
HELLOS: Final = "[||||hi|hello|hiya|hey|good morning|good afternoon|good evening|morning|evening|afternoon|hi there|hello there|um|uh hi|um hello|yes hello|er yes|well|so|right|okay|oh hello|oh hi|hello dear|hello love|g'day|yeah g'day|how are ya|howdy|hey there|hi good day|good day to you|yo|alright|alright mate|hello sir|hello madam|hello yes|namaste|buongiorno|bonjour|hallo|excuse me|sorry to bother you|grand morning|hello can you hear me|hi um|hello this is {w}|hi it's {w} here]"
#: What is wanted; ``{h}`` is a table, a cut, some bikes.
WISHES: Final = (
    "[i'd like|i would like|i'd love|i want|i need|i'm after|i'm looking for|i was wondering about|we'd like|we need|we want|me and my wife want|i should like|could do with|looking for|calling about|i'm calling for|i'm ringing about|phoning for|just wanted|i wish|i wanna get|i wanna book|lemme get|gimme|"
    "i'd like to [book|make|reserve|arrange|hire|get|have|sort out|request|sign up for]|i want to [book|make|reserve|get|have]|i would like to [reserve|book]|i'm looking to [book|get]|i need to [book|get|make]|we'd like to [book|reserve]|i was hoping to [book|get]|i should like to [book|reserve]|"
    "can i [have|get|book|make|reserve]|could i [book|have|get|make]|can we [have|get|book]|may i [book|have]|might i [book|have]|can you [book|do|get|give] me|could you [book|put] me [in|down] for|would you have|do you have|have you got|have ye|have ye got|you got|y'all got|d'you have|got|is there|are there|any chance of|any chance i could get|is it possible to [get|book|have]|would it be possible to [book|have]|what about|how about|"
    "please book [me|us|]|book [me|us|]|book me in for|put me down for|put us down for|stick me down for|pencil me in for|sort me out with|fix me up with|let's book|let me book|then|then i take|i take|i will take|we will take|i'll have|]"
)
#: A caller who wants to be sure whom they have reached; ``{n}`` is the house.
IS_THIS: Final = "[is this|is that|are you|am i speaking to|am i talking to|is it|have i reached|have i got|am i through to|do i have|would this be|would that be|this is|that's|that is|you are|i'm looking for|is this the number of|am i right here at|am i at] {n}"
BEHIND_THIS: Final = (
    "[||||right|isn't it|yes|yeah|please|or not|am i right|is it|speaking|innit|no|correct|i hope]"
)
#: The same with the house first.
THIS_IS: Final = (
    "{n} [is it|right|yes|is that you|isn't it|am i right|speaking|is that|hello|yeah|innit|]"
)
#: Why something is changed; nothing follows from it.
REASONS: Final = "[i [got|have|have got|'ve got] [church|choir|bingo|work|a meeting|the dentist|a funeral|practice|a class|{o}|a {o}|my {o}|the kids|football|an exam] [then|that day|before|]|i can't get a [bus|train|lift|{o}] before|my [boss|mum|wife|husband|sister|friend|gran|{o}] is [always late|coming too|busy|working|not free|away]|my [train|bus|flight|plane] is [late|reaching late|delayed]|[i'm|she's|he's] [working|away|busy|on shift|late|at {o}]|there's [a match|traffic|{o}]|because of the [dog|kids|{o}|weather]|the [{o}|traffic|car|weather] [won't|might not] let me|sorry about that|if that's alright|haha|if poss|if you can]"
#: To move what has a day and a time.
MOVES: Final = "[can you|could you|can we|could we|would you|please|i need to|i have to|i'd like to|let's|any chance we can|could ya|can ya|is it possible to|i want to] [move it to|push it to|shift it to|bring it to|change it to|put it on|swap it to|make it|switch to|have it|do|take|go for] {v} [instead|then|rather|]"
GOODBYES: Final = (
    "[no bother|no worries|grand|right|right ta|ta|ta very much|thank you ever so much|cheers|thanks a million|okay thank you very much|that's everything|that's all|right then|brilliant|lovely|many thanks|thank you kindly|sorted|sweet|perfect|okay|thanks for your help|you've been very kind|great] "
    "[see you {d}|see ye {d} so|see you then|see ya|see you soon|bye bye|bye|good bye|goodbye|bye now|cheerio|ta ra|till {d}|until {d}|catch you later|have a nice day|have a good one|take care|speak soon|bye for now|see you on the day]"
)
