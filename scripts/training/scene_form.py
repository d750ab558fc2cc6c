"""How scenes are written, and read.

``scenes/*.txt`` hold them like this::

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
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from scene_values import SceneError
from till import TILL

HOUSE: Final = ("get_time", "set_timer", "cancel_timer", "list_timers")
_TOOLS: Final = {"none": (), "house": HOUSE, "till": (*TILL, "get_time"), "both": (*HOUSE, *TILL)}


class Step(NamedTuple):
    """``kind``: user, assistant, call or result."""

    kind: str
    text: str


Turn = tuple[bool, list[Step]]
"""Whether it may be left out; what the caller says, and all that follows it."""


@dataclass
class Scene:
    """One conversation."""

    title: str
    tools: tuple[str, ...] = ()
    system: str = ""
    greeting: str = ""
    any_order: bool = False
    turns: list[Turn] = field(default_factory=list)


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


def wordings(text: str) -> list[str]:
    """``a [very|] b | c`` in two: what the caller may say instead of each other."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += sign
    return [one.strip() for one in found]
