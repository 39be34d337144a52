"""Benchmarks are run by hand: what they import from the library exists all the same."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "benchmarks").rglob("*.py"))


def find_missing(source: str) -> list[str]:
    """Modules and names that a source imports from the library or its tests and that do not exist."""
    missing = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] not in ("ragstone", "tests"):
            continue
        module = str(node.module)
        if find_spec(module) is None:
            missing.append(module)
            continue
        found = import_module(module)
        names = [alias.name for alias in node.names if not hasattr(found, alias.name)]
        folder = hasattr(found, "__path__")
        missing += [f"{module}.{name}" for name in names if not (folder and find_spec(f"{module}.{name}"))]
    return missing


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_benchmark_imports_what_exists(file: Path) -> None:
    assert find_missing(file.read_text(encoding="utf-8")) == []


def test_a_name_that_is_gone_is_seen() -> None:
    gone = "from ragstone.retrieval import fusion_formulas, sift\nfrom ragstone.core.types import Chunk, Slice"
    assert find_missing(gone) == ["ragstone.retrieval.sift", "ragstone.core.types.Slice"]
