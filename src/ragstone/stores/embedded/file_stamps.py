"""The stamps of files, in a file of the collection for each source; encrypted where the tenant is."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragstone.core.errors import Corrupt
from ragstone.stores.durable_files import replace_file
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.encryption import open_box, seal_box
from ragstone.stores.file_names import encode_name

PURPOSE = "stamps"


def read_stamps(place: CollectionFiles, source: str) -> dict[str, list[Any]]:
    """The stamps as they were written last; {} for a file that is missing or damaged: then all is read again."""
    path = _stamp_file(place, source)
    try:
        data = path.read_bytes()
        found = json.loads(data if place.key is None else open_box(place.key, PURPOSE, data, about=path.name))
    except (OSError, ValueError, RecursionError, Corrupt):
        return {}
    return found if isinstance(found, dict) else {}


def write_stamps(place: CollectionFiles, source: str, stamps: Mapping[str, Sequence[Any]]) -> None:
    """Write them in place of those before. A run does not fail if the disk is full."""
    path = _stamp_file(place, source)
    data = json.dumps(stamps, ensure_ascii=True, separators=(",", ":")).encode()
    with contextlib.suppress(OSError):
        replace_file(path, data if place.key is None else seal_box(place.key, PURPOSE, data, about=path.name))


def _stamp_file(place: CollectionFiles, source: str) -> Path:
    name = encode_name(source) if place.key is None else f"~{place.key.derive_name('locks', source)}"
    return place.directory / f"stamps-{name}.json"
