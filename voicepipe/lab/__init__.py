"""Measuring and emulation: benches, what-if, emulated carriers. The product does not import it."""
