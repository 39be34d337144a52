"""The command line explains itself, and takes what people type."""

import io
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

import ragstone
from ragstone.cli.app import make_app
from tests.commands import Run

QUESTION = "For how long are samples kept by default?"


@pytest.fixture
def built(run: Run, docs: Path) -> Path:
    assert run("ingest", docs, "--embedder", "none").status == 0
    return docs


def test_the_version_is_the_package_s(run: Run) -> None:
    assert run("--version").out == f"ragstone {ragstone.__version__}\n"
    assert version("ragstone") == ragstone.__version__


def list_helps() -> list[list[str]]:
    """The arguments of every help: of the program, its commands and their own commands."""
    found: list[list[str]] = [[]]
    whole = get_command(make_app())
    assert isinstance(whole, TyperGroup)
    for name, command in whole.commands.items():
        found.append([name])
        found += [[name, inner] for inner in getattr(command, "commands", ())]
    return found


@pytest.mark.parametrize("command", list_helps(), ids=" ".join)
def test_help_fits_a_terminal_and_cuts_no_summary(run: Run, command: list[str]) -> None:
    shown = run(*command, "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    assert not [line for line in shown.splitlines() if line.endswith("...") and not line.startswith("Usage")]


def test_help_is_in_groups(run: Run) -> None:
    shown = run("--help").out
    assert [line for line in shown.splitlines() if line.endswith(":")] == [
        "Options:",
        "Documents:",
        "Questions:",
        "Quality:",
        "Operation:",
    ]
    found = run("search", "--help").out
    assert [line for line in found.splitlines() if line.endswith(":") and not line.startswith(" ")] == [
        "Arguments:",
        "Options:",
        "Search:",
        "Filters:",
        "Store and output:",
    ]


@pytest.mark.parametrize("command", [("search",), ("ask",), ("explain", "--doc", "README.md")])
def test_a_question_needs_no_quotes(run: Run, built: Path, command: tuple[str, ...]) -> None:
    one, several = (run(*command, *words, "--json").json for words in ([QUESTION], QUESTION.split()))
    for shown in (one, several):
        shown.pop("timings", None)
    assert one == several


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("openia/gpt", "--model 'openia/gpt': unknown vendor 'openia'; did you mean 'openai'?"),
        ("voyage/x", "--model 'voyage/x': voyage cannot complete"),
        ("openai", "invalid --model 'openai': expected openai/MODEL"),
    ],
)
@pytest.mark.parametrize("command", [("ask", "hello"), ("chat",)])
def test_a_model_with_a_typing_mistake_is_refused_at_once(
    run: Run, built: Path, command: tuple[str, ...], model: str, message: str
) -> None:
    refused = run(*command, "--model", model)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(f"error: {message}")


def test_a_chat_names_its_commands_and_takes_filters(run: Run, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"/help\n/retry\n{QUESTION}\n/quit\nnever asked\n"))
    done = run("chat", "--path", "nowhere/**")
    assert "/quit  end the chat" in done.err
    assert "unknown command /retry; /help lists the commands" in done.err
    assert "samples" not in done.out.lower()
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{QUESTION}\n"))
    assert "samples" in run("chat").out.lower()


@pytest.mark.parametrize(
    ("shell", "environment"),
    [
        ("complete_bash", {"COMP_WORDS": "ragstone search --fus", "COMP_CWORD": "2"}),
        ("complete_zsh", {"_TYPER_COMPLETE_ARGS": "ragstone search --fus"}),
        ("complete_fish", {"_TYPER_COMPLETE_ARGS": "ragstone search --fus", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_shells_complete_options(shell: str, environment: dict[str, str]) -> None:
    program = "import sys; sys.argv = ['ragstone']; from ragstone.cli import main; main()"
    shown = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "_RAGSTONE_COMPLETE": shell, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "--fusion" in shown.stdout
    assert "Traceback" not in shown.stderr
