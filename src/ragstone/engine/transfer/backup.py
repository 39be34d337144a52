"""A backup: a folder that comes into being whole, or not at all."""

import os
from dataclasses import dataclass
from pathlib import Path

from ragstone import stores
from ragstone.core.errors import StoreError, UsageError
from ragstone.stores.durable_files import sync_directory

PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class BackupPlace:
    """Where a backup will stand, and where it is written until it is whole."""

    final: Path
    partial: Path


def choose_place(to: str) -> BackupPlace:
    """The place of a new backup; raises `UsageError` for one that is not a folder, or that exists."""
    found = stores.local_place(to)
    if found is None or to.startswith("json:"):
        raise UsageError(f"a backup is a folder, {stores.redact_url(to)!r:.80} is none: fill other stores with `copy`")
    final = found.expanduser().absolute()
    if os.path.lexists(final):
        raise UsageError(f"{final} exists: name a new folder for each backup, for example with its date")
    return BackupPlace(final, final.with_name(final.name + PARTIAL))


def finish_backup(place: BackupPlace) -> None:
    """Give a whole backup its name, for good; raises `UsageError` where something came there meanwhile."""
    try:
        for folder, _, _ in os.walk(place.partial):
            sync_directory(Path(folder))
        place.partial.rename(place.final)
        sync_directory(place.final.parent)
    except OSError as error:
        if place.final.exists():
            raise UsageError(f"{place.final} came into being meanwhile; the backup is in {place.partial}") from error
        raise StoreError(f"the backup in {place.partial} cannot be renamed: {error}") from error
