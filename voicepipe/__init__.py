"""voicepipe: a real-time voice agent server that accounts for every millisecond of a turn."""

import os

__version__ = "0.1.0"

# Several libraries tell their makers that and how they are used, onnxruntime with an identifier of
# the machine. What runs here is nobody's business unless its owner says so. They look when they are
# imported, so this comes before all else; worker processes inherit it.
for _switch, _off in {
    "DO_NOT_TRACK": "1",  # several
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime
    "RAY_USAGE_STATS_ENABLED": "0",
    "VLLM_NO_USAGE_STATS": "1",
}.items():
    os.environ.setdefault(_switch, _off)
