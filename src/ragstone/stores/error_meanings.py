"""Meanings that the errors of all backends share; each backend's own table says which of its codes mean it."""

from ragstone.core.errors import DiskFull, RagstoneError, StoreError

Meaning = tuple[type[RagstoneError], str]  # the sentence names `place`, and the `error` as the backend says it

NO_DISK_SPACE = (
    DiskFull,
    "no room left on the disk of {place}; free some space and run again (what was committed is safe)",
)
UNEXPECTED = (StoreError, "{place}: {error}")


def first_error_line(said: str) -> str:
    """The first line of an error, without the statement and the place in it; empty where it says nothing."""
    return next((line.rstrip(".") for line in map(str.strip, said.splitlines()) if line), "")
