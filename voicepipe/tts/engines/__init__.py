"""The synthesizers; `config/catalogue.py` lists them, each module makes its own.

Worker processes import this package on their way to an engine's child module, so nothing is
imported here: a crashed worker is back in a fraction of a second.
"""
