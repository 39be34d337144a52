"""The notes of ingestions about files, in a file of the collection for each source; encrypted where the tenant is."""

import contextlib
from pathlib import Path

from ragstone.core.errors import Corrupt
from ragstone.stores.durable_files import replace_file
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.encryption import open_box, seal_box
from ragstone.stores.file_names import encode_name

PURPOSE = "stamps"


def read_stamps(place: CollectionFiles, source: str) -> bytes:
    """The notes as they were written last; empty for a file that is missing or damaged: then all is read again."""
    path = _stamp_file(place, source)
    try:
        data = path.read_bytes()
        return data if place.key is None else open_box(place.key, PURPOSE, data, about=path.name)
    except (OSError, ValueError, Corrupt):
        return b""


def write_stamps(place: CollectionFiles, source: str, notes: bytes) -> None:
    """Write them in place of those before. A run does not fail if the disk is full."""
    path = _stamp_file(place, source)
    with contextlib.suppress(OSError):
        replace_file(path, notes if place.key is None else seal_box(place.key, PURPOSE, notes, about=path.name))
        path.with_suffix(".json").unlink(missing_ok=True)  # of an earlier version


def _stamp_file(place: CollectionFiles, source: str) -> Path:
    name = encode_name(source) if place.key is None else f"~{place.key.derive_name('locks', source)}"
    return place.directory / f"stamps-{name}.bin"
