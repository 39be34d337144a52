"""`ragstone eval --generate`: candidate questions on the collection's documents, for a person to accept."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragstone.cli import eval_outputs
from ragstone.cli.shared_options import SharedOptions, print_json, print_message
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.plural import format_count

SPARE = 2  # passages for each wanted question: a model's reply may be of no use


def generate(
    options: SharedOptions, wanted: int, out: str | None, seed: int, model: str | None, *, beside: Mapping[str, Any]
) -> int:
    """Write the questions to `out`, else to stdout; `beside` are the options that measure, which must not be given."""
    from ragstone.evaluation.candidate_questions import candidate_json

    _check_alone(beside)
    if out is not None:
        _check_new(out)
    found, told = asyncio.run(_collect(options, wanted, seed, model))
    if not found:
        why = "; ".join(told) or "no heading, definition, figure or table row of the documents makes one"
        raise UsageError(f"no question was found: {why}")
    lines = [candidate_json(one) for one in found]
    if out is None:
        for line in lines:
            print_json(line)
    else:
        eval_outputs.write_lines("--out", out, lines)
        if options.json:
            kinds = {kind: sum(one.kind == kind for one in found) for kind in sorted({one.kind for one in found})}
            print_json({"schema": 1, "questions": len(found), "file": out, "kinds": kinds})
    sys.stdout.flush()
    if len(found) < wanted:
        told.append(f"{format_count(len(found), 'question')} of {wanted} wanted: the documents give no more")
    for one in told:
        print_message(f"warning: {one}")
    print_message(
        f'{format_count(len(found), "candidate")}{f" in {out}" if out else ""}: read each, and set "accepted": true on '
        "those that are good questions with the right answer"
    )
    return 0


def _check_alone(given: Mapping[str, Any]) -> None:
    """Raises `UsageError` for an option that measures, beside --generate, which only writes questions."""
    if named := next((option for option, value in given.items() if value), None):
        raise UsageError(f"--generate writes questions and measures nothing: leave out --{named}")


def check_only_generating(**given: Any) -> None:
    """Raises `UsageError` for an option of --generate without it."""
    if named := next((option for option, value in given.items() if value is not None), None):
        raise UsageError(f"--{named} goes with --generate")


def _check_new(out: str) -> None:
    """Raises `UsageError` for a file that exists, since a person may have accepted its questions, or is unwritable."""
    if Path(out).exists():
        raise UsageError(f"--out {out} exists: name a new file, so that accepted questions are not overwritten")
    eval_outputs.check_writable({"out": out}, inputs=[])


async def _collect(options: SharedOptions, wanted: int, seed: int, model: str | None) -> tuple[list[Any], list[str]]:
    from ragstone.engine import Engine
    from ragstone.evaluation.candidate_search import collect_candidates, collect_passages

    async with Engine(options.settings()) as engine:
        if model is None:
            return await collect_candidates(engine, wanted, seed=seed), []
        from ragstone.evaluation.written_questions import QuestionWriter

        writing = engine.select_judge(model)
        if writing is None:
            raise ConfigError(f"no language model {model!r}: name one as VENDOR/MODEL with --model")
        writer = QuestionWriter(writing)
        found = await writer.write(await collect_passages(engine, SPARE * wanted, seed=seed), wanted)
    return found, [f"{format_count(count, 'reply', 'replies')} dropped: {why}" for why, count in writer.dropped.items()]
