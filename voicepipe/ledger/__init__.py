"""Marks, the ledger of a turn, budgets and percentiles. Pure."""
