"""The telephone: carriers dial in, each in its dialect; one call's life is the same for all."""
