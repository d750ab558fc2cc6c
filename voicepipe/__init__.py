"""voicepipe: a real-time voice agent server that accounts for every millisecond of a turn."""

__version__ = "0.1.0"
