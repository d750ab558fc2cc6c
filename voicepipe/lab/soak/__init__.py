"""Many calls for a long time: what stays behind, what is lost."""
