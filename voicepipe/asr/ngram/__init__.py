"""Trigram language models made in seconds: from sentences, mixed with general English. Pure."""
