"""`ragstone doctor`: is everything as it should be, and what mends it."""

import sys
from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, shared


@shared
def doctor(
    options: Shared,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
) -> int:
    """Check the model and the store; exit 1 when something is wrong."""
    from ragstone.cli.opened import opened

    with opened(options) as kb:
        problems = kb.doctor(repair=repair)
        store = kb.engine.settings.store
    if options.json:
        emit({"schema": 1, "store": store, "healthy": not problems, "problems": problems})
    else:
        for problem in problems:
            sys.stdout.write(f"- {problem}\n")
        if not problems:
            sys.stdout.write(f"healthy: {store}\n")
    return 1 if problems else 0
