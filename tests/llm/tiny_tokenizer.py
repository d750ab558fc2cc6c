"""A byte-level tokenizer and chat template in a directory, made in a moment, without weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

TEMPLATE = """\
{%- if tools %}
    {{- "<|im_start|>system\\n" + messages[0].content + "\\ntools:" }}
    {%- for tool in tools %}
        {%- if tool.function.name == "hidden" %}{% continue %}{% endif %}
        {{- " " + tool.function | tojson }}
    {%- endfor %}
    {{- "<|im_end|>\\n" }}
{%- elif messages[0].role == "system" %}
    {{- "<|im_start|>system\\n" + messages[0].content + "<|im_end|>\\n" }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == "system" %}
        {%- if not loop.first %}{{ raise_exception("system must come first") }}{% endif %}
    {%- elif message.role == "assistant" %}
        {{- "<|im_start|>assistant\\n" }}
        {%- generation %}{{ message.content }}{% endgeneration %}
        {%- for call in message.tool_calls %}
            {{- "<tool_call>\\n" + (call.function | tojson) + "\\n</tool_call>" }}
        {%- endfor %}
        {{- "<|im_end|>\\n" }}
    {%- else %}
        {{- "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<|im_start|>assistant\\n" }}{% endif %}
"""

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
WORDS = "you help what time is it the it is half past seven system user assistant hello there"


def write_tokenizer(directory: Path, template: str | None = TEMPLATE, **config: Any) -> None:
    """tokenizer.json, tokenizer_config.json and (unless None) chat_template.jinja."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        show_progress=False,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator([WORDS] * 3, trainer)
    tokenizer.add_tokens([AddedToken("<tool_call>"), AddedToken("</tool_call>")])
    tokenizer.save(str(directory / "tokenizer.json"))
    settings = {"eos_token": {"content": "<|im_end|>"}, "model_max_length": 512, **config}
    (directory / "tokenizer_config.json").write_text(json.dumps(settings))
    if template is not None:
        (directory / "chat_template.jinja").write_text(template)
