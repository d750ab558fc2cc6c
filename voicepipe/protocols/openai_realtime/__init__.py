"""The OpenAI Realtime protocol, sans-I/O: `codec.RealtimeCodec` turns text frames into commands
and session events into text frames."""
