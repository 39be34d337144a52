"""What is done to a tenant as a whole: erased, or put under another key."""

import contextlib
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from ragstone.core.errors import Busy, UsageError
from ragstone.stores.durable import sync_directory
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.names import long_name
from ragstone.stores.embedded.paths import (
    KEYS,
    Place,
    aside,
    asides,
    check_no_link,
    check_store,
    collections_in,
    decoded,
    gate_of,
    is_home,
    shred,
    sweep,
)
from ragstone.stores.embedded.paths import erase as remove
from ragstone.stores.embedded.reseal import begun, finish, recover_mine, reseal, target
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.turns import check_not_doomed, doom, doomed, rekeying, spared
from ragstone.stores.foreign import mapped
from ragstone.stores.locks import gate, hold, ingestion


def hold_all(here: Place, collection: str, locks: contextlib.ExitStack, *, since: str, what: str = "erased") -> None:
    """Take the locks of all sources of a collection; raises `Busy`, which says what cannot be done to it."""
    for path in sorted(here.locks.glob("*.lock")):
        name = decoded(path.stem)  # None for one that is long, or encrypted
        running = "an ingestion into it is running" if name is None else ingestion(name)
        try:
            locks.callback(os.close, hold(path, what=running, since=since))
        except Busy as error:
            raise Busy(f"collection {collection!r} cannot be {what} now: {error}") from error


class Whole:
    """Tenants as wholes. `closed` forgets a tenant's open collections, or one of them."""

    def __init__(
        self, tenants: Tenants, *, closed: Callable[[str, str | None], None], now: Callable[[], datetime]
    ) -> None:
        self._tenants = tenants
        self._root = tenants.root
        self._closed = closed
        self._now = now

    def begin_erasing(self, tenant: str) -> bool:
        """See `ragstone.core.ports.Admin`."""
        with mapped(self._root):
            if not check_store(self._root):
                return False
            home = self._tenants.home(tenant)
            sweep(self._root)
            with gate(gate_of(self._root)), contextlib.ExitStack() as locks:
                if not is_home(home):
                    return doomed(self._root, tenant)
                self._hold_tenant(home, tenant, locks)
                doom(self._root, tenant, since=self._since())
            reach("erase.doomed")
            return True

    def erase(self, tenant: str) -> bool:
        """See `ragstone.core.ports.Admin`. Renamed aside, then without its keys: a crash leaves what the next open
        takes."""
        with mapped(self._root):
            if not check_store(self._root):
                return False
            home = self._tenants.home(tenant)
            half_gone = asides(home)
            begun = doomed(self._root, tenant) or bool(half_gone)
            sweep(self._root)
            for gone in half_gone:  # once more, because a sweep says nothing of what it may not remove
                remove(gone)
            with gate(gate_of(self._root)), contextlib.ExitStack() as locks:
                if not is_home(home):
                    spared(self._root, tenant)
                    return begun
                self._hold_tenant(home, tenant, locks)
                gone = aside(home)
            self._closed(tenant, None)
            reach("erase.renamed")
            shred(gone / KEYS)
            (gone / KEYS).unlink(missing_ok=True)
            sync_directory(gone)
            reach("erase.shredded")
            remove(gone)
            spared(self._root, tenant)
            return True

    def _hold_tenant(self, home: Path, tenant: str, locks: contextlib.ExitStack) -> None:
        """Take the locks of all sources; raises `Busy` before anything is gone, and `StoreError` for what could not be
        erased by its name here."""
        for directory in (home, *home.iterdir()):
            check_no_link(directory)
        locks.enter_context(rekeying(home, tenant, since=self._since()))
        for directory in collections_in(home):
            hold_all(Place(directory), decoded(directory.name) or directory.name, locks, since=self._since())

    def _since(self) -> str:
        return self._now().isoformat(timespec="seconds")

    def rekey(self, tenant: str, *, fresh: bool) -> int:
        """See `ragstone.core.ports.Sealing`."""
        with mapped(self._root):
            home = self._tenants.home(tenant)
            if not check_store(self._root) or not is_home(home):
                raise UsageError(f"there is no tenant {tenant!r} in {self._root}")
            check_not_doomed(self._root, tenant)
            with rekeying(home, tenant, since=self._since()):
                with gate(gate_of(self._root)):
                    recover_mine(self._tenants, tenant)
                number = target(self._tenants, tenant, fresh=fresh)
                count = sum(self._reseal(d, tenant, number) for d in list(collections_in(home)))
                finish(self._tenants, tenant, number)
            return count

    def _reseal(self, directory: Path, tenant: str, number: int) -> bool:
        """Whether the collection was under another key; it may be erased, or made anew, meanwhile."""
        name = decoded(directory.name) or long_name(self._tenants, tenant, directory)
        with contextlib.ExitStack() as locks:
            with gate(gate_of(self._root)):
                here = self._tenants.keyed(Place(directory), tenant)
                if not directory.is_dir() or here.key_number == number:
                    return False
                hold_all(here, name, locks, since=self._since(), what="encrypted anew")
                begun(here)
            try:
                reseal(self._tenants, tenant, here, number)
            except BaseException:
                with gate(gate_of(self._root)):  # half a copy takes room, which may be what was missing
                    recover_mine(self._tenants, tenant)
                raise
        self._closed(tenant, name)
        return True
