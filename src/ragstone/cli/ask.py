"""`ragstone ask`: an answer with citations, or an honest abstention."""

from typing import Annotated

import typer

from ragstone.cli.filters import filtered
from ragstone.cli.shared import Shared, emit, say, shared, show
from ragstone.where import Where


@shared
@filtered
def ask(
    options: Shared,
    question: Annotated[str, typer.Argument(help="The question.")],
    where: Where,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", help="How many passages to answer from.")] = None,
    mode: Annotated[str | None, typer.Option(help="hybrid, semantic or keyword.")] = None,
    pipeline: Annotated[str | None, typer.Option(help="Ask what this pipeline of the configuration names.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 when it abstains.")] = False,
) -> int:
    """Answer from the documents; every sentence is cited and each citation was checked."""
    from ragstone.cli.opened import asking, opened
    from ragstone.cli.output import answer_data, answer_text

    if pipeline is not None:
        with opened(options) as kb:
            answer = kb.pipeline(pipeline).ask(question, where=where, top_k=top_k, mode=mode)
    else:
        with asking(options, mode=mode) as kb:
            answer = kb.ask(question, where=where, top_k=top_k, mode=mode)
    if options.json:
        emit(answer_data(answer))
    else:
        show(answer_text(answer))
        for note in answer.notes:
            say(f"note: {note.message}")
    return 1 if strict and answer.abstained else 0
