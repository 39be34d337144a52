"""`ragstone runs`: what was ingested when, and how it ended."""

from dataclasses import asdict
from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, shared, show


@shared
def runs(
    options: Shared,
    limit: Annotated[int, typer.Option(min=1, help="How many, the latest first.")] = 20,
) -> int:
    """List ingestion runs."""
    from ragstone.cli.opened import opened

    with opened(options, embed__model="none") as kb:
        found = kb.runs(limit)
    for run in found:
        if options.json:
            emit(asdict(run))
        else:
            counts = ", ".join(f"{n} {name}" for name, n in run.stats.get("documents", {}).items() if n)
            show(f"{run.started_at}  {run.status:<11}  {run.source}  {counts}")
            if run.error:
                show(f"    {run.error.splitlines()[0]}")
    return 0
