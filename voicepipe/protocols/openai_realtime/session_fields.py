"""One check per field of the session object: (value, path, current value) -> new value.

A check sees a value that is not null, returns its normal form in GA shape and never changes
`current`. `turn_detection` and `transcription` merge into the current value; the others replace it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast, get_args

from voicepipe.audio.formats import PCM_24K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.llm.contract import Tool
from voicepipe.protocols.json_fields import checks, errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.session.settings import (
    Approval,
    McpServer,
    Modality,
    NoiseReduction,
    TranscriptDetail,
    Truncation,
    TurnDetection,
)

SHOWN_SILENCE_MS = 500
"""What `silence_duration_ms` reads while no client has set it and the server's own policy rules."""

MAX_OUTPUT_TOKENS = 4096
MAX_TOOLS = 128
"""Of one session, as upstream."""

_TOOL_CHOICES = ("auto", "none", "required")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DETAIL = "item.input_audio_transcription."
_DETAILS: tuple[TranscriptDetail, ...] = ("logprobs", "segments", "words")
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh")

_MOST_TOKENS = Truncation().max_tokens  # of a history; more would not fit what engines bear

TurnKind = Literal["server_vad", "semantic_vad"]

FORMATS = {"audio/pcm": PCM_24K, "audio/pcmu": PCMU_8K, "audio/pcma": PCMA_8K}
"""Wire names of the audio formats."""
_FORMAT_NAMES = {fmt.encoding: name for name, fmt in FORMATS.items()}


def instructions(value: object, path: str, _: Any = None) -> str:
    return checks.string(value, path)


def output_modalities(value: object, path: str, _: Any = None) -> list[str]:
    """["audio"] or ["text"]: audio always comes with its transcript, so never both."""
    names = [checks.choice(v, path, ("audio", "text")) for v in checks.array(value, path)]
    if names not in (["audio"], ["text"]):
        raise errors.bad_value(path, "must be ['audio'] or ['text'], one of them, not both.")
    return names


def modality(names: list[str]) -> Modality:
    """The one output modality as a setting."""
    return "text" if names == ["text"] else "audio"


def max_output_tokens(value: object, path: str, _: Any = None) -> int | Literal["inf"]:
    if value == "inf":
        return "inf"
    if isinstance(value, str):
        raise errors.bad_value(path, f"must be from 1 to {MAX_OUTPUT_TOKENS}, or 'inf'.")
    return checks.integer(value, path, 1, MAX_OUTPUT_TOKENS)


def token_limit(value: int | str) -> int | None:
    """`max_output_tokens` as a setting."""
    return None if value == "inf" else int(value)


def tools(value: object, path: str, current: Sequence[Json] | None = None) -> list[Json]:
    """Function tools, flat, and MCP servers. What would silently never run is refused. A server
    that is sent back as it was shown keeps what was not shown of it."""
    given = checks.array(value, path)
    if len(given) > MAX_TOOLS:
        raise errors.bad_value(path, f"has {len(given)} tools; at most {MAX_TOOLS} may be.")
    servers = [tool for tool in current or () if tool["type"] == "mcp"]
    whole = [next((s for s in servers if shown_tools([s]) == [tool]), tool) for tool in given]
    checked = [_tool(t, f"{path}[{i}]") for i, t in enumerate(whole)]
    for kind, field in (("function", "name"), ("mcp", "server_label")):
        seen: set[str] = set()
        for i, tool in enumerate(checked):
            if tool["type"] == kind and tool[field] in seen:
                raise errors.bad_value(
                    f"{path}[{i}].{field}", f"'{tool[field]}' is declared twice."
                )
            if tool["type"] == kind:
                seen.add(tool[field])
    return checked


def function_tools(value: object, path: str, _: Any = None) -> list[Json]:
    """Of one response: MCP servers are the session's."""
    for i, tool in enumerate(checks.array(value, path)):
        if isinstance(tool, dict) and tool.get("type") == "mcp":
            raise errors.bad_value(f"{path}[{i}].type", "is 'mcp'; name it in session.update.")
    return tools(value, path)


def _tool(value: object, path: str) -> Json:
    tool = checks.obj(value, path)
    kind = checks.required(tool, "type", f"{path}.type", "'function'")
    if kind == "mcp":
        return _mcp(tool, path)
    checks.choice(kind, f"{path}.type", ("function", "mcp"))
    if "name" not in tool and isinstance(tool.get("function"), dict):
        raise errors.missing(
            f"{path}.name",
            "name, description and parameters beside 'type': tools are flat here, without a "
            "nested 'function'",
        )
    name = checks.string(
        checks.required(tool, "name", f"{path}.name", "the function's name"), f"{path}.name"
    )
    if not _TOOL_NAME.fullmatch(name):
        raise errors.bad_value(f"{path}.name", "must be 1 to 64 letters, digits, '_' or '-'.")
    checked: Json = {"type": "function", "name": name}
    if tool.get("description") is not None:
        checked["description"] = checks.string(tool["description"], f"{path}.description")
    if tool.get("parameters") is not None:
        checked["parameters"] = checks.obj(tool["parameters"], f"{path}.parameters")
    return checked


_HIDDEN = ("authorization", "headers")
"""Of an MCP server: never shown again."""


def _mcp(tool: Json, path: str) -> Json:
    """An MCP server."""
    label = checks.string(
        checks.required(tool, "server_label", f"{path}.server_label", "a name for it"),
        f"{path}.server_label",
    )
    if not _TOOL_NAME.fullmatch(label):
        raise errors.bad_value(f"{path}.server_label", "must be 1 to 64 letters, digits, _ or -.")
    for name in ("connector_id", "tunnel_id"):
        if tool.get(name) is not None:
            raise errors.bad_value(f"{path}.{name}", "is not known here; give its server_url.")
    url = checks.string(
        checks.required(tool, "server_url", f"{path}.server_url", "its address"),
        f"{path}.server_url",
    )
    if not url.startswith(("http://", "https://")):
        raise errors.bad_value(f"{path}.server_url", "must begin with http:// or https://.")
    checked: Json = {
        "type": "mcp",
        "server_label": label,
        "server_url": url,
        "allowed_tools": _allowed_tools(tool.get("allowed_tools"), f"{path}.allowed_tools"),
        "require_approval": _approval(tool.get("require_approval"), f"{path}.require_approval"),
    }
    if tool.get("authorization") is not None:
        checked["authorization"] = checks.string(tool["authorization"], f"{path}.authorization")
    if tool.get("headers") is not None:
        headers = checks.obj(tool["headers"], f"{path}.headers")
        checked["headers"] = {
            name: checks.string(value, f"{path}.headers.{name}") for name, value in headers.items()
        }
    return checked


def _approval(value: object, path: str) -> str | Json:
    """Which calls are put to the client first; unset: all of them."""
    if value is None or isinstance(value, str):
        return checks.choice(value or "always", path, ("always", "never"))
    given = checks.obj(value, path)
    for name in given:
        checks.choice(name, path, ("always", "never"))
    return {
        name: {"tool_names": _tool_names(filtered, f"{path}.{name}")}
        for name, filtered in given.items()
        if filtered is not None
    }


def _tool_names(value: object, path: str) -> list[str]:
    given = checks.obj(value, path)
    if given.get("read_only") is not None:
        raise errors.bad_value(f"{path}.read_only", "is not known here; name the tools.")
    names = checks.array(given.get("tool_names") or [], f"{path}.tool_names")
    return [checks.string(name, f"{path}.tool_names[{i}]") for i, name in enumerate(names)]


def _approval_setting(shown: str | Json) -> Approval:
    if isinstance(shown, str):
        return Approval(shown == "always")
    always, never = ((shown.get(n) or {}).get("tool_names", ()) for n in ("always", "never"))
    return Approval("never" in shown or not shown, frozenset(always), frozenset(never))


def _allowed_tools(value: object, path: str) -> list[str] | None:
    """None: all of them."""
    if value is None:
        return None
    names = _tool_names(value, path) if isinstance(value, dict) else _strings(value, path)
    if not names:
        raise errors.bad_value(path, "names no tool; leave it out for all of the server's.")
    return names


def mcp_settings(declared: list[Json]) -> tuple[McpServer, ...]:
    """MCP servers as settings."""
    return tuple(
        McpServer(
            label=tool["server_label"],
            url=tool["server_url"],
            authorization=tool.get("authorization", ""),
            headers=tuple(tool.get("headers", {}).items()),
            allowed_tools=tuple(tool["allowed_tools"] or ()),
            approval=_approval_setting(tool["require_approval"]),
        )
        for tool in declared
        if tool["type"] == "mcp"
    )


def shown_tools(declared: list[Json]) -> list[Json]:
    """Tools as a session object shows them: without what is secret in them."""
    return [{k: v for k, v in tool.items() if k not in _HIDDEN} for tool in declared]


def tool_settings(declared: list[Json]) -> tuple[Tool, ...]:
    """Tools as settings."""
    return tuple(
        Tool(tool["name"], tool.get("description", ""), tool.get("parameters", {}))
        for tool in declared
        if tool["type"] == "function"
    )


def tool_choice(value: object, path: str, _: Any = None) -> str | Json:
    if isinstance(value, str):
        return checks.choice(value, path, _TOOL_CHOICES)
    choice = checks.obj(value, path)
    checks.choice(choice.get("type"), f"{path}.type", ("function",))
    name = checks.required(choice, "name", f"{path}.name", "the function's name")
    return {"type": "function", "name": checks.name(name, f"{path}.name", 64)}


def tool_choice_setting(choice: str | Json) -> str:
    """A tool choice as a setting: the mode or the function's name."""
    return chosen_tool(choice) or cast(str, choice)


def chosen_tool(choice: str | Json) -> str | None:
    """The function that a tool choice names, if it names one."""
    return None if isinstance(choice, str) else cast(str, choice["name"])


def audio_format(value: object, path: str, _: Any = None) -> Json:
    fmt = checks.obj(value, path)
    kind = checks.choice(fmt.get("type"), f"{path}.type", tuple(FORMATS))
    rate = fmt.get("rate")
    if kind == "audio/pcm" and rate not in (None, PCM_24K.rate):
        raise errors.bad_value(
            f"{path}.rate", f"must be {PCM_24K.rate}, but is {checks.shown(rate)}."
        )
    return format_object(FORMATS[kind])


def format_object(fmt: AudioFormat) -> Json:
    """An audio format as the session object shows it."""
    shown: Json = {"type": _FORMAT_NAMES[fmt.encoding]}
    if fmt.encoding == "pcm16":
        shown["rate"] = fmt.rate
    return shown


def transcription(value: object, path: str, current: Json | None) -> Json:
    """Partial; a null field goes back to unset. `delay` is checked, and that is all: words are told
    as soon as they are sure."""
    result = merged(value, path, current or {}, {}, _TRANSCRIPTION_FIELDS)
    result.pop("delay", None)
    return result


def noise_reduction(value: object, path: str, _: Any = None) -> Json:
    """For the ear that turns are decided with. `strength` is checked, and that is all."""
    given = checks.obj(value, path)
    kind = checks.choice(given.get("type"), f"{path}.type", get_args(NoiseReduction))
    if given.get("strength") is not None:
        checks.number(given["strength"], f"{path}.strength", 0, 1)
    return {"type": kind}


def noise_reduction_setting(value: Json | None) -> NoiseReduction | None:
    """What the object stands for."""
    return None if value is None else cast(NoiseReduction, value["type"])


def noise_reduction_object(setting: NoiseReduction | None) -> Json | None:
    """As the session object shows it."""
    return None if setting is None else {"type": setting}


def turn_detection(value: object, path: str, current: Json | None) -> Json:
    """Partial; a change of type keeps only what both types have. Sent back whole, as it was shown,
    it changes nothing."""
    given = checks.obj(value, path)
    if current is not None and given == shown_turn_detection(current):
        return current
    kind = given.get("type")
    if kind is None:
        kind = current["type"] if current else "server_vad"
    kind = cast(TurnKind, checks.choice(kind, f"{path}.type", tuple(_TURN_FIELDS)))
    fields = _TURN_FIELDS[kind]
    defaults = turn_detection_object(TurnDetection(kind=kind))
    base = {**defaults, **{k: v for k, v in (current or {}).items() if k in fields}}
    return merged(given, path, base, defaults, fields)


def turn_detection_object(setting: TurnDetection) -> Json:
    """Settings as an object; `silence_duration_ms` None means that no client has set it."""
    fields = _TURN_FIELDS[setting.kind]
    return {"type": setting.kind} | {name: getattr(setting, name) for name in fields}


def shown_turn_detection(current: Json | None) -> Json | None:
    """As the session object shows it."""
    if current is None or current.get("silence_duration_ms", 0) is not None:
        return current
    return {**current, "silence_duration_ms": SHOWN_SILENCE_MS}


def speed(value: object, path: str, _: Any = None) -> float:
    return checks.number(value, path, 0.25, 1.5)


def temperature(value: object, path: str, _: Any = None) -> float:
    return checks.number(value, path, 0, 2)


def voice(value: object, path: str, _: Any = None) -> str:
    """A name, or an object {id}; whether it exists is the session object's to say."""
    if isinstance(value, dict):
        value, path = value.get("id"), f"{path}.id"
    return checks.name(value, path)


def truncation(value: object, path: str, _: Any = None) -> str | Json:
    if isinstance(value, str):
        return checks.choice(value, path, ("auto", "disabled"))
    given = checks.obj(value, path)
    checks.choice(given.get("type"), f"{path}.type", ("retention_ratio",))
    ratio = checks.required(given, "retention_ratio", f"{path}.retention_ratio", "0 to 1")
    checked: Json = {
        "type": "retention_ratio",
        "retention_ratio": checks.number(ratio, f"{path}.retention_ratio", 0, 1),
    }
    if given.get("token_limits") is not None:
        where = f"{path}.token_limits"
        fields = {"post_instructions": _integer(0, 10_000_000)}
        limits = merged(given["token_limits"], where, {}, {}, fields)
        checked["token_limits"] = {n: min(v, _MOST_TOKENS) for n, v in limits.items()}
    return checked


def truncation_setting(shown: str | Json) -> Truncation:
    """`truncation` as a setting."""
    if isinstance(shown, str):
        return Truncation(enabled=shown != "disabled")
    limits = shown.get("token_limits", {})
    most = limits.get("post_instructions", _MOST_TOKENS)
    return Truncation(retention=shown["retention_ratio"], max_tokens=most)


def truncation_object(setting: Truncation) -> str | Json:
    """A setting as `truncation`."""
    if setting in (Truncation(), Truncation(enabled=False)):
        return "auto" if setting.enabled else "disabled"
    limits = {"post_instructions": setting.max_tokens}
    kept = setting.retention
    return {"type": "retention_ratio", "retention_ratio": kept, "token_limits": limits}


def tracing(value: object, path: str, _: Any = None) -> None:
    """Checked, and that is all: traces go where the server's settings say."""
    if isinstance(value, str):
        checks.choice(value, path, ("auto",))
        return
    merged(
        value, path, {}, {}, {"workflow_name": _string, "group_id": _string, "metadata": _object}
    )


def prompt(_value: object, path: str, _: Any = None) -> Json:
    """Stored prompts live at their maker's; answering without one would be another agent."""
    raise errors.bad_value(
        path, "names a stored prompt, and this server stores none; send instructions instead."
    )


def include(value: object, path: str, _: Any = None) -> list[str]:
    """What is wanted of the user's transcript beside the text; the last two are our own."""
    names = tuple(f"{_DETAIL}{detail}" for detail in _DETAILS)
    return [checks.choice(v, path, names) for v in checks.array(value, path)]


def details(names: list[str] | None) -> frozenset[TranscriptDetail]:
    """`include` as a setting."""
    return frozenset(d for d in _DETAILS if f"{_DETAIL}{d}" in (names or ()))


def included(wanted: frozenset[TranscriptDetail]) -> list[str] | None:
    """A setting as `include`."""
    return [f"{_DETAIL}{d}" for d in _DETAILS if d in wanted] or None


def parallel_tool_calls(value: object, path: str, _: Any = None) -> bool:
    return checks.boolean(value, path)


def reasoning(value: object, path: str, _: Any = None) -> None:
    """Checked, and that is all: how much a model thinks is the server's to set."""

    def effort(given: object, where: str) -> str:
        return checks.choice(given, where, _EFFORTS)

    merged(value, path, {}, {}, {"effort": effort})


Check = Callable[[object, str], Any]


def merged(
    value: object, path: str, current: Json, defaults: Json, fields: dict[str, Check]
) -> Json:
    """`current` with the known fields of a partial object put in, null ones set back to their
    default (or unset where there is none). Unknown fields are ignored."""
    given = checks.obj(value, path)
    result = dict(current)
    for name, check in fields.items():
        if name not in given:
            continue
        if given[name] is not None:
            result[name] = check(given[name], f"{path}.{name}")
        elif name in defaults:
            result[name] = defaults[name]
        else:
            result.pop(name, None)
    return result


def _integer(low: int, high: int) -> Check:
    return lambda value, path: checks.integer(value, path, low, high)


def _strings(value: object, path: str) -> list[str]:
    items = checks.array(value, path)
    return [checks.string(item, f"{path}[{i}]") for i, item in enumerate(items)]


_string: Check = checks.string
_object: Check = checks.obj
_TRANSCRIPTION_FIELDS: dict[str, Check] = {
    "model": checks.string,
    "language": checks.string,
    "prompt": checks.string,
    "languages": _strings,
    "keywords": _strings,
    "delay": lambda value, path: checks.choice(value, path, _EFFORTS),
}
_BOTH_TURN_FIELDS: dict[str, Check] = {
    "create_response": checks.boolean,
    "interrupt_response": checks.boolean,
}
_TURN_FIELDS: dict[str, dict[str, Check]] = {
    "server_vad": {
        "threshold": lambda value, path: checks.number(value, path, 0, 1),
        "prefix_padding_ms": _integer(0, 5000),
        "silence_duration_ms": _integer(0, 60_000),
        "idle_timeout_ms": _integer(5000, 30_000),
        **_BOTH_TURN_FIELDS,
    },
    "semantic_vad": {
        "eagerness": lambda v, path: checks.choice(v, path, ("low", "medium", "high", "auto")),
        **_BOTH_TURN_FIELDS,
    },
}
