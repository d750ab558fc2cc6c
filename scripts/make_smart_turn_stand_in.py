"""Writes a stand-in for smart-turn v3: the same input and output, no knowledge of speech.

    python scripts/make_smart_turn_stand_in.py OUT.onnx

For tests and for machines without the real weights. It calls a turn over when the last 300 ms sound
high rather than low: the probability is a sigmoid of the difference between the upper and the lower
half of the mel bands there. What it says about speech means nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MELS, FRAMES = 80, 800
LISTENED = 30  # frames of 10 ms, the newest
GAIN = 20.0


def write_stand_in(path: Path) -> None:
    """Write the model to `path`."""
    bands = np.where(np.arange(MELS) < MELS // 2, -1.0, 1.0) / (MELS // 2)
    weights = np.zeros((MELS, FRAMES), dtype=np.float32)
    weights[:, -LISTENED:] = GAIN / LISTENED * bands[:, None]
    graph = helper.make_graph(
        [
            helper.make_node("Flatten", ["input_features"], ["flat"], axis=1),
            helper.make_node("MatMul", ["flat", "weights"], ["score"]),
            helper.make_node("Sigmoid", ["score"], ["logits"]),
        ],
        "smart_turn_stand_in",
        [helper.make_tensor_value_info("input_features", TensorProto.FLOAT, ["n", MELS, FRAMES])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 1])],
        [numpy_helper.from_array(weights.reshape(-1, 1), "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_formatter())
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    write_stand_in(arguments.out)
    print(f"written: {arguments.out}")


def _formatter() -> type[argparse.HelpFormatter]:
    return argparse.RawDescriptionHelpFormatter


if __name__ == "__main__":
    main()
