"""Names of collections that are too long for a directory: of those only a digest is seen from outside."""

import contextlib
from pathlib import Path

from ragstone.core.errors import RagstoneError
from ragstone.stores import sqlite_driver
from ragstone.stores.embedded.database import open_database
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.tenants import Tenants


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
