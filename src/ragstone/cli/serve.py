"""`ragstone serve`: the HTTP server."""

from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_message, print_notes
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.freed_memory import limit_arenas
from ragstone.extraction.gc_pause import pause_gc


@add_shared_options
def serve(
    options: SharedOptions,
    host: Annotated[
        str | None,
        typer.Option("--host", help="Address to listen on, or unix:PATH [default: serve.listen_address, 127.0.0.1]."),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Port, 0 for a free one [default: serve.port, 8080].")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, max=64, help="Number of processes.")] = None,
) -> int:
    """Serve searches, answers and documents over HTTP.

    Without keys only this machine may reach the server. See docs/how-to/serve.md.
    """
    overrides = {
        "store": options.store,
        "collection": options.collection,
        "tenant": options.tenant,
        "serve__listen_address": host,
        "serve__port": port,
        "serve__workers": workers,
    }
    from ragstone.config.load import describe_stand_ins

    limit_arenas()  # before the threads of models start
    settings = options.settings()
    notes, loading = describe_stand_ins(settings), _start_loading_model(settings)
    try:
        with pause_gc():  # modules stay
            from ragstone.server.launch import run_server
            from ragstone.server.logs import start_log, write_json_logs
            from ragstone.server.reload import Configuration
    except ModuleNotFoundError as error:
        raise UsageError(f"the server needs the package {error.name}: pip install 'ragstone[server]'") from error
    if options.json:
        write_json_logs()
        for note in notes:
            start_log.info("%s", note)
    else:
        print_notes(notes)
    tell = start_log.info if options.json else print_message
    run_server(Configuration(options.config, overrides), tell=tell, loading=loading)
    return 0


def _start_loading_model(settings: Settings) -> list[object]:
    """The embedding model of a server, loading on another core while its modules are imported; nothing for one that
    loads nothing, or that pipelines may not need. A collection keeps the arithmetic of its vectors."""
    from ragstone.core.types import Scope
    from ragstone.providers import find_builtin_embedder, start_embedder
    from ragstone.stores.kept_variant import peek_variant

    embed = settings.embed
    wanted: tuple[str, str] = embed.model, embed.precision
    if held := peek_variant(settings.store, Scope(settings.tenant, settings.collection)):
        kept = find_builtin_embedder(*held)
        wanted = kept if kept is not None and kept[0] == embed.model else wanted
    embedder = None if settings.pipelines else start_embedder(wanted[0], precision=wanted[1])
    return [] if embedder is None else [embedder]
