"""What shows that files are encrypted, whatever became of the keys."""

import contextlib
from pathlib import Path

from ragstone.stores.crypt import Secret, is_box
from ragstone.stores.durable import write_aside
from ragstone.stores.embedded.paths import GONE, KEYS, RECORD, Place, is_part
from ragstone.stores.embedded.vectors import SEALED
from ragstone.stores.master import check


def write_mark(place: Place, number: int, key: Secret) -> None:
    """Say in a collection's directory which of the tenant's keys its files are under, and by what to tell that one."""
    write_aside(place.mark(number), check(key).encode())


def marked(home: Path) -> list[Place]:
    """The collections in a tenant's directory that say so, those that are being made too."""
    parts = (Place(part) for part in sorted(home.iterdir()) if not part.name.startswith(GONE)) if home.is_dir() else ()
    return [place for place in parts if place.key_number is not None]


def encrypted(home: Path) -> bool:
    """Whether anything in a tenant's directory is encrypted, whatever became of its keys."""
    if not home.is_dir():
        return False
    with contextlib.suppress(FileNotFoundError, IsADirectoryError):
        if (home / KEYS).exists() or is_box((home / RECORD).read_bytes()):
            return True
    return any(
        place.key_number is not None or sealed_files(place)
        for place in map(Place, home.iterdir())
        if is_part(place.directory)
    )


def sealed_files(place: Place) -> bool:
    """Whether vectors or an index of a collection are encrypted. Its database is not looked at: see `database.make`."""
    try:
        files = [*place.numbered("vectors").values(), *place.numbered("index").values()]
    except (FileNotFoundError, NotADirectoryError):
        return False
    for path in files:
        with contextlib.suppress(FileNotFoundError, IsADirectoryError), path.open("rb") as file:
            head = file.read(len(SEALED))
            if head == SEALED or is_box(head):
                return True
    return False
