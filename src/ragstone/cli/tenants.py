"""`ragstone tenants`: list tenants, look after their keys, erase one whole."""

import sys
from typing import Annotated

import typer

from ragstone.cli.shared_options import (
    SharedOptions,
    add_shared_options,
    confirm,
    print_json,
    print_message,
    print_text,
)
from ragstone.core.errors import UsageError
from ragstone.core.plural import format_count
from ragstone.core.records import RotationResult, Tenant
from ragstone.core.suggestions import suggest_name
from ragstone.core.types import Json

app = typer.Typer(help="List tenants, rotate their keys, erase a tenant.", no_args_is_help=True)


def tenant_json(tenant: Tenant) -> Json:
    """One tenant as plain data."""
    return {
        "schema": 1,
        "name": tenant.name,
        "collections": tenant.collections,
        "encrypted": tenant.encrypted,
        "embedding_model_id": tenant.model,
        "dimension": tenant.dimension,
        "wrapped_by": list(tenant.wrapped_by),
        "problem": tenant.problem,
    }


@app.command(name="list")
@add_shared_options
def list_(options: SharedOptions) -> int:
    """List the tenants of a store; exit 1 if a tenant is damaged.

    With --json: a line for each tenant.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line
    from ragstone.stores import redact_url

    with open_knowledge(options, embed__model="none") as kb:
        found = kb.tenants()
        store = redact_url(kb.engine.settings.store)
    for tenant in found:
        if options.json:
            print_json(tenant_json(tenant))
        else:
            model = f"{tenant.model} ({tenant.dimension})" if tenant.model else "no model"
            print_text(
                escape_line(
                    f"{tenant.name}  {format_count(tenant.collections, 'collection')}, {model}, "
                    f"{_describe_encryption(tenant)}"
                )
            )
    if not found:
        print_message(f"{store} has no tenants yet")
    wrong = [tenant for tenant in found if tenant.problem]
    for tenant in wrong:
        print_message(escape_line(f"error: {tenant.problem}"))
    return 1 if wrong else 0


def _describe_encryption(tenant: Tenant) -> str:
    if tenant.wrapped_by:
        return f"encrypted, master key {', '.join(tenant.wrapped_by)}"
    if tenant.encrypted:
        return "encrypted, its key is lost or damaged"
    return "not encrypted by Ragstone"


@app.command()
@add_shared_options
def rotate(
    options: SharedOptions,
    rekey: Annotated[bool, typer.Option("--rekey", help="Give each tenant a new key and re-encrypt its data.")] = False,
) -> int:
    """Wrap encrypted tenants' keys with the configured master key.

    All encrypted tenants are meant, or the one that --tenant names.

    With --json: a line for each tenant.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line

    def print_rotated(one: RotationResult) -> None:
        """Print each tenant at once, so that an interrupted command shows its progress."""
        if one.problem is not None:
            if options.json:
                print_json({"schema": 1, "failed": one.tenant, "code": one.problem.code, "problem": str(one.problem)})
        elif options.json:
            print_json({"schema": 1, "rotated": one.tenant, "rekeyed": rekey})
        else:
            done = "encrypted anew" if rekey else "its keys are wrapped by the configured master key"
            print_text(f"{escape_line(one.tenant)}: {done}")
        sys.stdout.flush()

    with open_knowledge(options, embed__model="none") as kb:
        found = kb.rotate(options.tenant, rekey=rekey, tell=print_rotated)
    failed = {one.tenant: one.problem for one in found if one.problem is not None}
    for name, problem in failed.items():
        print_message(escape_line(f"error: {name} is not rotated: {problem}"))
    if failed:
        print_message(
            f"{len(failed)} of {len(found)} tenants are not rotated: fix the errors above, then run "
            "the same command again"
        )
    if not found:
        print_message("no tenant is encrypted: nothing was changed")
    return max((problem.exit for problem in failed.values()), default=0)


@app.command()
@add_shared_options
def encrypt(options: SharedOptions) -> int:
    """Encrypt the unencrypted data of a tenant (--tenant)."""
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line

    with open_knowledge(options, embed__model="none") as kb:
        count = kb.encrypt()
        tenant = kb.engine.scope.tenant
    if options.json:
        print_json({"schema": 1, "tenant": tenant, "encrypted": count})
    else:
        print_text(f"{escape_line(tenant)}: {format_count(count, 'collection')} encrypted")
    return 0


@app.command()
@add_shared_options
def erase(
    options: SharedOptions,
    name: Annotated[str, typer.Argument(help="The tenant.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> int:
    """Erase a tenant with all that it holds.

    Collections, artifacts, runs and keys go.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line

    if not yes and not confirm(options, f"Erase tenant {name!r} with all that it holds, for good?"):
        return 1
    with open_knowledge(options, embed__model="none") as kb:
        erased = kb.erase_tenant(name)
        known = [] if erased else [tenant.name for tenant in kb.tenants()]
    if not erased:
        raise UsageError(f"there is no tenant {name!r}{suggest_name(name, known)}")
    if options.json:
        print_json({"schema": 1, "erased": name})
    else:
        print_text(f"erased tenant {escape_line(name)}")
    return 0
