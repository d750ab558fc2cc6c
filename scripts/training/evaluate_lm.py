"""Judge the built-in chat model on hand-written questions, strictly and by machine.

    python scripts/training/evaluate_lm.py

Reads ``tests/data/chat/questions.jsonl``, renders every question through the model's chat template
(default system prompt, all four tools), decodes greedily with CTranslate2 on one thread and
prints the share of right answers by group, the failures, and the time a token takes. A question's
``expect`` holds: ``tool`` and ``arguments`` (exact) with the ``result`` that is fed back, ``match``
(every pattern must be found in the answer), ``not`` (none may be), ``refuse``.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import ctranslate2
from dialogues import DEFAULT_SYSTEM, TOOLS
from jinja2 import Environment
from tokenizers import Tokenizer

ROOT: Final = Path(__file__).resolve().parents[2]
END_TOKENS: Final = ("<|im_end|>", "<|endoftext|>")
_TOOL_CALL: Final = re.compile(r"<tool_call>\s*(\{.*\})\s*</tool_call>", re.DOTALL)
_REFUSAL: Final = re.compile(r"\bcan't help\b|\bcannot help\b", re.IGNORECASE)

Message = dict[str, Any]


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

    def answer(self, messages: list[Message], tools: list[dict[str, Any]] | None) -> str:
        """Decode one assistant message greedily, tool-call markers included."""
        prompt = self.template.render(messages=messages, tools=tools, add_generation_prompt=True)
        tokens = self.tokenizer.encode(prompt, add_special_tokens=False).tokens
        start = time.perf_counter()
        result = self.generator.generate_batch(
            [tokens],
            max_length=128,
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
        return "unwanted tool call"
    for pattern in expect.get("match", ()):
        if not re.search(pattern, text, re.IGNORECASE):
            return f"lacks /{pattern}/"
    for pattern in expect.get("not", ()):
        if re.search(pattern, text, re.IGNORECASE):
            return f"has /{pattern}/"
    return None


def ask(model: ChatModel, question: dict[str, Any]) -> tuple[str | None, str]:
    """Put one question; return why it failed (or None) and what the model said."""
    expect = question["expect"]
    messages: list[Message] = [{"role": "system", "content": DEFAULT_SYSTEM}]
    messages += question["messages"]
    tools = [{"type": "function", "function": {"name": name}} for name in TOOLS]
    said = model.answer(messages, tools if question["tools"] else None)
    if "tool" not in expect:
        return judge_answer(expect, said), said
    call = parse_tool_call(said)
    if call is None:
        return "no valid tool call", said
    if call != (expect["tool"], expect["arguments"]):
        return f"expected {expect['tool']} {expect['arguments']}", said
    function = {"name": call[0], "arguments": json.dumps(call[1])}
    messages += [
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps(expect["result"])},
    ]
    answer = model.answer(messages, tools)
    return judge_answer(expect, answer), f"{said} -> {answer}"


def main() -> None:
    """Ask every question and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=ROOT / "models" / "builtin" / "llm")
    parser.add_argument(
        "--questions", type=Path, default=ROOT / "tests" / "data" / "chat" / "questions.jsonl"
    )
    parser.add_argument("--verbose", action="store_true", help="print right answers as well")
    args = parser.parse_args()
    model = ChatModel.load(args.model)
    scores: dict[str, list[bool]] = defaultdict(list)
    for line in args.questions.read_text().splitlines():
        question = json.loads(line)
        why, said = ask(model, question)
        scores[question["group"]].append(why is None)
        if why or args.verbose:
            asked = question["messages"][-1]["content"]
            print(f"{question['id']:3} {why or 'right'}: {asked!r} -> {said!r}")
    for group, right in scores.items():
        print(f"{group:8} {sum(right):3} of {len(right):3} = {sum(right) / len(right):.1%}")
    every = [ok for group, right in scores.items() if group != "unknown" for ok in right]
    print(f"in domain {sum(every)} of {len(every)} = {sum(every) / len(every):.1%}")
    milliseconds = sorted(model.token_ms)
    print(
        f"per generated token, prompt included: median {statistics.median(milliseconds):.2f} ms, "
        f"p95 {milliseconds[int(0.95 * len(milliseconds))]:.2f} ms, one thread"
    )


if __name__ == "__main__":
    main()
