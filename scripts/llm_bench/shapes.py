"""Model directories without weights: a true shape, a tokenizer for which each word is one token,
a chat template. With `load_format = "dummy"` timing is right and text is meaningless.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

TEMPLATE = (
    "{% for m in messages %}<|im_start|> {{ m.role }} {{ m.content }} <|im_end|> {% endfor %}"
    "{% if add_generation_prompt %}<|im_start|> assistant{% endif %}"
)
SPECIAL = ("<|im_start|>", "<|im_end|>")
WORDS = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a Llama. `linear` and `head` parameters decide how long a token takes."""

    name: str
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    intermediate: int
    vocab: int

    @property
    def head_parameters(self) -> int:
        return self.hidden * self.vocab

    @property
    def linear_parameters(self) -> int:
        """All that is multiplied for each token, but for the head."""
        kv = self.hidden * self.kv_heads // self.heads
        attention = 2 * self.hidden * (self.hidden + kv)
        return self.layers * (attention + 3 * self.hidden * self.intermediate)

    @property
    def kv_bytes(self) -> int:
        """Of one token in the cache, in BF16."""
        return 2 * 2 * self.layers * self.hidden * self.kv_heads // self.heads


LLAMA_8B = Shape("8B (Llama 3.1)", 4096, 32, 32, 8, 14_336, 128_256)
TINY = Shape("tiny", 256, 2, 4, 2, 512, 4096)
SHAPES = {"8b": LLAMA_8B, "tiny": TINY}

INT4 = {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False, "sym": True}


def write_shape(shape: Shape, folder: Path, *, int4: bool = False, layers: int = 0) -> Path:
    """A directory that vLLM loads; `layers`: fewer, for a drafter."""
    folder.mkdir(parents=True, exist_ok=True)
    config: dict[str, Any] = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": shape.hidden,
        "num_hidden_layers": layers or shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "intermediate_size": shape.intermediate,
        "vocab_size": shape.vocab,
        "max_position_embeddings": 8192,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500_000.0},
        "rope_theta": 500_000.0,  # older versions look here
        "rms_norm_eps": 1e-5,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        "dtype": "bfloat16",
        "torch_dtype": "bfloat16",
        "bos_token_id": shape.vocab - 2,
        "eos_token_id": shape.vocab - 1,
    }
    if int4:
        config["quantization_config"] = INT4
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    (folder / "tokenizer_config.json").write_text("{}")
    _tokenizer(shape.vocab).save(str(folder / "tokenizer.json"))
    return folder


def _tokenizer(vocab: int) -> Tokenizer:
    names = [*WORDS, *(f"w{n}" for n in range(vocab - len(WORDS) - len(SPECIAL))), *SPECIAL]
    tokens = {name: n for n, name in enumerate(names)}
    tokenizer = Tokenizer(models.WordLevel(tokens, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens([AddedToken(name, special=True) for name in SPECIAL])
    return tokenizer
