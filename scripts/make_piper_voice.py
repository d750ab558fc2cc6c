"""Writes a tiny Piper voice with random weights: it hums instead of speaking.

    python scripts/make_piper_voice.py OUT.onnx [--speakers N]

For tests and for machines without a real voice: piper-tts runs its whole path on it (phonemes, ids,
onnxruntime, audio). It has the shape of a VITS export: inputs `input` [1, P] int64,
`input_lengths` [1], `scales` [3] = noise, length, noise_w, and `sid` [1] if it has several
speakers; output a waveform [1, 1, 1, T] in -1..1. An "encoder" gives each phoneme a latent vector
and 3 frames per unit of length; a "decoder" upsamples the latents [1, C, frames] by 256.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

SAMPLE_RATE = 22_050
HOP = 256
FRAMES_PER_PHONEME = 3  # 35 ms; ids of phonemes alternate with pads, so a phoneme is 70 ms
CHANNELS = 16
SEED = 20_251_120

# Pad, start, end; then what espeak writes for English, punctuation as Piper keeps it.
SYMBOLS = (
    "_^$ " + "!'(),-.:;?" + "abcdefhijklmnopqrstuvwxyz" + "æçðøŋœɐɑɒɔɕəɚɛɜɝɡɪɫɹɾʃʊʌʒʔˈˌːˑθᵻβ" + "̩̃"
)


def _weights(speakers: int) -> dict[str, npt.NDArray[np.generic]]:
    random = np.random.default_rng(SEED)

    def normal(*shape: int, scale: float) -> npt.NDArray[np.float32]:
        return (random.standard_normal(shape) * scale).astype(np.float32)

    # The upsampling kernel is a voiced-looking pulse per channel: a windowed harmonic.
    t = np.arange(2 * HOP) / SAMPLE_RATE
    window = np.hanning(2 * HOP)
    tones = np.stack([np.sin(2 * np.pi * 110 * (k + 1) * t) * window for k in range(CHANNELS)])
    return {
        "emb.weight": normal(len(SYMBOLS), CHANNELS, scale=1.0),
        **({"sid.weight": normal(speakers, CHANNELS, scale=0.5)} if speakers > 1 else {}),
        "conv_pre.weight": normal(CHANNELS, CHANNELS, 7, scale=0.1),
        "ups.weight": (tones[:, None, :] * 0.1).astype(np.float32),
        "frames_per_phoneme": np.array([FRAMES_PER_PHONEME], np.float32),
        "one": np.array([1], np.int64),
        "channels": np.array([CHANNELS], np.int64),
        "minus_one": np.array([-1], np.int64),
        "axis_2": np.array([2], np.int64),
        "at_0": np.array([0], np.int64),
        "at_1": np.array([1], np.int64),
    }


def _encoder(speakers: int) -> list[onnx.NodeProto]:
    """Ids and scales -> latents [1, C, frames], noise added as VITS does."""
    node = helper.make_node
    embedded = [node("Gather", ["emb.weight", "input"], ["embedded"])]  # [1, P, C]
    if speakers > 1:
        embedded += [
            node("Gather", ["sid.weight", "sid"], ["speaker"]),  # [1, C]
            node("Unsqueeze", ["speaker", "at_1"], ["speaker_1"]),
            node("Add", ["embedded", "speaker_1"], ["voiced"]),
        ]
    else:
        embedded += [node("Identity", ["embedded"], ["voiced"])]
    return [
        *embedded,
        node("Gather", ["scales", "at_1"], ["length_scale"]),
        node("Mul", ["frames_per_phoneme", "length_scale"], ["frames_float"]),
        node("Ceil", ["frames_float"], ["frames_whole"]),
        node("Cast", ["frames_whole"], ["frames"], to=TensorProto.INT64),
        node("Concat", ["one", "one", "frames", "one"], ["repeats"], axis=0),
        node("Unsqueeze", ["voiced", "axis_2"], ["voiced_4"]),  # [1, P, 1, C]
        node("Tile", ["voiced_4", "repeats"], ["repeated"]),  # [1, P, F, C]
        node("Concat", ["one", "minus_one", "channels"], ["flat"], axis=0),
        node("Reshape", ["repeated", "flat"], ["steps"]),  # [1, P*F, C]
        node("Transpose", ["steps"], ["latents"], perm=[0, 2, 1]),
        node("RandomNormalLike", ["latents"], ["noise"], seed=1.0),
        node("Gather", ["scales", "at_0"], ["noise_scale"]),
        node("Mul", ["noise", "noise_scale"], ["scaled_noise"]),
        node("Add", ["latents", "scaled_noise"], ["z"]),
    ]


def _decoder() -> list[onnx.NodeProto]:
    """Latents -> waveform [1, 1, 1, T]."""
    node = helper.make_node
    return [
        node("Conv", ["z", "conv_pre.weight"], ["pre"], name="/dec/conv_pre", pads=[3, 3]),
        node("LeakyRelu", ["pre"], ["act"], alpha=0.1),
        node("ConvTranspose", ["act", "ups.weight"], ["wave"], strides=[HOP], pads=[128, 128]),
        node("Tanh", ["wave"], ["loud"]),
        node("Unsqueeze", ["loud", "at_1"], ["output"]),
    ]


def make_model(speakers: int = 1) -> onnx.ModelProto:
    """The voice's graph."""
    value = helper.make_tensor_value_info
    inputs = [
        value("input", TensorProto.INT64, [1, "phonemes"]),
        value("input_lengths", TensorProto.INT64, [1]),
        value("scales", TensorProto.FLOAT, [3]),
    ]
    if speakers > 1:
        inputs.append(value("sid", TensorProto.INT64, [1]))
    graph = helper.make_graph(
        [*_encoder(speakers), *_decoder()],
        "tiny-vits-shaped-voice",
        inputs,
        [value("output", TensorProto.FLOAT, [1, 1, 1, "samples"])],
        [numpy_helper.from_array(array, name) for name, array in _weights(speakers).items()],
    )
    # Opset 17 and IR 8 are read by every onnxruntime since 1.13.
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def make_config(speakers: int = 1) -> dict[str, object]:
    """The .onnx.json beside it."""
    names = [f"speaker{n}" for n in range(speakers)] if speakers > 1 else []
    return {
        "audio": {"sample_rate": SAMPLE_RATE},
        "espeak": {"voice": "en-us"},
        "phoneme_type": "espeak",
        "num_symbols": len(SYMBOLS),
        "num_speakers": speakers,
        "speaker_id_map": {name: number for number, name in enumerate(names)},
        "inference": {"noise_scale": 0.667, "length_scale": 1.0, "noise_w": 0.8},
        "phoneme_id_map": {symbol: [number] for number, symbol in enumerate(SYMBOLS)},
        "hop_length": HOP,
    }


def write_voice(path: Path, speakers: int = 1) -> None:
    """Write `path` (.onnx) and `path`.json."""
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(make_model(speakers), str(path))
    config = json.dumps(make_config(speakers), indent=1, ensure_ascii=False)
    path.with_name(path.name + ".json").write_text(config, encoding="utf-8")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, help="the .onnx file to write")
    parser.add_argument("--speakers", type=int, default=1)
    args = parser.parse_args()
    write_voice(args.out, args.speakers)
    print(f"{args.out}: {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
