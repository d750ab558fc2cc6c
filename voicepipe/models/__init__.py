"""The models voicepipe knows: what they are, where they come from, where they lie."""
