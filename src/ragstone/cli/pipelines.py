"""`ragstone pipelines`: the named ways to answer that the configuration has."""

from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_message, print_text


@add_shared_options
def pipelines(
    options: SharedOptions,
    check: Annotated[bool, typer.Option("--check", help="Connect to each pipeline and report problems.")] = False,
) -> int:
    """List the pipelines of the configuration.

    Each with its sources, models and ignored settings.

    With --json: a line for each pipeline.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line
    from ragstone.engine.json_views import pipeline_json

    wrong = 0
    with open_knowledge(options) as kb:
        found = kb.pipelines()
        for info in found:
            problems = kb.pipeline(info.name).check() if check else []
            wrong += len(problems)
            if options.json:
                print_json({**pipeline_json(info), **({"problems": problems} if check else {})})
                continue
            about = f": {escape_line(info.description)}" if info.description else ""
            print_text(f"{escape_line(info.name)}{about}")
            print_text(f"    reads {escape_line(', '.join(info.reads))}; model {escape_line(info.model)}")
            for note in info.notes:
                print_text(f"    note: {escape_line(note)}")
            for problem in problems:
                print_text(f"    problem: {escape_line(problem)}")
    if not found:
        print_message("no pipelines are configured; list them under `pipelines` in ragstone.yaml")
    return 1 if wrong else 0
