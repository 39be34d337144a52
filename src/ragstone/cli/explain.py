"""`ragstone explain`: why a document was not found."""

from typing import Annotated, Any

import typer

from ragstone.cli.note_status import status_from_notes
from ragstone.cli.search_options import QuestionWords, add_filter_options, add_search_options
from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_text
from ragstone.core.filters import Where


@add_shared_options
@add_filter_options
@add_search_options
def explain(
    options: SharedOptions,
    question_: QuestionWords,
    where: Where,
    asked: dict[str, Any],
    doc: Annotated[str, typer.Option("--doc", help="Path of the document inside its source.")],
    pipeline: Annotated[
        str | None, typer.Option(help="Explain over the sources of this pipeline of the configuration.")
    ] = None,
) -> int:
    """Name the stage where a search lost a document.

    Beside it: the document's ranks and signals per retriever, and the filter's verdicts.
    """
    from ragstone.cli.knowledge import open_for_question, open_knowledge
    from ragstone.cli.output import explanation_text
    from ragstone.retrieval.explain import to_json

    question = " ".join(question_)
    source = where.sources[0] if len(where.sources) == 1 else None
    if pipeline is not None:
        with open_knowledge(options) as kb:
            explanation = kb.pipeline(pipeline).explain(question, path=doc, source=source, where=where, **asked)
    else:
        with open_for_question(options, mode=asked["mode"]) as kb:
            explanation = kb.explain(question, path=doc, source=source, where=where, **asked)
    if options.json:
        print_json(to_json(explanation))
    else:
        print_text(explanation_text(explanation))
    return status_from_notes(explanation.notes)
