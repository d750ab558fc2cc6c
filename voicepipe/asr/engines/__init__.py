"""Speech recognition engines; `config/catalogue.py` lists them, each module makes its own."""
