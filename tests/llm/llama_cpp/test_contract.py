"""llama.cpp under the contract that vLLM keeps too; `rig` is in conftest.py."""

from tests.llm.batching_contract import *  # noqa: F403 - its tests are collected here
