"""The exit status that no error carries; imported before anything that takes time to load."""

INTERRUPTED = 130  # 128 + SIGINT, as shells count
