"""Answers given before, for questions that need no context. Off unless asked for."""
