"""Voice activity detection: one speech probability per frame."""
