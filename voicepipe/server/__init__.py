"""The Starlette application: sockets, auth, health, metrics."""
