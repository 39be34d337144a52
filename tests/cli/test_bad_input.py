"""Bad input gets one clear sentence, the right exit status, and never a traceback."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from ragstone.core.records import Skipped
from ragstone.ingestion.sources import FileSource, Rules
from tests.commands import Run
from tests.patience import HANG


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("ingest", "nowhere"), 2, "nowhere does not exist"),
        (("ingest", "docs/storage.md", "docs", "--source", "x"), 2, "one source name was given for several folders"),
        (("search", "x"), 1, "ragstone ingest"),
        (("search", " "), 2, "the question is empty"),
        (("search", "x", "--mode", "fuzzy"), 2, "mode"),
        (("search", "x", "--top-k", "many"), 2, "Invalid value for '--top-k'"),
        (("search", "x", "--store", "oracle:db"), 2, "unknown store"),
        (("search", "x", "--filter", "{"), 2, "--filter is not JSON"),
        (("search", "x", "--filter", "[" * 100_000), 2, "--filter nests too deep"),
        (("search", "x", "--filter", "9" * 5000), 2, "--filter nests too deep, or holds a number"),
        (("search", "x", "--date-from", "2024-06", "--date-to", "2024-05"), 2, "is after date_to"),
        (("search", "x", "--sha", "beef"), 2, "all 64 hexadecimal digits"),
        (("search", "x", "--config", "docs"), 2, "configuration file docs is a folder"),
        (("chunk", "a.md", "9" * 25), 2, "is not in the range 0<=x<="),
        (("chunk", "a.md", "--", "-1"), 2, "is not in the range 0<=x<="),
        (("runs", "--limit", "9" * 25), 2, "is not in the range 1<=x<="),
        (("show", "no\nsuch"), 1, "nothing was ingested"),
        (("no\nsuch",), 2, "No such command 'no\\nsuch'"),
        (("search", "x", "--confidentiality", "restricted"), 2, "restricted documents were asked for"),
        (("search", "x", "--config", "none.yaml"), 2, "none.yaml does not exist"),
        (("serch", "x"), 2, "No such command"),
        (("collections", "--store", "x"), 2, "--store, options stand behind the command (see ragstone collections "),
        (("--store", "x", "search", "y"), 2, "--store, options stand behind the command (see ragstone --help)"),
        (("search", "y", "--stor", "x"), 2, "No such option: --stor (Possible options: "),
        (("chunk",), 2, "name a document and a chunk"),
        (("extract", "nowhere.md"), 2, "nowhere.md does not exist"),
        (("extract", "docs"), 2, "docs is a folder"),
        (("ingest", "~nobody-of-this-name/docs"), 2, "cannot resolve "),
        (("chunk", "nosuch.md"), 1, "nothing was ingested"),
        (("eval",), 2, "name one set of questions"),
        (("eval", "--golden", ""), 2, "--golden is empty"),
        (("eval", "--beir", ""), 2, "--beir is empty"),
        (("eval", "--golden", "x.jsonl", "--baseline", "", "--gate"), 2, "--baseline is empty"),
        (("eval", "--golden", "x.jsonl", "--csv", ""), 2, "--csv is empty"),
        (("eval", "--golden", "none.jsonl"), 2, "none.jsonl"),
        (("eval", "--golden", "docs/notes.txt"), 2, "a golden set is"),
        (("tenants", "erase", "default", "--json"), 2, "with --json nothing is asked: add --yes to confirm"),
        (("collections", "delete", "nothing", "--yes"), 2, "there is no collection 'nothing'"),
        (("ingest", "docs", "--embedder", "minilmm"), 2, "did you mean 'minilm'"),
    ],
)
def test_one_sentence(run: Run, docs: Path, arguments: tuple[str, ...], status: int, message: str) -> None:
    outcome = run(*arguments)
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.status == status
    assert outcome.out == ""


def test_a_chunk_that_is_not_there(run: Run, docs: Path) -> None:
    run("ingest", "docs", "--embedder", "none")
    assert "no chunk 99 of 'storage.md'" in run("chunk", "storage.md", "99").err
    assert "no document 'docs/storage.md'; did you mean 'storage.md'?" in run("chunk", "docs/storage.md", "1").err
    assert "no document 'docs/storage.md'; did you mean 'storage.md'?" in run("show", "docs/storage.md").err
    assert run("show", "storage.md", "--lines", "900").status == 2
    assert run("show", "storage.md", "--lines", "9-2").status == 2


def test_a_store_of_a_newer_version(run: Run, docs: Path) -> None:
    run("ingest", "docs", "--embedder", "none")
    mark = Path(".ragstone/store.json")
    mark.write_text(mark.read_text("utf-8").replace('"format": 1', '"format": 99').replace('"format":1', '"format":99'))
    outcome = run("search", "x", "--mode", "keyword")
    assert outcome.status == 2
    assert "99" in outcome.err


@pytest.mark.parametrize("store", ["notes", "docs"])
def test_a_store_that_is_something_else(run: Run, docs: Path, store: str) -> None:
    Path("notes").write_text("hello")
    before = sorted(Path().rglob("*"))
    outcome = run("ingest", "docs", "--embedder", "none", "--store", store)
    assert outcome.status == 2
    assert f"{store} is not a Ragstone store" in outcome.err
    assert sorted(Path().rglob("*")) == before


NOBODY = 65534


def test_a_folder_without_permission_is_listed_and_the_run_goes_on(run: Run, docs: Path) -> None:
    """As root the source is walked by a child that has given up its rights."""
    (docs / "closed").mkdir()
    (docs / "closed" / "a.md").write_text("# Hidden")
    (docs / "closed").chmod(0)
    for folder in (docs, *docs.parents):
        if os.geteuid() == 0 and folder.is_relative_to(tempfile.gettempdir()) and folder != Path(tempfile.gettempdir()):
            folder.chmod(folder.stat().st_mode | 0o055)
    skipped = as_nobody(lambda: [e for e in FileSource("docs", docs, rules=Rules()).walk() if isinstance(e, Skipped)])
    (docs / "closed").chmod(0o700)
    assert [(s["path"], s["reason"]) for s in skipped] == [("closed", "unreadable")]
    assert "closed" in skipped[0]["message"]


def as_nobody(work: Callable[[], Sequence[Skipped]]) -> list[dict[str, str]]:
    """What `work` gives in a process that may not read everything."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            os.write(writing, json.dumps([asdict(skipped) for skipped in work()]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found: list[dict[str, str]] = json.loads(pipe.read())
    os.waitpid(child, 0)
    return found


LONG = "docs/long.md"


@pytest.mark.parametrize(
    "command", [("--help",), ("extract", LONG), ("extract", LONG, "--json"), ("convert", LONG, "out")]
)
def test_a_closed_pipe_ends_a_command_without_a_word(docs: Path, command: tuple[str, ...]) -> None:
    """The reader is gone before the first byte is written; the status says that not all was delivered."""
    (docs / "long.md").write_text("# Long\n\n" + "A line of it.\n\n" * 20_000, encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        call = [sys.executable, "-m", "ragstone", *command]
        done = subprocess.run(call, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=HANG, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_closes_half_way_ends_a_command_the_same_way(docs: Path, unbuffered: str) -> None:
    (docs / "long.md").write_text("# Long\n\n" + "A line of it.\n\n" * 20_000, encoding="utf-8")
    call = [sys.executable, "-m", "ragstone", "extract", LONG]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as done:
        assert done.stdout is not None
        assert done.stderr is not None
        assert done.stdout.read(10) == b"# Long\n\nA "
        done.stdout.close()
        assert done.stderr.read() == b""
    assert done.returncode == 1


def test_terminal_commands_in_documents_are_not_obeyed(run: Run, docs: Path) -> None:
    (docs / "evil.md").write_text("# Evil\n\nThe colour is \x1b[31mred\x1b[0m\x1b]0;owned\x07 today.\n", "utf-8")
    run("ingest", "docs", "--embedder", "none")
    for command in (("search", "colour today", "--mode", "keyword"), ("show", "evil.md"), ("extract", "docs/evil.md")):
        assert "\x1b" not in run(*command).out


NAME = "new\nline\x85\u2028\u202e.md"
ESCAPED = r"new\nline\x85\u2028\u202e.md"


def test_a_name_never_breaks_a_line_or_turns_it_around(run: Run, docs: Path) -> None:
    (docs / NAME).write_text("# Colours\n\nThe colour is green.\n", encoding="utf-8")
    (docs / ("bad" + NAME)).write_bytes(b"\0\0\0")
    docs.rename(docs.with_name("a\nb"))  # the source is named as the folder
    ingested = run("ingest", "a\nb", "--embedder", "none")
    assert f"skipped bad{ESCAPED} (not_text)" in ingested.err
    assert "  a\\nb  " in run("runs").out
    keyword = ("--mode", "keyword")
    for command in (
        ("search", "colour", *keyword),
        ("ask", "What is the colour?", *keyword),
        ("explain", "colour", "--doc", NAME, *keyword),
        ("chunk", NAME),
    ):
        shown = run(*command).out
        assert ESCAPED in shown
        assert not any(c in shown for c in NAME if c != "\n" and not c.isprintable())


@pytest.mark.parametrize("options", [("--json",), ("--format", "evidence-llm"), ("--format", "evidence"), ()])
def test_codes_that_need_no_escape_are_not_obeyed_either(run: Run, docs: Path, options: tuple[str, ...]) -> None:
    codes = "\x85\x9b31m\u202e"
    (docs / "codes.md").write_text(
        f"# Colours\n\nThe colour {codes} is green.\n" + "More text.\n" * 20, encoding="utf-8"
    )
    run("ingest", "docs", "--embedder", "none")
    shown = run("search", "colour green", "--mode", "keyword", "--path", "codes.md", *options).out
    assert "is green" in shown
    assert not any(c in shown for c in codes if not c.isprintable())
    if options == ("--json",):
        assert codes in json.loads(shown)["hits"][0]["text"]


def test_a_folder_that_is_gone_from_under_a_command_is_named(run: Run, docs: Path) -> None:
    (docs.parent / "gone").mkdir()
    os.chdir(docs.parent / "gone")
    (docs.parent / "gone").rmdir()
    for command in (("ingest", "."), ("extract", "a.md")):
        outcome = run(*command)
        assert (outcome.status, outcome.out) == (1, "")
        assert outcome.err == "error: the current folder no longer exists; change to another one\n"


KEY_BODY = "\n".join(["MIIEowIBAAKCAQEAx7Vw3Jq9kq4v0b8Zl1c2d3e4f5g6h7i8j9k0l1m2n3o4p5q6"] * 3)
SECRETS = {
    "aws": "AKIA" + "Q3EGRXW7ZPLM5TUV",
    "pem": f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}\n-----END RSA PRIVATE KEY-----",
    "token": "ghp_" + "Zx8Kq2Lm5Nv7Bw1Cd4Ef6Gh9Jk3Rt0Ys2Up8",
}


@pytest.fixture
def leaky(run: Run, docs: Path) -> Path:
    """A document full of secrets and terminal commands, ingested; its file name gives commands too."""
    text = f"""---
title: Keys \x1b[31m
owner: {SECRETS["token"]}
---
# Deploy

The deploy account uses the access key {SECRETS["aws"]} for uploads.

{SECRETS["pem"]}

| service | key |
|---|---|
| uploads | {SECRETS["aws"]} |

After the key, a last line.
"""
    file = docs / "leaky\x1b[31m.md"
    file.write_text(text, encoding="utf-8")
    run("ingest", "docs", "--embedder", "none")
    return file


COMMANDS: list[tuple[object, ...]] = [
    ("search", "deploy account access key", "--mode", "keyword"),
    ("search", "deploy account access key", "--mode", "keyword", "--format", "xml"),
    ("search", "deploy account access key", "--mode", "keyword", "--format", "evidence"),
    ("search", "deploy account access key", "--mode", "keyword", "--format", "evidence-llm"),
    ("ask", "Which access key does the deploy account use for uploads?", "--mode", "keyword"),
    ("chunk", "leaky\x1b[31m.md", 0),
    ("chunk", "leaky\x1b[31m.md", 1),
    ("chunk", "--preview", "docs/leaky\x1b[31m.md"),
    ("extract", "docs/leaky\x1b[31m.md"),
    ("show", "leaky\x1b[31m.md"),
    ("explain", "deploy account", "--doc", "leaky\x1b[31m.md", "--mode", "keyword"),
    ("collections", "documents"),
    ("ingest", "docs", "--embedder", "none"),
]


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(map(str, command[:1] + command[-1:]))[:30])
def test_no_output_of_any_command_holds_a_secret_or_a_terminal_command(
    run: Run, leaky: Path, command: tuple[object, ...], as_json: bool
) -> None:
    outcome = run(*command, *(["--json"] if as_json else []))
    shown = outcome.out + outcome.err
    assert shown
    for secret in (SECRETS["aws"], SECRETS["token"], KEY_BODY.split("\n")[0]):
        assert secret not in shown
    assert "\x1b" not in shown


def test_a_masked_secret_of_several_lines_moves_no_line_number(run: Run, leaky: Path) -> None:
    lines = leaky.read_text(encoding="utf-8").splitlines()
    number = lines.index("After the key, a last line.") + 1
    shown = run("show", "leaky\x1b[31m.md", "--lines", number)
    assert shown.out.strip() == f"{number}  After the key, a last line."


def test_every_line_end_counts_lines_the_same_everywhere(run: Run, docs: Path) -> None:
    for name, end in (("cr", "\r"), ("crlf", "\r\n"), ("lf", "\n")):
        text = f"{name} title{end}{end}first\x0cpart \u2028 here{end}{end}The colour of the {name} house is green.{end}"
        (docs / f"{name}.txt").write_bytes(text.encode())
    run("ingest", "docs", "--embedder", "none")
    for name in ("cr", "crlf", "lf"):
        hit = run("search", f"colour {name} house", "--mode", "keyword", "--path", f"{name}.txt", "--json").json[
            "hits"
        ][0]
        assert hit["spans"][-1]["line_end"] == 5
        assert run("show", f"{name}.txt", "--lines", 5).out.strip() == f"5  The colour of the {name} house is green."


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["search colour --mode keyword", "ingest docs --embedder none", "--help"])
def test_a_stream_that_the_caller_closed_is_no_error(run: Run, docs: Path, closed: str, command: str) -> None:
    run("ingest", "docs", "--embedder", "none")
    call = f"{sys.executable} -m ragstone {command} {closed}"
    done = subprocess.run(call, shell=True, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stdout + done.stderr
    assert "error" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("options", ["", "--json"])
def test_output_that_cannot_be_written_is_said(run: Run, docs: Path, options: str) -> None:
    run("ingest", "docs", "--embedder", "none")
    call = f"{sys.executable} -m ragstone search colour --mode keyword {options} >/dev/full"
    done = subprocess.run(call, shell=True, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: the system refused: No space left on device\n"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_terminal_without_unicode_gets_escapes(run: Run, docs: Path, options: list[str]) -> None:
    (docs / "kyoto.md").write_text("# 京都\n\nThe colour of Kyoto · 京都 is vermilion.\n", encoding="utf-8")
    run("ingest", "docs", "--embedder", "none")
    call = [sys.executable, "-m", "ragstone", "search", "Kyoto", "--mode", "keyword", *options]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(call, env=ascii_only, capture_output=True, text=True, timeout=HANG, check=False)
    assert (done.returncode, "vermilion" in done.stdout) == (0, True)
    assert done.stdout.isascii()
    if options:
        assert "京都" in json.loads(done.stdout)["hits"][0]["text"]


@pytest.mark.parametrize("option", ["--source", "--doc", "--collection"])
def test_bytes_that_are_no_text_are_named(docs: Path, option: str) -> None:
    call = [sys.executable.encode(), b"-m", b"ragstone", b"search", b"colour", option.encode(), b"\xff"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


# Sends an interrupt to its own process when a module is looked for: a moment of the start that is the same on every
# machine, however busy. Before `main` it is Python that starts, and what it says then is not ours.
STRUCK = """
import os, signal, sys

class Struck:
    def find_spec(self, name, *_):
        if name == sys.argv[0]:
            sys.argv[0] = "ragstone"
            os.kill(os.getpid(), signal.SIGINT)

from ragstone.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run in the background it would be ignored
sys.argv = [sys.argv[1], "ingest", "docs"]
sys.meta_path.insert(0, Struck())
main()
"""


@pytest.mark.parametrize(
    "module",
    # settings, the commands, the door of the engine, what it computes with, the engine, a store, a document's reader
    [
        "ragstone.config.load",
        "typer",
        "ragstone.cli.ingest",
        "asyncio",
        "numpy",
        "ragstone.engine",
        "sqlite3",
        "pyromark",
    ],
)
def test_an_interrupt_at_any_moment_of_the_start_is_130(docs: Path, module: str) -> None:
    call = [sys.executable, "-c", STRUCK, module]
    done = subprocess.run(call, capture_output=True, text=True, timeout=HANG, check=False)
    said = done.stderr.splitlines()
    assert (done.returncode, said) == (
        130,
        ["interrupted: finished work is kept; run the same command to continue"],
    )
