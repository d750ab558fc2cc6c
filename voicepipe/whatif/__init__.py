"""Recorded turns under other settings. Pure."""
