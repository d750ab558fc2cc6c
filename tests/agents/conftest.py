"""Fixtures of the examples' tests."""

from tests.agents.at_the_bar import at_the_bar, talk, till
from tests.agents.at_the_desk import importable

__all__ = ["at_the_bar", "importable", "talk", "till"]
