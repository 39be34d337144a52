"""`ragstone redteam`: planted documents and questions that try to break what Ragstone promises."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ragstone.cli.shared_options import (
    ServerOption,
    SharedOptions,
    add_shared_options,
    print_json,
    print_message,
    print_text,
)
from ragstone.core.errors import Degraded, UsageError

MARKS = {"passed": "pass", "failed": "FAIL", "skipped": "skip"}


@add_shared_options
def redteam(
    options: SharedOptions,
    probes: Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            metavar="KIND",
            help="Kind to run: injection, exfiltration, stale-policy, cross-tenant, abstention [default: all but the "
            "last]. Repeatable.",
        ),
    ] = None,
    server: ServerOption = None,
    other_key: Annotated[
        str | None,
        typer.Option("--other-key", envvar="RAGSTONE_OTHER_KEY", help="With --server: key of a second tenant."),
    ] = None,
    report: Annotated[str | None, typer.Option("--report", help="Write a page for a browser to this file.")] = None,
) -> int:
    """Attack settings or a server with planted documents.

    The documents go to a temporary store or to collections that are erased at the end. Exit 3 if a probe fails.
    """
    from ragstone.evaluation.redteam import render_page, report_json, run_probes, select_probes

    select_probes(probes or ())  # a typing mistake is answered before anything is planted
    done = run_probes(_open_target(options, server, other_key), probes or ())
    if report is not None:
        try:
            Path(report).write_text(render_page(done), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"the report cannot be written to {report}: {error.strerror}") from error
        print_message(f"wrote {report}")
    if options.json:
        print_json(report_json(done))
    else:
        _print_outcomes(done)
    if done.failed:
        raise Degraded(f"{len(done.failed)} of {len(done.outcomes)} probes failed: {', '.join(done.failed)}")
    return 0


def _open_target(options: SharedOptions, server: str | None, other_key: str | None) -> Any:
    from ragstone.evaluation.redteam import CollectionTarget, ServerTarget

    if server is None:
        if other_key is not None:
            raise UsageError("--other-key is for --server: without it, the second tenant is made")
        return CollectionTarget(options.settings())
    if options.store is not None or options.tenant is not None or options.collection is not None:
        raise UsageError("--server has a store of its own: leave out --store, --tenant and --collection")
    return ServerTarget(server, options.settings().key, other_key)


def _print_outcomes(done: Any) -> None:
    width = max(len(f"{one.kind}/{one.name}") for one in done.outcomes)
    for one in done.outcomes:
        print_text(f"{MARKS[one.status]}  {f'{one.kind}/{one.name}':<{width}}  {one.message}")
        if one.evidence:
            print_text(f"      {' '.join(one.evidence.split())}")
    print_message(f"{done.count('passed')} passed, {done.count('failed')} failed, {done.count('skipped')} skipped")
