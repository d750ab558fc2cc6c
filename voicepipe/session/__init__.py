"""One conversation: ears -> turn machine -> reply -> output. The only place where all meet."""
