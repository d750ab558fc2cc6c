"""Music is asked for, changed, held and asked about: there is nothing here that plays any.

The wishes are refused in the one wording, whatever their form: "Okay, playing jazz" into silence
would be worse than a no.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from conversation import Conversation
from domain import choose_branches
from house_state import tidy
from house_things import draw_room
from music_words import draw_music, play_wish
from person_turns import say
from set_phrases import REFUSED
from spoken_numbers import spoken_number

_BEFORE: Final = (
    "[||||||can you|could you|please|hey|okay|now|and|uh|um|right|mates are on their way|we've got guests|i'm cooking|while i clean|for the party|it's [party time|workout time|bedtime|so quiet in here]|"
    "friends are [here|coming]|i can't sleep|before dinner|let's dance|i'm bored|gym time|it's friday night|for the kids|yo|i need to concentrate|then] "
)
_AFTER: Final = "[|||||||please|then|would you|thanks|quietly|softly|not too loud|but not too loud|nice and loud|in the background|for a change|for the visitors|while i cook|for the guests|for the baby|really loud|please quietly]"
_LOUDER: Final = (
    "[turn the [music|volume|sound|radio|song] up [a bit|]|up the volume|turn up the [music|volume|song]|raise the volume|turn this song up|pump up the music|i can't hear the music|i can barely hear the song|"
    "crank up the [music|tunes]|[louder|more] music|make the music louder|music [up|louder]|volume up|more volume]"
)
_QUIETER: Final = (
    "[turn [that|this|the] [music|volume|sound|radio] down [a bit|]|the music is [too|far too] loud|lower the volume|turn down the [music|volume|noise|racket]|less noise|bring the volume down|"
    "make the music [softer|quieter]|quieter music|music [down|quieter|softer]|my ears hurt from that music|the music's too loud|keep that noise down|not so loud with the music|volume down|less volume]"
)
_BECAUSE: Final = "[|||||please|i've got a call|the baby is asleep|i love this one|the neighbours will complain|i can't hear myself think|i love this song|would you|they're asleep|for a bit]"
_PAUSED: Final = (
    "[pause|pause it|pause the music|hold the music|pause it for a [sec|second|minute|moment]|hold it|pause that|stop it for a [sec|second|minute]|hang on pause the music|pause the song|hold the song a moment] "
    "[||the bell just rang|the phone is ringing|i need to talk|somebody's calling|please|i have to take this]"
)
_ON_AGAIN: Final = (
    "[[carry on|go on|continue|keep going] [with the music|playing] [now|please|]|you can [carry on|go on|continue] [with the music|playing] [now|]|resume [the music|]|music back on|unpause [it|the music|]|"
    "play on|put the music back on|start the music again|and on with the music|[okay|right|] [she's|he's|they're|we're] [gone|off the phone|done|back] [you can|] [carry on|go on|continue] [with it|with the music|]|carry on with [it|the song]|continue with it|let it play [on|again]|music again|[back|on] with the music|un-pause it]"
)
_STOPPED: Final = "[stop the music|music off|turn the music off|turn off the music|no more music|stop playing|stop that music|kill the music|that's enough music|cut the music|end the music|switch the music off|shut the music off] [||please|now|it gets on my nerves|i need quiet]"
_NEXT: Final = "[next song|next one|next track|skip this one|skip it|skip|another song|another one please|i don't like this one|i hate this [one|song]|this one's [awful|boring|rubbish] skip it|next song please|play the next one|something other than this song] [please||]"
_ASKED: Final = (
    "what kind of music did i [ask for|want|pick|choose]|which [composer|artist|band|music|song|station] did i [ask for|pick|choose|want]|what's [on|playing] [now|at the moment|right now|]|what's on now the music|"
    "what am i listening to [now|]|what are we listening to|what is this [music|]|what did i ask you to play|what music is [on|this|playing]|what did i want to hear|which music [is it|was it]|what was i listening to|what are you playing|"
    "what did you put on|what sort of music was it [again|]|what's that playing|what tunes did i ask for|what's the music [now|]|what was the music [again|]"
)


def music_turn(talk: Conversation) -> None:
    """Some music is wanted, and now and then a second time in other words."""
    _refused(talk, _begun(talk))
    while talk.rng.random() < 0.2:
        _refused(talk, _controlled(talk))


def _refused(talk: Conversation, wish: str) -> None:
    say(talk, tidy(wish))
    talk.assistant(REFUSED)


def _begun(talk: Conversation) -> str:
    rng = talk.rng
    if rng.random() < 0.2:
        return _controlled(talk)
    wish = play_wish(rng, draw_music(rng))
    where = f"in the {draw_room(rng)} [please|]" if rng.random() < 0.12 else _AFTER
    return choose_branches(f"{_BEFORE} {wish} {where}", rng)


def _controlled(talk: Conversation) -> str:
    """Louder, held, the next one, or what it is that plays."""
    rng = talk.rng
    level = spoken_number(rng.randint(1, 10))
    volume = f"[the|] volume [to|at|] {level}|[set|put|turn] the [volume|music|sound] [to|at] {level}|music at {level}"
    wishes = (f"{_LOUDER} {_BECAUSE}", f"{_QUIETER} {_BECAUSE}", _NEXT, _STOPPED, _PAUSED, _ON_AGAIN, f"[{volume}]", f"[{_ASKED}]")  # fmt: skip
    opening = "[||||||and|okay|can you|hey|oh|uh|now|please]"
    return choose_branches(f"{opening} {rng.choice(wishes)}", rng)
