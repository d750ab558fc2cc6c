"""What people say around what they tell: agreeing, giving up, ruling out, putting right."""

from __future__ import annotations

import re
from typing import Final

from words import DAYS, NUMBER

_DAY: Final = rf"(?:{'|'.join(DAYS)})"

#: What is told only to be ruled out: "not wednesday", "any day but friday", "instead of ten".
RULED_OUT: Final = re.compile(
    "|".join(
        (
            r"(?<!why )\b(?:not|bar|except|apart from|other than|but)"
            rf" (?:(?:on|at|for|the|a|this) )*{_DAY}s?\b(?! then)",
            rf"\b(?:is|are|am|be|\w+'[sm]|\w+'re) (?:away|off|busy|out)(?: on)? {_DAY}s?\b",
            r"\b(?:i have|i've got|i've|we have|we've|there's) (?:\w+ ){1,3}(?:at|till|until)"
            rf" {NUMBER}\b",
            r"\b(?:works?|working|can't(?: do| make| manage| come)?|closed|shut|dentist|in town"
            r"|back(?: home)?(?: on)?|leaving|leave|fly|home on|until|till) (?:on )?(?:the )?"
            rf"{_DAY}s?\b",
            r"(?<!why )\bnot (?:on |at |for )?(?:the |a )?\w+(?= (?:but|it's|on|at|for|\w+day)\b)",
            rf"\bnot (?:at |for )?{NUMBER}\b",
            r"\bnot (?:on |at |for )?(?:the |a )?\S+$",
            r"\b(?:not (?:a|the|any)|without any?) [\w ]{1,20}$",
            r"\b(?:instead of|rather than) (?:the |a |at )?(?:(?:half|quarter)(?: past| to)? )?\w+",
        )
    )
)
#: And what is, unless it is all that is told: "sunday's no good", "saturday i'm away".
NO_GOOD: Final = re.compile(
    rf"\b{_DAY}(?:s|'s| is)? (?:(?:i'm|we're) (?:away|busy|working|out|off|at|in|up|on)|i've"
    r"|i work|i can't|i have|we've|we have|she|he|they|(?:is |are )?no good|(?:isn't|not) any good"
    r"|is out|is the|'s the|is bad|won't|doesn't|don't|no use)\b"
)
#: "I've got the chiropodist on wednesday".
BUSY_ON: Final = re.compile(
    r"\b(?:i've got|i have|we've got|we have|there's|he has|he's got|she has|she's got"
    rf"|(?:i'm|we're|he's|she's|they're) (?:at|in|on|off)) (?:\w+ ){{1,4}}on (?:the )?{_DAY}s?\b"
)
ANY_DAY: Final = re.compile(rf"\b{_DAY}s?\b")
INSTEAD: Final = re.compile(r"\b(?:not|instead of|rather than) (?:at |for |the )*([\w ]+)")
SAME_TIME: Final = re.compile(r"\bsame (?:sort of )?(?:time|hour)\b")
#: How old somebody is: no number of theirs, unless it was asked for.
AGED: Final = re.compile(
    r"\b(?:he's|she's|i'm|aged|turning|turns|over|under) (?:only |about |just |nearly |all )*"
    rf"{NUMBER}\b(?! o'clock)"
)
#: "On wednesdays", in what is told, is a habit.
HABIT: Final = re.compile(rf"\b{_DAY}s\b")
#: "Ten is a bit early": what comes next is of the same need.
TIGHT: Final = re.compile(
    rf"\b((?:half |quarter )?(?:past |to )?{NUMBER})(?:'s| is| was)? (?:a bit|too|a little"
    rf"|a squeeze"
    r"|rather(?! than)|very|no good|pushing|tight)\b"
)

#: A question that is no wish, whatever stands in it.
ONLY_ASKS: Final = re.compile(
    r"\b(?:how (?!about)|cost|price|prices|charge|pay|open|close|closed|shut|park|parking|allowed"
    r"|happens|need to|have to|should i|must i)\b|^(?:(?:and|but|so|oh|um|well|sorry|ok|okay|right"
    r"|now|then) )*(?:why|where|which|who|when|what(?! about| if))\b"
)
WISH: Final = re.compile(
    r"\b(?:what|how) about\b|\bany chance\b|\bis it possible\b"
    r"|\b(?:can|could) (?:i|we) (?:drop|book|order|hire|rent)\b"
    r"|\bcan you (?:actually )?(?:just )?make\b"
)
#: "Is the patio covered" is no wish for it, and "is friday free" one for friday.
IS_SO: Final = re.compile(
    r"^(?:(?:and|but|so|oh|um|hm|well|sorry|ok|okay) )*(?:is|are|was|does) "
    r"(?!.*\b(?:free|available|possible|okay|ok|all right|alright|good|left|taken)\b)"
)
WAITS: Final = re.compile(
    r"\b(?:hang on|hang about|hold on|(?:one|a|just a) (?:sec\w*|moment|minute|tick)|bear with)\b"
)
#: "Do you do sofas" asks what there is.
WARES: Final = re.compile(
    r"\bdo (?:you|ye|yous|they)(?: \w+)? (?:do|buy|sell|fix|touch|mend|make|rent|hire|offer|cut"
    r"|take)\b"
)
#: A question about what was said just before: "she has a tablet, can somebody do that".
LEANS: Final = re.compile(r"\b(?:that|it|them|this)(?: at all| though| for me| too)?$")
MAYBE: Final = re.compile(
    r"^(?:and )?(?:is|are|would|will) (?:that|it|this|they|there)(?: be)? \w+$"
)

_AGREES: Final = re.compile(
    r"^(?:(?:yes|yeah|yep|yup|aye|ok|okay|sure|perfect|lovely|great|grand|please|that's|all|right"
    r"|correct|fine|it|go|on|ahead|do|book|good|so|then|thanks|thank|you|that|absolutely|course|of"
    r"|me|us|in|them|for|the|well|one|works?|suits|brilliant|cool|sound|sounds|dear|love|mate|pal"
    r"|man|no(?= that's)|now|down|exactly|just|let's|lock|away|put|nice|grand|job|magic"
    r"|alright|spot|can|ye"
    r"|have|is good|oh|ah|och|um|betcha|no problem|no bother|no worries|never mind|that'll|be"
    r"|has to|done) ?)+$"
)
_APPROVES: Final = re.compile(
    r"\b(?:lovely|perfect|great|grand|ok|okay|fine|brilliant|cool|sound|good|please|magic"
    r"|alright)\b"
)
_YES: Final = (
    r"yes|yeah|yep|yup|aye|you betcha|go ahead|go on(?! (?:to|a|the|with)\b)|(?:book|do) it"
    r"|work away"
)
_SURE: Final = re.compile(
    rf"\b(?:{_YES}|(?<!be )book|correct|that's (?:right|it|us|me|all)|sure|works|exactly|that'll do"
    r"|sounds (?:good|great|fine)|lock it in|that's (?:all )?fine|put (?:me|us) down)\b"
)
YES: Final = re.compile(rf"\b(?:{_YES})\b")
#: A no, or not yet.
_DENIES: Final = re.compile(
    r"\b(?:no(?! (?:problem|bother|worries|rush|that's|go ahead|book|thanks that's all))|nope"
    r"|not(?! (?:bad|a problem|to worry|at all))|don't|doesn't|isn't|won't|wrong|(?<!no )problem"
    r"|wait|hang on|hold on|later|before (?:i|we) (?:say|do|book|agree|decide)|in a minute"
    r"|back to you|call you back|ring you back|think about it)\b"
)
_GIVES_UP: Final = re.compile(
    r"\b(?:don't book (?:it|anything|me|that)(?! (?:yet|for))|don't bother with it"
    r"|leave it(?: then| so)?(?= (?:altogether|for now|sorry|thanks|love|pal|mate|pet"
    r"|hen|duck|dear|man)|$)"
    r"|call it off|(?:scrap|forget(?: about)?|drop) (?:it|that|the (?:whole|booking))"
    r"(?: (?:thing|lot))?(?=$|"
    r" (?:then|please|so|for now|altogether|will|thanks|would|i'll|we'll|sorry|pal|love|mate))"
    r"|won't bother"
    r"|cancel(?: (?:it|that|this|them|everything|all of it|the (?:whole|booking|appointment|lot"
    r"|thing|visit|table)|my (?:booking|appointment|visit|table)))?(?=$| (?:please|then|so|now"
    r"|will|would|for me|on us|altogether|thing|lot|sorry|i|we|thanks|if you|ah|and|on|for|at"
    r"|completely|today|tomorrow))|cancel (?:it|the lot|everything))\b"
)
_GIVES_NOT_UP: Final = re.compile(
    r"\b(?:don't|not|won't|might|may|had|if|never|didn't|shouldn't|when|before|do i|can i"
    r"|what)\b.{0,24}\b(?:cancel|scrap|forget|call it off|leave it)"
)
#: What is booked changes only where that is meant: "see you tomorrow" moves nothing.
CHANGES_BOOKED: Final = re.compile(
    r"\b(?:make (?:it|that)|changed?|move|switch|swap|shift|instead|rather|actually|let's|better"
    r"|put|can (?:we|i|you|it|they)|could (?:we|i|you|it|they)|add|prefer|earlier|later|possible"
    r"|sorry|wait|wrong|mistake|coming|can't|cannot|same time|same day|forgot|give|say|not|no"
    rf"|(?:do|so|then) (?:{NUMBER}|(?:on )?{_DAY}))\b"
)
MAKES: Final = re.compile(
    r"\b(?:make (?:it|that)|instead|move it|change it to|switch|swap|put (?:it|us|me|down))\b"
)

#: "It's for my mum": her name comes next.
FOR_WHOM: Final = re.compile(
    r"\b(?:for|it's) (?:my|our|her|his) (?:\w+ )?(?:mum|mom|mam|mother|ma|dad|father|da|wife"
    r"|husband"
    r"|son|daughter|boss|brother|sister|friend|partner|girlfriend|boyfriend|gran\w*|nan|aunt\w*"
    r"|uncle"
    r"|niece|nephew|neighbou?r|client|colleague|lad|lass|girl|boy)$"
)
#: A number alone, and what may stand around it.
ALONE: Final = re.compile(
    r"^(?:(?:let's|it's|that's|we're|there's|i'll|we'll|can you|could you|could we|can we|um|uh|oh"
    r"|so|but|just|then|go|on|actually|maybe|better) )*(?:(?:make|say|call|do|have|put|be) )?"
    rf"(?:it |that )?{NUMBER}(?: (?:then|please|instead|rather|though|so|now|altogether))*$"
)
CHANGES: Final = re.compile(
    r"\b(?:make|change|switch|swap|move|shift|instead|actually|rather|go for|have|want|just|book"
    r"|put|take|do|need|like|then|better|could|can|would|let's|say|suits?|sorry|keep|leave|give)\b"
)
MORE_OR_FEWER: Final = re.compile(
    r"\b(?:coming|come|joining|join|bringing|tag|along|people|us|friends?|brother|sister|wife"
    r"|husband|kids?|mum|mom|dad|cousins?|mates?|can't make it|dropped out|pulled out|cancelled"
    r"|boys|girls|lads|altogether|more|fewer|less|extra)\b"
)
#: What somebody else is or does.
REMARK: Final = re.compile(
    r"\b(?:he|she|they|lad|wife|husband|mum|mom|boss|who|his|her|their|is|was|are|were)\b"
)
THERE_ARE: Final = re.compile(r"\b(?:there's|there are|we're|we are|party of|group of)\b")
THAT_ONE: Final = re.compile(r"\b(?:that one|that's the one|that'll do)\b")
FEWER: Final = re.compile(r"\b(?:just|only|leave)\b")
OF_A_CLOCK: Final = re.compile(
    r"\b(?:early|late|morning|evening|earlier|later|o'clock|time|start|half|quarter)\b"
)

#: Wishes for a day, and questions after health, which are about no booking.
WELL_WISHES: Final = re.compile(
    r"\b(?:have (?:a|yourself a) (?:\w+ )?(?:day|weekend|evening|time|one)|(?:happy"
    r"|merry) (?:christmas|new year|easter|holidays?)"
    r"|see (?:you|ye|yous) (?:on )?(?:the )?(?:\w+day|then|soon|there|tomorrow)"
    r"|how (?:are|is|'?s) (?:you|ye|things|it|the form|everything|work|business)(?: (?:all|guys"
    r"|folks|doing|going"
    r"|keeping|down|over|there|today|this \w+))*|lovely (?:day|morning|weather)(?: isn't it)?)\b"
)
_GREETING: Final = (
    r"(?:hello|hi|hiya|hullo|hey|yo|aye|yeah|oh|ah|um|so|there|dear|now|good (?:morning|afternoon"
    r"|evening)|excuse me|sorry)"
)
#: "Is that the piano tuner": at the beginning, it asks for nothing.
WHO_IS_THERE: Final = re.compile(
    rf"^(?:{_GREETING} )*(?:is (?:that|this|it)|am i (?:through|on|talking|speaking) to"
    r"|have i (?:come )?(?:through|got)|do i have|i (?:have|got|want|was after) the right)\b"
)
#: What has been told so far is asked for.
READ_BACK: Final = re.compile(
    r"\bwhat(?:'s|'ve| is| was| have| did| do| all)?(?: have)? (?:you|ye|yous|i|we|it)\b.{0,30}"
    r"\b(?:so far|down|noted?|wrote|written|put|until now|up to now|again|already|with (?:you|ye)"
    r"|for me now|booked|altogether)\b"
    r"|\b(?:read|run|say|tell|repeat|go over|give)(?: \w+)?"
    r" (?:that|it|everything|me|us|the (?:lot|whole))(?: \w+){0,4} (?:back|again|over|once more"
    r"|one more time|so far|down|what i've got|what i have|noted?)\b"
    r"|\b(?:what (?:have|do) (?:i|we|you) (?:got|have)|what(?:'ve| have) (?:i|we|you)(?: got)?"
    r"|what i've (?:given|told)(?: you)?)"
    r"(?: (?:there|then|with you|with ye|for me|so far|now))*(?=$| just\b| so\b)"
    r"|\bremind me what (?!time)|\b(?:have|did) i (?:told|tell) you\b"
    r"|\brepeat (?:me )?(?:it|that|everything)"
    r"|\b(?:nothing|anything) (?:in there|booked|down) for me\b"
    r"|\bis (?:that|it|everything) (?:all )?(?:set|booked|changed|done|sorted)\b"
    r"|\b(?:what|which) (?:time|day|date|name|number)(?: \w+){0,3}"
    r" (?:again|did i (?:say|give|tell|book)|have (?:i|you|we))\b"
    r"|\bwhen (?:was|is) (?:that|it) again\b"
    r"|\brun (?:through|that) (?:what|it|back)|\btell me what you've (?:got|put|down)"
    r"|\bread (?:me|us|it|that|back)\b"
)
_TALK: Final = re.compile(
    r"\b(?:thanks?|thank you|ta|cheers|bye|goodbye|cheerio|ta-?ra|good luck|god bless|all the best"
    r"|(?:mind|look after) yourself|take care|safe home|you(?:'re| are|'ve been| were) (?:a|very|so"
    r"|too)|sorry (?:for|to|again)|(?:got|have|i've) to (?:run|go|fly|dash)|good man|hello|hiya|hi"
    r"|hey|hullo|howya|good (?:morning|afternoon|evening|stuff|job)|morning|hang on|hold on"
    r"|(?:one|a|just a) (?:sec|second|moment|minute|tick)|bear with|wait|not to worry|no worries"
    r"|no bother|never mind|brilliant|grand|lovely|perfect|magic|smashing|super|awesome|cool|sound"
    r"|fab|alrighty"
    r"|great|fair enough|my english|speak up|later|(?:ring|call) (?:you )?(?:again|back"
    r"|another time|later))\b"
)
_TALKS: Final = re.compile(
    r"\b(?:are you (?:a|there|real|busy)|am i (?:through|talking|speaking)|can you (?:hear|speak)"
    r"|what's (?:up|the craic|new)|how's it|isn't it|hasn't it|wasn't it|you know yourself)\b"
)
#: "I need an appointment" begins one.
WANTS: Final = re.compile(
    r"\b(?:need|wants?|wanting|wanna|would like|'d like|like to|looking (?:for|to)|book|after an?"
    r"|please|get|interested|can i|could i)\b"
)


def talks(text: str, asks: bool) -> bool:
    """Whether a clause is what people say beside their affairs: greetings, thanks, "hang on"."""
    return bool(_TALKS.search(text) or (not asks and _TALK.search(text)))


def agrees(text: str) -> bool:
    """Whether it is a yes and nothing else."""
    return bool(_SURE.search(text) and _AGREES.match(text))


def approves(text: str) -> bool:
    """Whether it is praise and nothing else: a yes, right after the question."""
    return bool(_APPROVES.search(text) and _AGREES.match(text))


def denies(text: str) -> bool:
    """Whether there is a no in it."""
    return bool(_DENIES.search(text))


def gives_up(text: str) -> bool:
    """Whether the booking is given up, and not asked or told about that."""
    return bool(_GIVES_UP.search(text) and not _GIVES_NOT_UP.search(text))
