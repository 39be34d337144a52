"""`ragstone tenants`: list tenants, look after their keys, erase one whole."""

import sys
from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, say, shared, show
from ragstone.core.errors import UsageError
from ragstone.core.plural import counted
from ragstone.core.types import Json, Rotated, Tenant

app = typer.Typer(help="List tenants, look after their keys, erase one whole.", no_args_is_help=True)


def data(tenant: Tenant) -> Json:
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
@shared
def list_(options: Shared) -> int:
    """The tenants of a store; exit 1 when something is wrong with one as a whole."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line
    from ragstone.stores import concealed

    with opened(options, embed__model="none") as kb:
        found = kb.tenants()
        store = concealed(kb.engine.settings.store)
    for tenant in found:
        if options.json:
            emit(data(tenant))
        else:
            model = f"{tenant.model} ({tenant.dimension})" if tenant.model else "no model"
            show(line(f"{tenant.name}  {counted(tenant.collections, 'collection')}, {model}, {_kept(tenant)}"))
    if not found:
        say(f"{store} has no tenants yet")
    wrong = [tenant for tenant in found if tenant.problem]
    for tenant in wrong:
        say(line(f"error: {tenant.problem}"))
    return 1 if wrong else 0


def _kept(tenant: Tenant) -> str:
    if tenant.wrapped_by:
        return f"encrypted, master key {', '.join(tenant.wrapped_by)}"
    if tenant.encrypted:
        return "encrypted, its key is lost or damaged"
    return "not encrypted by us"


@app.command()
@shared
def rotate(
    options: Shared,
    rekey: Annotated[bool, typer.Option("--rekey", help="Give each a new key and encrypt its data anew.")] = False,
) -> int:
    """Wrap the keys of all encrypted tenants, or of --tenant, with the configured master key."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line

    def tell(one: Rotated) -> None:
        """At once, so that what is killed has said how far it came."""
        if one.problem is not None:
            if options.json:
                emit({"schema": 1, "failed": one.tenant, "code": one.problem.code, "problem": str(one.problem)})
        elif options.json:
            emit({"schema": 1, "rotated": one.tenant, "rekeyed": rekey})
        else:
            done = "encrypted anew" if rekey else "its keys are wrapped by the configured master key"
            show(f"{line(one.tenant)}: {done}")
        sys.stdout.flush()

    with opened(options, embed__model="none") as kb:
        found = kb.rotate(options.tenant, rekey=rekey, tell=tell)
    failed = {one.tenant: one.problem for one in found if one.problem is not None}
    for name, problem in failed.items():
        say(line(f"error: {name} is not rotated: {problem}"))
    if failed:
        say(f"{len(failed)} of {len(found)} tenants are not rotated: mend that, then run the same command again")
    if not found:
        say("no tenant is encrypted: nothing was changed")
    return max((problem.exit for problem in failed.values()), default=0)


@app.command()
@shared
def encrypt(options: Shared) -> int:
    """Encrypt what of a tenant (--tenant) is not encrypted yet."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line

    with opened(options, embed__model="none") as kb:
        count = kb.encrypt()
        tenant = kb.engine.scope.tenant
    if options.json:
        emit({"schema": 1, "tenant": tenant, "encrypted": count})
    else:
        show(f"{line(tenant)}: {counted(count, 'collection')} encrypted")
    return 0


@app.command()
@shared
def erase(
    options: Shared,
    name: Annotated[str, typer.Argument(help="The tenant.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Erase a tenant with all its collections, artifacts, runs and keys."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line

    if not yes and not typer.confirm(f"Erase tenant {name!r} with all that it holds, for good?", err=True):
        return 1
    with opened(options, embed__model="none") as kb:
        erased = kb.erase_tenant(name)
    if not erased:
        raise UsageError(f"there is no tenant {name!r}")
    if options.json:
        emit({"schema": 1, "erased": name})
    else:
        show(f"erased tenant {line(name)}")
    return 0
