"""Language model engines; `config/catalogue.py` lists them, each module makes its own."""
