"""The network of the built-in chat model: made, grown, averaged, exported."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch
from chat_format import CAPITAL, CONTEXT, JOINED
from fast_llama import HALF, hidden_states
from lm_batches import IGNORED
from tokenizers import Tokenizer
from torch.nn.functional import linear
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode


@dataclass(frozen=True)
class Shape:
    """The size of a model."""

    width: int
    layers: int
    heads: int
    inner: int


MAIN: Final = Shape(width=192, layers=4, heads=6, inner=512)
DRAFT: Final = Shape(width=96, layers=2, heads=3, inner=256)


def new_model(shape: Shape, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A random Llama of this shape."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        attn_implementation="eager",
    )
    return LlamaForCausalLM(config)


def grown(model: LlamaForCausalLM, layers: int, inner: int) -> LlamaForCausalLM:
    """The same function in more layers and wider ones: what is new adds nothing yet.

    New layers are copies of the last one, behind it, whose output projections are zero. New rows of
    a layer's gate and up projections are random, as small as the old ones, and its down projection
    takes nothing of them.
    """
    old = model.config.num_hidden_layers
    config = LlamaConfig(
        **{
            **model.config.to_dict(),
            "num_hidden_layers": layers,
            "intermediate_size": inner,
        }
    )
    config._attn_implementation = "eager"
    bigger = LlamaForCausalLM(config)
    origin = [min(index, old - 1) for index in range(layers)]
    state = {name: value for name, value in model.state_dict().items() if ".layers." not in name}
    for index, source in enumerate(origin):
        for name, value in model.model.layers[source].state_dict().items():
            adds = name in ("self_attn.o_proj.weight", "mlp.down_proj.weight")
            kept = torch.zeros_like(value) if index >= old and adds else value
            state[f"model.layers.{index}.{name}"] = _widened(name, kept, inner)
    bigger.load_state_dict(state)
    return bigger


def _widened(name: str, weight: torch.Tensor, inner: int) -> torch.Tensor:
    """A projection of an MLP with ``inner`` units; any other weight as it is."""
    if name in ("mlp.gate_proj.weight", "mlp.up_proj.weight"):
        more = torch.randn(inner - weight.shape[0], weight.shape[1]) * weight.std()
        return torch.cat((weight, more))
    if name == "mlp.down_proj.weight":
        return torch.cat((weight, torch.zeros(weight.shape[0], inner - weight.shape[1])), 1)
    return weight


def with_tokens(model: LlamaForCausalLM, old: Tokenizer, new: Tokenizer) -> None:
    """The embedding, (tokens, width), for another tokenizer.

    A token that there was stays what it was, any other begins as the mean of those that its text
    was, the mark of capitals as the mean of the tokens that had one.
    """
    ids = old.get_vocab()
    weight = model.get_input_embeddings().weight.data.clone()
    large = [at for token, at in ids.items() if re.match(r"Ġ?[A-Z]", token)]
    vocabulary = new.get_vocab()
    model.resize_token_embeddings(len(vocabulary), mean_resizing=False)
    moved = model.get_input_embeddings().weight.data
    alphabet = {one: byte for byte, one in bytes_to_unicode().items()}
    for token, at in vocabulary.items():
        if token in ids:
            moved[at] = weight[ids[token]]
            continue
        text = bytes(alphabet[one] for one in token).decode(errors="ignore")
        were = old.encode(text.replace(JOINED, "") or "-", add_special_tokens=False).ids
        moved[at] = weight[large if text == CAPITAL else were].mean(0)


def loss_of(
    model: LlamaForCausalLM, ids: torch.Tensor, labels: torch.Tensor, dropped: float = 0.0
) -> torch.Tensor:
    """Mean cross-entropy (nats) of the assistant's tokens; other logits are never computed."""
    hidden = hidden_states(model, ids, dropped)[:, :-1]
    targets = labels[:, 1:]
    wanted = targets != IGNORED
    logits = linear(hidden[wanted], model.lm_head.weight.to(HALF))
    return torch.nn.functional.cross_entropy(logits.float(), targets[wanted])


def export_hf(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write bfloat16 safetensors, config and tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    model = model.to(torch.bfloat16)
    model.config.dtype = torch.bfloat16
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, tokenizer.pad_token_id]
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    save_tokenizer(tokenizer, folder)


def save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the tokenizer's files, the chat template inside ``tokenizer_config.json``."""
    tokenizer.save_pretrained(folder, save_jinja_files=False)
    file = folder / "tokenizer.json"  # each piece on a line of its own, three times as long
    file.write_text(json.dumps(json.loads(file.read_text()), separators=(",", ":")) + "\n")
    special = {name: getattr(tokenizer, name) for name in ("bos_token", "eos_token", "pad_token")}
    (folder / "special_tokens_map.json").write_text(json.dumps(special, indent=2) + "\n")


def export_ct2(hf_folder: Path, folder: Path) -> None:
    """Convert to CTranslate2 int8 beside the tokenizer's files, keeping the model card."""
    from ctranslate2.converters import TransformersConverter

    card = folder / "MODEL_CARD.md"
    kept = card.read_text() if card.exists() else None
    files = ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
    files.append("generation_config.json")
    converter = TransformersConverter(str(hf_folder), copy_files=files, load_as_float16=False)
    converter.convert(str(folder), quantization="int8", force=True)
    if kept is not None:
        card.write_text(kept)


def average(
    first: Path, second: Path, share: float, tokenizer: PreTrainedTokenizerFast, out: Path
) -> None:
    """Export ``(1 - share) * first + share * second`` of two checkpoints of one lineage.

    Two stages of the same run, each with its rate decayed to nothing, lie in one basin; their mean
    keeps what each learnt of the data that the other saw less of (Izmailov et al., 2018).
    """
    model = LlamaForCausalLM.from_pretrained(first, dtype=torch.float32)
    other = LlamaForCausalLM.from_pretrained(second, dtype=torch.float32).state_dict()
    mean = {k: (1 - share) * v + share * other[k] for k, v in model.state_dict().items()}
    model.load_state_dict(mean)
    export_hf(model, tokenizer, out / "llm-hf")
    export_ct2(out / "llm-hf", out / "llm")
