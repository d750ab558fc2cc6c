"""The process, its limits, the record of calls, calls from browsers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from voicepipe.config.section import Ms, Port, Section
from voicepipe.privacy.patterns import Kind


def _region_name(name: str) -> str:
    if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", name) is None:
        raise ValueError("a region's name has small letters, digits and hyphens, at most 40")
    return name


def _origin(url: str) -> str:
    if re.fullmatch(r"https?://([A-Za-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?", url) is None:
        raise ValueError("write it without a path, such as https://eu.example.com")
    return url


RegionName = Annotated[str, AfterValidator(_region_name)]
Origin = Annotated[str, AfterValidator(_origin)]


class ServerSettings(Section):
    host: str = "127.0.0.1"
    port: Port = 8080
    processes: int = Field(1, ge=0, le=64)  # gateways that share the port and hold the calls, with
    # one process more that hands connections to them; 0 = one for each core
    api_key: SecretStr | None = Field(None, min_length=1)  # asked of every client when set
    region: RegionName | Literal[""] = ""  # where this gateway stands; named in the ledger
    regions: dict[RegionName, Origin] = Field(default_factory=dict, max_length=50)  # where there
    # are gateways, eu = "https://eu.example.com"; the same list for all of them. Pages of each may
    # connect to the others
    agent: str = ""  # who answers where nothing says otherwise; "" = the settings as they are
    wait_for_program: bool = False  # a call by WebSocket or WebRTC waits until a program accepts or
    # rejects it, as telephony.wait_for_program has those by telephone wait; after
    # telephony.incoming_ms telephony.incoming_default decides
    insecure: bool = False  # listen beyond this machine without a key, on purpose
    allowed_origins: tuple[str, ...] = ()  # browser pages that may connect beside the server's own
    # and those of this machine; "*" = all
    allowed_hosts: tuple[str, ...] = ()  # names of the server in the Host header; () = those of
    # this machine, of host, allowed_origins and telephony.public_url, or all where a key is asked
    tls_cert: Path | None = None  # PEM, with the chain; both are read again when they change
    tls_key: Path | None = None  # PEM, without a password
    key_use_file: Path | None = None  # what named keys have used of their minutes_a_day, kept over
    # restarts; None = key_use.sqlite3 in the user's data directory
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] = "text"  # json: one object a line, for machines
    old_metric_names: bool = True  # /metrics in milliseconds too, for this release only
    shutdown_s: float = Field(5.0, ge=0, le=300)  # running turns may finish for so long
    drain_s: float = Field(0.0, ge=0, le=86_400)  # before that: calls may end by themselves for so
    # long after SIGTERM, while newcomers are refused; Ctrl-C twice ends the wait
    lame_duck_s: float = Field(0.0, ge=0, le=300)  # before that: newcomers are still taken while
    # /readyz says 503, until whoever sends them has noticed


class TracingSettings(Section):
    """Spans of calls and turns for OpenTelemetry, over HTTP. Needs the extra `otel`."""

    endpoint: str = Field("", pattern=r"^(https?://\S+)?$")  # of a collector:
    # http://127.0.0.1:4318/v1/traces; "" = none
    headers: SecretStr | None = None  # name=value, separated by commas: a hosted collector's key
    content: bool = False  # what was said goes with the turns' spans, without what `calls.redact`
    # takes out
    sample: float = Field(1.0, ge=0, le=1)  # share of calls, where the caller has not decided


class LimitSettings(Section):
    """What one server and one connection may take. Each is enforced and named in its error."""

    max_sessions: int = Field(100, ge=1)  # of all its processes together
    max_message_bytes: int = Field(16 * 1024 * 1024, ge=1024)  # 15 MiB append plus JSON
    max_audio_backlog_s: float = Field(120.0, gt=0)  # unprocessed or uncommitted user audio
    max_session_s: float = Field(3600.0, gt=0)
    max_items: int = Field(1000, ge=1)  # conversation items
    max_text_chars: int = Field(65_536, ge=1024)  # of one event of a client: instructions, tools,
    # items; about what 16,000 tokens have
    max_conversation_chars: int = Field(500_000, ge=1024)  # of all items together
    max_events_queued: int = Field(2000, ge=10)  # for a slow reader, then the session ends
    max_events_bytes: int = Field(32 * 1024 * 1024, ge=1024)  # same, by size
    resume_s: float = Field(30.0, ge=0, le=600)  # a session whose connection drops is kept so long
    # for a client that has asked for that; 0 = never
    max_resume_bytes: int = Field(
        2 * 1024 * 1024, ge=1024
    )  # of what was sent to such a client last


class CallSettings(Section):
    """The durable record of calls, and recordings of their sound. Both off until switched on."""

    enabled: bool = False  # write down every call: who, when, turns, latencies, how it ended
    database: SecretStr = SecretStr("")  # SQLAlchemy URL: sqlite:////path/calls.sqlite3 or
    # postgresql://user:password@host/name; "" = calls.sqlite3 in the user's data directory
    store_text: bool = True  # with the turns, what was said; False: figures only
    redact: tuple[Kind, ...] = ()  # taken out of the texts before they are written; "number": any
    # six digits or more, said one by one too; "name": where one is introduced ("my name is ...").
    # `privacy` may find more. Recordings hold what was said
    encryption_key: SecretStr | None = None  # 32 bytes as base64 (openssl rand -base64 32): words,
    # numbers, events for webhooks and recordings are written under it. Several with commas between
    # them: the first is used, the others still read what they wrote
    record_audio: bool = False  # a stereo WAV of each call: left the caller, right the agent
    recordings_dir: Path | None = None  # None = recordings/ in the user's data directory
    recording_rate: Literal[8000, 16000] = 8000  # Hz; a telephone has no more
    consent: str = ""  # said by the agent before recording starts; "" = recorded from the start
    retention_days: int = Field(90, ge=0, le=36_500)  # older calls are deleted; 0 = never


class IceServerSettings(Section):
    """One STUN or TURN server, as browsers write it down."""

    urls: tuple[Annotated[str, Field(pattern=r"^(stuns?|turns?):[^\s<>\"]+$")], ...] = Field(
        min_length=1
    )  # ["stun:stun.example.net:3478"], ["turn:turn.example.net:3478?transport=udp"]
    username: str | None = None  # TURN only
    credential: SecretStr | None = None


class WebRtcSettings(Section):
    """Calls from browsers, `/v1/realtime/calls` and `/whip`; see docs/webrtc.md."""

    ice_servers: tuple[IceServerSettings, ...] = ()  # for the server itself and for browsers that
    # ask at /v1/realtime/ice_servers; none: the two must reach each other directly. The server
    # uses the first STUN and the first TURN URL, and waits for them at every call
    public_address: str | None = Field(None, pattern=r"^[0-9.]+$")  # IPv4 by which the world
    # reaches this host through one-to-one NAT that keeps port numbers; offered beside its own
    loopback: Literal["auto", "on", "off"] = "auto"  # offer 127.0.0.1; "auto": only where there is
    # no other address, as in a container without network, since browsers refuse it mostly
    max_setup_s: float = Field(15.0, gt=0, le=120)  # a call not connected by then is given up
    max_unconnected: int = Field(25, ge=1)  # calls between their offer and their connection; beyond
    # it the address that has most of them loses its oldest
    reorder_packets: int = Field(2, ge=1, le=16)  # newer packets (20 ms each) after which a missing
    # one is given up; 2 also hears packets that overtook one another
    lead_ms: Ms = 200  # reply audio held ready in the outgoing track, so that a stall of the
    # process is not heard; a barge-in drops it, so it costs nothing
