"""Every door fed with what no client would send, from what clients do send."""
