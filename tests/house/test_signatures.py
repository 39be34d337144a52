"""Editors and type checkers know every option of a question, on each of the faces that take one."""

import inspect
from dataclasses import fields
from pathlib import Path

import jedi
import pytest

import ragstone
from ragstone.config.search_options import SearchOptions
from ragstone.engine.blocking import BlockingPipeline
from ragstone.engine.pipeline import Pipeline

OPTIONS = [field.name for field in fields(SearchOptions)]


def _ask_wrongly(kb: ragstone.Knowledge, engine: ragstone.Engine) -> None:
    """Options that are none: `make types` fails where the type checker does not refuse one of them."""
    kb.search("x", top_k=3)
    kb.search("x", top_kk=3)  # type: ignore[call-arg]
    kb.pipeline("p").ask("x", mode="fast")  # type: ignore[arg-type]
    kb.chunk(1, 2)  # type: ignore[arg-type]
    engine.events("x", fusion="both")  # type: ignore[arg-type]


@pytest.mark.parametrize("face", [ragstone.Engine, ragstone.Knowledge, Pipeline, BlockingPipeline])
@pytest.mark.parametrize("verb", ["search", "ask", "events", "context", "explain"])
def test_help_shows_every_option_with_its_default(face: type, verb: str) -> None:
    parameters = inspect.signature(getattr(face, verb)).parameters
    shown = {name: parameters[name].default for name in OPTIONS}
    assert shown == {field.name: field.default for field in fields(SearchOptions)}


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("kb.sea", {"search"}),
        ("kb.search('x', top_", {"top_k="}),
        ("kb.ask('x', hyde_b", {"hyde_below="}),
        ("kb.search('x').", {"hits", "notes", "steps", "timings"}),
        ("found.hits[0].", {"chunk", "score", "signals"}),
        ("answer.citations[0].", {"document", "quote", "spans", "status"}),
        ("answer.sentences[0].", {"text", "status", "citations"}),
    ],
)
def test_a_notebook_completes_methods_options_and_results(typed: str, names: set[str], tmp_path: Path) -> None:
    (tmp_path / "tax.md").write_text("# Tax\n\nThe tax rate is nine percent.\n")
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(tmp_path / "tax.md")
        cells = {"kb": kb, "found": kb.search("tax rate"), "answer": kb.ask("What is the tax rate?")}
        assert names <= {one.name for one in jedi.Interpreter(typed, [cells]).complete()}
