"""What is wrong with agents beyond their syntax: tools that nobody has, voices that nobody speaks,
prompts that leave no room for the conversation.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from voicepipe.agents.definition import Agent
from voicepipe.agents.hand_over import HAND_OVER, hand_over_tool
from voicepipe.llm.contract import Message, Tool

LARGE_SHARE = 0.5
"""A prompt that takes more of the model's context than this leaves little for what is said."""

MAX_NAMES = 12
"""Of what there is instead; an engine may have hundreds of voices."""

PHONE_TOOLS = ("hang_up", "transfer_call", "get_digits")
"""What `telephony.tools` may offer in calls by telephone."""


@dataclass(frozen=True, slots=True)
class World:
    """What there is for agents. `tokens`: of a prompt with these tools, by the model's own count;
    `context`: how many the model takes, None where nobody knows."""

    tools: tuple[Tool, ...]
    phone_tools: tuple[Tool, ...]  # that every agent has besides, in calls by telephone
    missing_tools: Collection[str]  # sources that do not answer: their tools are not known
    voices: Collection[str]
    default_instructions: str
    tokens: Callable[[tuple[Message, ...], tuple[Tool, ...]], int]
    context: int | None = None
    first: Collection[str] = ()  # of the tools: asked before the model, which is not offered them
    several_models: bool = False  # a call may choose another than the server's own
    models: Collection[str] | None = None  # then: their names, None where nobody knows all


@dataclass(frozen=True, slots=True)
class Report:
    """Of one agent."""

    name: str
    tokens: int  # of the prompt before anybody has spoken, all tools included
    tools: tuple[str, ...]  # without those of telephone calls
    problems: tuple[str, ...]


def checked(agent: Agent, world: World) -> Report:
    """Look at one agent."""
    allowed = agent.tools
    tools = tuple(t for t in world.tools if allowed is None or t.name in allowed)
    if agent.settings.hand_over:
        tools += (hand_over_tool(agent.settings.hand_over, lambda name: None).declaration,)
    words = agent.instructions(agent.facts({})) or world.default_instructions
    offered = tuple(tool for tool in tools if tool.name not in world.first)
    tokens = world.tokens((Message("system", words),), (*offered, *world.phone_tools))
    problems = (*_tools(agent, world), *_speech(agent, world), *_room(agent, world, tokens))
    return Report(agent.name, tokens, tuple(tool.name for tool in tools), problems)


def unknown_rules(rules: Collection[str], agents: Collection[Agent], world: World) -> Iterator[str]:
    """Rules for a tool which nobody has, or which no model calls."""
    for name in rules:
        if name in world.first:
            yield f"tools.rules.{name}: it is asked first, in every turn: no rule is for it"
    if world.missing_tools:
        return
    known = [tool.name for tool in (*world.tools, *world.phone_tools)]
    if any(agent.settings.hand_over for agent in agents):
        known.append(HAND_OVER)
    for name in rules:
        if name not in known:
            yield f"tools.rules.{name}: there is no tool {name!r}{_hint(name, known)}"


def _tools(agent: Agent, world: World) -> Iterator[str]:
    known = [tool.name for tool in (*world.tools, *world.phone_tools)]
    for name in agent.settings.tools or ():
        if name in known:
            continue
        if name in PHONE_TOOLS:
            needs = ", and telephony.transfer_targets" if name == "transfer_call" else ""
            yield f"tools: {name!r} is there only where telephony.tools has it{needs}"
        elif world.missing_tools:
            sources = ", ".join(sorted(world.missing_tools))
            yield f"tools: {name!r} cannot be reached: {sources} gives no tools now"
        else:
            yield f"tools: there is no {name!r}{_hint(name, known)}"


def _speech(agent: Agent, world: World) -> Iterator[str]:
    voice = agent.settings.voice
    if voice and world.voices and voice not in world.voices:
        yield f"voice: there is no {voice!r}{_hint(voice, world.voices)}"
    model = agent.settings.model
    if model and not world.several_models:
        yield (
            'model: the language model here is one; llm.others names more, llm.engine = "openai" '
            "may have several"
        )
    elif model and world.models is not None and model not in world.models:
        yield f"model: there is no {model!r}{_hint(model, world.models)}"


def _room(agent: Agent, world: World, tokens: int) -> Iterator[str]:
    if world.context is not None and tokens > LARGE_SHARE * world.context:
        yield (
            f"instructions: with its tools the prompt has {tokens} tokens, of {world.context} "
            "that the model takes"
        )


def _hint(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    shown = ", ".join(list(known)[:MAX_NAMES]) or "none"
    more = f" and {len(known) - MAX_NAMES} more" if len(known) > MAX_NAMES else ""
    return f"; there are: {shown}{more}"
