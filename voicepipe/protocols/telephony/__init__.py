"""Carriers' media streams, sans I/O: one codec per dialect behind one contract."""
