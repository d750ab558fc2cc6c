"""Speech over the agent's speech: from the first sign of it to the verdict. Pure.

The agent is held at the first sign, because that costs next to nothing where it was none: it goes
on at the sample where it stopped. Whether it is interrupted is judged with time and words.
"""

from __future__ import annotations

from dataclasses import dataclass

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog.options import TurnOptions
from voicepipe.languages.known import ENGLISH
from voicepipe.languages.language import Language
from voicepipe.languages.overheard import count, is_echo, meant, says_stop, units

NO_TEXT_FACTOR = 3
"""Speech this many times `interrupt_ms` long interrupts even if all words so far say "go on"."""


@dataclass(slots=True)
class Overlap:
    """The overlap under way, and the false alarms of the reply it lies over. Stream time in ms."""

    false_alarms: int = 0  # holds of this reply that were for nothing; speech counts double
    began_ms: int = 0  # the agent was held
    after_ms: int = 0  # silence of the user's before it
    speech_ms: int = 0  # speech in it, gaps left out
    confirmed: bool = False  # it is speech, and no click
    reopens: bool = False  # it began so soon after the endpoint that the user had only paused

    def needed_ms(self, options: TurnOptions) -> int:
        """How long speech must last before the agent is held. Each hold that was for nothing asks
        for more: an echo that comes back after every resume must not make the agent stutter."""
        if not self.false_alarms:
            return options.pause_ms
        doubled_ms = FRAME_MS << (self.false_alarms - 1)
        return max(options.pause_ms, min(options.interrupt_ms, doubled_ms))

    def begin(self, now_ms: int, after_ms: int, *, reopens: bool) -> None:
        """The agent is held."""
        self.began_ms, self.after_ms = now_ms, after_ms
        self.confirmed, self.reopens = False, reopens

    def hear(self, run_ms: int, options: TurnOptions) -> bool:
        """One more frame of speech in a stretch of `run_ms`; True once it is surely speech."""
        if self.confirmed:
            self.speech_ms += FRAME_MS
        elif run_ms >= options.min_speech_ms:
            self.confirmed, self.speech_ms = True, run_ms
        return self.confirmed

    def was_nothing(self) -> None:
        """The agent goes on. What was surely speech, and no interruption, will come again: an echo,
        a television."""
        self.false_alarms += 2 if self.confirmed else 1

    def is_over(self, now_ms: int, silence_ms: int, options: TurnOptions) -> bool:
        """A frame without speech: may the agent go on?"""
        if not self.confirmed:
            return now_ms - self.began_ms >= options.confirm_ms
        return silence_ms >= options.resume_ms


def judge_overlap(
    options: TurnOptions,
    *,
    speech_ms: int,
    text: str,
    agent_text: str,
    reopens: bool = False,
    language: Language = ENGLISH,
) -> bool:
    """True: interrupt. False: not yet, or not at all.

    `speech_ms`: user speech in this overlap; `text`: its words so far, "" if none are known;
    `agent_text`: what the agent has been saying in this reply; `reopens`: it began within the
    reopen window; `language`: whose backchannels these may be, and how its words are counted.
    """
    words = units(text, language)
    backchannels = language.backchannels if options.backchannels is None else options.backchannels
    theirs = meant(words, backchannels)
    if options.echo_guard and theirs and is_echo(theirs, agent_text, language):
        return False
    heard = count(theirs)
    if says_stop(theirs, language) and not _agent_says(theirs, agent_text, options, language):
        heard += 1  # "stop" is never said by the way: it counts as two words
    if heard >= (1 if reopens else options.interrupt_words):
        return True
    if words and not theirs:  # so far only "mhm", "okay" ...
        return speech_ms >= NO_TEXT_FACTOR * options.interrupt_ms
    if reopens:
        return speech_ms >= options.reopen_speech_ms
    return speech_ms >= (options.interrupt_ms if words else options.interrupt_untold_ms)


def _agent_says(
    words: tuple[str, ...], agent_text: str, options: TurnOptions, language: Language
) -> bool:
    """One word is too little to call it an echo, but enough to doubt that it means "stop"."""
    return options.echo_guard and not set(words).isdisjoint(units(agent_text, language))
