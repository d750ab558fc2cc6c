"""The chat template of the built-in model, its tokenizer, and dialogues rendered in its form."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dialogues import Dialogue, dialogues
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from transformers import PreTrainedTokenizerFast

SPECIAL_TOKENS: Final = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
)
CONTEXT: Final = 1536  # positions

# A small model copies a name token by token, so a word must be cut alike wherever it stands: behind
# a space or a quotation mark, with a capital or without. So words at the start of a line or behind
# one of _JOINTS are written as if they stood behind a space, and words begin in lower case; marks
# say where there was a capital ("Hi Ann": "Hi⇧ ann"), and where no space ('"tea"': '"⇤ tea"'). The
# tokenizer's decoder takes them out again.
CAPITAL: Final = "⇧"
JOINED: Final = "⇤"
CAPITALS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÄÅÇÉÖØÜ"
_JOINTS: Final = '"(-/0123456789'
_KEY: Final = r"""(?![a-z_]+":)"""  # a JSON key is one token with what stands around it

# What may become one token: a JSON key with the punctuation around it (a tool call is then half as
# long, to train and to wait for), a digit, a word, punctuation, blanks.
PIECES: Final = (
    rf"""{CAPITAL}|[\[\]{{}}",]*\s?"[a-z_]+":\s?["\[{{]?{JOINED}?|\p{{N}}{JOINED}?"""
    rf"""| ?[\p{{L}}_]+(?:'\p{{L}}+)?| ?[^\s\p{{L}}\p{{N}}_{CAPITAL}]+|[^\S ]+|\s"""
)

# Appending a message never changes what is rendered before it: every message is a block of its
# own. The tiny model sees the names of the tools alone. Only scalars go through ``tojson``, so a
# plain Jinja environment (which sorts keys) renders the same text as transformers does. Every
# dialogue that the model has learnt begins with the user: where nobody has spoken yet and an answer
# is wanted, "hello" stands in, and the model greets.
CHAT_TEMPLATE: Final = """\
{%- set first = messages[0] if messages and messages[0].role in ('system', 'developer') -%}
{%- set system = first.content if first and first.content else '' -%}
{%- if system or tools -%}
{{- '<|im_start|>system\\n' + system -}}
{%- if tools -%}
{{- '\\n' if system else '' -}}{{- 'tools:' -}}
{%- for tool in tools -%}
{{- ' ' + (tool.function.name if tool.function is defined else tool.name) -}}
{%- endfor -%}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'tool' -%}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content -}}
{{- '\\n</tool_response><|im_end|>\\n' -}}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant\\n' + (message.content or '') -}}
{%- for call in message.tool_calls or [] -%}
{{- '\\n' if message.content or not loop.first else '' -}}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' -}}
{%- if call.function.arguments is string -%}
{{- call.function.arguments -}}
{%- else -%}
{{- '{' -}}
{%- for key, value in call.function.arguments.items() -%}
{{- ('' if loop.first else ', ') + '"' + key + '": ' -}}{{- value | tojson -}}
{%- endfor -%}
{{- '}' -}}
{%- endif -%}
{{- '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- elif not (loop.first and message.role in ('system', 'developer')) -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{%- set spoken = messages | selectattr('role', 'in', ['user', 'tool']) | list -%}
{%- if not spoken -%}{{- '<|im_start|>user\\nhello<|im_end|>\\n' -}}{%- endif -%}
{{- '<|im_start|>assistant\\n' -}}
{%- endif -%}
"""


Segment = tuple[str, bool]


def _assistant_text(message: Mapping[str, Any]) -> str:
    text = str(message["content"] or "")
    for call in message.get("tool_calls", ()):
        function = call["function"]
        text += "\n" if text else ""
        text += f'<tool_call>\n{{"name": "{function["name"]}", '
        text += f'"arguments": {function["arguments"]}}}\n</tool_call>'
    return text


def segments(dialogue: Dialogue) -> Iterator[Segment]:
    """Render a dialogue as the chat template does, in pieces marked "has loss" or not."""
    messages = list(dialogue.messages)
    system = messages.pop(0)["content"] if messages[0]["role"] == "system" else ""
    lines = [system] if system else []
    if dialogue.tools:
        lines.append("tools: " + " ".join(dialogue.tools))
    if lines:
        yield "<|im_start|>system\n" + "\n".join(lines) + "<|im_end|>\n", False
    for message in messages:
        role, content = message["role"], message["content"]
        if role == "assistant":
            yield "<|im_start|>assistant\n", False
            yield _assistant_text(message) + "<|im_end|>", message.get("learn", True)
            yield "\n", False
        elif role == "tool":
            response = f"<tool_response>\n{content}\n</tool_response>"
            yield f"<|im_start|>user\n{response}<|im_end|>\n", False
        else:
            yield f"<|im_start|>{role}\n{content}<|im_end|>\n", False


def even() -> normalizers.Normalizer:
    """Text as the tokenizer sees it."""
    joints = [
        normalizers.Replace(
            Regex(re.escape(mark) + r"(?=\p{L})" + (_KEY if mark == '"' else "")),
            f"{mark}{JOINED} ",
        )
        for mark in _JOINTS
    ]
    begun = normalizers.Replace(Regex(r"\n(?=\p{L})"), "\n ")
    small = [normalizers.Replace(f" {one}", f"{CAPITAL} {one.lower()}") for one in CAPITALS]
    return normalizers.Sequence([begun, *joints, *small])


def uneven() -> decoders.Decoder:
    """What `even` did, undone; a mark whose word is not there yet is nothing.

    What nobody says is lost: blanks at the start of a line, and these marks themselves.
    """
    large = [decoders.Replace(f"{CAPITAL} {one.lower()}", f" {one}") for one in CAPITALS]
    gone = [decoders.Replace(mark, "") for mark in (f"{CAPITAL} ", f"{JOINED} ", JOINED, CAPITAL)]
    begun = [decoders.Replace("\n ", "\n"), decoders.Strip(" ", 1, 0)]
    return decoders.Sequence([decoders.ByteLevel(), *large, *gone, *begun])


def train_tokenizer(source: Iterator[Dialogue], size: int = 4096, count: int = 20_000) -> Tokenizer:
    """Byte-level BPE on ``count`` dialogues; digits are always tokens of their own."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = even()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = uneven()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (text for dialogue in itertools.islice(source, count) for text, _ in segments(dialogue))
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def wrap_tokenizer(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The tokenizer as transformers and vLLM load it, with its chat template."""
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        bos_token="<|endoftext|>",
        unk_token="<|endoftext|>",
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = CHAT_TEMPLATE
    return wrapped


def check_template(tokenizer: PreTrainedTokenizerFast, count: int = 100) -> None:
    """Fail unless the chat template renders dialogues exactly as they are trained."""
    for dialogue in itertools.islice(dialogues(123), count):
        tools = [{"type": "function", "function": {"name": name}} for name in dialogue.tools]
        rendered = tokenizer.apply_chat_template(
            [dict(message) for message in dialogue.messages], tools=tools or None, tokenize=False
        )
        expected = "".join(text for text, _ in segments(dialogue))
        if rendered != expected:
            raise AssertionError(f"template differs:\n{rendered!r}\n{expected!r}")
