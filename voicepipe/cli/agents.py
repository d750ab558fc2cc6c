"""`voicepipe agents`: list and check those that the settings define."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from voicepipe.agents.check import Report, World, checked, unknown_rules
from voicepipe.agents.directory import AgentDirectory
from voicepipe.cli.options import ConfigOption, ProfileOption, SetOption, settings_from
from voicepipe.config import LlmSettings, Settings, TelephonySettings
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import Message, Tool
from voicepipe.models.resolve import model_path
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError, VoicepipeError
from voicepipe.server.assembly import build_engines
from voicepipe.server.telephony.call_tools import call_tools, transfer_targets
from voicepipe.session.dtmf_gather import DECLARATION as GET_DIGITS_TOOL
from voicepipe.session.dtmf_gather import GET_DIGITS
from voicepipe.tools.builtin import DECLARATIONS
from voicepipe.tools.sources import build_sources

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Who answers.")

CHARS_PER_TOKEN = 4
"""Of English, where the model's own tokenizer is not here."""

WITH_TOKENIZER = ("ctranslate2", "vllm")
"""Engines whose model lies in a folder with a tokenizer and a chat template."""

ONE_MODEL = ("ctranslate2", "llama_cpp", "simulated", "vllm")
"""Engines that answer with the one they have, whatever a call names."""


@app.command("list")
def list_agents(
    profile: ProfileOption = None, config: ConfigOption = None, assignments: SetOption = None
) -> None:
    """Name the agents, and where each answers."""
    settings = settings_from(profile, config, assignments)
    directory = AgentDirectory(settings.agents, settings.server.agent)
    table = Table(box=None, padding=(0, 2))
    for title in ("agent", "numbers", "tools", "hands over to"):
        table.add_column(title)
    for name in directory.names:
        agent = directory.get(name).settings
        mark = " (default)" if name == settings.server.agent else ""
        tools = "all" if agent.tools is None else ", ".join(agent.tools) or "none"
        others = ", ".join(agent.hand_over)
        table.add_row(*map(escape, (name + mark, ", ".join(agent.numbers), tools, others)))
    Console(highlight=False).print(table)


@app.command()
def check(
    profile: ProfileOption = None,
    config: ConfigOption = None,
    assignments: SetOption = None,
    offline: Annotated[
        bool, typer.Option(help="Ask no MCP server and start no voice; their part is left out.")
    ] = False,
) -> None:
    """Say what is wrong with the agents, and how long their prompts are.

    Status 0 if nothing is wrong, 1 if something is, 2 if the settings cannot be read.
    """
    settings = settings_from(profile, config, assignments)
    directory = AgentDirectory(settings.agents, settings.server.agent)
    if not directory.names:
        raise ConfigError("the settings define no agent; write an [agents.NAME] section")
    world, notes = asyncio.run(_look_around(settings, offline))
    reports = [checked(directory.get(name), world) for name in directory.names]
    faults = list(unknown_rules(settings.tools.rules, directory.all.values(), world))
    _print(reports, faults, world, notes)
    if faults or any(report.problems for report in reports):
        raise typer.Exit(1)


async def _look_around(settings: Settings, offline: bool) -> tuple[World, list[str]]:
    """What there is for agents, and what could not be looked at."""
    notes: list[str] = []
    sources = build_sources(settings.tools, os.environ, MonotonicClock())
    try:
        if not offline:
            await sources.start()
        tools = [tool.declaration for tool in sources.tools()]
        first = frozenset(tool.name for tool in sources.tools() if tool.options.first)
        missing = tuple(sources.problems)
    finally:
        await sources.aclose()
    tools += [DECLARATIONS[name] for name in settings.llm.tools if name in DECLARATIONS]
    voices = () if offline else await _voices(settings, notes)
    count, context = _tokens(settings, notes)
    world = World(
        tools=tuple(tools),
        phone_tools=_phone_tools(settings.telephony),
        missing_tools=missing,
        voices=voices,
        default_instructions=settings.llm.instructions,
        tokens=count,
        context=context,
        first=first,
        several_models=settings.llm.engine == "openai" or bool(settings.llm.others),
        models=_models(settings.llm),
    )
    return world, notes


def _models(settings: LlmSettings) -> tuple[str, ...] | None:
    """All that an agent may name; None: the engine's server may have more."""
    if settings.engine not in ONE_MODEL:
        return None
    return (*settings.others, settings.model)


def _phone_tools(settings: TelephonySettings) -> tuple[Tool, ...]:
    """Those that a call by telephone has, where its carrier can do it all."""
    targets = transfer_targets(settings.transfer_targets)
    theirs = call_tools(lambda: None, lambda name: None, targets)
    found = {tool.name: tool.declaration for tool in theirs} | {GET_DIGITS: GET_DIGITS_TOOL}
    return tuple(found[name] for name in settings.tools if name in found)


async def _voices(settings: Settings, notes: list[str]) -> tuple[str, ...]:
    try:
        synthesizer = build_engines(settings, MonotonicClock()).synthesizer
        try:
            await synthesizer.start()
            return synthesizer.voices()
        finally:
            await synthesizer.aclose()
    except VoicepipeError as error:
        notes.append(f"voices are not checked: {error}")
        return ()


Count = Callable[[tuple[Message, ...], tuple[Tool, ...]], int]


def _tokens(settings: Settings, notes: list[str]) -> tuple[Count, int | None]:
    """The model's own count where its tokenizer is here, and how many it takes."""
    if settings.llm.engine in WITH_TOKENIZER:
        try:
            folder = model_path(settings.llm.model, settings)
            template = ChatTemplate(folder)
            context = _context(settings, folder)
            return lambda m, t: len(template.encode(template.render(m, t))), context
        except VoicepipeError as error:
            notes.append(f"tokens are estimated: {error}")
    else:
        notes.append(f"tokens are estimated at {CHARS_PER_TOKEN} characters each")
    return _estimated, None


def _context(settings: Settings, folder: Path) -> int:
    """Tokens that the model takes, prompt and answer together."""
    if settings.llm.engine == "vllm":
        return settings.llm.vllm.max_model_len
    from voicepipe.llm.token_prompt import context_tokens

    return context_tokens(folder)


def _estimated(messages: tuple[Message, ...], tools: tuple[Tool, ...]) -> int:
    chars = sum(len(message.content) for message in messages)
    chars += sum(len(f"{t.name}{t.description}{dict(t.parameters)}") for t in tools)
    return -(-chars // CHARS_PER_TOKEN)


def _print(reports: list[Report], faults: list[str], world: World, notes: list[str]) -> None:
    console = Console(highlight=False)
    for report in reports:
        state = "[yellow]has faults[/]" if report.problems else "[green]is well[/]"
        size = f"{report.tokens} tokens" + (f" of {world.context}" if world.context else "")
        tools = ", ".join(report.tools) or "none"
        phone = ", ".join(tool.name for tool in world.phone_tools) or "none"
        console.print(
            f"[bold]{escape(report.name)}[/] {state}: prompt {size}, tools {escape(tools)}; "
            f"by telephone {phone} too",
            soft_wrap=True,
        )
        for problem in report.problems:
            console.print(f"  agents.{escape(report.name)}.{escape(problem)}", soft_wrap=True)
    for fault in faults:
        console.print(f"[yellow]{escape(fault)}[/]", soft_wrap=True)
    for note in notes:
        console.print(f"[dim]{escape(note)}[/]", soft_wrap=True)
