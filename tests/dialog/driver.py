"""Drives a turn machine by hand: so many ms of speech or silence, and what it answered when."""

from __future__ import annotations

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog.effects import EndTurn, SpeechStarted, TurnCommand
from voicepipe.dialog.machine import State, TurnMachine
from voicepipe.dialog.options import TurnOptions

COMPLETE = "what time is it"
INCOMPLETE = "what is the time in the"


class Driver:
    """`log` holds (stream time in ms, command)."""

    def __init__(self, options: TurnOptions | None = None) -> None:
        self.machine = TurnMachine(options)
        self.log: list[tuple[int, TurnCommand]] = []

    @property
    def state(self) -> State:
        return self.machine.state

    @property
    def now_ms(self) -> int:
        return self.machine.now_ms

    def frames(self, ms: int, probability: float) -> list[TurnCommand]:
        """Feed `ms` of frames; returns the commands they drew."""
        return [
            c for _ in range(ms // FRAME_MS) for c in self.take(self.machine.frame(probability))
        ]

    def speak(self, ms: int) -> list[TurnCommand]:
        return self.frames(ms, 1.0)

    def quiet(self, ms: int) -> list[TurnCommand]:
        return self.frames(ms, 0.0)

    def take(self, commands: tuple[TurnCommand, ...]) -> tuple[TurnCommand, ...]:
        """Note what another method of the machine answered."""
        self.log += [(self.now_ms, command) for command in commands]
        return commands

    def times_of(self, kind: type[TurnCommand]) -> list[int]:
        return [at for at, command in self.log if isinstance(command, kind)]

    def ask(self, text: str = COMPLETE, speech_ms: int = 600) -> None:
        """One whole user turn: the machine is left in REPLYING, right at the endpoint."""
        assert any(isinstance(c, SpeechStarted) for c in self.speak(speech_ms))
        self.machine.hypothesis(text)
        while not any(isinstance(c, EndTurn) for c in self.quiet(FRAME_MS)):
            assert self.state in (State.HEARING, State.SOFT_END)

    def be_answered(self, agent_text: str = "It is half past seven.", after_ms: int = 2000) -> None:
        """A whole user turn, and the agent has been audible for `after_ms`."""
        self.ask()
        self.machine.reply_audible(agent_text)
        self.quiet(after_ms)
        assert self.state is State.SPEAKING
