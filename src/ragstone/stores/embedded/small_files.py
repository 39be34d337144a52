"""The small files beside the collections, `store.json` and `tenant.json`: checked, and written anew."""

import contextlib
from pathlib import Path

from ragstone.core.errors import Corrupt
from ragstone.stores import sqlite_driver
from ragstone.stores.embedded.database import open_database
from ragstone.stores.embedded.mirror_updates import read_state
from ragstone.stores.embedded.paths import RECORD_FILE, check_store, is_tenant_home, store_lock_path, write_catalogue
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.file_locks import brief_lock


def repair_catalogue(root: Path) -> None:
    """Write `store.json` anew where it is damaged, or gone from beside its tenants."""
    try:
        whole = check_store(root)
    except Corrupt:
        whole = False
    if not whole and root.is_dir() and any(map(is_tenant_home, root.iterdir())):
        write_catalogue(root)


def check_record(tenants: Tenants, tenant: str, *, repair: bool) -> list[str]:
    """The problems of a tenant's record; with `repair` it is written anew from its collections."""
    try:
        tenants.read_record(tenant)
    except Corrupt as error:
        if not repair:
            return [str(error)]
        with brief_lock(store_lock_path(tenants.root)):
            _repair_record(tenants, tenant)
    return []


def _repair_record(tenants: Tenants, tenant: str) -> None:
    """As the collections say: all that have vectors have those of one model."""
    (tenants.tenant_directory(tenant) / RECORD_FILE).unlink(missing_ok=True)
    for place in tenants.list_files(tenant):
        with contextlib.suppress(Corrupt, *sqlite_driver.errors()):
            connection = open_database(place.database, place.key)
            if connection is None:
                continue
            with contextlib.closing(connection):
                state = read_state(connection)
            if state.dimension is not None:
                tenants.write_record(tenant, state.model, state.dimension)
                return
