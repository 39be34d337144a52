"""Which paths a document may have that is handed over, not found."""

from pathlib import PurePosixPath

from ragstone.core.errors import UsageError

LONGEST_PATH, LONGEST_NAME = 1000, 200  # bytes


def check_document_path(path: str) -> str:
    """The path of a document that is handed over; raises `UsageError` for one that leads elsewhere or has no name."""
    parts = PurePosixPath(path).parts
    strange = "\\" in path or "\0" in path or not path.isprintable() or path.startswith("/") or path.endswith("/")
    long = strange or len(path.encode()) > LONGEST_PATH or any(len(part.encode()) > LONGEST_NAME for part in parts)
    if not parts or long or any(part in (".", "..") for part in path.split("/")) or "//" in path:
        raise UsageError(f"invalid path {path!r:.80}: expected a relative path such as guides/setup.pdf")
    return path
