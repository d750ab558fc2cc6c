"""Music: begun, changed for other music, louder and quieter, held, stopped, and asked about."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from house_state import answer, tidy
from house_things import Deed, draw_room
from music_words import SOME_MUSIC, as_said, draw_music, play_wish
from person_turns import say
from shapes import Kind
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
    "[turn [that|this|the] [racket|noise|din|row|music|volume|sound|radio] down [a bit|]|the music is [too|far too] loud|lower the volume|turn down the [music|volume|noise|racket]|less noise|bring the volume down|"
    "make the music [softer|quieter]|quieter music|music [down|quieter|softer]|my ears hurt from that music|the music's too loud|keep that noise down|not so loud with the music|volume down|less volume]"
)
#: Where music is on these are of the music; else they are of the assistant's voice.
_LOUDER_STILL: Final = "[louder|louder|a bit louder|a little louder|louder louder|make it louder|it's too quiet|a touch louder|much louder|even louder|louder please|can it be louder]"
_QUIETER_STILL: Final = "[quieter|softer|a little softer|a bit softer|a bit quieter|not so loud|too loud|that's too loud|keep it down|it's way too loud|more quietly|a tad quieter|a little quieter|softer please|not so loud please]"
#: "It" is the music only where that was spoken of last.
_IT_UP: Final = "[turn it up|turn it up a bit|crank it up|put it up a bit|i can't hear it|up a bit]"
_IT_DOWN: Final = (
    "[turn it down|turn it down a bit|lower|down a bit|put it down a bit|it's too much]"
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
_STOPPED: Final = "[stop the music|music off|turn the music off|turn off the music|no more music|stop playing|stop that music|kill the music|that's enough music|silence please|cut the music|stop it i've had enough|end the music|switch the music off|shut the music off] [||please|now|it gets on my nerves|i need quiet]"
_MUTED: Final = "[mute [it|that|the music|the sound|the speaker|the tv|please|]|put it on mute|sound off|turn the sound off|no sound please|silence it|mute that thing]"
_PAUSED_SHORT: Final = "[pause it a [second|sec|minute|moment]|hold it a [second|sec]|pause a second|pause it quick|stop it a second|pause [please|]] [someone's at the door|my mum's calling|the phone's going|i have to talk|]"
_NEXT: Final = "[next|next song|next one|next track|skip this one|skip it|skip|another song|another one please|i don't like this one|not this one [please|]|i hate this [one|song]|this one's [awful|boring|rubbish] skip it|next song please|play the next one|something other than this song] [please||]"
_AGAIN: Final = "[play it again|again|that one again|once more|play that [again|song again|one more time]|repeat [it|this song|that one]|from the start|i loved that play it again|one more time]"
_ASK: Final = (
    "what kind of music did i [ask for|want|pick|choose]|which [composer|artist|band|music|song|station] did i [ask for|pick|choose|want]|what's [on|playing] [now|at the moment|right now|]|what's on now the music|"
    "what am i listening to [now|]|what are we listening to|what is this [music|]|what did i ask you to play|what music is [on|this|playing]|what did i want to hear|which music [is it|was it]|what was i listening to|what are you playing|"
    "what did you put on|what sort of music was it [again|]|what's that playing|what tunes did i ask for|what's the music [now|]|what was the music [again|]"
)


def music_turn(talk: Conversation) -> None:
    """Some music, and what follows from it; or a wish about the music that plays already."""
    if talk.rng.random() < 0.2:
        _controlled(talk)
    elif talk.rng.random() < 0.7 or playing(talk) is None:
        begin_music(talk)
    while talk.rng.random() < 0.5:
        music_later(talk)


def playing(talk: Conversation) -> Deed | None:
    """The music that was asked for."""
    return next(
        (deed for deed in talk.house if deed.thing == "music" and deed.state != "off"), None
    )


def begin_music(talk: Conversation) -> None:
    """Some music is asked for."""
    rng, music = talk.rng, draw_music(talk.rng)
    wish = play_wish(rng, music)
    if rng.random() < 0.12:
        room = draw_room(rng)
        say(talk, tidy(choose_branches(f"{_BEFORE} {wish} in the {room} [please|]", rng)))
        answer(talk, [Deed("play", "music", music, "", f"playing {music} in the {room}")])
        return
    say(talk, tidy(choose_branches(f"{_BEFORE} {wish} {_AFTER}", rng)))
    answer(talk, [Deed("play", "music", music, "", f"playing {music}")])


def music_later(talk: Conversation) -> None:
    """Other music, louder, off; or a question about it."""
    known = playing(talk)
    pick = talk.rng.random()
    if known and known.done.startswith("the volume is at") and pick < 0.4:
        _volume_later(talk, known)
    elif known and pick < 0.35:
        ask_music(talk)
    elif known and pick < 0.6:
        _swapped(talk, known)
    else:
        _controlled(talk)


def _swapped(talk: Conversation, known: Deed) -> None:
    """Other music instead."""
    rng, music = talk.rng, draw_music(talk.rng)
    while music in (known.state, SOME_MUSIC):
        music = draw_music(rng)
    old, new = re.sub("^(that|the|some) ", "", known.state.lower()), as_said(rng, music)
    say(talk, f"[[actually|no|hmm no|] [change the music to|change it to|switch to|make it|play|put on|rather|how about|let's have|i'd rather hear] {new} [instead|please|then|]|swap the {old} for {new}|"
              f"swap [it|that] for {new}|[not {old}|no {old}|enough {old}|enough of that|not this] [play|] {new} [please|]|{new} instead [of {old}|]|{new} [please|] not {old}|"
              f"[instead|now] {new} please|i'm tired of {old} [play|put on] {new}|switch from {old} to {new}|i meant {new}]")  # fmt: skip
    answer(talk, [Deed("play", "music", music, "", f"playing {music}")])


def _controlled(talk: Conversation) -> None:
    """Louder, held, the next one: it is the music that is meant, whatever was said before."""
    rng = talk.rng
    known = playing(talk)
    if rng.random() < 0.12:
        _set_volume(talk, known)
        return
    last = bool(talk.house) and talk.house[-1].thing == "music"
    louder = _IT_UP if last and rng.random() < 0.4 else _LOUDER_STILL
    quieter = _IT_DOWN if last and rng.random() < 0.4 else _QUIETER_STILL
    wish, done = rng.choice(
        (
            (f"{_LOUDER} {_BECAUSE}", "I've turned the volume up"),
            (f"{louder if known else _LOUDER} {_BECAUSE}", "I've turned the volume up"),
            (f"{_QUIETER} {_BECAUSE}", "I've turned the volume down"),
            (f"{quieter if known else _QUIETER} {_BECAUSE}", "I've turned the volume down"),
            (_NEXT, "here is the next song"),
            (_AGAIN if last else _NEXT, "playing it again" if last else "here is the next song"),
            (_STOPPED, "the music is off"),
            (_PAUSED, "the music is paused"),
            (_ON_AGAIN, "the music is on again"),
            (_ON_AGAIN, "the music is on again"),
            (_MUTED, "the sound is off"),
            (_PAUSED_SHORT, "the music is paused"),
        )
    )
    opening = "[||||||and|okay|can you|hey|oh|uh|now|please]"
    say(talk, tidy(choose_branches(f"{opening} {wish}", rng)))
    old = known or Deed("play", "music", "off", "", "")
    kind = "stopped" if done == "the music is off" else "play"
    answer(talk, [replace(old, kind=kind, done=done)])


def _set_volume(talk: Conversation, known: Deed | None) -> None:
    """A number for the volume, or the room that the music is to be in."""
    rng = talk.rng
    if rng.random() < 0.3:
        room, other = draw_room(rng), draw_room(rng)
        words = f"[the|] music [only|] in the {room} [only|] [please|not in the {other}|]|move the music to the {room}|[put|turn] the music on in the {room}|music on in the {room}"
        done = f"the music is on in the {room}"
    else:
        level = spoken_number(rng.randint(1, 10))
        if rng.random() < 0.6:
            level = f"{spoken_number(5 * rng.randint(1, 20))} percent"
        words = f"[the|] volume [to|at|] {level}|[set|put|turn] the [volume|music|sound] [to|at] {level}|music at {level}|turn the music [up|down] to {level}"
        done = f"the volume is at {level}"
    say(talk, f"[||||and|okay|hey|uh|now|please] [{words}] [||please|now]")
    old = known or Deed("play", "music", "off", "", "")
    answer(talk, [replace(old, kind="play", done=done)])


_ASK_VOLUME: Final = "how loud [did we put it|is it|did i put it|is the music|have we got it|did i say] [now|]|what's the volume [at|on|set to] [now|]|what volume [is it|did i say|did i ask for|have we got]|the volume is at|what did [i|we] [set|put|turn] the volume [to|on]|at what volume are we|what is the volume|what number is the volume on"
_VOLUMES: Final = {spoken_number(level): level for level in range(101)}


def _volume_later(talk: Conversation, known: Deed) -> None:
    """How loud it is; so much louder or quieter than that; back to where it was."""
    rng = talk.rng
    words = known.done.removeprefix("the volume is at ")
    unit = " percent" if words.endswith(" percent") else ""
    level = _VOLUMES.get(words.removesuffix(" percent"))
    if level is None or rng.random() < 0.5:
        say(talk, f"[|||so|okay|and|sorry|um|wait] [{_ASK_VOLUME}]", Kind.QUESTION)
        talk.assistant(capitalise(f"{known.done}."))
        return
    step = rng.choice((5, 10, 10, 20)) if unit else rng.choice((1, 1, 2, 3))
    up = level + step <= (100 if unit else 10) and (level - step < 1 or rng.random() < 0.5)
    if not up and level - step < 1:
        return
    n = spoken_number(step)
    ways = f"{n} [more|louder|up]|up [by|] {n}|[turn|put] it up [by|] {n}|{n} [percent|] more" if up else f"{n} [less|quieter|down|lower]|down [by|] {n}|[turn|put] it down [by|] {n}|{n} [percent|] less"  # fmt: skip
    if not unit:
        ways = ways.replace("[percent|] ", "")
    say(talk, f"[|||okay|and|hmm|make it] [{ways}] [||please]")
    now = spoken_number(level + step if up else level - step)
    answer(talk, [replace(known, done=f"the volume is at {now}{unit}")])


def ask_music(talk: Conversation) -> None:
    """What was asked for."""
    known = playing(talk)
    if known is None:
        return
    say(
        talk, f"[|||so|okay|and|sorry|um|oh|cool|wait|remind me] [{_ASK}] [again|||]", Kind.QUESTION
    )
    talk.assistant(f"You asked for {known.state}.")
