"""Calls that carriers stream to the server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from voicepipe.config.section import Ms, Port, Section

PhoneTool = Literal["hang_up", "transfer_call", "get_digits"]


class PhoneTurnSettings(Section):
    """Turn options of telephone calls, where they differ from `turns`; empty = as there."""

    speech_threshold: float | None = Field(None, ge=0, le=1)
    min_speech_ms: Ms | None = None
    pause_threshold: float | None = Field(0.1, ge=0, le=1)  # a line of 4 kHz takes the breath off
    # an onset, so Silero doubts later; at 0.15 it depends on the noise whether it does in time
    pause_ms: Ms | None = None
    confirm_ms: Ms | None = 160  # the agent's own voice comes back from the far end, weaker, in
    # short bursts: a hold on them is over sooner. At 140 soft onsets are lost (docs/barge-in.md)
    interrupt_ms: Ms | None = None
    endpoint_complete_ms: Ms | None = None
    endpoint_unknown_ms: Ms | None = None
    endpoint_incomplete_ms: Ms | None = None


class TwilioSettings(Section):
    account_sid: str = ""  # with the token: hang-up and transfer over Twilio's REST interface
    auth_token: SecretStr | None = None  # signs webhooks and streams; without it both are refused
    api_url: str = "https://api.twilio.com"


class SignalWireSettings(Section):
    project_id: str = ""  # with the token and the URL: hang-up and transfer
    api_token: SecretStr | None = None
    signing_key: SecretStr | None = None  # signs webhooks; without it they are refused
    api_url: str = ""  # your space: https://NAME.signalwire.com


class TelnyxSettings(Section):
    public_key: str = ""  # base64; checks the signature of webhooks; without it they are refused
    api_key: SecretStr | None = None  # hang-up and transfer
    connection_id: str = ""  # of the Call Control application that calls are made by
    api_url: str = "https://api.telnyx.com"


class PlivoSettings(Section):
    auth_id: str = ""  # with the token: hang-up and transfer
    auth_token: SecretStr | None = None  # signs webhooks; without it they are refused
    api_url: str = "https://api.plivo.com"


class VonageSettings(Section):
    signature_secret: SecretStr | None = None  # signs webhooks; without it they are refused
    application_id: str = ""  # with the key: calls can be made, and put through
    private_key: SecretStr | None = None  # the application's, PEM
    api_url: str = "https://api.nexmo.com"


class AudioSocketSettings(Section):
    """Asterisk's AudioSocket: plain TCP, and whoever reaches the port may call."""

    host: str = "127.0.0.1"  # it has no authentication: keep it off the internet
    port: Port | None = None  # None = off; 9092 is what Asterisk's examples use


class TelephonySettings(Section):
    """Calls that carriers stream to the server. Each carrier's paths are closed until the secret is
    set that its requests are signed with."""

    public_url: str = ""  # where carriers reach the server, https://voice.example.com: they sign
    # it, and call documents name it; "" = what the request itself says
    trust_forwarded: bool = False  # take it from X-Forwarded-Proto and -Host: only behind a proxy
    # that sets both
    insecure: bool = False  # open all carriers' paths without signatures: for a test at the desk
    wait_for_program: bool = False  # a call rings until a program accepts or rejects it
    # (POST /v1/realtime/calls/{id}/accept), or for `incoming_ms`; see server.wait_for_program
    incoming_ms: int = Field(3000, ge=100, le=10_000)  # how long a program has for that, asked by
    # the webhook call.incoming (for calls over any transport) or not; carriers give up after 15 s
    incoming_default: Literal["answer", "reject"] = "answer"  # where it has not decided by then
    start_timeout_s: float = Field(10.0, gt=0, le=60)  # from the connection to the carrier's start
    ticket_s: float = Field(60.0, gt=0, le=3600)  # from the webhook to the stream it asked for
    replay_days: int = Field(30, ge=0, le=3650)  # a webhook that had its call is refused for so
    # long, restarts or not; 0 = for a day, and until a restart
    replay_file: Path | None = None  # where they are remembered; None = spent_webhooks.sqlite3 in
    # the user's data directory
    max_call_s: float = Field(3600.0, gt=0, le=86_400)
    end_warning: str = ""  # said `end_warning_s` before that, if nobody speaks; "" = nothing
    end_warning_s: float = Field(30.0, ge=0, le=600)
    lead_ms: Ms = 200  # audio sent ahead of playback where the carrier queues it and can drop it
    outbound_carrier: Literal["", "twilio", "signalwire", "telnyx", "plivo", "vonage"] = ""  # by
    # which calls are made (POST /v1/calls); "" = none are
    outbound_from: str = Field("", pattern=r"^(\+[1-9][0-9]{6,14})?$")  # our number there
    outbound_to: tuple[Annotated[str, Field(pattern=r"^\+[0-9]{0,15}$")], ...] = ("+",)  # how
    # numbers must begin that may be called; "+" = all
    ring_s: int = Field(45, ge=5, le=120)  # nobody picks up for so long: nobody is there
    detect_machine: bool = True  # who picks up is listened to for 2.5 s at most: an answering
    # machine gets the agent's `voicemail`
    silence_ms: Ms = 10_000  # nobody speaks for so long: the next prompt is said; 0 = never
    silence_prompts: tuple[str, ...] | None = None  # in order; then ...
    goodbye: str | None = None  # ... this, and the call ends. None = as in the language spoken:
    # "Are you still there?", "I cannot hear you. Goodbye."
    keypad_pause_ms: Ms = 2000  # no further key for so long ends an entry, as # does
    tools: tuple[PhoneTool, ...] = ("hang_up", "transfer_call", "get_digits")  # what the model may
    # do with a call, where the carrier can
    transfer_targets: tuple[str, ...] = ()  # where the agent may put callers through to:
    # "sales=+15550100"; the model knows the name only
    transfer_failed: str = "I am sorry, I could not put you through."
    busy: str = "All lines are busy. Please call again later."  # where a carrier cannot just refuse
    turns: PhoneTurnSettings = PhoneTurnSettings()
    twilio: TwilioSettings = TwilioSettings()
    signalwire: SignalWireSettings = SignalWireSettings()
    telnyx: TelnyxSettings = TelnyxSettings()
    plivo: PlivoSettings = PlivoSettings()
    vonage: VonageSettings = VonageSettings()
    audiosocket: AudioSocketSettings = AudioSocketSettings()
