"""Which models a machine answers with in time: measured, predicted, written down as settings."""
