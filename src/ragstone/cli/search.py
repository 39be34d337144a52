"""`ragstone search`: the best passages for a question."""

from typing import Annotated, Any

import typer

from ragstone.cli.note_status import status_from_notes
from ragstone.cli.search_options import QuestionWords, add_filter_options, add_search_options
from ragstone.cli.shared_options import (
    ServerOption,
    SharedOptions,
    add_shared_options,
    print_json,
    print_message,
    print_text,
)
from ragstone.core.filters import Where


@add_shared_options
@add_filter_options
@add_search_options
def search(
    options: SharedOptions,
    question_: QuestionWords,
    where: Where,
    asked: dict[str, Any],
    pipeline: Annotated[str | None, typer.Option(help="Search this pipeline of the configuration.")] = None,
    format_: Annotated[
        str, typer.Option("--format", help="Output format: text, xml, json, evidence or evidence-llm.")
    ] = "text",
    full: Annotated[bool, typer.Option("--full", help="Print whole passages, not three lines of each.")] = False,
    server: ServerOption = None,
) -> int:
    """Find the best passages, each with its place and best lines."""
    from ragstone.cli.knowledge import connect_server, open_for_question, open_knowledge
    from ragstone.cli.output import format_passages
    from ragstone.engine.json_views import info_json, pipeline_json

    question = " ".join(question_)
    if server is not None:
        with connect_server(options, server) as kb:
            asker = kb if pipeline is None else kb.pipeline(pipeline)
            found = asker.search(question, where=where, **asked)
            index = {"server": server} if pipeline is not None else info_json(kb.info())
    elif pipeline is not None:
        with open_knowledge(options) as kb:
            found = kb.pipeline(pipeline).search(question, where=where, **asked)
            index = next(pipeline_json(one) for one in kb.pipelines() if one.name == pipeline)
    else:
        with open_for_question(options, mode=asked["mode"]) as kb:
            found = kb.search(question, where=where, **asked)
            index = info_json(kb.info())
    chosen = "json" if options.json else format_
    shown = format_passages(found, format_=chosen, question=question, index=index, full=full)
    if isinstance(shown, str):
        print_text(shown)
    else:
        print_json(shown)
    if chosen == "text":
        for note in found.notes:
            print_message(f"note: {note.message}")
    return status_from_notes(found.notes)
