"""Every block of every page does what the page says."""

import json
from pathlib import Path

import pytest

from ragstone.config.load import load
from tests.docs.blocks import ROOT, WITH_MODEL, Block, blocks, missing, pages
from tests.docs.conftest import Shell

RUNNING = [page for page in pages() if any(block.runs for block in blocks(page))]


@pytest.mark.parametrize("page", RUNNING, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_from_its_first_block_to_its_last(page: Path, shell: Shell, tmp_path: Path) -> None:
    with_model = WITH_MODEL in page.read_text(encoding="utf-8")
    environment = {} if with_model else {"RAGSTONE_EMBED__MODEL": "none"}
    printed: str | None = None
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.file is not None:
            (tmp_path / "scratch" / block.file).write_text(block.text, encoding="utf-8")
        elif block.runs:
            done = shell(block.text, python=block.language == "python", **environment)
            assert done.returncode == block.status, f"{where} ended with {done.returncode}:\n{done.stdout}"
            assert "Traceback" not in done.stdout, f"{where}:\n{done.stdout}"
            printed = done.stdout
            continue
        elif block.language == "text" and printed is not None:
            line = missing(block.text, printed)
            assert line is None, f"{where} shows a line that was not printed: {line}\nprinted:\n{printed}"
        printed = None


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_is_not_run_is_at_least_well_formed(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        well_formed(block, tmp_path)


def well_formed(block: Block, folder: Path) -> None:
    """Raises when a block is of no known language, no JSON, or no configuration."""
    # SQL is run by tests/stores/postgres/test_views.py.
    assert block.language in ("sh", "python", "text", "yaml", "json", "jsonl", "sql"), block
    known = ("not-run", "postgres", "exit=", "file=")
    assert all(mark.startswith(known) for mark in block.marks), block
    if block.language == "json":
        json.loads(block.text)
    if block.language == "jsonl":
        assert all(json.loads(line) for line in block.text.splitlines())
    if block.language == "yaml" and block.file in (None, "ragstone.yaml"):
        (folder / "ragstone.yaml").write_text(block.text.replace("${", "${UNSET_"), encoding="utf-8")
        text = (folder / "ragstone.yaml").read_text(encoding="utf-8")
        if "${" not in text or ":-" in text:
            load(folder / "ragstone.yaml")
