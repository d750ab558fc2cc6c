"""Engines that many gateway processes share: on one machine by a Unix socket, on many by pools."""
