"""Personal data: found and taken out of texts."""
