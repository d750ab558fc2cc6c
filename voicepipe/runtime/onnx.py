"""ONNX networks that are run beside many others: on one thread, and silent but for errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def open_network(path: Path) -> Any:
    """An `onnxruntime.InferenceSession`. Raises whatever onnxruntime does for a file that is none:
    its errors have no common base of their own."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(path), sess_options=options, providers=["CPUExecutionProvider"]
    )
