"""Fixtures of the examples' tests."""

from tests.agents.at_the_desk import importable

__all__ = ["importable"]
