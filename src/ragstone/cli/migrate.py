"""`ragstone migrate`: the tables of a PostgreSQL store, made and brought up to date."""

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_message, print_text


@add_shared_options
def migrate(options: SharedOptions) -> int:
    """Create or update the tables of a PostgreSQL store. The user needs the right to create them."""
    import asyncio

    from ragstone.cli.masking import escape_line
    from ragstone.stores import migrate_store, redact_url

    store = options.settings().store
    done = asyncio.run(migrate_store(store))
    if options.json:
        about = {"version": done.version, "applied": list(done.applied), "notes": list(done.notes)}
        print_json({"schema": 1, "store": redact_url(store), **about})
        return 0
    for name in done.applied:
        print_text(f"applied {name}")
    for note in done.notes:
        print_message(f"note: {note}")
    if done.version is None:
        print_text(f"nothing to do: {escape_line(redact_url(store))} is updated when Ragstone opens it")
    else:
        print_text(f"{escape_line(redact_url(store))} has schema version {done.version}")
    return 0
