"""A tool that is a Python function: its name, its docstring and its typed parameters are what the
model is told, and what it returns is the result.

    async def opening_hours(day: Annotated[str, "a weekday"]) -> str:
        "When the bar is open."
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, Field, PydanticUserError, ValidationError, create_model
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import to_jsonable_python

from voicepipe.llm.contract import Tool
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.contract import (
    NAME,
    Arguments,
    Facts,
    Output,
    ServerTool,
    ToolError,
    ToolOptions,
    Wait,
)
from voicepipe.tools.schema import object_schema

GROUP = "voicepipe.tools"
"""The entry-point group of packages that bring tools: each names a module or a function."""

MAX_RESULT_CHARS = 16_384

MAX_THREADS = 32
"""Of plain functions, those whose deadline has passed among them. They are no one else's: by the
loop's own threads names are looked up and prompts encoded, and functions that hang would take all
of them."""

_THREADS = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="tool")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Marked:
    """What `@tool` was given."""

    name: str | None
    options: ToolOptions


def tool(
    *,
    name: str | None = None,
    say: str = "",
    say_after_ms: int = 300,
    wait: Wait = "block",
    read_only: bool = False,
    deadline_ms: int = 10_000,
    cancel_on_interrupt: bool = False,
    confirm: bool = False,
    first: bool = False,
    say_failed: str = "",
) -> Callable[[F], F]:
    """Make a function a tool with other options than the defaults. A plain `def` runs in a thread,
    which goes on when its deadline has passed: Python can stop no thread."""
    options = ToolOptions(
        deadline_ms,
        say,
        say_after_ms,
        wait,
        read_only,
        cancel_on_interrupt,
        confirm,
        first,
        say_failed,
    )

    def mark(function: F) -> F:
        function.__voicepipe_tool__ = _Marked(name, options)  # type: ignore[attr-defined]
        return function

    return mark


class PythonTools:
    """The tools of files and of installed packages."""

    name = "tools.files"
    problem = ""

    def __init__(self, files: Sequence[Path], plugins: Sequence[str]) -> None:
        """Imports them. Raises ConfigError that names the file or the entry point, and why."""
        found: list[ServerTool] = []
        for index, path in enumerate(files):
            found += module_tools(_import_file(path, index), str(path))
        for plugin in plugins:
            found += _plugin_tools(plugin)
        self._tools = tuple(found)

    async def start(self) -> None:
        """Nothing: they are imported."""

    def tools(self) -> tuple[ServerTool, ...]:
        return self._tools

    async def aclose(self) -> None:
        """Nothing."""


def module_tools(module: ModuleType, source: str) -> list[ServerTool]:
    """Every function of the module's own that is marked, or is public and `async`.

    Raises ConfigError where there is none, or one whose signature is no schema.
    """
    own = [f for f in vars(module).values() if inspect.isfunction(f)]
    found = [
        function_tool(function, source)
        for function in own
        if function.__module__ == module.__name__ and _is_tool(function)
    ]
    if not found:
        raise ConfigError(f"{source}: holds no tool: no public async function, none with @tool")
    return found


def function_tool(function: Callable[..., Any], source: str) -> ServerTool:
    """One function as a tool. Raises ConfigError, with file and line, where it cannot be one."""
    where = f"{source}:{function.__code__.co_firstlineno} ({function.__name__})"
    marked: _Marked = getattr(function, "__voicepipe_tool__", _Marked(None, ToolOptions()))
    name = marked.name or function.__name__
    if not NAME.fullmatch(name):
        raise ConfigError(f"{where}: a tool's name has up to 64 letters, digits, _ and -")
    description = inspect.getdoc(function)
    if not description:
        raise ConfigError(f"{where}: needs a docstring: it tells the model what the tool does")
    signature = _Signature(function, where)
    options = marked.options
    if options.first and (options.confirm or options.wait == "background"):
        raise ConfigError(f"{where}: one that is asked first can't be confirm or background")
    if options.first and signature.schema.get("required"):
        raise ConfigError(f"{where}: one that is asked first is given no arguments")
    declaration = Tool(name, description, signature.schema)
    return ServerTool(declaration, signature.run, options, where)


class _Signature:
    """What a function takes, and how it is called with what a model wrote."""

    def __init__(self, function: Callable[..., Any], where: str) -> None:
        self._function = function
        hints = _hints(function, where)
        self._takes_facts = [name for name, hint in hints.items() if hint == Facts]
        fields = {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name in self._takes_facts:
                continue
            _check(parameter, hints, where)
            required = parameter.default is inspect.Parameter.empty
            default = ... if required else parameter.default
            fields[parameter.name] = (_described(hints[parameter.name]), default)
        try:
            config = ConfigDict(extra="forbid")
            self._model = create_model(function.__name__, __config__=config, **fields)  # type: ignore[call-overload]
            schema = self._model.model_json_schema()
        except (PydanticSchemaGenerationError, PydanticUserError, NameError) as error:
            raise ConfigError(f"{where}: a parameter's type has no JSON Schema: {error}") from None
        self.schema = object_schema(_plain_schema(schema), where)

    async def run(self, arguments: Arguments, facts: Facts) -> Output:
        """Call it. Raises ToolError for arguments that its types refuse, and its own errors."""
        try:
            read = self._model.model_validate(arguments)
        except ValidationError as error:
            raise ToolError(f"wrong arguments: {_faults(error)}", fault=False) from None
        given = {name: getattr(read, name) for name in type(read).model_fields}
        given |= dict.fromkeys(self._takes_facts, facts)
        try:
            return Output(_text(await self._result(given)))
        except SystemExit as error:  # a script's habit; in a task it would end the server
            message = f"{self._function.__name__} failed"
            raise ToolError(message, detail="it wanted to exit") from error

    async def _result(self, given: dict[str, Any]) -> Any:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(**given)
        inside = partial(copy_context().run, _called, self._function, given)
        result = await asyncio.get_running_loop().run_in_executor(_THREADS, inside)
        return await _awaited(result) if inspect.isawaitable(result) else result


def _called(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """In a thread. What a search raises that finds nothing no future can hold: nobody would hear
    that the call is over."""
    try:
        return function(**given)
    except StopIteration as error:
        raise RuntimeError("StopIteration").with_traceback(error.__traceback__) from error


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result


def _is_tool(function: Callable[..., Any]) -> bool:
    if hasattr(function, "__voicepipe_tool__"):
        return True
    return inspect.iscoroutinefunction(function) and not function.__name__.startswith("_")


def _hints(function: Callable[..., Any], where: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception as error:  # whatever evaluating somebody's annotations raises
        raise ConfigError(f"{where}: its annotations cannot be read: {error}") from None


def _check(parameter: inspect.Parameter, hints: dict[str, Any], where: str) -> None:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise ConfigError(f"{where}: *{parameter.name} cannot be described to a model")
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise ConfigError(f"{where}: {parameter.name} is positional only; a model names arguments")
    if parameter.name not in hints:
        raise ConfigError(f"{where}: {parameter.name} needs a type, e.g. {parameter.name}: str")


def _described(hint: Any) -> Any:
    """`Annotated[str, "a weekday"]` as pydantic writes it down."""
    if get_origin(hint) is not Annotated:
        return hint
    inner, *notes = get_args(hint)
    words = [Field(description=note) if isinstance(note, str) else note for note in notes]
    return Annotated[(inner, *words)]


def _plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles that pydantic makes up: the model reads every token."""
    properties = {
        name: {key: value for key, value in child.items() if key != "title"}
        for name, child in schema.get("properties", {}).items()
    }
    kept = {key: value for key, value in schema.items() if key != "title"}
    return {**kept, "properties": properties}


def _faults(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_context=False)[:3]
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in details)


def _text(result: Any) -> str:
    """A function's result for the model: a text as it stands, else JSON."""
    text = result if isinstance(result, str) else _json(result)
    if len(text) > MAX_RESULT_CHARS:
        detail = f"its result has {len(text)} characters, the limit is {MAX_RESULT_CHARS}"
        raise ToolError("the result is too long", detail=detail)
    return text or '{"ok": true}'


def _json(result: Any) -> str:
    if result is None:
        return '{"ok": true}'
    try:
        return json.dumps(to_jsonable_python(result), ensure_ascii=False)
    except (ValueError, TypeError, RecursionError) as error:  # pydantic's errors are ValueErrors
        detail = f"its result ({type(result).__name__}) is nothing that JSON can hold"
        raise ToolError("the result cannot be read", detail=detail) from error


def _import_file(path: Path, index: int) -> ModuleType:
    if not path.is_file():
        raise ConfigError(f"tools.files: {path}: no such file")
    name = f"_voicepipe_tools_{index}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"tools.files: {path}: is no Python file (.py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # annotations are looked up there
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # so that it can import what lies beside it
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever somebody's file does
        del sys.modules[name]
        kind = type(error).__name__
        raise ConfigError(f"tools.files: {path}: {_line_of(error, path)}{kind}: {error}") from error
    return module


def _line_of(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: "
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f"line {lines[-1]}: " if lines else ""


def _plugin_tools(plugin: str) -> Iterable[ServerTool]:
    points = {point.name: point for point in entry_points(group=GROUP)}
    point = points.get(plugin)
    if point is None:
        known = ", ".join(sorted(points)) or "none is installed"
        raise ConfigError(f"tools.plugins: there is no {plugin!r}. Known: {known}.")
    try:
        found = point.load()
    except Exception as error:  # whatever a foreign package does at import
        raise ConfigError(
            f"tools.plugins: {plugin} ({point.value}) cannot be loaded: {error}"
        ) from error
    source = f"{plugin} ({point.value})"
    if isinstance(found, ModuleType):
        return module_tools(found, source)
    if inspect.isfunction(found):
        return [function_tool(found, source)]
    raise ConfigError(f"tools.plugins: {source} is neither a module nor a function")
