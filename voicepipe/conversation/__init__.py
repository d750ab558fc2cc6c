"""The conversation as data: items, history as heard, truncation."""
