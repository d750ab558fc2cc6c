"""Emulated carriers: they ring a server over a real connection and behave as the vendors say."""
