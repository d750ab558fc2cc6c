"""Breakers and admission: what is done when an engine or the server is late."""
