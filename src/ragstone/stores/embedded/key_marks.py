"""Marks of encrypted files, which do not depend on the keys."""

import contextlib
from pathlib import Path

from ragstone.stores.durable_files import replace_file
from ragstone.stores.embedded.paths import GONE_PREFIX, KEY_FILE, RECORD_FILE, CollectionFiles, is_collection_part
from ragstone.stores.embedded.vector_files import ENCRYPTED_MAGIC
from ragstone.stores.encryption import SecretKey, is_box
from ragstone.stores.master_key import key_fingerprint


def write_key_mark(place: CollectionFiles, number: int, key: SecretKey) -> None:
    """Say in a collection's directory which of the tenant's keys its files are under, and by what to tell that one."""
    replace_file(place.key_mark(number), key_fingerprint(key).encode())


def list_key_marked(home: Path) -> list[CollectionFiles]:
    """The collections in a tenant's directory that say so, those that are being made too."""
    parts = (
        (CollectionFiles(part) for part in sorted(home.iterdir()) if not part.name.startswith(GONE_PREFIX))
        if home.is_dir()
        else ()
    )
    return [place for place in parts if place.key_number is not None]


def is_tenant_encrypted(home: Path) -> bool:
    """Whether anything in a tenant's directory is encrypted, even if its keys are lost."""
    if not home.is_dir():
        return False
    with contextlib.suppress(FileNotFoundError, IsADirectoryError):
        if (home / KEY_FILE).exists() or is_box((home / RECORD_FILE).read_bytes()):
            return True
    return any(
        place.key_number is not None or has_encrypted_files(place)
        for place in map(CollectionFiles, home.iterdir())
        if is_collection_part(place.directory)
    )


def has_encrypted_files(place: CollectionFiles) -> bool:
    """Whether vectors or an index of a collection are encrypted. Its database is not looked at: see `database.make`."""
    try:
        files = [*place.find_numbered("vectors").values(), *place.find_numbered("index").values()]
    except (FileNotFoundError, NotADirectoryError):
        return False
    for path in files:
        with contextlib.suppress(FileNotFoundError, IsADirectoryError), path.open("rb") as file:
            head = file.read(len(ENCRYPTED_MAGIC))
            if head == ENCRYPTED_MAGIC or is_box(head):
                return True
    return False
