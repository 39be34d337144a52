"""`ragstone chat`: questions that go on from one another, answered until the input ends."""

import sys
from functools import partial
from typing import Annotated, Any

import typer

from ragstone.cli.ask import show_answer, status_from_answer
from ragstone.cli.search_options import add_filter_options
from ragstone.cli.shared_options import ServerOption, SharedOptions, add_shared_options, print_message, print_piece
from ragstone.core.filters import Where

END = ("/quit", "/exit")
HELP = (
    "/help  list the commands",
    "/quit  end the chat, as /exit and the end of the input do",
    "Any other line is a question; it may refer to the ones before it.",
)


@add_shared_options
@add_filter_options
def chat(
    options: SharedOptions,
    where: Where,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", help="Number of passages to answer from.")] = None,
    mode: Annotated[str | None, typer.Option(help="Retrievers: hybrid, semantic or keyword.")] = None,
    pipeline: Annotated[str | None, typer.Option(help="Ask this pipeline of the configuration.")] = None,
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
    """Answer questions, one per line, until /quit.

    A question may refer to earlier ones ("And how long is that kept?"). The exit status is the highest that
    `ragstone ask` would have given for any of them.
    With --json: a line for each event of each answer.
    """
    from ragstone.cli.knowledge import connect_server, open_knowledge
    from ragstone.core.errors import RagstoneError
    from ragstone.core.ports import Message

    history: list[Message] = []
    worst = 0
    # Checked by the engine.
    how: dict[str, Any] = {"where": where, "top_k": top_k, "mode": mode, "strict": strict or None}
    here = partial(open_knowledge, quote=quote, llm__model=model)
    with here(options) if server is None else connect_server(options, server, quote=quote, model=model) as kb:
        asked = kb if pipeline is None else kb.pipeline(pipeline)
        while (question := _read_line()) not in (None, *END):
            if not question or question.startswith("/"):
                _run_command(question)
                continue
            try:
                events = asked.events(question, history=history, **how)
                answer = show_answer(events, options, question=question, stream=True)
                if not options.json:
                    print_piece("\n")
            except RagstoneError as error:  # the next question may be a better one
                print_message(f"error: {error}")
                worst = max(worst, error.exit)
                continue
            worst = max(worst, status_from_answer(answer, strict=strict))
            history += [Message("user", question), Message("assistant", answer.text)]
    return worst


def _run_command(command: str) -> None:
    """Obey a line that is no question."""
    unknown = (f"unknown command {command}; /help lists the commands",) if command else ()
    for line in HELP if command == "/help" else unknown:
        print_message(line)


def _read_line() -> str | None:
    """The next line of the input, None at its end; a prompt only where somebody types."""
    if sys.stdin.isatty():
        print_piece("> ")
    line = sys.stdin.readline()
    return line.strip() if line else None
