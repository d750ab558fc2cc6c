"""What one session is set to. A protocol replaces it whole (`UpdateSession`); nothing here knows
a wire format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from voicepipe.audio.formats import PCM_24K, AudioFormat
from voicepipe.config import BudgetSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.contract import Tool, ToolChoice
from voicepipe.llm.prompt import CHARS_PER_TOKEN, MAX_HISTORY_CHARS, RETENTION

Modality = Literal["audio", "text"]
NoiseReduction = Literal["near_field", "far_field"]
TranscriptDetail = Literal["logprobs", "segments", "words"]


@dataclass(frozen=True, slots=True)
class TurnDetection:
    """How the end of a user's turn is found; None in its place means push-to-talk."""

    kind: Literal["server_vad", "semantic_vad"] = "server_vad"
    threshold: float = 0.5  # speech probability that counts as speech
    prefix_padding_ms: int = 300  # audio before the detected start that belongs to the turn
    silence_duration_ms: int | None = None  # fixed endpoint wait; None = the server's own policy
    eagerness: Literal["low", "medium", "high", "auto"] = "auto"  # semantic_vad only
    create_response: bool = True
    interrupt_response: bool = True
    idle_timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Transcription:
    """The client wants to read what the user said."""

    model: str = ""
    language: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """Which calls of an MCP server are put to the client first: those of `always`, none of
    `never`, and of the others all or none."""

    others: bool = True
    always: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()

    def wanted(self, tool: str) -> bool:
        return tool in self.always or (self.others and tool not in self.never)


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server that the client wants used; it is called from here."""

    label: str
    url: str
    authorization: str = field(default="", repr=False)  # a bearer token
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    allowed_tools: tuple[str, ...] = ()  # () = all that it lists
    approval: Approval = Approval()


@dataclass(frozen=True, slots=True)
class Truncation:
    """What becomes of a history that outgrows `max_tokens`: the oldest turns go until `retention`
    of that is left, so that the prompt's beginning changes rarely and a prefix cache survives."""

    enabled: bool = True  # False: nothing goes, and such a history is not answered
    retention: float = RETENTION  # 0 to 1
    max_tokens: int = MAX_HISTORY_CHARS // CHARS_PER_TOKEN  # after the instructions


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Effective values, always complete."""

    agent: str = ""  # who answers; "" = the server as its settings are
    model: str = ""  # one of `Engines.offered_models`; "" = the engine's own
    instructions: str = ""
    greeting: str | None = None  # None = the server's
    expect: tuple[str, ...] | None = None  # what the user is likely to say; None = the server's
    language: str | None = None  # the agent's, ISO 639-1; None = the server's
    modality: Modality = "audio"
    tools: tuple[Tool, ...] = ()
    mcp: tuple[McpServer, ...] = ()
    tool_choice: ToolChoice = "auto"
    parallel_tools: bool | None = None  # None = as the model likes
    truncation: Truncation = Truncation()
    max_output_tokens: int | None = None  # None = no limit of the client's
    temperature: float | None = None  # None = the server's own
    input_format: AudioFormat = PCM_24K
    output_format: AudioFormat = PCM_24K
    transcription: Transcription | None = None
    details: frozenset[TranscriptDetail] = frozenset()  # of what the user said, beside the text
    turn_detection: TurnDetection | None = field(default_factory=TurnDetection)
    noise_reduction: NoiseReduction | None = None  # a client's wish
    telephone: bool = False  # nobody but us takes the agent's own voice out of such a line
    voice: str = ""
    speed: float = 1.0
    transcription_only: bool = False  # commits are transcribed, never answered
    turn_events: bool = False  # the client asked for voicepipe.turn events
    provisional_turns: bool = False  # with them, one at the first sound of each answer
    turns: TurnOptions | None = None  # this session's own; None = the server's
    budget: BudgetSettings | None = None  # likewise
