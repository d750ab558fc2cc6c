"""Conversations that were written one by one: whole talks with a house, a home or a coffee bar.

Templates teach what can be said; these teach how a talk goes on. They lie in ``scenes/*.txt``::

    == a table on a closed day
    tools: none                       (none, house, till, both, or names; none where left out)
    system: You answer the phone of Da Lucia. The set menu costs {p1#} euros.
      A line that begins with two spaces goes on with the prompt.
    greet: Da Lucia, good evening.    (not learnt)
    order: any                        (of its turns; as they stand where left out)
    > hi do you have a table for monday | any room on monday night
    We're closed on Mondays. For which other day?
    >? how much is the set menu       (a turn that may be left out, with its answer)
    The set menu is {p1} euros.
    > what's the time
    call get_time {}
    result {"time": "14:05"}
    It is two oh five.

What the caller says comes in one of its wordings (``a | b``), with ``[x|y|]`` inside them. Values
such as ``{n1}`` are drawn anew each time: :mod:`scene_values`. In the JSON of tools a string that
is a number in figures, ``"{n1*60#}"``, becomes one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from conversation import Conversation
from instructed_say import tell
from scene_values import SceneError, Values
from till import TILL

FOLDER: Final = Path(__file__).parent / "scenes"
HOUSE: Final = ("get_time", "set_timer", "cancel_timer", "list_timers")
_TOOLS: Final = {"none": (), "house": HOUSE, "till": (*TILL, "get_time"), "both": (*HOUSE, *TILL)}
_LEFT_OUT: Final = 0.3


class Step(NamedTuple):
    """``kind``: user, assistant, call or result."""

    kind: str
    text: str


@dataclass
class Scene:
    """``turns``: what the caller says and all that follows it, and whether it may be left out."""

    title: str
    tools: tuple[str, ...] = ()
    system: str = ""
    greeting: str = ""
    any_order: bool = False
    turns: list[tuple[bool, list[Step]]] = field(default_factory=list)


def read_scenes(text: str) -> Iterator[Scene]:
    """The scenes of a file. Raises SceneError."""
    scene: Scene | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("== "):
            if scene:
                yield scene
            scene = Scene(line[3:].strip())
        elif line.strip() and not line.startswith("#"):
            if scene is None:
                raise SceneError(f"line {number}: before the first scene")
            try:
                _read(scene, line)
            except (ValueError, KeyError, IndexError) as error:
                raise SceneError(f"line {number}: {error}: {line}") from None
    if scene:
        yield scene


def _read(scene: Scene, line: str) -> None:
    head, _, rest = line.partition(" ")
    if line.startswith("  ") and not scene.turns:
        scene.system += "\n" + line.strip()
    elif head == "tools:":
        scene.tools = _TOOLS.get(rest.strip()) or tuple(rest.replace("none", "").split())
    elif head == "system:":
        scene.system = rest.strip()
    elif head == "greet:":
        scene.greeting = rest.strip()
    elif line.strip() == "order: any":
        scene.any_order = True
    elif head in (">", ">?"):
        scene.turns.append((head == ">?", [Step("user", rest.strip())]))
    elif head == "call":
        tool, _, arguments = rest.partition(" ")
        if tool not in scene.tools:
            raise SceneError(f"{tool} is none of its tools")
        json.loads(arguments)
        scene.turns[-1][1].append(Step("call", rest))
    elif head == "result":
        json.loads(rest)
        scene.turns[-1][1].append(Step("result", rest))
    else:
        scene.turns[-1][1].append(Step("assistant", line.strip()))


@cache
def all_scenes() -> tuple[Scene, ...]:
    """Every scene there is."""
    return tuple(
        scene for path in sorted(FOLDER.glob("*.txt")) for scene in read_scenes(path.read_text())
    )


def scene_conversation(rng: random.Random) -> Conversation:
    """One of them, told with new values."""
    return told(rng.choice(all_scenes()), rng)


def told(scene: Scene, rng: random.Random) -> Conversation:
    """The scene with new values, without some of the turns that may be left out."""
    values = Values(rng)
    talk = Conversation(rng, scene.tools)
    if scene.system:
        talk.messages.append({"role": "system", "content": values.fill(scene.system)})
    if scene.greeting:
        greeting = {"role": "assistant", "content": values.fill(scene.greeting), "learn": False}
        talk.messages.append(greeting)
    turns = rng.sample(scene.turns, len(scene.turns)) if scene.any_order else scene.turns
    for optional, steps in turns:
        if optional and rng.random() < _LEFT_OUT:
            continue
        _tell(talk, steps, values)
    return talk


def _tell(talk: Conversation, steps: list[Step], values: Values) -> None:
    call: tuple[str, Any] | None = None
    for step in steps:
        if step.kind == "user":
            text = values.fill(step.text)
            tell(talk, f"[{text}]" if "|" in text else text)
        elif step.kind == "call":
            tool, _, arguments = step.text.partition(" ")
            call = tool, values.fill_json(json.loads(arguments))
        elif step.kind == "result":
            if call is None:
                raise SceneError(f"a result without a call: {step.text}")
            talk.call(*call, values.fill_json(json.loads(step.text)))
            call = None
        else:
            talk.assistant(values.fill(step.text))


def check(path: Path) -> None:
    """Tell every scene of a file a few times. Raises SceneError on the first fault."""
    scenes = list(read_scenes(path.read_text()))
    for scene in scenes:
        for _, steps in scene.turns:
            if [step.kind for step in steps][-1] != "assistant":
                raise SceneError(f"{scene.title}: nobody answers {steps[0].text!r}")
            if sum(step.kind == "assistant" for step in steps) != 1:
                raise SceneError(f"{scene.title}: not one answer to {steps[0].text!r}")
        for seed in range(3):
            told(scene, random.Random(seed))
    turns = sum(len(scene.turns) for scene in scenes)
    print(f"{path.name}: {len(scenes)} scenes, {turns} turns")


if __name__ == "__main__":
    import sys

    for name in sys.argv[1:]:
        check(Path(name))
