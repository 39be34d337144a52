"""`ragstone migrate`: the tables of a PostgreSQL store, made and brought up to date."""

from ragstone.cli.shared import Shared, emit, say, shared, show


@shared
def migrate(options: Shared) -> int:
    """Make or update the tables of a PostgreSQL store; as a user who may create them. Run twice, it changes nothing."""
    import asyncio

    from ragstone.cli.safe import line
    from ragstone.stores import concealed, migrate_store

    store = options.settings().store
    done = asyncio.run(migrate_store(store))
    if options.json:
        about = {"version": done.version, "applied": list(done.applied), "notes": list(done.notes)}
        emit({"schema": 1, "store": concealed(store), **about})
        return 0
    for name in done.applied:
        show(f"applied {name}")
    for note in done.notes:
        say(f"note: {note}")
    if done.version is None:
        show(f"nothing to do: {line(concealed(store))} is brought up to date when it is opened")
    else:
        show(f"{line(concealed(store))} has schema version {done.version}")
    return 0
