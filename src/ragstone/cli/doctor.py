"""`ragstone doctor`: checks of models and store, with remedies."""

from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_text


@add_shared_options
def doctor(
    options: SharedOptions,
    repair: Annotated[bool, typer.Option("--repair", help="Repair problems where possible.")] = False,
) -> int:
    """Check the model and the store; exit 1 on a problem."""
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line
    from ragstone.stores import redact_url

    with open_knowledge(options) as kb:
        # Of a store that cannot be opened each part says the same.
        problems = list(dict.fromkeys(kb.doctor(repair=repair)))
        store = redact_url(kb.engine.settings.store)
    if options.json:
        print_json({"schema": 1, "store": store, "healthy": not problems, "problems": problems})
    else:
        for problem in problems:
            print_text(f"- {escape_line(problem)}")
        if not problems:
            print_text(f"healthy: {store}")
    return 1 if problems else 0
