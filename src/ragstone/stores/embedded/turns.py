"""Tenants that are changed whole, put under another key or erased: what says so, and who waits for whom.

Whoever puts a tenant under another key holds its file `rekey.lock`; the copy of a collection stands beside it until
it takes its place. A tenant that is to be erased has a file `.erasing-<tenant>` at the root until nothing of it is
left.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragstone.core.errors import Busy
from ragstone.stores.absent import unfinished
from ragstone.stores.durable import remains, sync_directory, write_aside
from ragstone.stores.embedded.paths import ERASING, REKEY, TURN, Place, decoded, encoded
from ragstone.stores.locks import held, hold, holder


@contextmanager
def rekeying(home: Path, tenant: str, *, since: str) -> Iterator[None]:
    """Keep others from putting this tenant under another key meanwhile; raises `Busy`."""
    fd = hold(home / TURN, what=f"tenant {tenant!r} is being encrypted anew already", since=since)
    try:
        yield
    finally:
        os.close(fd)


def copied(place: Place) -> bool:
    """Whether a collection is being put under another key at this moment."""
    return _copy(place).is_dir() and held(place.directory.parent / TURN)


def check_not_copied(place: Place, collection: str, *, what: str) -> None:
    """Raises `Busy` while a collection is being put under another key; `what` is what cannot be done now."""
    if copied(place):
        who = holder(place.directory.parent / TURN)
        raise Busy(f"collection {collection!r} cannot be {what} now: it is being encrypted anew ({who}); wait for it")


def _copy(place: Place) -> Path:
    return place.directory.with_name(REKEY + place.directory.name)


# Erasure


def doom(root: Path, tenant: str, *, since: str) -> None:
    """Say for good that a tenant is to be erased; the caller holds the gate."""
    for left in remains(root, _sign(root, tenant).name):
        left.unlink(missing_ok=True)
    if not _sign(root, tenant).is_file():
        write_aside(_sign(root, tenant), json.dumps({"tenant": tenant, "since": since}).encode())


def doomed(root: Path, tenant: str) -> bool:
    """Whether a tenant is to be erased, and is not yet."""
    return _sign(root, tenant).is_file()


def all_doomed(root: Path) -> list[str]:
    """All of those, by name."""
    return sorted(_named(path) for path in root.glob(ERASING + "*") if not path.name.endswith(".aside"))


def spared(root: Path, tenant: str) -> None:
    """Nothing is left of a tenant: take the sign away."""
    _sign(root, tenant).unlink(missing_ok=True)
    sync_directory(root)


def check_not_doomed(root: Path, tenant: str) -> None:
    """Raises `Busy` for a tenant whose erasure has begun."""
    if doomed(root, tenant):
        raise Busy(unfinished(tenant))


def _sign(root: Path, tenant: str) -> Path:
    return root / (ERASING + encoded(tenant))


def _named(path: Path) -> str:
    part = path.name.removeprefix(ERASING)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        name = str(json.loads(path.read_bytes())["tenant"])
        if encoded(name) == part:
            return name
    return decoded(part) or part  # damaged: most names can be read off the file's own
