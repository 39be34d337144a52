"""`docs/why/layout.md` shows the source as it is: packages, arrows, the way of a question and of a document."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.imports import LAYER, ROOT, SOURCE, draw_table, parse_file, read_arrows
from tests.patience import HANG

PAGE = (ROOT / "docs" / "why" / "layout.md").read_text("utf-8")
MOST_AT_THE_ROOT = 19
MOST_ARROWS = 80
LONGEST_WAY = {"question": 20, "document": 15}
HOP = re.compile(r"^\d+\. `([\w/]+\.py):([\w.]+)`(.*)$", re.MULTILINE)

TRACED = """
import sys, threading
calls = {}
def note(frame, event, _):
    if event == "call":
        calls.setdefault((frame.f_code.co_filename, frame.f_code.co_qualname), len(calls))
threading.setprofile(note)
sys.setprofile(note)
from ragstone.cli import main
try:
    main()
finally:
    sys.setprofile(None)
    for file, name in calls:
        print("CALL", file, name, sep="\\t")
"""


def read_hops(way: str) -> list[tuple[str, str, str]]:
    """File, function and text of each hop of a way."""
    section = PAGE.split(f"## The way of a {way}")[1].split("\n## ")[0]
    return [(hop[1], hop[2], hop[3]) for hop in HOP.finditer(section)]


def list_functions(file: str) -> set[str]:
    """The functions of a file, and `Class.method`."""
    tree = parse_file(SOURCE / file)
    owners = [("", tree.body), *((f"{node.name}.", node.body) for node in tree.body if isinstance(node, ast.ClassDef))]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return {f"{owner}{node.name}" for owner, body in owners for node in body if isinstance(node, kinds)}


def list_calls(folder: Path, *arguments: str) -> dict[tuple[str, str], int]:
    """The functions that a command calls, in the order of their first calls."""
    command = [sys.executable, "-c", TRACED, *arguments, "--store", str(folder / "store")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=True)
    calls = [line.split("\t") for line in done.stdout.splitlines() if line.startswith(f"CALL\t{SOURCE}")]
    return {(Path(file).relative_to(SOURCE).as_posix(), name): place for place, (_, file, name) in enumerate(calls)}


def test_the_table_shows_the_packages_and_their_arrows() -> None:
    assert draw_table() in PAGE, "python -m tests.house.imports prints the table"


def test_packages_and_arrows_stay_few_and_point_downwards() -> None:
    arrows = read_arrows()
    counts = len(arrows), sum(map(len, arrows.values()))
    assert counts[0] <= MOST_AT_THE_ROOT
    assert counts[1] <= MOST_ARROWS
    assert f"{counts[0]} entries at the root, {counts[1]} arrows" in PAGE
    assert [(here, there) for here in arrows for there in arrows[here] if LAYER[there] >= LAYER.get(here, 99)] == []


@pytest.mark.parametrize("way", LONGEST_WAY)
def test_a_way_is_short_and_names_functions_that_exist(way: str) -> None:
    hops = read_hops(way)
    assert 10 < len(hops) <= LONGEST_WAY[way]
    assert [f"{file}:{name}" for file, name, _ in hops if name not in list_functions(file)] == []


def test_a_document_and_a_question_take_these_ways(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "samples.md").write_text("# Samples\n\nSamples of water are kept for nine weeks.\n", "utf-8")
    commands = {
        "document": ("ingest", str(tmp_path / "docs")),
        "question": ("ask", "How long are samples of water kept?"),
    }
    for way, arguments in commands.items():
        calls = list_calls(tmp_path, *arguments)
        hops = [(file, name) for file, name, text in read_hops(way) if "(with a model only)" not in text]
        assert [hop for hop in hops if hop not in calls] == []
        assert sorted(hops, key=calls.__getitem__) == hops
