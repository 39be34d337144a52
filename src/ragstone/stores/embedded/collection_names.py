"""The name of a collection as its database has it: of a long one only a digest is seen from outside, and in an
encrypted tenant it binds the database to its place."""

import contextlib
import sqlite3
from pathlib import Path

from ragstone.core.errors import Corrupt, RagstoneError
from ragstone.core.types import Scope
from ragstone.stores import sqlite_driver
from ragstone.stores.embedded.database import open_database
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.tenants import Tenants


def check_bound(connection: sqlite3.Connection, scope: Scope, place: CollectionFiles) -> None:
    """Raises `Corrupt` for an encrypted database of another collection: all of a tenant's have the same key."""
    if place.key is None:
        return
    sql = "SELECT key, value FROM meta WHERE key IN ('tenant', 'collection')"
    known = dict(connection.execute(sql).fetchall())
    if known and known != {"tenant": scope.tenant, "collection": scope.collection}:
        raise Corrupt(
            f"{place.directory} holds the files of collection {known.get('collection')!r}, not of "
            f"{scope.collection!r}: they were exchanged; move them back"
        )


def read_collection_name(tenants: Tenants, tenant: str, directory: Path) -> str:
    """The name as it stands in the database; the digest where that is damaged, or cannot be opened."""
    with contextlib.suppress(*sqlite_driver.errors(RagstoneError)):
        here = tenants.with_key(CollectionFiles(directory), tenant)
        connection = open_database(here.database, here.key)
        if connection is not None:
            with contextlib.closing(connection):
                found = connection.execute("SELECT value FROM meta WHERE key = 'collection'").fetchone()
                return str(found[0]) if found else directory.name
    return directory.name
