"""What people say around what they tell: agreeing, giving up, ruling out, putting right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
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
    r"\b(?:hang on|hang about|hold on|(?:one|a|just a) (?:sec\w*|moment|minute|tick)|bear with"
    r"|let me (?:see|get|ask|check|look|think|find))\b"
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

ANNOUNCES: Final = re.compile(
    r"\b(?:change|move|reschedule|different (?:day|time)|another (?:day|time)|wrong|mistake)\b"
)
#: What is booked changes only where that is meant: "see you tomorrow" moves nothing.
CHANGES_BOOKED: Final = re.compile(
    r"\b(?:make (?:it|that)|changed?|move|switch|swap|shift|instead|rather|actually|let's|better"
    r"|put (?:it|us|me) (?:on|at|to|for)|(?:can|could) (?:we|i|you|it|they) (?:do|come|be|make"
    r"|have|say|push|bring"
    r"|please|just|go|still)|add|prefer|earlier|later|possible"
    r"|sorry|wait|wrong|mistake|coming|can't|cannot|same time|same day|forgot|not|no"
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
THAT_ONE: Final = re.compile(r"\b(?:that one|that's the one)\b")
#: A day or a time and nothing else: no story.
ONLY_DAY_OR_TIME: Final = re.compile(
    rf"^(?:(?:on|at|for|say|maybe|then|please|in the|morning|afternoon|o'clock|half|quarter|past|to"
    rf"|any time|{_DAY}|{NUMBER}) ?)+$"
)
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
    r"|\bsay back what\b|\bhear what you have\b|\bwhat does it look like now\b"
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
    r"|fab|alrighty|alright|okay|appreciate|nice one|safe|see ya"
    r"|in a bit|good"
    r"|great|fair enough|my english|speak up|later|(?:ring|call) (?:you )?(?:again|back"
    r"|another time|later))\b"
)
_TALKS: Final = re.compile(
    r"\b(?:are you (?:a|there|real|busy)|am i (?:through|talking|speaking)|can you (?:hear|speak)"
    r"|what's (?:up|the craic|new)|how's it|isn't it|hasn't it|wasn't it|you know yourself)\b"
)
#: A day, a time or a number.
VALUE: Final = re.compile(rf"\b(?:{'|'.join(DAYS)}|(?:half|quarter) (?:past|to)|{NUMBER})\b")
#: Is the model's, which has a clock, and the rule's, which hangs up.
ELSEWHERE: Final = re.compile(
    r"\b(?:what(?:'s| is) the (?:time|date)(?: now)?$|what (?:time|day) is it(?: now| today)?$)"
)
BYE: Final = re.compile(r"\b(?:bye|goodbye|wrong number)\b")
#: What answers no question of the desk's.
_BESIDE: Final = re.compile(
    r"\b(?:i don't know|no idea|not sure|can't hear|breaking up|let me (?:see|get|ask|check|look"
    r"|think)"
    r"|told you|i already|where was i|say that again|pardon|(?:he|she|they) says? (?:yes|no|so))\b"
)
#: A booking of another call: none is known here.
EARLIER: Final = re.compile(
    r"\b(?:change|cancel|move|about|have|had|got|made) (?:my|an?|the|our) (?:\w+ )?(?:booking"
    r"|appointment|reservation)"
    r"\b"
)
_CALLED: Final[Mapping[str, tuple[str, ...]]] = {
    "day": ("day", "date"),
    "time": ("time", "hour"),
    "name": ("name", "surname"),
    "phone": ("number", "phone", "phone number", "telephone number"),
}
#: "I meant saturday", "it should be eleven": in place of what was told last.
CAN_YOU: Final = re.compile(
    r"^(?:(?:and|but|so|oh|um|sorry|ok|okay|actually) )*(?:can|could|would|will) (?:you|we|i)\b"
)
WRONG: Final = re.compile(r"^(?:all |just )?(?:wrong|not right|incorrect|no good|off)\b")
MEANT: Final = re.compile(
    r"^(?:(?:no|oh|sorry|actually|wait|but|um|well|yes|and) )*(?:i (?:meant|mean|said)|(?:it|that)"
    r" should (?:be|say)|it's meant to be)\b"
)
#: "I need an appointment" begins one.
WANTS: Final = re.compile(
    r"\b(?:need|wants?|wanting|wanna|would like|'d like|like to|looking (?:for|to)|book|after an?"
    r"|please|get|interested|can i|could i)\b"
)


@cache
def putting_right(what: str, kind: str) -> re.Pattern[str]:
    """What puts a need right by its name: "the time should be", "change the name to"."""
    named = rf"(?<!'s )\b(?:the |my |our |that )?(?:{_names(what, kind)})"
    return re.compile(
        rf"{named}(?:(?: is|'s| was)(?: to be)?| (?:should|must|has to|will|ought to) be)"
        rf" (?P<rest>.+)|\b(?:change|make|put|move|correct|set) {named} (?:to |into |as |be )?"
        r"(?P<more>.+)"
    )


@cache
def changing(what: str, kind: str) -> re.Pattern[str]:
    """What says that a need is to change, and not to what: "can i change the time"."""
    return re.compile(rf"\b(?:change|move|correct) (?:the |my )?(?:{_names(what, kind)})$")


def _names(what: str, kind: str) -> str:
    names = {what, what.rsplit(maxsplit=1)[-1], *_CALLED.get(kind, ())}
    return "|".join(map(re.escape, names))


def beside(text: str) -> bool:
    """Whether it is no answer, whatever was asked: "let me ask my wife", "hang on"."""
    return bool(_BESIDE.search(text) or WAITS.search(text))


def talks(text: str, asks: bool) -> bool:
    """Whether a clause is what people say beside their affairs: greetings, thanks, "hang on"."""
    return bool(_TALKS.search(text) or (not asks and _TALK.search(text)))
