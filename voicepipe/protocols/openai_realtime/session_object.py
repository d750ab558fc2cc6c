"""The session object of the wire and the `SessionSettings` it stands for.

An update is a deep merge. Null switches off what can be off (transcription, noise_reduction,
turn_detection, tracing, prompt, include, idle_timeout_ms) and sets any other field back to the
server's default. Unknown fields are ignored.

What has no effect here is checked and shown as off: tracing, reasoning, and
`delay` of the transcription. Two names are kept though others rule: the model's, and that of the
transcription's model, which stock clients compare with what they sent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from voicepipe.protocols.json_fields import checks, errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.openai_realtime import extension
from voicepipe.protocols.openai_realtime import session_fields as fields
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session.settings import SessionSettings, Transcription, TurnDetection

DEFAULT_VOICE = "default"
"""What `voice` reads when the engine's default voice has no name."""

STOCK_VOICES = frozenset(
    "alloy ash ballad coral echo sage shimmer verse marin cedar fable onyx nova".split()
)
"""Names that stock clients send unasked; they stand for the server's default voice."""

_VOICES_NAMED = _MODELS_NAMED = 12
"""Allowed ones that an error lists; there may be hundreds."""


@dataclass(frozen=True, slots=True)
class _Field:
    check: Callable[[object, str, Any], Any]
    can_be_off: bool = False


_Tree = Mapping[str, "_Field | _Tree"]


def _tree(of_checks: Mapping[str, Any]) -> _Tree:
    return {
        name: _tree(check) if isinstance(check, Mapping) else _Field(check)
        for name, check in of_checks.items()
    }


_FIELDS: _Tree = {
    "output_modalities": _Field(fields.output_modalities),
    "instructions": _Field(fields.instructions),
    "tools": _Field(fields.tools),
    "tool_choice": _Field(fields.tool_choice),
    "max_output_tokens": _Field(fields.max_output_tokens),
    "truncation": _Field(fields.truncation),
    "tracing": _Field(fields.tracing, can_be_off=True),  # always off
    "prompt": _Field(fields.prompt, can_be_off=True),
    "include": _Field(fields.include, can_be_off=True),
    "parallel_tool_calls": _Field(fields.parallel_tool_calls, can_be_off=True),
    "reasoning": _Field(fields.reasoning, can_be_off=True),
    "temperature": _Field(fields.temperature),  # beta only
    "voicepipe": _tree(extension.CHECKS),
    "audio": {
        "input": {
            "format": _Field(fields.audio_format),
            "transcription": _Field(fields.transcription, can_be_off=True),
            "noise_reduction": _Field(fields.noise_reduction, can_be_off=True),
            "turn_detection": _Field(fields.turn_detection, can_be_off=True),
        },
        "output": {
            "format": _Field(fields.audio_format),
            "voice": _Field(fields.voice),
            "speed": _Field(fields.speed),
        },
    },
}
_TYPES = ("realtime", "transcription")


class SessionObject:
    """The effective values of one session, in GA shape. Every change is whole or not at all."""

    def __init__(
        self,
        defaults: SessionSettings,
        *,
        model: str,
        session_id: str,
        expires_at: int,
        voices: tuple[str, ...],
        mcp_servers: tuple[str, ...] = (),
        models: Collection[str] = (),
    ) -> None:
        """`voices`: names the synthesizer knows; `expires_at`: unix seconds; `mcp_servers`:
        addresses that clients may have called from here, and what lies below them; `models`: those
        that a client may choose beside the server's own; "" = the one without a name.

        Raises ValueError if the defaults name an audio format that the protocol lacks.
        """
        for fmt in (defaults.input_format, defaults.output_format):
            if fmt not in fields.FORMATS.values():
                raise ValueError(f"{fmt} has no name in the Realtime protocol")
        self._changing = threading.Lock()  # large updates are read in a thread
        self._server = defaults
        self._identity = {"id": session_id, "model": model, "expires_at": expires_at}
        self._voices = voices
        self._mcp_servers = mcp_servers
        self._models = models
        self._defaults = _from_settings(defaults)
        self._config = self._defaults
        self._extension_used = defaults.turn_events  # else stock clients need not see it
        self._asked_beside: frozenset[str] = frozenset()  # wishes of programs beside the client
        self._settings = self._to_settings(self._config)

    @property
    def settings(self) -> SessionSettings:
        return self._settings

    @property
    def turn_events_by_default(self) -> bool:
        """Whether the server sends them unasked."""
        return bool(self._defaults["voicepipe"]["turn_events"])

    @property
    def voice(self) -> str:
        """The voice as the client knows it."""
        name: str = self._config["audio"]["output"]["voice"]
        return name

    @property
    def output_format(self) -> Json:
        """As the client knows it."""
        return dict(self._config["audio"]["output"]["format"])

    def update(
        self, patch: Json, *, voice_fixed: bool = False, beside: bool = False
    ) -> SessionSettings:
        """Merge a partial session object; returns the new settings.

        `voice_fixed`: assistant audio has been sent, so the voice may not change; `beside`: a
        program says it beside the session's own client, whose audio formats stay, also where null
        sets back all audio; the turn events that the one has asked for go on, whatever the other
        says.
        Raises ProtocolError, with nothing changed.
        """
        with self._changing:
            return self._update(patch, voice_fixed, beside)

    def _update(self, patch: Json, voice_fixed: bool, beside: bool) -> SessionSettings:
        config = _merge(_FIELDS, self._config, patch, self._defaults, "session")
        asked = going_on = self._asked_beside
        if beside:
            sides = self._config["audio"].items()
            kept = {name: {"format": side["format"]} for name, side in sides}
            config["audio"] = {name: config["audio"][name] | kept[name] for name in kept}
            own = patch.get("voicepipe") or {}
            asked = asked.union(name for name in extension.WISHES if own.get(name))
            now = (name for name in extension.WISHES if getattr(self._settings, name))
            going_on = asked.union(now)
        config["voicepipe"] = {**config["voicepipe"], **dict.fromkeys(going_on, True)}
        if patch.get("type") is not None:
            config["type"] = checks.choice(patch["type"], "session.type", _TYPES)
        self._check_model(patch)
        self._check_voice_change(config, voice_fixed)
        self._check_mcp(config)
        self._fit_tool_choice(config, named_now=isinstance(patch.get("tool_choice"), dict))
        _keep_transcribing(config)
        self._settings = self._to_settings(config)
        self._config = config
        self._asked_beside = asked
        self._extension_used |= patch.get("voicepipe") is not None
        return self._settings

    def adopt(self, settings: SessionSettings, defaults: SessionSettings) -> None:
        """The server has changed the session itself (another agent answers): what is the agent's
        is as in `settings` from now on, what is the client's stays, and what the client sets back
        is as in `defaults`."""
        with self._changing:
            self._adopt(settings, defaults)

    def _adopt(self, settings: SessionSettings, defaults: SessionSettings) -> None:
        self._server = defaults
        self._defaults = _from_settings(defaults)
        audio, now = self._config["audio"], _from_settings(settings)
        output = {**audio["output"], "voice": now["audio"]["output"]["voice"]}
        input_ = {**audio["input"], "turn_detection": now["audio"]["input"]["turn_detection"]}
        self._config = {
            **self._config,
            **{name: now[name] for name in ("instructions", "temperature", "max_output_tokens")},
            "voicepipe": now["voicepipe"],
            "audio": {"input": input_, "output": output},
        }
        self._settings = self._to_settings(self._config)

    def engine_voice(self, name: str, path: str) -> str:
        """The synthesizer's name for a voice. Raises ProtocolError if there is none."""
        if name in self._voices:
            return name
        if name == self._defaults["audio"]["output"]["voice"] or name in STOCK_VOICES:
            return self._server.voice
        known = (*self._voices[:_VOICES_NAMED],) or (DEFAULT_VOICE,)
        more = len(self._voices) - len(known)
        rest = f" and {more} more" if more > 0 else ""
        raise errors.bad_value(
            path, f"{checks.shown(name)} is not known; allowed are {checks.quoted(known)}{rest}."
        )

    def voice_label(self, engine_voice: str) -> str:
        """How to show a voice of the synthesizer."""
        if engine_voice == self._settings.voice:
            return self.voice
        return engine_voice or DEFAULT_VOICE

    def check_tool_choice(self, choice: str | Json, declared: list[str], path: str) -> None:
        """Raises ProtocolError if the choice names a function that is not declared."""
        name = fields.chosen_tool(choice)
        if name is not None and name not in declared:
            names = checks.quoted(declared) or "no function at all"
            raise errors.bad_value(f"{path}.name", f"is '{name}', but the tools declare {names}.")

    def wire(self) -> Json:
        """The session object in full, as `session.created` and `session.updated` show it."""
        config, own = self._config, self._identity
        input_ = dict(config["audio"]["input"])
        input_["turn_detection"] = fields.shown_turn_detection(input_["turn_detection"])
        if config["type"] == "transcription":
            shown: Json = {
                "type": "transcription",
                "object": "realtime.transcription_session",
                "id": own["id"],
                "expires_at": own["expires_at"],
                "audio": {"input": input_},
                "include": config["include"],
            }
        else:
            shown = {"type": "realtime", "object": "realtime.session", **own}
            hidden = {"temperature", "type", "reasoning"}
            if config["parallel_tool_calls"] is None:
                hidden.add("parallel_tool_calls")  # as the model likes
            shown |= {k: v for k, v in config.items() if k not in hidden}
            shown["tools"] = fields.shown_tools(config["tools"])
            shown["audio"] = {"input": input_, "output": dict(config["audio"]["output"])}
        shown.pop("voicepipe", None)
        if self._extension_used:
            shown["voicepipe"] = config["voicepipe"]
        return shown

    def _check_model(self, patch: Json) -> None:
        """Stock clients name their vendor's model in every update; the session keeps its own,
        unless `voicepipe.model` chooses another."""
        if patch.get("model") is not None:
            checks.string(patch["model"], "session.model")
        chosen = (patch.get("voicepipe") or {}).get("model")
        if chosen is not None and chosen != self._server.model and chosen not in self._models:
            named = tuple(filter(None, self._models))[:_MODELS_NAMED]
            known = checks.quoted(named) or "only its own"
            path = "session.voicepipe.model"
            raise errors.bad_value(
                path, f"{checks.shown(chosen)} is not offered; there is {known}."
            )

    def _check_voice_change(self, config: Json, fixed: bool) -> None:
        name = config["audio"]["output"]["voice"]
        wanted = self.engine_voice(name, "session.audio.output.voice")
        # Clients send a stock name unasked: where a colleague with a voice of its own has taken
        # over it stands for that one, and nothing is to change.
        unasked = self.voice not in STOCK_VOICES and wanted == self._settings.voice
        if fixed and name != self.voice and not unasked:
            raise ProtocolError(
                f"session.audio.output.voice cannot change from '{self.voice}' any more: the "
                "assistant has already been heard; start a new session for another voice.",
                code=errors.CANNOT_UPDATE_VOICE,
                param="session.audio.output.voice",
            )

    def _check_mcp(self, config: Json) -> None:
        """A client may not send the server to any address it likes."""
        for i, tool in enumerate(config["tools"]):
            if tool["type"] == "mcp" and not _is_below(tool["server_url"], self._mcp_servers):
                raise errors.bad_value(
                    f"session.tools[{i}].server_url",
                    "is no address that this server may call for its clients "
                    "(tools.client_mcp names those).",
                )

    def _fit_tool_choice(self, config: Json, named_now: bool) -> None:
        """A choice made in this update must exist; an older one falls back to "auto" when its
        function goes away."""
        declared = [tool["name"] for tool in config["tools"] if tool["type"] == "function"]
        if named_now:
            self.check_tool_choice(config["tool_choice"], declared, "session.tool_choice")
        name = fields.chosen_tool(config["tool_choice"])
        if name is not None and name not in declared:
            config["tool_choice"] = "auto"

    def _to_settings(self, config: Json) -> SessionSettings:
        input_, output = config["audio"]["input"], config["audio"]["output"]
        return SessionSettings(
            instructions=config["instructions"],
            modality=fields.modality(config["output_modalities"]),
            tools=fields.tool_settings(config["tools"]),
            mcp=fields.mcp_settings(config["tools"]),
            tool_choice=fields.tool_choice_setting(config["tool_choice"]),
            parallel_tools=config["parallel_tool_calls"],
            truncation=fields.truncation_setting(config["truncation"]),
            max_output_tokens=fields.token_limit(config["max_output_tokens"]),
            temperature=config["temperature"],
            input_format=fields.FORMATS[input_["format"]["type"]],
            output_format=fields.FORMATS[output["format"]["type"]],
            transcription=_transcription(input_["transcription"]),
            noise_reduction=fields.noise_reduction_setting(input_["noise_reduction"]),
            telephone=self._server.telephone,
            details=fields.details(config["include"]),
            turn_detection=_turn_detection(input_["turn_detection"]),
            voice=self.engine_voice(output["voice"], "session.audio.output.voice"),
            speed=output["speed"],
            transcription_only=config["type"] == "transcription",
            agent=self._server.agent,
            language=self._server.language,
            greeting=self._server.greeting,
            expect=self._server.expect,
            **extension.to_settings(config["voicepipe"], self._server),
        )


def _merge(tree: _Tree, current: Json, patch: Json, defaults: Json, path: str) -> Json:
    result = dict(current)
    for name, spec in tree.items():
        if name not in patch:
            continue
        value, where = patch[name], f"{path}.{name}"
        if isinstance(spec, _Field):
            if value is None:
                result[name] = None if spec.can_be_off else defaults[name]
            else:
                result[name] = spec.check(value, where, current[name])
        elif value is None:
            result[name] = defaults[name]
        else:
            inner = checks.obj(value, where)
            result[name] = _merge(spec, current[name], inner, defaults[name], where)
    return result


def _is_below(url: str, allowed: tuple[str, ...]) -> bool:
    """Whether an address is one of these or lies below one, on the same host and port."""
    try:
        given = urlsplit(url)
        origin = _origin(given)
    except ValueError:
        return False
    path = unquote(given.path)  # as servers and proxies read it before they resolve its dots
    if given.username or given.password or ".." in path or "\\" in unquote(url):
        return False
    for one in map(urlsplit, allowed):
        base = one.path.rstrip("/")
        below = given.path == base or given.path.startswith(base + "/")
        if below and origin == _origin(one):
            return True
    return False


def _origin(url: SplitResult) -> tuple[str, str | None, int | None]:
    """Raises ValueError for a port that is none."""
    return url.scheme, url.hostname, url.port or {"http": 80, "https": 443}.get(url.scheme)


def _keep_transcribing(config: Json) -> None:
    """Transcription is a transcription session's one purpose, so there it cannot be off."""
    audio = config["audio"]
    if config["type"] == "transcription" and audio["input"]["transcription"] is None:
        config["audio"] = {**audio, "input": {**audio["input"], "transcription": {}}}


def _transcription(config: Json | None) -> Transcription | None:
    if config is None:
        return None
    languages = config.get("languages") or [None]
    hints = [config["prompt"]] if config.get("prompt") else []
    hints += config.get("keywords", [])
    return Transcription(
        model=config.get("model", ""),
        language=config.get("language") or (languages[0] if len(languages) == 1 else None),
        prompt=", ".join(hints) or None,
    )


def _turn_detection(config: Json | None) -> TurnDetection | None:
    if config is None:
        return None
    return TurnDetection(kind=config["type"], **{k: v for k, v in config.items() if k != "type"})


def _from_settings(settings: SessionSettings) -> Json:
    """The session object of the server's own settings."""
    choice, turn, heard = settings.tool_choice, settings.turn_detection, settings.transcription
    config: Json = {
        "type": "transcription" if settings.transcription_only else "realtime",
        "output_modalities": [settings.modality],
        "instructions": settings.instructions,
        "tools": [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            }
            for tool in settings.tools
        ],
        "tool_choice": choice
        if choice in ("auto", "none", "required")
        else {"type": "function", "name": choice},
        "max_output_tokens": settings.max_output_tokens or "inf",
        "truncation": fields.truncation_object(settings.truncation),
        "tracing": None,
        "prompt": None,
        "include": fields.included(settings.details),
        "parallel_tool_calls": settings.parallel_tools,
        "reasoning": None,
        "temperature": settings.temperature,
        "voicepipe": extension.of_settings(settings),
        "audio": {
            "input": {
                "format": fields.format_object(settings.input_format),
                "transcription": None if heard is None else _transcription_object(heard),
                "noise_reduction": fields.noise_reduction_object(settings.noise_reduction),
                "turn_detection": None if turn is None else fields.turn_detection_object(turn),
            },
            "output": {
                "format": fields.format_object(settings.output_format),
                "voice": settings.voice or DEFAULT_VOICE,
                "speed": settings.speed,
            },
        },
    }
    _keep_transcribing(config)
    return config


def _transcription_object(setting: Transcription) -> Json:
    values = {
        "model": setting.model or None,
        "language": setting.language,
        "prompt": setting.prompt,
    }
    return {name: value for name, value in values.items() if value is not None}
