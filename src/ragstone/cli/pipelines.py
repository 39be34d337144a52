"""`ragstone pipelines`: the named ways to answer that the configuration has."""

from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, say, shared, show


@shared
def pipelines(
    options: Shared,
    check: Annotated[
        bool, typer.Option("--check", help="Connect, and say what would keep each from answering.")
    ] = False,
) -> int:
    """List the pipelines of the configuration: what each reads, with whose vectors, what is not acted on."""
    from ragstone.cli.opened import opened
    from ragstone.cli.output import pipeline_data
    from ragstone.cli.safe import line

    wrong = 0
    with opened(options) as kb:
        found = kb.pipelines()
        for info in found:
            problems = kb.pipeline(info.name).check() if check else []
            wrong += len(problems)
            if options.json:
                emit({**pipeline_data(info), **({"problems": problems} if check else {})})
                continue
            about = f": {line(info.description)}" if info.description else ""
            show(f"{line(info.name)}{about}")
            show(f"    reads {line(', '.join(info.reads))}; model {line(info.model)}")
            for note in info.notes:
                show(f"    note: {line(note)}")
            for problem in problems:
                show(f"    problem: {line(problem)}")
    if not found:
        say("no pipelines are configured; list them under `pipelines` in ragstone.yaml")
    return 1 if wrong else 0
