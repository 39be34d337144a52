"""The large collections that may lie beside the project, and what of its own stands for them in the same tests."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
LARGE = [pytest.mark.data, pytest.mark.skipif(not DATA.is_dir(), reason="the large collections are not here")]
DEMO = ROOT / "demo" / "docs"
TREES = [
    pytest.param([DEMO, ROOT / "docs"], id="own"),
    pytest.param([DATA / "kb"], id="large", marks=LARGE),
]


def markdown(trees: list[Path]) -> list[Path]:
    """The pages of documentation in these folders."""
    return [path for tree in trees for path in sorted(tree.rglob("*.md"))]
