"""A model's own chat template and tokenizer: messages in, prompt text and tokens out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Template, TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from voicepipe.llm.contract import Message, Tool, ToolCall
from voicepipe.llm.encodable import encodable
from voicepipe.runtime.errors import EngineError, EngineUnavailable


class PromptTemplate:
    """Renders prompts the way the model was trained on them.

    Templates come with the weights and are not trusted: they run in jinja's sandbox. `now` feeds
    `strftime_now`, which some templates use; without it they fall back to a fixed date of their
    own, which also keeps the prompt's beginning stable.
    """

    def __init__(
        self,
        place: Path,
        sources: Mapping[str, str],
        special_tokens: Mapping[str, str],
        control_tokens: Sequence[str],
        now: Callable[[], datetime] | None = None,
    ) -> None:
        """`place`: what errors name. `sources`: jinja by name, one of them "default".
        `control_tokens`: what nobody may write into a message. Raises EngineUnavailable.
        """
        self._place = place
        self.special_tokens = dict(special_tokens)
        self._control_tokens = tuple(control_tokens)
        environment = _environment(now)
        try:
            self._templates = {k: environment.from_string(v) for k, v in sources.items()}
        except TemplateError as error:
            raise EngineUnavailable(
                f"The chat template in {place} is not valid jinja: {error}", stage="llm"
            ) from error

    def render(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        *,
        add_generation_prompt: bool = True,
    ) -> str:
        """The prompt as text. Control tokens that users or tools wrote out are removed, so that
        nobody can end a turn or speak as the system. Raises EngineError if the template refuses.
        """
        template = self._pick(bool(tools))
        try:
            text = template.render(
                messages=[self._message(m) for m in messages],
                tools=[_tool(t) for t in tools] or None,
                documents=None,
                add_generation_prompt=add_generation_prompt,
                **self.special_tokens,
            )
        except Exception as error:  # a template is a program, and can fail as any
            raise EngineError(
                f"The chat template of {self._place.name} refused the conversation: {error}",
                stage="llm",
            ) from error
        return encodable(text)  # escapes in a call's arguments have become characters

    def _pick(self, with_tools: bool) -> Template:
        if with_tools and "tool_use" in self._templates:
            return self._templates["tool_use"]
        return self._templates["default"]

    def _message(self, message: Message) -> dict[str, Any]:
        content = message.content
        if message.role in ("user", "tool"):
            content = self._without_control_tokens(content)
        rendered: dict[str, Any] = {"role": message.role, "content": content}
        if message.tool_calls:
            rendered["tool_calls"] = [_call(c) for c in message.tool_calls]
        if message.call_id is not None:
            rendered["tool_call_id"] = message.call_id
        return rendered

    def _without_control_tokens(self, text: str) -> str:
        before = None
        while before != text:  # removing one may join the halves of another
            before = text
            for token in self._control_tokens:
                text = text.replace(token, "")
        return text


class ChatTemplate(PromptTemplate):
    """A model directory's own template, with its tokenizer."""

    def __init__(self, model_dir: Path, now: Callable[[], datetime] | None = None) -> None:
        """Raises EngineUnavailable naming the missing or broken file."""
        config = _read_json(model_dir / "tokenizer_config.json")
        sources = _template_sources(model_dir, config)
        self.tokenizer = _load_tokenizer(model_dir / "tokenizer.json")
        added = self.tokenizer.get_added_tokens_decoder().values()
        special_tokens = {
            name: token
            for name in ("bos_token", "eos_token", "pad_token", "unk_token")
            if (token := _token_text(config.get(name)))
        }
        control_tokens = tuple(t.content for t in added if t.special)
        super().__init__(model_dir, sources, special_tokens, control_tokens, now)

    def encode(self, text: str) -> list[int]:
        """Token ids of a rendered prompt, or of a piece of one; adds none.

        As a batch of one: the library lets other threads run during a batch only, and finds no
        offsets in a fast one. On 64,000 characters the event loop waits 4 ms instead of 47.
        """
        (encoding,) = self.tokenizer.encode_batch_fast([text], add_special_tokens=False)
        ids: list[int] = encoding.ids
        return ids


def _call(call: ToolCall) -> dict[str, Any]:
    """Templates print arguments with `tojson`, so they want the object, not its text."""
    arguments: Any
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = call.arguments
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def _tool(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}


def _environment(now: Callable[[], datetime] | None) -> ImmutableSandboxedEnvironment:
    """The dialect in which chat templates are written by common usage."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _GenerationBlock]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    if now is not None:
        environment.globals["strftime_now"] = lambda form: now().strftime(form)
    return environment


class _GenerationBlock(Extension):
    """`{% generation %}...{% endgeneration %}` marks training targets; the body is kept."""

    tags = {"generation"}  # noqa: RUF012 - jinja's own declaration

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Plain JSON: jinja's own filter escapes for HTML, which no model was trained on."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise_exception(message: str) -> None:
    raise TemplateError(message)


def _template_sources(model_dir: Path, config: Mapping[str, Any]) -> dict[str, str]:
    """Templates by name; "default" is always among them."""
    file = model_dir / "chat_template.jinja"
    if file.is_file():
        return {"default": file.read_text(encoding="utf-8")}
    found = config.get("chat_template")
    if isinstance(found, str):
        return {"default": found}
    if isinstance(found, list):
        named = {t["name"]: t["template"] for t in found}
        if "default" in named:
            return named
    raise EngineUnavailable(
        f"{model_dir} has no chat template (chat_template.jinja, or chat_template in "
        "tokenizer_config.json); use a model made for chat.",
        stage="llm",
    )


def _load_tokenizer(path: Path) -> Tokenizer:
    if not path.is_file():
        raise EngineUnavailable(
            f"{path} is missing; copy it from the original model's directory.", stage="llm"
        )
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for bad files
        raise EngineUnavailable(
            f"{path} is not a usable tokenizer: {error}", stage="llm"
        ) from error


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EngineUnavailable(f"{path} is not valid JSON: {error}", stage="llm") from error
    return value if isinstance(value, dict) else {}


def _token_text(token: Any) -> str:
    """Configs write a token as text or as an object with its text in `content`."""
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else ""
