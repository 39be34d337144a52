"""`ragstone keys`: make, list and end the API keys of a tenant."""

import json
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_message, print_result
from ragstone.core.records import Key
from ragstone.core.types import Json

app = typer.Typer(help="Create, list and revoke the API keys of a tenant.", no_args_is_help=True)


def key_json(key: Key) -> Json:
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
        "state": _key_state(key),
    }


def _key_state(key: Key) -> str:
    if key.revoked is not None:
        return "revoked"
    return "expired" if key.expires is not None and key.expires <= datetime.now(UTC) else "valid"


@app.command()
@add_shared_options
def create(
    options: SharedOptions,
    name: Annotated[str, typer.Option("--name", help="The name of the user or program.")],
    role: Annotated[
        list[str] | None,
        typer.Option(
            "--role", help="Role: read, read-restricted, write or admin; repeat it for several [default: read]."
        ),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(help="Lifetime (90d, 12h, 4w) or end date [default: never expires].")
    ] = None,
) -> int:
    """Create a key and print it once, to stdout. The store keeps only its hash."""
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import mask_data

    with open_knowledge(options, embed__model="none") as kb:
        made = kb.create_key(name, roles=role or "read", expires=expires)
    key = made.key
    # Not through `show` and `emit`, which would mask it.
    sys.stdout.write((json.dumps({**mask_data(key_json(key)), "key": made.text}) if options.json else made.text) + "\n")
    end = f"until {key.expires.isoformat(timespec='seconds')}" if key.expires else "until it is revoked"
    print_message(f"made {key.id} for tenant {key.tenant!r}: {', '.join(key.roles)}, {end}; it is not shown again")
    return 0


@app.command(name="list")
@add_shared_options
def list_(options: SharedOptions) -> int:
    """List the keys of a tenant, revoked and expired ones too.

    Their secrets are never shown.

    With --json: a line for each key.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line

    with open_knowledge(options, embed__model="none") as kb:
        found, tenant = kb.keys(), kb.engine.scope.tenant
    for key in found:
        end = f"until {key.expires:%Y-%m-%d}" if key.expires else "no end"
        about = f"{key.created:%Y-%m-%d}  {end}  {', '.join(key.roles)}"
        print_result(options, key_json(key), f"{key.id}  {_key_state(key):<7}  {about}  {escape_line(key.name)}")
    if not found:
        print_message(f"tenant {tenant!r} has no keys; make one: ragstone keys create --name NAME --role read")
    return 0


@app.command()
@add_shared_options
def revoke(
    options: SharedOptions,
    identity: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, or the whole key.")],
) -> int:
    """Revoke a key for good, from the next call on."""
    from ragstone.access import parse_key_id
    from ragstone.cli.knowledge import open_knowledge

    with open_knowledge(options, embed__model="none") as kb:
        kb.revoke_key(identity)
    print_result(options, {"schema": 1, "revoked": parse_key_id(identity)}, f"revoked {parse_key_id(identity)}")
    return 0
