"""Conversations that were written one by one: whole talks with a house, a home or a coffee bar.

Templates teach what can be said; these teach how a talk goes on. How they are written:
:mod:`scene_form`; what is drawn anew in each telling: :mod:`scene_values`, :mod:`scene_nouns`.

    python scripts/training/scenes.py FILE...      # whether they can be told
"""

from __future__ import annotations

import json
import lzma
import random
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from conversation import Conversation
from instructed_say import tell
from scene_form import Scene, Step, read_scenes
from scene_nouns import with_other_things
from scene_values import SceneError, Values

FOLDER: Final = Path(__file__).parent / "scenes"
_LEFT_OUT: Final = 0.3
_BETWEEN: Final = re.compile(r"(?<=[a-z0-9)])(?<!\.[a-z])(?<!Mr|Dr|St)(?<!Mrs)\. (?=[A-Z])")
_LEANS: Final = re.compile(
    r"(It|Its|They|Their|Them|He|She|His|Her|This|That|These|Those|There|But|And|Or|Otherwise|Then|"
    r"Both|Each|Either|Also|Not|No|Only|Except|Unless|Same|Else|Everything|All|Others?|If|After|"
    r"Before|Later|Longer|More|Less|Without|With)\b"
)


def scene_files() -> list[Path]:
    """The files of scenes; those of exams that were over long ago lie packed (``xzless`` shows
    them), since a checkout is to stay small."""
    return sorted((*FOLDER.glob("*.txt"), *FOLDER.glob("*.txt.xz")))


def text_of(path: Path) -> str:
    """What stands in such a file."""
    packed = path.suffix == ".xz"
    return lzma.decompress(path.read_bytes()).decode() if packed else path.read_text()


@cache
def all_scenes() -> tuple[Scene, ...]:
    """Every scene there is."""
    return tuple(scene for path in scene_files() for scene in read_scenes(text_of(path)))


def scene_conversation(rng: random.Random) -> Conversation:
    """One of them, told with new values and, now and then, other things.

    One with a prompt of its own is drawn twice as often: to read is harder than to remember.
    """
    scene = rng.choice(all_scenes())
    if not scene.system or scene.tools:
        scene = rng.choice(all_scenes())
    return told(with_other_things(scene, rng), rng)


def told(scene: Scene, rng: random.Random) -> Conversation:
    """The scene with new values, without some of the turns that may be left out."""
    values = Values(rng)
    talk = Conversation(rng, scene.tools)
    if scene.system:
        prompt = in_another_order(values.fill(scene.system), rng)
        talk.messages.append({"role": "system", "content": prompt})
    if scene.greeting:
        greeting = {"role": "assistant", "content": values.fill(scene.greeting), "learn": False}
        talk.messages.append(greeting)
    turns = rng.sample(scene.turns, len(scene.turns)) if scene.any_order else scene.turns
    for optional, steps in turns:
        if optional and rng.random() < _LEFT_OUT:
            continue
        _tell(talk, steps, values)
    return talk


def in_another_order(prompt: str, rng: random.Random) -> str:
    """The prompt with the sentences behind its first one shuffled at times, so that a fact has no
    place of its own. One that leans on the one before ("It", "But") stays behind it. Not where
    there are lines: those may belong together."""
    if "\n" in prompt or rng.random() < 0.5:
        return prompt
    first, *rest = _BETWEEN.split(prompt.removesuffix("."))
    groups: list[list[str]] = []
    for sentence in rest:
        if groups and _LEANS.match(sentence):
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    if len(groups) < 2 or _LEANS.match(rest[0]):
        return prompt
    rng.shuffle(groups)
    return ". ".join((first, *(one for group in groups for one in group))) + "." * prompt.endswith(
        "."
    )


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


def check(path: Path, tellings: int = 20) -> None:
    """Tell every scene of a file so many times. Raises SceneError on the first fault."""
    scenes = list(read_scenes(text_of(path)))
    for scene in scenes:
        for _, steps in scene.turns:
            if [step.kind for step in steps][-1] != "assistant":
                raise SceneError(f"{scene.title}: nobody answers {steps[0].text!r}")
            if sum(step.kind == "assistant" for step in steps) != 1:
                raise SceneError(f"{scene.title}: not one answer to {steps[0].text!r}")
        for seed in range(tellings):
            told(scene, random.Random(seed))
    turns = sum(len(scene.turns) for scene in scenes)
    print(f"{path.name}: {len(scenes)} scenes, {turns} turns")


if __name__ == "__main__":
    import sys

    for name in sys.argv[1:]:
        check(Path(name))
