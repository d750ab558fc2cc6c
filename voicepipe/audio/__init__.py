"""Sound as data: PCM frames, G.711, low-delay resampling, WAV files, pacing."""
