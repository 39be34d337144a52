"""`ragstone ask`: an answer with citations, or an honest abstention."""

import sys
from collections.abc import Generator
from contextlib import closing
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
    print_piece,
    print_text,
)
from ragstone.core.answers import Answer, Event
from ragstone.core.filters import Where


@add_shared_options
@add_filter_options
@add_search_options
def ask(
    options: SharedOptions,
    question_: QuestionWords,
    where: Where,
    asked: dict[str, Any],
    pipeline: Annotated[str | None, typer.Option(help="Ask this pipeline of the configuration.")] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Stream the answer, as on a terminal; NDJSON with --json.")
    ] = False,
    model: Annotated[
        str | None, typer.Option("--model", help="Language model to answer with, as VENDOR/NAME [default: llm.model].")
    ] = None,
    quote: Annotated[
        bool, typer.Option("--quote", help="Answer with quoted sentences, even if a language model is set.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Show only supported sentences; exit 1 on abstention.")
    ] = False,
    server: ServerOption = None,
) -> int:
    """Answer a question from the documents. Every sentence has a checked citation.

    With --stream and --json: a line for each event.
    """
    from ragstone.cli.knowledge import connect_server, open_for_question, open_knowledge

    question = " ".join(question_)
    stream = stream or (sys.stdout.isatty() and not options.json)
    how = {"where": where, "strict": strict or None, **asked}
    if server is not None:
        with connect_server(options, server, quote=quote, model=model) as kb:
            events = (kb if pipeline is None else kb.pipeline(pipeline)).events(question, **how)
            answer = show_answer(events, options, question=question, stream=stream)
    elif pipeline is not None:
        with open_knowledge(options, quote=quote, llm__model=model) as kb:
            events = kb.pipeline(pipeline).events(question, **how)
            answer = show_answer(events, options, question=question, stream=stream)
    else:
        with open_for_question(options, mode=asked["mode"], quote=quote, llm__model=model) as kb:
            events = kb.events(question, **how)
            answer = show_answer(events, options, question=question, stream=stream)
    return status_from_answer(answer, strict=strict)


def status_from_answer(answer: Answer, *, strict: bool) -> int:
    """The exit status beside an answer: what kept a model from its work, or that nothing is supported."""
    return status_from_notes(answer.notes) or (1 if strict and answer.abstained else 0)


def show_answer(events: Generator[Event, None, None], options: SharedOptions, *, question: str, stream: bool) -> Answer:
    """Show an answer, as it comes or at its end, and its notes; give it back."""
    from ragstone.cli.output import answer_data, answer_text, event_data
    from ragstone.cli.progress import show_activity

    answer: Answer | None = None
    said = ""
    # Closed even where an interrupt comes while nobody waits for the next event.
    with closing(events), show_activity("answering …") as stop:
        for event in events:
            if event.name in ("message", "final_answer"):
                stop()
            if event.name == "final_answer":
                answer = event.data["answer"]
            if stream and options.json:
                print_json(event_data(event))
            elif stream and event.name == "message" and event.data["delta"]:  # what is quoted comes whole, at the end
                said += print_piece(event.data["text"])
    assert answer is not None  # every stream ends with one
    if stream and not options.json:
        print_piece(answer_text(answer, question=question, after=said))
    elif not stream and options.json:
        print_json(answer_data(answer))
    elif not stream:
        print_text(answer_text(answer, question=question))
    if not options.json:
        for note in answer.notes:
            print_message(f"note: {note.message}")
    return answer
