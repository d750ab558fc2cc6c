"""Speech synthesis: contract, clause splitter, engines."""
