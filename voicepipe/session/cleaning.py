"""What is taken out of the user's sound before turns are decided with it."""

from __future__ import annotations

from dataclasses import dataclass

from voicepipe.config.audio import EchoCancellation
from voicepipe.session.settings import SessionSettings


@dataclass(frozen=True, slots=True)
class Cleaning:
    """The recognizer hears it all the same."""

    echo: bool = False  # the agent's own voice
    noise: bool = False

    def __bool__(self) -> bool:
        return self.echo or self.noise


def cleaning_for(settings: SessionSettings, echo: EchoCancellation) -> Cleaning:
    """By the server's setting and the client's wish. Who speaks far from a microphone sits before
    a loudspeaker; what is near a mouth hears no echo."""
    returns = settings.telephone or settings.noise_reduction == "far_field"
    wanted = echo == "on" or (echo == "auto" and returns)
    return Cleaning(echo=wanted, noise=settings.noise_reduction is not None)
