"""`ragstone doctor`: is everything as it should be, and what mends it."""

from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, shared, show


@shared
def doctor(
    options: Shared,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
) -> int:
    """Check the model and the store; exit 1 when something is wrong."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line
    from ragstone.stores import concealed

    with opened(options) as kb:
        # Of a store that cannot be opened each part says the same.
        problems = list(dict.fromkeys(kb.doctor(repair=repair)))
        store = concealed(kb.engine.settings.store)
    if options.json:
        emit({"schema": 1, "store": store, "healthy": not problems, "problems": problems})
    else:
        for problem in problems:
            show(f"- {line(problem)}")
        if not problems:
            show(f"healthy: {store}")
    return 1 if problems else 0
