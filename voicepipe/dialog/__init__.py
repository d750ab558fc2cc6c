"""The turn machine: pure, no I/O, no clock of its own."""
