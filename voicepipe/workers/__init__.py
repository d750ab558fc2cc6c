"""Supervised engine processes: a crash or a licence stays on their side."""
