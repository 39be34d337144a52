"""`ragstone runs`: what was ingested when, and how it ended."""

from dataclasses import asdict
from typing import Annotated

import typer

from ragstone.cli.shared import Shared, give, shared
from ragstone.config.validation import MANY


@shared
def runs(
    options: Shared,
    limit: Annotated[int, typer.Option(min=1, max=MANY, help="How many, the latest first.")] = 20,
) -> int:
    """List ingestion runs."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line

    with opened(options, embed__model="none") as kb:
        found = kb.runs(limit)
    for run in found:
        counts = ", ".join(f"{n} {name}" for name, n in run.stats.get("documents", {}).items() if n)
        why = f"\n    {line(run.error)}" if run.error else ""
        give(options, asdict(run), f"{run.started_at}  {run.status:<11}  {line(run.source)}  {counts}{why}")
    return 0
