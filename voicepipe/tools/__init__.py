"""Tools that the server runs for the model: HTTP endpoints, MCP servers, Python functions."""

from voicepipe.tools.contract import Facts, ToolError
from voicepipe.tools.python import tool

__all__ = ["Facts", "ToolError", "tool"]
