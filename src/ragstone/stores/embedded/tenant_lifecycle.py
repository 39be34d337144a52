"""Operations on a whole tenant: erasure, and encryption with another key."""

import contextlib
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from ragstone.core.errors import Busy, UsageError
from ragstone.stores.durable_files import sync_directory
from ragstone.stores.embedded.collection_names import read_collection_name
from ragstone.stores.embedded.paths import (
    KEY_FILE,
    CollectionFiles,
    check_store,
    collections_under,
    is_tenant_home,
    store_lock_path,
)
from ragstone.stores.embedded.rekey import (
    begin_copy,
    choose_key_number,
    forget_former_keys,
    recover_rekey_locked,
    rekey_collection,
    renew_record,
)
from ragstone.stores.embedded.safe_removal import (
    check_no_link,
    erase_directory,
    list_moved_aside,
    move_aside,
    sweep_erasures,
    zero_file,
)
from ragstone.stores.embedded.tenant_marks import (
    check_not_erasing,
    clear_erasing,
    hold_rekey_lock,
    is_erasing,
    mark_erasing,
)
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.fault_points import reach_point
from ragstone.stores.file_locks import acquire_lock, brief_lock, describe_ingestion
from ragstone.stores.file_names import decode_name


def lock_sources(
    here: CollectionFiles, collection: str, locks: contextlib.ExitStack, *, since: str, what: str = "erased"
) -> None:
    """Take the locks of all sources of a collection; raises `Busy`, which says what cannot be done to it."""
    for path in sorted(here.locks.glob("*.lock")):
        name = decode_name(path.stem)  # None for one that is long, or encrypted
        running = "an ingestion into it is running" if name is None else describe_ingestion(name)
        try:
            locks.callback(os.close, acquire_lock(path, what=running, since=since))
        except Busy as error:
            raise Busy(f"collection {collection!r} cannot be {what} now: {error}") from error


class TenantLifecycle:
    """Tenants as wholes. `closed` forgets a tenant's open collections, or one of them."""

    def __init__(
        self, tenants: Tenants, *, closed: Callable[[str, str | None], None], now: Callable[[], datetime]
    ) -> None:
        self._tenants = tenants
        self._root = tenants.root
        self._closed = closed
        self._now = now

    def begin_erasing(self, tenant: str) -> bool:
        """Marks a tenant as being erased, so that an interrupted erasure continues; False without that tenant."""
        with map_errors(self._root):
            if not check_store(self._root):
                return False
            home = self._tenants.tenant_directory(tenant)
            sweep_erasures(self._root)
            with brief_lock(store_lock_path(self._root)), contextlib.ExitStack() as locks:
                if not is_tenant_home(home):
                    return is_erasing(self._root, tenant)
                self._lock_tenant(home, tenant, locks)
                mark_erasing(self._root, tenant, since=self._now_text())
            reach_point("erase.doomed")
            return True

    def erase(self, tenant: str) -> bool:
        """Erases a tenant: renames its folder, then removes keys and files. The next open continues after a crash."""
        with map_errors(self._root):
            if not check_store(self._root):
                return False
            home = self._tenants.tenant_directory(tenant)
            half_gone = list_moved_aside(home)
            begun = is_erasing(self._root, tenant) or bool(half_gone)
            sweep_erasures(self._root)
            for gone in half_gone:  # once more, because a sweep says nothing of what it may not remove
                erase_directory(gone)
            with brief_lock(store_lock_path(self._root)), contextlib.ExitStack() as locks:
                if not is_tenant_home(home):
                    clear_erasing(self._root, tenant)
                    return begun
                self._lock_tenant(home, tenant, locks)
                gone = move_aside(home)
            self._closed(tenant, None)
            reach_point("erase.renamed")
            zero_file(gone / KEY_FILE)
            (gone / KEY_FILE).unlink(missing_ok=True)
            sync_directory(gone)
            reach_point("erase.shredded")
            erase_directory(gone)
            clear_erasing(self._root, tenant)
            return True

    def _lock_tenant(self, home: Path, tenant: str, locks: contextlib.ExitStack) -> None:
        """Take the locks of all sources; raises `Busy` before anything is gone, and `StoreError` for what could not be
        erased by its name here."""
        for directory in (home, *home.iterdir()):
            check_no_link(directory)
        locks.enter_context(hold_rekey_lock(home, tenant, since=self._now_text()))
        for directory in collections_under(home):
            lock_sources(
                CollectionFiles(directory), decode_name(directory.name) or directory.name, locks, since=self._now_text()
            )

    def _now_text(self) -> str:
        return self._now().isoformat(timespec="seconds")

    def rekey(self, tenant: str, *, fresh: bool) -> int:
        """Encrypts a tenant's collections anew, with a new key if `fresh`; gives how many it encrypted."""
        with map_errors(self._root):
            home = self._tenants.tenant_directory(tenant)
            if not check_store(self._root) or not is_tenant_home(home):
                raise UsageError(f"there is no tenant {tenant!r} in {self._root}")
            check_not_erasing(self._root, tenant)
            with hold_rekey_lock(home, tenant, since=self._now_text()):
                with brief_lock(store_lock_path(self._root)):
                    recover_rekey_locked(self._tenants, tenant)
                number = choose_key_number(self._tenants, tenant, fresh=fresh)
                count = sum(self._rekey_collection(d, tenant, number) for d in list(collections_under(home)))
                renew_record(self._tenants, tenant)
                return count

    def forget_keys(self, tenant: str) -> None:
        """Destroys the keys that nothing in the store is under any more; the caller has seen to what is outside it."""
        with (
            map_errors(self._root),
            hold_rekey_lock(self._tenants.tenant_directory(tenant), tenant, since=self._now_text()),
        ):
            forget_former_keys(self._tenants, tenant)

    def _rekey_collection(self, directory: Path, tenant: str, number: int) -> bool:
        """Whether the collection was under another key; it may be erased, or made anew, meanwhile."""
        name = decode_name(directory.name) or read_collection_name(self._tenants, tenant, directory)
        with contextlib.ExitStack() as locks:
            with brief_lock(store_lock_path(self._root)):
                here = self._tenants.with_key(CollectionFiles(directory), tenant)
                if not directory.is_dir() or here.key_number == number:
                    return False
                lock_sources(here, name, locks, since=self._now_text(), what="encrypted anew")
                begin_copy(here)
            try:
                rekey_collection(self._tenants, tenant, here, number)
            except BaseException:
                with brief_lock(store_lock_path(self._root)):  # half a copy takes room, which may be what was missing
                    recover_rekey_locked(self._tenants, tenant)
                raise
        self._closed(tenant, name)
        return True
