"""`ragstone runs`: the ingestion runs, their time and result."""

from dataclasses import asdict
from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_result
from ragstone.config.validation import MANY


@add_shared_options
def runs(
    options: SharedOptions,
    limit: Annotated[int, typer.Option(min=1, max=MANY, help="Number of runs to list, the latest first.")] = 20,
) -> int:
    """List ingestion runs.

    With --json: a line for each run.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line

    with open_knowledge(options, embed__model="none") as kb:
        found = kb.runs(limit)
    for run in found:
        counts = ", ".join(f"{n} {name}" for name, n in run.stats.get("documents", {}).items() if n)
        why = f"\n    {escape_line(run.error)}" if run.error else ""
        print_result(
            options,
            {"schema": 1, **asdict(run)},
            f"{run.started_at}  {run.status:<11}  {escape_line(run.source)}  {counts}{why}",
        )
    return 0
