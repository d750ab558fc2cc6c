"""Greetings, praise and farewells in anybody's manner: dialects, other languages, run-on or clipped."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_turns import filled
from conversation import Conversation
from set_phrases import BYE, FINE, GOOD_NIGHT, HELLO, KIND, WELCOME
from talk_numbers import plainly

_DEAR: Final = "[|||||||||love|mate|dear|pal|darling|my friend|my dear|hen|pet|bro|boss|chief|sweetheart|duck|bud|buddy|there|sir|{p}|folks|lovely|sunshine|hun|man]"
_OH: Final = "[|||||||oh|ah|well|okay|right|so|um|uh|aw|wow|haha|you know|honestly|hey|listen|i must say|i have to say|gosh|my word|by the way] ~"
_SO: Final = (
    "[|so|very|really|a very|pretty|quite|truly|awfully|rather|ever so|proper|dead|pure|well|super]"
)
_NICE: Final = "[lovely|beautiful|nice|great|clever|kind|quick|patient|funny|sweet|good|wonderful|brilliant|polite|pleasant|calm|charming|smart|helpful|fantastic|amazing|soothing|friendly|clear|handy|marvellous|class]"
_YOURS: Final = "[voice|manners|manner|way of talking|sense of humour|memory|accent|answers|attitude|personality|ear|tone|timing|style|laugh|patience]"
_YOU: Final = "[you're|you are|you really are|you sure are]"

_GREET: Final = "[hello|hi|hey|hiya|howdy|yo|g'day|ello|hello hello|heya|alright|hola|bonjour|guten tag|ciao|namaste|salaam|ey up|greetings|hullo|oi oi|well hello|oh hello|hi hi]"
_MANNERS: Final[Mapping[str, tuple[str, float]]] = {
    f"{_OH} [{_YOU} {_SO} {_NICE} {_DEAR}|{_YOU} {_SO} {_NICE} [do you know that|you know|aren't you|you are|i think|if i may say so]|you have [a {_SO} {_NICE}|such a {_NICE}|got a {_SO} {_NICE}|the nicest|the loveliest] {_YOURS} [do you know that|you know|did you know|has anyone told you|]|"
    f"what a {_NICE} [{_YOURS}|assistant|machine|thing|helper|little helper] [you are|you have|]|your {_YOURS} is {_SO} {_NICE}|i [love|like|really like|adore|quite like] [your {_YOURS}|how you talk|talking to you|the way you talk|you {_DEAR}|how quick you are|your company]|"
    f"you're {_SO} {_NICE} [at this|to me|to talk to]|you [remind me of my {{o}}|make my life easier|are better than my {{o}}|brighten my day|never let me down|did that well|sound {_NICE}|work well|know your stuff|think of everything|are on the ball|deserve a raise|deserve a medal]|"
    f"[best|nicest|smartest|handiest] [assistant|thing|helper|machine|robot] [ever|in the house|i ever had|i know|in the world]|i [couldn't|could not] [do it|manage|live] without you|good [for|on] you|fair play to you|i'm [impressed|delighted|very happy] with you|that was {_SO} [{_NICE}|quick|well done|fast]|everyone should have one of you|"
    f"[my wife|my mother|{{p}}|the whole family|everybody] [loves|likes|adores] you|nobody is as {_NICE} as you|can i keep you|you [rock|rule|star|legend|beauty|wee dote|dote|gem|champion]|i'd be lost without you]": (KIND, 6),
    f"[{_GREET} {_DEAR}|{_GREET} {_DEAR} [i've a question|can you help me|i need a hand|it's me|can i ask you something|are you busy|i need some help|i have a question for you]|[top of the day|good day] [to you|] {_DEAR}|[anyone|someone] free to help me]": (HELLO, 3),
    f"[|hi|hello|hey|oh|yo] [good morning|morning|mornin|top of the morning|buenos dias|guten morgen|a very good morning] [to you|] {_DEAR}": ("Good morning! How can I help you?", 2),
    f"[|hi|hello|hey|oh|yo] [good evening|evening|evenin|buonasera|bonsoir|guten abend|a very good evening] [to you|] {_DEAR}": ("Good evening! How can I help you?", 2),
    f"[|hi|hello|hey|oh] [good afternoon|afternoon|a very good afternoon] [to you|] {_DEAR}": ("Good afternoon! How can I help you?", 1),
    f"[|||{_GREET}|{_GREET}|good morning|morning|and|so|ah] {_DEAR} ~ [what's up|whats up|sup|wassup|what's new|what's happening|what's going on|what's the craic|how's tricks|how are ya|how are ye|how ya doing|how you keeping|how are you keeping|how you doing|how do|how's she cutting|how goes it|how's life treating you|how's the form|how is you|how body|how far|how you dey|are you keeping well|you good|you all right|alright there|how's things|how are things|how have you been|how was your [day|night|weekend]|everything good|all good with you] {_DEAR}": (FINE, 5),
    f"[|ok|okay|right|well|thanks|that's all|i'm going up|lights out|i'm knackered|time for bed] ~ [good night|night night|night|nighty night|nos da|dobranoc|buenas noches|bonne nuit|gute nacht|buona notte|sleep tight|sleep well|sweet dreams|oíche mhaith|god natt|see you in the morning|night then|i'm away to my bed|i'm off to bed|goodnight] ~ [||||good night|sleep well|{_DEAR}]": (GOOD_NIGHT, 3),
    f"{_OH} [no bother|no worries|grand|thanks|cheers|ta|okay so|right so|that's me|lovely|sound|safe|all right then|nice one|cool|] ~ [see ye|see ya|see yous|see you|catch you|catch ya|see youse|talk to you|i'll see you] [{{w}} [so|then|]|later [so|on|]|then|soon|tomorrow|next week|after|in a bit|around|on {{w}}|at the weekend] {_DEAR}|"
    f"{_OH} [bye|bye bye|bye bye bye|ta ra|tatty bye|tara a bit|cheerio|toodles|hasta la vista|adios|au revoir|arrivederci|tschüss|do widzenia|slán|i'm away|i'm off|off i go|gotta dash|got to run|i'll let you go|i'll leave you to it|mind yourself|peace out|laters|catch you later|so long|take it easy|god bless|bye now] {_DEAR}": (BYE, 4),
    f"{_OH} [bless you|god bless you|bless your heart|thanks a bunch|thanks a million|thanks ever so|ta very much|ta ever so|much obliged|i owe you one|you're a star thanks|go raibh maith agat|merci|danke|gracias|grazie|obrigado|dziękuję|tack|dhanyavad|asante|shukran|thank you kindly|thank you my daughter|thank you plenty|thanks eh|thanks heaps|cheers big ears|many thanks to you|that's grand thanks|that'll do thanks|that's me sorted thanks|that's lovely thank you|i'm grateful|very grateful|i'm much obliged|thanks for [that|your help|the help|everything|being patient|putting up with me]] {_DEAR}": (WELCOME, 4),
}  # fmt: skip
_SAID: Final = tuple(_MANNERS)
_WEIGHTS: Final = tuple(weight for _, weight in _MANNERS.values())


def manners_turn(talk: Conversation) -> None:
    """One of these; never a call, never another subject."""
    said = talk.rng.choices(_SAID, _WEIGHTS)[0]
    words = filled(talk.rng, f"[{said}]").replace(" ~ ~", " ~")
    if not words.strip(" ~") or (talk.order and " all" in words):
        return
    plainly(talk, words, exact=False)
    talk.assistant(_MANNERS[said][0])
