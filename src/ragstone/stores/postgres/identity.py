"""Which database it is that a URL leads to."""

from ragstone.stores.postgres.pool import Cursor

# A server is known by what it was initialised as, which a standby shares, or, where a role may not ask for that, by the
# moment when it started.
ABOUT = """SELECT (SELECT oid FROM pg_database WHERE datname = current_database()), pg_postmaster_start_time()::text,
    has_function_privilege('pg_control_system()', 'EXECUTE')"""
SYSTEM = "SELECT system_identifier::text FROM pg_control_system()"


async def read_database_identity(cursor: Cursor) -> str:
    """The server and the database in it; the schema has one name everywhere."""
    await cursor.execute(ABOUT)
    row = await cursor.fetchone()
    assert row is not None  # a SELECT without FROM has one row
    database, started, may = row
    if may:
        await cursor.execute(SYSTEM)
        started = (await cursor.fetchone() or (started,))[0]
    return f"postgresql {started}/{database}"
