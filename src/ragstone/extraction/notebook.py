"""Notebooks (.ipynb): cells in order, text as Markdown, code with what it printed."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.markdown.parse import Markdown
from ragstone.extraction.media_types import NOTEBOOK
from ragstone.extraction.optional_steps import FailedStep, attempt_step, warn_failed_steps
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks, write_record
from ragstone.extraction.record.confidentiality import KEY, find_levels, find_marked_head

PRINTED = 4000  # characters of a cell's output that are kept
TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def parse_notebook(data: bytes, *, path: str) -> Extraction:
    """The cells of a notebook; pictures and other outputs than text are left out.

    Raises `Refused`: broken (not the JSON of a notebook), empty.
    """
    text, warnings = decode_text(data, path=path)
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused("broken", f"{path} is not a readable notebook: {error}; save it again in Jupyter") from error
    cells = _list_cells(notebook)
    if cells is None:
        raise Refused("broken", f"{path} is not a notebook: it has no list of cells; save it again in Jupyter")
    language = _find_language(notebook)
    failed: list[FailedStep] = []
    levels = list(find_levels(notebook.get("metadata")))
    record, blocks = write_record(draft for cell in cells for draft in _read_cell(cell, language, path, levels, failed))
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    title = next((block.text for block in blocks if block.type == "heading"), None)
    meta: dict[str, Any] = {"language": language} if language else {}
    if levels:
        meta[KEY] = levels
    return Extraction(record, blocks, NOTEBOOK, title, meta, (*warnings, *warn_failed_steps(failed)))


def _list_cells(notebook: Any) -> list[Any] | None:
    if not isinstance(notebook, dict):
        return None
    sheets = notebook.get("worksheets")  # before version 4
    if isinstance(sheets, list):
        return [cell for sheet in sheets if isinstance(sheet, dict) for cell in _as_list(sheet.get("cells"))]
    return notebook["cells"] if isinstance(notebook.get("cells"), list) else None


def _find_language(notebook: Mapping[str, Any]) -> str:
    meta = notebook.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        entry = meta.get(key)
        if isinstance(entry, dict) and isinstance(entry.get(name), str):
            return str(entry[name]).lower()[:40]
    return ""


def _read_cell(
    cell: Any, language: str, path: str, levels: list[Any], failed: list[FailedStep]
) -> Iterator[BlockDraft]:
    if not isinstance(cell, dict):
        return
    source = _join_text(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "code":
        yield BlockDraft("code", source.strip("\n"), language=language or None)
        for output in _as_list(cell.get("outputs")):
            yield BlockDraft("code", _read_output(output))
    elif source.strip():
        levels += [RESTRICTED] if find_marked_head(source) else []
        try:
            read = partial(Markdown().extract, source.encode(errors="replace"), path=path)
            found = attempt_step("a cell was read as plain text", read, failed, timed=False)
        except Refused:  # a cell of comments alone
            return
        if found is None:
            yield BlockDraft("paragraph", source.strip())
            return
        levels += list(find_levels(found.meta))
        yield from (replace(draft, page=None) for draft in adopt_blocks(found))


def _read_output(output: Any) -> str:
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    plain = data.get("text/plain") if isinstance(data, dict) else None
    text = TERMINAL.sub("", _join_text(output.get("text", plain))).strip("\n")
    if output.get("output_type") == "error":
        text = f"{output.get('ename', '')}: {output.get('evalue', '')}"
    return text if len(text) <= PRINTED else text[:PRINTED] + " …"


def _join_text(source: Any) -> str:
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def _as_list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
