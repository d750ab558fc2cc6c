"""Both sides of the turn, decided in one pure object: no I/O, no clock of its own."""
