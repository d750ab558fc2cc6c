"""Endpointing policies, scored on recordings with marked pauses and turn ends."""
