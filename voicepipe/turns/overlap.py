"""Does speech over the agent's speech interrupt it? Pure."""

from __future__ import annotations

from voicepipe.turns.options import TurnOptions

NO_TEXT_FACTOR = 3
"""Speech this many times `interrupt_ms` long interrupts even if all words so far say "go on"."""


def judge_overlap(options: TurnOptions, *, speech_ms: int, text: str, agent_text: str) -> bool:
    """True: interrupt. False: not yet, or not at all.

    `speech_ms`: user speech in this overlap; `text`: its words so far, "" if none are known;
    `agent_text`: what the agent has been saying in this reply.
    """
    words = [w.strip(".,?!;:").lower() for w in text.split()]
    meant = [w for w in words if w and w not in options.backchannels]
    if options.echo_guard and meant and _is_echo(meant, agent_text):
        return False
    if len(meant) >= options.interrupt_words:
        return True
    if words and not meant:  # so far only "mhm", "okay" ...
        return speech_ms >= NO_TEXT_FACTOR * options.interrupt_ms
    return speech_ms >= options.interrupt_ms


def _is_echo(words: list[str], agent_text: str) -> bool:
    """The microphone hears the loudspeaker: nearly all words are the agent's own, in order."""
    said = [w.strip(".,?!;:").lower() for w in agent_text.split()]
    position, found = 0, 0
    for word in words:
        if word in said[position:]:
            position = said.index(word, position) + 1
            found += 1
    return len(words) >= 2 and found >= 0.8 * len(words)
