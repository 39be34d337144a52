"""Tenants that are changed whole, put under another key or erased: what says so, and who waits for whom.

The process that re-encrypts a tenant holds its file `rekey.lock`; the copy of a collection stands beside it until it
takes its place. A tenant that is to be erased has a file `.erasing-<tenant>` at the root until nothing of it is left.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragstone.core.errors import Busy
from ragstone.stores.collection_errors import erasure_notice
from ragstone.stores.durable_files import list_temporary_files, replace_file, sync_directory
from ragstone.stores.embedded.paths import ERASURE_PREFIX, REKEY_LOCK, REKEY_PREFIX, CollectionFiles
from ragstone.stores.file_locks import acquire_lock, describe_holder, is_locked
from ragstone.stores.file_names import decode_name, encode_name


@contextmanager
def hold_rekey_lock(home: Path, tenant: str, *, since: str) -> Iterator[None]:
    """Keep others from putting this tenant under another key meanwhile; raises `Busy`."""
    fd = acquire_lock(home / REKEY_LOCK, what=f"tenant {tenant!r} is being encrypted anew already", since=since)
    try:
        yield
    finally:
        os.close(fd)


def is_rekeying(place: CollectionFiles) -> bool:
    """Whether a collection is being put under another key at this moment."""
    return _copy_directory(place).is_dir() and is_locked(place.directory.parent / REKEY_LOCK)


def check_not_rekeying(place: CollectionFiles, collection: str, *, what: str) -> None:
    """Raises `Busy` while a collection is being put under another key; `what` is what cannot be done now."""
    if is_rekeying(place):
        who = describe_holder(place.directory.parent / REKEY_LOCK)
        raise Busy(f"collection {collection!r} cannot be {what} now: it is being encrypted anew ({who}); wait for it")


def _copy_directory(place: CollectionFiles) -> Path:
    return place.directory.with_name(REKEY_PREFIX + place.directory.name)


# Erasure


def mark_erasing(root: Path, tenant: str, *, since: str) -> None:
    """Say for good that a tenant is to be erased; the caller holds the store's lock."""
    for left in list_temporary_files(root, _erasure_mark(root, tenant).name):
        left.unlink(missing_ok=True)
    if not _erasure_mark(root, tenant).is_file():
        replace_file(_erasure_mark(root, tenant), json.dumps({"tenant": tenant, "since": since}).encode())


def is_erasing(root: Path, tenant: str) -> bool:
    """Whether a tenant is to be erased, and is not yet."""
    return _erasure_mark(root, tenant).is_file()


def list_erasing(root: Path) -> list[str]:
    """All of those, by name."""
    return sorted(
        _read_tenant_name(path) for path in root.glob(ERASURE_PREFIX + "*") if not path.name.endswith(".aside")
    )


def clear_erasing(root: Path, tenant: str) -> None:
    """Nothing is left of a tenant: take the sign away."""
    _erasure_mark(root, tenant).unlink(missing_ok=True)
    sync_directory(root)


def check_not_erasing(root: Path, tenant: str) -> None:
    """Raises `Busy` for a tenant whose erasure has begun."""
    if is_erasing(root, tenant):
        raise Busy(erasure_notice(tenant))


def _erasure_mark(root: Path, tenant: str) -> Path:
    return root / (ERASURE_PREFIX + encode_name(tenant))


def _read_tenant_name(path: Path) -> str:
    part = path.name.removeprefix(ERASURE_PREFIX)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        name = str(json.loads(path.read_bytes())["tenant"])
        if encode_name(name) == part:
            return name
    return decode_name(part) or part  # damaged: most names can be read off the file's own
