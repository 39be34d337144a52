"""`ragstone search`: the best passages for a question."""

from typing import Annotated, Any

import typer

from ragstone.cli.ask import failed
from ragstone.cli.assisted import assisted
from ragstone.cli.filters import filtered
from ragstone.cli.shared import Shared, emit, say, shared, show
from ragstone.core.filters import Where


@shared
@filtered
@assisted
def search(
    options: Shared,
    question: Annotated[str, typer.Argument(help="What to look for.")],
    where: Where,
    helped: dict[str, Any],
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", help="How many passages [default: 10].")] = None,
    mode: Annotated[str | None, typer.Option(help="hybrid, semantic or keyword [default: hybrid].")] = None,
    fusion: Annotated[str | None, typer.Option(help="minmax or rrf.")] = None,
    min_cosine: Annotated[float | None, typer.Option(help="Leave out passages below this cosine.")] = None,
    per_document: Annotated[int | None, typer.Option(help="At most so many passages of one document.")] = None,
    keyword_boost: Annotated[bool, typer.Option("--keyword-boost", help="Raise passages that hold the words.")] = False,
    pipeline: Annotated[str | None, typer.Option(help="Search what this pipeline of the configuration names.")] = None,
    format_: Annotated[str, typer.Option("--format", help="text, xml, json, evidence or evidence-llm.")] = "text",
) -> int:
    """Find the best passages, each with its path, lines and scores."""
    from ragstone.cli.collections import data
    from ragstone.cli.opened import asking, opened
    from ragstone.cli.output import passages, pipeline_data

    asked: dict[str, Any] = {
        "where": where,
        "top_k": top_k,
        "mode": mode,
        "fusion": fusion,
        "min_cosine": min_cosine,
        "per_document": per_document,
        "keyword_boost": keyword_boost or None,
        **helped,
    }
    if pipeline is not None:
        with opened(options) as kb:
            found = kb.pipeline(pipeline).search(question, **asked)
            index = next(pipeline_data(one) for one in kb.pipelines() if one.name == pipeline)
    else:
        with asking(options, mode=mode) as kb:
            found = kb.search(question, **asked)
            index = data(kb.info())
    chosen = "json" if options.json else format_
    shown = passages(found, format_=chosen, question=question, index=index)
    if isinstance(shown, str):
        show(shown)
    else:
        emit(shown)
    if chosen == "text":
        for note in found.notes:
            say(f"note: {note.message}")
    return failed(found.notes)
