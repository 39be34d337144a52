"""The stamps of files, in a file of the collection for each source. Encrypted tenants keep none: they show paths."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragstone.stores.durable_files import replace_file
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.file_names import encode_name


def read_stamps(place: CollectionFiles, source: str) -> dict[str, list[Any]]:
    """The stamps as they were written last; {} for a file that is missing or damaged: then all is read again."""
    try:
        found = json.loads(_stamp_file(place, source).read_bytes()) if place.key is None else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_stamps(place: CollectionFiles, source: str, stamps: Mapping[str, Sequence[Any]]) -> None:
    """Write them in place of those before. A run does not fail if the disk is full."""
    if place.key is None:
        data = json.dumps(stamps, ensure_ascii=True, separators=(",", ":")).encode()
        with contextlib.suppress(OSError):
            replace_file(_stamp_file(place, source), data)


def _stamp_file(place: CollectionFiles, source: str) -> Path:
    return place.directory / f"stamps-{encode_name(source)}.json"
