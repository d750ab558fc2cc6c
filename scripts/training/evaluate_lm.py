"""Judge the built-in chat model on hand-written questions and dialogues, strictly and by machine.

    python scripts/training/evaluate_lm.py
    python scripts/training/evaluate_lm.py --dialogues FILE.jsonl

Everything is rendered through the model's chat template and decoded greedily with CTranslate2 on
one thread. Printed are the failures, the shares of right and of absurd answers with their 95 %
Wilson intervals, and the time a token takes. Exit status 0 whatever the shares are.

*Questions* (one JSON object a line, ``tests/data/chat/questions.jsonl``): ``id``, ``group``,
``tools`` (true: the four of the house; false: none; or a list of names), ``messages`` (OpenAI's
form, the user's last), ``expect``: either ``tool``, ``arguments``, and the ``result`` that is fed
back, or words alone; and, for the words, the patterns described below.

*Dialogues* (one JSON object a line)::

    {"id": "bar-01", "group": "coffee bar", "tools": ["get_time", "add_to_order", ...],
     "system": "optional", "greeting": "optional first words of the assistant",
     "turns": [
       {"say": "could i get a large latte",
        "calls": [{"tool": "add_to_order", "arguments": {"items": "~large latte"},
                   "result": {"order": "a large latte", "total": "four euros"}}],
        "match": ["large latte"], "not": ["espresso"], "absurd": ["heating", "timer"]},
       {"say": "what's the weather like", "refuse": true}]}

``tools``: a list of names, or ``"house"``, ``"till"`` (those of ``agents/coffee_bar``),
``"both"``, or ``"desk"`` (those of ``agents/bookings``). ``calls``: what must be called in this
turn, in this order, and nothing else; none where it is left out. An argument that begins with ``~``
is a pattern, any other must be equal. ``match``: every pattern (regular expression, any case) is
found in what is said after the last call. ``not``: none is. ``refuse``: the model must say that it
cannot help. ``absurd``: the answer is about something else: found, the turn is wrong *and* absurd.
Absurd as well is a call that changes something (no ``get_``, no ``list_``) in a turn that expects
none.

At a till (``"till"``) nothing is scripted either: it is asked first (``bar_calls``), and the
``order`` that the results of ``calls`` have is what is to be ordered after the turn. With
``"both"``, which no agent that ships has, the model calls the till's tools.

At a desk nothing is scripted: ``"house"`` is a house as in ``agents/bookings/house.toml``, whose
desk is asked first, as the agent's settings have it; the model answers where it says nothing.
``calls`` has what a turn is to be taken for (``HEARD``): ``{"tool": "note_booking"}``, or
``{"tool": "note_booking|get_fact"}`` where either is right; with ``"may": true`` it need not be.
It may be taken for more than that, but for nothing where nothing is expected.

A dialogue goes on with what the model really said. A tool that the turn expects gives its scripted
result, with wrong arguments too (the turn is wrong all the same); any other gives an error.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import ctranslate2
from bar_calls import BarCall
from conversation import Message
from dialogues import DEFAULT_SYSTEM, TOOLS
from jinja2 import Environment
from till import TILL
from tokenizers import Tokenizer

sys.path.append(str(Path(__file__).resolve().parents[2] / "agents" / "bookings"))
from form import Form
from house import House, read_house
from listening import hear
from spoken import answered

ROOT: Final = Path(__file__).resolve().parents[2]
END_TOKENS: Final = ("<|im_end|>", "<|endoftext|>")
_TOOL_CALL: Final = re.compile(r"<tool_call>\s*(\{.*\})\s*</tool_call>", re.DOTALL)
_REFUSAL: Final = re.compile(r"\bcan't help\b|\bcannot help\b", re.IGNORECASE)

TOOL_SETS: Final = {
    "house": TOOLS,
    "till": ("get_time",),
    "both": (*TOOLS, *TILL),
    "desk": ("get_time",),
}
#: What a turn at a desk was taken for, and how the examinations call it.
HEARD: Final = {
    "note": "note_booking", "question": "get_fact", "read back": "get_booking",
    "yes": "confirm_booking", "no": "cancel_booking", "unclear": "note_booking",
}  # fmt: skip
TODAY: Final = date(2026, 11, 26)  # at a desk
CONTEXT: Final = 1536  # positions of the model
MOST_SAID: Final = 128  # tokens of one answer
MAX_CALLS: Final = 4  # of one turn
NO_SUCH_TOOL: Final = {"error": "not available"}


@dataclass(frozen=True)
class Verdict:
    """What became of a turn: why it is wrong (None: right), whether it is absurd, what was said."""

    why: str | None
    absurd: bool
    said: str

    @property
    def label(self) -> str:
        """``right``, ``wrong: ...`` or ``ABSURD: ...``."""
        if self.why is None and not self.absurd:
            return "right"
        return f"{'ABSURD' if self.absurd else 'wrong'} ({self.why})"


@dataclass
class ChatModel:
    """The exported model: prompts are token strings, so ids are never seen."""

    generator: ctranslate2.Generator
    tokenizer: Tokenizer
    template: Any
    token_ms: list[float]

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> ChatModel:
        """Load the CTranslate2 model and its tokenizer from one folder."""
        config = json.loads((folder / "tokenizer_config.json").read_text())
        return cls(
            ctranslate2.Generator(
                str(folder), device="cpu", compute_type="int8", intra_threads=threads
            ),
            Tokenizer.from_file(str(folder / "tokenizer.json")),
            Environment(autoescape=False).from_string(config["chat_template"]),
            [],
        )

    def prompt(self, messages: list[Message], tools: list[dict[str, Any]] | None) -> list[str]:
        """The tokens that an answer goes on from."""
        text = self.template.render(messages=messages, tools=tools, add_generation_prompt=True)
        return list(self.tokenizer.encode(text, add_special_tokens=False).tokens)

    def answer(self, messages: list[Message], tools: list[dict[str, Any]] | None) -> str:
        """Decode one assistant message greedily, tool-call markers included."""
        tokens = self.prompt(messages, tools)
        while len(tokens) > CONTEXT - MOST_SAID and len(messages) > 2:
            users = [at for at, one in enumerate(messages) if at > 1 and one["role"] == "user"]
            messages = [messages[0], *messages[users[0] if users else 2 :]]  # as a server does
            tokens = self.prompt(messages, tools)
        start = time.perf_counter()
        result = self.generator.generate_batch(
            [tokens],
            max_length=MOST_SAID,
            sampling_topk=1,
            include_prompt_in_result=False,
            end_token=list(END_TOKENS),
        )[0]
        ids = result.sequences_ids[0]
        self.token_ms.append((time.perf_counter() - start) * 1000 / max(1, len(ids)))
        return self.tokenizer.decode(ids, skip_special_tokens=False).strip()


def parse_tool_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of a Hermes tool call, or None if there is none or it isn't JSON."""
    match = _TOOL_CALL.search(text)
    if match is None:
        return None
    try:
        call = json.loads(match.group(1))
        return call["name"], call["arguments"]
    except (ValueError, KeyError, TypeError):
        return None


def judge_answer(expect: dict[str, Any], text: str) -> str | None:
    """Why an answer in words is wrong, or None."""
    if expect.get("refuse"):
        return None if _REFUSAL.search(text) else "not refused"
    if "<tool_call>" in text:
        return "a call too many, or one that is no JSON"
    for pattern in expect.get("match", ()):
        if not re.search(pattern, text, re.IGNORECASE):
            return f"lacks /{pattern}/"
    for pattern in expect.get("not", ()):
        if re.search(pattern, text, re.IGNORECASE):
            return f"has /{pattern}/"
    return None


def ask(model: ChatModel, question: dict[str, Any]) -> Verdict:
    """Put one question."""
    expect, tools = question["expect"], question["tools"]
    names = tools if isinstance(tools, list) else TOOLS if tools else ()
    history: list[Message] = [{"role": "system", "content": DEFAULT_SYSTEM}, *question["messages"]]
    turn = dict(expect)
    if "tool" in expect:
        turn["calls"] = [{key: expect[key] for key in ("tool", "arguments", "result")}]
    return take_turn(model, history, turn, names)


def take_turn(
    model: ChatModel,
    history: list[Message],
    turn: dict[str, Any],
    names: Sequence[str],
) -> Verdict:
    """The model's answer to ``history``, calls and all, which is appended to it."""
    tools = [{"type": "function", "function": {"name": name}} for name in names] or None
    wanted = list(turn.get("calls", ()))
    done: list[tuple[str, dict[str, Any]]] = []
    heard: list[str] = []
    while True:
        said = model.answer(history, tools)
        heard.append(said)
        call = parse_tool_call(said)
        if call is None or len(done) == MAX_CALLS:
            break
        done.append(call)
        result = next((one["result"] for one in wanted if one["tool"] == call[0]), NO_SUCH_TOOL)
        append_call(history, call, result, len(done))
    history.append({"role": "assistant", "content": said})
    absurd = is_absurd(turn, wanted, done, said)
    why = judge_calls(wanted, done) or judge_answer(turn, said) or ("absurd" if absurd else None)
    return Verdict(why, absurd, " -> ".join(heard))


def take_desk_turn(
    model: ChatModel, history: list[Message], turn: dict[str, Any], desk: Form
) -> Verdict:
    """What the desk says, or the model's answer where it says nothing."""
    told = answered(hear(desk, turn["say"]))
    if not told:
        needed = [call for call in turn.get("calls", ()) if not call.get("may")]
        return take_turn(model, history, {**turn, "calls": needed}, TOOL_SETS["desk"])
    history.append({"role": "assistant", "content": told["say"]})
    kinds = [HEARD[kind] for kind in told["heard"]]
    wanted = list(turn.get("calls", ()))
    done = [(kind, dict[str, Any]()) for kind in kinds]
    absurd = is_absurd(turn, wanted, done, told["say"])
    missed = [
        call["tool"]
        for call in wanted
        if not call.get("may") and not {*kinds} & {*call["tool"].split("|")}
    ]
    why = f"expected the calls {missed}" if missed or (kinds and not wanted) else None
    why = why or judge_answer(turn, told["say"]) or ("absurd" if absurd else None)
    return Verdict(why, absurd, f"{kinds} {told['say']}")


def take_bar_turn(
    model: ChatModel, history: list[Message], turn: dict[str, Any], bar: BarCall
) -> Verdict:
    """What the till says, or the model's answer where it says nothing."""
    told, wanted = bar.say(turn), turn.get("calls", ())
    asked = [call for call in wanted if call["tool"] in TILL]
    if not told:
        left = [call for call in wanted if call not in asked]
        verdict = take_turn(model, history, {**turn, "calls": left}, TOOL_SETS["till"])
        missed = f"not heard by the till: {[call['tool'] for call in asked]}" if asked else None
        return replace(verdict, why=verdict.why or missed)
    history.append({"role": "assistant", "content": told})
    fault = bar.fault(asked)
    absurd = is_absurd(turn, (), (), told) or (bar.changed and not asked)
    return Verdict(
        fault or judge_answer(turn, told) or ("absurd" if absurd else None), absurd, told
    )


def append_call(
    history: list[Message], call: tuple[str, dict[str, Any]], result: dict[str, Any], number: int
) -> None:
    """Add a call and its result to the history."""
    function = {"name": call[0], "arguments": json.dumps(call[1], ensure_ascii=False)}
    calls = [{"id": str(number), "type": "function", "function": function}]
    told = json.dumps(result, ensure_ascii=False)
    history += [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": str(number), "content": told},
    ]


def judge_calls(
    wanted: Sequence[dict[str, Any]], done: Sequence[tuple[str, dict[str, Any]]]
) -> str | None:
    """Why the calls of a turn are wrong, or None."""
    tools = [call["tool"] for call in wanted]
    if len(wanted) != len(done) or not all(
        name in tool.split("|") for tool, (name, _) in zip(tools, done, strict=True)
    ):
        return f"expected the calls {tools}"
    for call, (_, arguments) in zip(wanted, done, strict=True):
        if "arguments" in call and not same_arguments(call["arguments"], arguments):
            return f"expected {call['arguments']}"
    return None


def same_arguments(wanted: dict[str, Any], given: dict[str, Any]) -> bool:
    """Equal, or found where a wanted value is a pattern (``~``)."""
    return wanted.keys() == given.keys() and all(
        re.search(value[1:], str(given[key]), re.IGNORECASE)
        if isinstance(value, str) and value.startswith("~")
        else value == given[key]
        for key, value in wanted.items()
    )


def is_absurd(
    turn: dict[str, Any],
    wanted: Sequence[dict[str, Any]],
    done: Sequence[tuple[str, dict[str, Any]]],
    said: str,
) -> bool:
    """An answer about something else, or something changed that nobody asked for."""
    if any(re.search(pattern, said, re.IGNORECASE) for pattern in turn.get("absurd", ())):
        return True
    return not wanted and any(not name.startswith(("get_", "list_")) for name, _ in done)


def hold(model: ChatModel, dialogue: dict[str, Any]) -> list[Verdict]:
    """Hold one dialogue, turn after turn."""
    names = TOOL_SETS.get(dialogue["tools"]) if isinstance(dialogue["tools"], str) else None
    house = read_house(dialogue["house"]) if "house" in dialogue else None
    desk = Form(house, TODAY) if house else None
    bar = BarCall() if dialogue["tools"] == "till" else None
    system = dialogue.get("system") or (prompt_of(house) if house else DEFAULT_SYSTEM)
    history: list[Message] = [{"role": "system", "content": system}]
    if greeting := dialogue.get("greeting"):
        history.append({"role": "assistant", "content": greeting})
    verdicts = []
    for turn in dialogue["turns"]:
        history.append({"role": "user", "content": turn["say"]})
        if bar:
            verdicts.append(take_bar_turn(model, history, turn, bar))
        elif desk:
            verdicts.append(take_desk_turn(model, history, turn, desk))
        else:
            verdicts.append(take_turn(model, history, turn, names or dialogue["tools"]))
    return verdicts


def prompt_of(house: House) -> str:
    """As in ``agents/bookings/voicepipe.toml``."""
    return f"You answer the phone for {house.name}. Answer in one short sentence."


def share(count: int, of: int) -> str:
    """``9 of 10 = 90.0 % (59.6 to 98.2)``: a share and its 95 % Wilson interval."""
    if not of:
        return "none"
    z, p = 1.96, count / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return f"{count} of {of} = {p:.1%} ({100 * low:.1f} to {100 * high:.1f})"


def print_shares(scores: Mapping[str, list[Verdict]]) -> None:
    """By group and in all: how many are right, how many absurd."""
    every = [verdict for group in scores.values() for verdict in group]
    for name, group in (*scores.items(), ("all", every)):
        right = share(sum(v.why is None for v in group), len(group))
        print(f"{name:12} right {right}, absurd {share(sum(v.absurd for v in group), len(group))}")


def judge_questions(model: ChatModel, file: Path, verbose: bool) -> None:
    """Ask every question of a file."""
    scores: dict[str, list[Verdict]] = defaultdict(list)
    for question in read_lines(file):
        verdict = ask(model, question)
        scores[question["group"]].append(verdict)
        if verdict.why or verbose:
            asked = question["messages"][-1]["content"]
            print(f"{question['id']:3} {verdict.label}: {asked!r} -> {verdict.said!r}")
    print_shares(scores)
    every = [v.why is None for name, group in scores.items() if name != "unknown" for v in group]
    print(f"in domain    right {share(sum(every), len(every))}")


def judge_dialogues(model: ChatModel, file: Path, verbose: bool) -> None:
    """Hold every dialogue of a file."""
    scores: dict[str, list[Verdict]] = defaultdict(list)
    with_calls: list[bool] = []
    for dialogue in read_lines(file):
        verdicts = hold(model, dialogue)
        scores[dialogue["group"]] += verdicts
        for turn, verdict in zip(dialogue["turns"], verdicts, strict=True):
            if turn.get("calls"):
                with_calls.append(verdict.why is None)
            if verdict.why or verbose:
                print(f"{dialogue['id']} {verdict.label}: {turn['say']!r} -> {verdict.said!r}")
    print_shares(scores)
    print(f"turns that call a tool: right {share(sum(with_calls), len(with_calls))}")


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()]


def main() -> None:
    """Judge what is asked for and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=ROOT / "models" / "builtin" / "llm")
    parser.add_argument(
        "--questions", type=Path, default=ROOT / "tests" / "data" / "chat" / "questions.jsonl"
    )
    parser.add_argument("--dialogues", type=Path, help="judge these instead of the questions")
    parser.add_argument("--verbose", action="store_true", help="print right answers as well")
    args = parser.parse_args()
    model = ChatModel.load(args.model)
    if args.dialogues:
        judge_dialogues(model, args.dialogues, args.verbose)
    else:
        judge_questions(model, args.questions, args.verbose)
    milliseconds = sorted(model.token_ms)
    print(
        f"per generated token, prompt included: median {statistics.median(milliseconds):.2f} ms, "
        f"p95 {milliseconds[int(0.95 * len(milliseconds))]:.2f} ms, one thread"
    )


if __name__ == "__main__":
    main()
