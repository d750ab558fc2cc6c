"""From a checkpoint to the files that are served."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from asr_model import MELS, Shape
from asr_tokenizer import TIMESTAMPS, token_id
from asr_tuned import copy_tuned, hf_folder
from tokenizers import Tokenizer
from torch import Tensor


def whisper_config(shape: Shape, tokenizer: Tokenizer) -> Any:
    """The Hugging Face configuration of `shape`."""
    from transformers import WhisperConfig

    end = token_id(tokenizer, "<|endoftext|>")
    return WhisperConfig(
        vocab_size=shape.vocabulary,
        num_mel_bins=MELS,
        d_model=shape.d_model,
        encoder_layers=shape.encoder_layers,
        encoder_attention_heads=shape.heads,
        encoder_ffn_dim=shape.encoder_ffn,
        decoder_layers=shape.decoder_layers,
        decoder_attention_heads=shape.heads,
        decoder_ffn_dim=shape.decoder_ffn,
        max_source_positions=shape.frames // 2,
        max_target_positions=shape.target_positions,
        activation_function="gelu",
        dropout=0.0,
        pad_token_id=end,
        bos_token_id=end,
        eos_token_id=end,
        decoder_start_token_id=token_id(tokenizer, "<|startoftranscript|>"),
        suppress_tokens=[],
        begin_suppress_tokens=[],
    )


def whisper_weights(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Checkpoint weights under Hugging Face's names, the timestamps filled in."""
    weights = {name: value for name, value in state.items() if name.startswith("model.")}
    tokens = weights["model.decoder.embed_tokens.weight"].clone()
    tokens[-TIMESTAMPS:] = tokens[-TIMESTAMPS]  # only the first of them stood in the softmax
    weights["model.decoder.embed_tokens.weight"] = tokens
    weights["proj_out.weight"] = tokens
    return weights


def generation_config(tokenizer: Tokenizer, shape: Shape, heads: Sequence[Sequence[int]]) -> Any:
    """What to suppress while decoding: every special token but the end, and all timestamps.

    Nothing is suppressed at the beginning, so that an empty answer stays possible.
    """
    from transformers import GenerationConfig

    end = token_id(tokenizer, "<|endoftext|>")
    return GenerationConfig(
        suppress_tokens=list(range(end + 1, shape.vocabulary)),
        begin_suppress_tokens=[],
        alignment_heads=[list(head) for head in heads],
        lang_to_id={"<|en|>": token_id(tokenizer, "<|en|>")},
        no_timestamps_token_id=token_id(tokenizer, "<|notimestamps|>"),
        decoder_start_token_id=token_id(tokenizer, "<|startoftranscript|>"),
        eos_token_id=end,
        pad_token_id=end,
        bos_token_id=end,
        is_multilingual=False,
        return_timestamps=False,
        max_length=shape.target_positions,
    )


def write_hf(folder: Path, state: dict[str, Any], tokenizer: Tokenizer, half: bool) -> None:
    """A Hugging Face directory: weights, configuration, tokenizer, feature extractor."""
    from transformers import PreTrainedTokenizerFast, WhisperFeatureExtractor
    from transformers import WhisperForConditionalGeneration as Whisper

    shape = Shape(**state["shape"])
    model = Whisper(whisper_config(shape, tokenizer))
    model.load_state_dict(whisper_weights(state["network"]))
    model.generation_config = generation_config(tokenizer, shape, state.get("heads", [[1, 0]]))
    if half:
        model = model.half()
    model.save_pretrained(folder)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|endoftext|>",
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
        unk_token="<|endoftext|>",
    )
    fast.save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=MELS, chunk_length=shape.window_s).save_pretrained(folder)


def export(options: argparse.Namespace) -> None:
    """Write ``models/builtin/asr`` (CTranslate2 int8) and ``models/builtin/asr-hf`` (fp16, whose
    weights are in no commit: ``asr_hf.py`` makes them of the others)."""
    from ctranslate2.converters import TransformersConverter

    folder = Path(options.folder)
    state = torch.load(folder / "checkpoint.pt", weights_only=False)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    heads = folder / "alignment_heads.json"
    if heads.exists():
        state["heads"] = json.loads(heads.read_text())
    out = Path(options.out)
    with tempfile.TemporaryDirectory() as temporary:
        write_hf(Path(temporary), state, tokenizer, half=False)
        converter = TransformersConverter(
            temporary, copy_files=["tokenizer.json", "preprocessor_config.json"]
        )
        converter.convert(f"{temporary}/ct2", quantization="int8", force=True)
        out.mkdir(parents=True, exist_ok=True)
        for path in Path(temporary, "ct2").iterdir():
            shutil.move(str(path), out / path.name)
    write_hf(hf_folder(out), state, tokenizer, half=True)
    copy_tuned(out)
    print(f"exported step {state['step']} ({state['spent_s'] / 60:.0f} min) to {out}")
