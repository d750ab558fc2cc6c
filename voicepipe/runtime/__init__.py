"""What everything stands on: clock, errors, event loop, paths. Knows nothing above it."""
