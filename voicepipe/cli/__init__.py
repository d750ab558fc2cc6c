"""The `voicepipe` command."""
