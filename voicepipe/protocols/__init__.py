"""Sans-I/O codecs between a wire and session commands and events."""
