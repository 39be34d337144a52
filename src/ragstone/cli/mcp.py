"""`ragstone mcp`: tools for agents by the Model Context Protocol."""

from collections.abc import Sequence
from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_except, print_message
from ragstone.cli.signals import INTERRUPTED, interrupts
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError

LOOPBACK = "127.0.0.1"
PORT = 8765
MISSING = "ragstone mcp needs packages that are not installed; run: pip install 'ragstone[mcp]'"


@add_shared_except("json_")
def mcp(
    options: SharedOptions,
    http: Annotated[bool, typer.Option("--http", help="Serve Streamable HTTP instead of stdio.")] = False,
    host: Annotated[
        str | None,
        typer.Option(
            help="Address to listen on; beyond this machine, callers need a key [default: this machine alone]."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 for any free one [default: 8765].", min=0, max=65535)
    ] = None,
    allowed_host: Annotated[
        list[str] | None, typer.Option(help="Name by which callers reach this server, as in their URL.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Leave out the tool that ingests.")] = False,
) -> int:
    """Serve search, fetch, ask and other tools to agents by MCP.

    A host such as Claude Desktop starts it and speaks over stdio; with --http it serves many callers.
    """
    if not http and (host is not None or port is not None or allowed_host):
        raise UsageError("--host, --port and --allowed-host belong to --http: add --http")
    settings = options.settings()
    if http:
        where = (host or LOOPBACK, PORT if port is None else port, allowed_host or ())
        return _serve_http(settings, *where, read_only=read_only)
    return _serve_stdio(settings, read_only=read_only)


def _serve_stdio(settings: Settings, *, read_only: bool) -> int:
    try:
        from ragstone.mcp.stdio_transport import serve_stdio
    except ModuleNotFoundError as error:
        raise UsageError(MISSING) from error
    return 0 if serve_stdio(settings, read_only=read_only) else INTERRUPTED


def _serve_http(settings: Settings, host: str, port: int, allowed_hosts: Sequence[str], *, read_only: bool) -> int:
    try:
        from ragstone.mcp.http_transport import serve_http
    except ModuleNotFoundError as error:
        raise UsageError(MISSING) from error

    def announce(url: str, trusted: bool) -> None:
        print_message(f"serving MCP at {url}; Ctrl-C ends it")
        if trusted:
            more = "" if read_only else " and ingest its sources"
            rights = f"may read tenant {settings.tenant!r}{more}" if settings.key is None else "has this key's rights"
            print_message(f"without keys: everyone on this machine {rights} (access.trusted: false asks for keys)")

    try:
        serve_http(settings, host=host, port=port, allowed_hosts=allowed_hosts, read_only=read_only, announce=announce)
    except KeyboardInterrupt:
        interrupts.sentence = "stopped"
        return interrupts.tell()
    return 0
