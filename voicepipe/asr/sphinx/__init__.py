"""pocketsphinx: the library, its language models, its utterances. The engine is
`asr/engines/pocketsphinx.py`."""
