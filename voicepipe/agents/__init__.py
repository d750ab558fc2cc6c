"""Agents: who answers a call, under a name."""
