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

Host = Annotated[
    str | None,
    typer.Option(help="Address to listen on; beyond this machine, callers need a key [default: this machine alone]."),
]
AllowAdding = Annotated[
    bool,
    typer.Option("--allow-adding", help="Let callers whose key has the role write add documents and delete those."),
]


@add_shared_except("json_")
def mcp(
    options: SharedOptions,
    http: Annotated[bool, typer.Option("--http", help="Serve Streamable HTTP instead of stdio.")] = False,
    host: Host = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 for any free one [default: 8765].", min=0, max=65535)
    ] = None,
    allowed_host: Annotated[
        list[str] | None, typer.Option(help="Name by which callers reach this server, as in their URL.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Leave out the tool that ingests.")] = False,
    allow_adding: AllowAdding = False,
) -> int:
    """Serve search, fetch, ask and other tools to agents by MCP.

    A host such as Claude Desktop starts it and speaks over stdio; with --http it serves many callers.
    """
    if not http and (host is not None or port is not None or allowed_host):
        raise UsageError("--host, --port and --allowed-host belong to --http: add --http")
    if allow_adding and read_only:
        raise UsageError("--read-only and --allow-adding exclude each other: leave one out")
    settings, rights = options.settings(), {"read_only": read_only, "allow_adding": allow_adding}
    if http:
        return _serve_http(settings, host or LOOPBACK, PORT if port is None else port, allowed_host or (), **rights)
    return _serve_stdio(settings, **rights)


def _serve_stdio(settings: Settings, **rights: bool) -> int:
    try:
        from ragstone.mcp.stdio_transport import serve_stdio
    except ModuleNotFoundError as error:
        raise UsageError(MISSING) from error
    return 0 if serve_stdio(settings, **rights) else INTERRUPTED


def _serve_http(settings: Settings, host: str, port: int, allowed_hosts: Sequence[str], **rights: bool) -> int:
    try:
        from ragstone.mcp.http_transport import serve_http
    except ModuleNotFoundError as error:
        raise UsageError(MISSING) from error

    def announce(url: str, trusted: bool) -> None:
        print_message(f"serving MCP at {url}; Ctrl-C ends it")
        if trusted:
            more = "" if rights["read_only"] else " and ingest its sources"
            may = f"may read tenant {settings.tenant!r}{more}" if settings.key is None else "has this key's rights"
            print_message(f"without keys: everyone on this machine {may} (access.trusted: false asks for keys)")

    try:
        serve_http(settings, host=host, port=port, allowed_hosts=allowed_hosts, announce=announce, **rights)
    except KeyboardInterrupt:
        interrupts.sentence = "stopped"
        return interrupts.tell()
    return 0
