"""One conversation: ears -> turn machine -> reply -> mouth. The only place where all meet."""
