"""Settings with their bounds, read from defaults, file, environment and arguments."""
