"""A full disk where the server itself writes: uploads, and the system's folder for large forms."""

import errno

from ragstone.core.errors import DiskFull

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def find_full_disk(error: OSError, place: str | None = None) -> DiskFull | None:
    """The error of a full disk; None for any other. `place` is named where the error names none.

    >>> print(find_full_disk(OSError(errno.ENOSPC, "No space left on device"), "/srv/uploads"))
    no room left on the disk of /srv/uploads; free some space and try again (what was accepted is safe)
    >>> find_full_disk(FileNotFoundError()) is None
    True
    """
    if error.errno not in NO_ROOM:
        return None
    named = error.filename or place or "a folder that the server writes to (TMPDIR?)"
    return DiskFull(f"no room left on the disk of {named}; free some space and try again (what was accepted is safe)")
