"""`ragstone keys`: make, list and end the API keys of a tenant."""

import json
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from ragstone.cli.shared import Shared, give, say, shared
from ragstone.core.types import Json, Key

app = typer.Typer(help="Make, list and end the API keys of a tenant.", no_args_is_help=True)


def data(key: Key) -> Json:
    """A key as its listing shows it."""
    return {
        "schema": 1,
        "id": key.id,
        "tenant": key.tenant,
        "name": key.name,
        "roles": list(key.roles),
        "created": key.created.isoformat(timespec="seconds"),
        "expires": key.expires and key.expires.isoformat(timespec="seconds"),
        "revoked": key.revoked and key.revoked.isoformat(timespec="seconds"),
        "state": _state(key),
    }


def _state(key: Key) -> str:
    if key.revoked is not None:
        return "revoked"
    return "expired" if key.expires is not None and key.expires <= datetime.now(UTC) else "valid"


@app.command()
@shared
def create(
    options: Shared,
    name: Annotated[str, typer.Option("--name", help="Who will use it.")],
    role: Annotated[
        list[str] | None,
        typer.Option("--role", help="read, read-restricted, write or admin; more than one adds up [default: read]."),
    ] = None,
    expires: Annotated[str | None, typer.Option(help="90d, 12h, 4w or a date [default: never].")] = None,
) -> int:
    """Make a key. It is printed once, on stdout alone; the store keeps only a hash of it."""
    from ragstone.cli.opened import opened

    with opened(options, embed__model="none") as kb:
        made = kb.create_key(name, roles=role or "read", expires=expires)
    key = made.key
    # Not through `show` and `emit`, which would mask it.
    sys.stdout.write((json.dumps({**data(key), "key": made.text}) if options.json else made.text) + "\n")
    end = f"until {key.expires.isoformat(timespec='seconds')}" if key.expires else "until it is revoked"
    say(f"made {key.id} for tenant {key.tenant!r}: {', '.join(key.roles)}, {end}; it is not shown again")
    return 0


@app.command(name="list")
@shared
def list_(options: Shared) -> int:
    """The keys of a tenant, the ended ones too; never their secrets."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line

    with opened(options, embed__model="none") as kb:
        found, tenant = kb.keys(), kb.engine.scope.tenant
    for key in found:
        end = f"until {key.expires:%Y-%m-%d}" if key.expires else "no end"
        about = f"{key.created:%Y-%m-%d}  {end}  {', '.join(key.roles)}"
        give(options, data(key), f"{key.id}  {_state(key):<7}  {about}  {line(key.name)}")
    if not found:
        say(f"tenant {tenant!r} has no keys; make one: ragstone keys create --name NAME --role read")
    return 0


@app.command()
@shared
def revoke(
    options: Shared, identity: Annotated[str, typer.Argument(metavar="ID", help="The key's id, or the whole key.")]
) -> int:
    """End a key for good, from the next call on."""
    from ragstone.access import identified
    from ragstone.cli.opened import opened

    with opened(options, embed__model="none") as kb:
        kb.revoke_key(identity)
    give(options, {"schema": 1, "revoked": identified(identity)}, f"revoked {identified(identity)}")
    return 0
