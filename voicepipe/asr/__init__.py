"""Streaming speech recognition: contract, pure policy, engines."""
