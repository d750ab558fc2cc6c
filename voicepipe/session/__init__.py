"""One conversation: the shell around its dialog, and the only place where all meet."""
