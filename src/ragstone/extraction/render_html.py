"""An extraction as a page to look at: blocks in order, tables with spans, no scripts."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from ragstone.core.types import Block, Cell, Extraction

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #1b1b1b; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border: 1px solid #767676; padding: .2rem .5rem; text-align: left; vertical-align: top; }
th, td { white-space: pre-line; }
th { background: #eee; }
pre { background: #f4f4f4; padding: .8rem; overflow-x: auto; }
.beside { color: #595959; border-left: 3px solid #bbb; padding-left: .6rem; font-size: .85em; }
[role=note] { background: #fff4d6; padding: .5rem .8rem; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #161616; } th, pre { background: #2a2a2a; } .beside { color: #a8a8a8; }
  [role=note] { background: #453a12; }
}
"""


def render_page(extraction: Extraction, *, name: str) -> str:
    """A whole page that needs nothing else: every text escaped, no script, no address that is loaded.

    Text outside the body (headers, footers, contents) is grey, with its role as a title.
    """
    title = escape(extraction.title or name)
    warnings = "".join(f'<p role="note">{escape(warning)}</p>\n' for warning in extraction.warnings)
    body = "".join(_render_blocks(extraction.blocks))
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    view = '<meta name="viewport" content="width=device-width">'
    head = f'<meta charset="utf-8">\n{policy}\n{view}\n<title>{title}</title>'
    return (
        f'<!doctype html>\n<html lang="und">\n<head>\n{head}\n<style>{STYLE}</style>\n</head>\n<body>\n'
        f"<main>\n{warnings}{body}</main>\n</body>\n</html>\n"
    )


def _render_blocks(blocks: tuple[Block, ...]) -> Iterator[str]:
    for (kind, role), run in groupby(blocks, key=lambda block: (block.type, block.role)):
        inner = (_render_list if kind == "list" else _render_each)(list(run))
        yield inner if role == "body" else f'<div class="beside" title="{role}">\n{inner}</div>\n'


def _render_each(blocks: list[Block]) -> str:
    return "".join(map(_render_block, blocks))


def _render_block(block: Block) -> str:
    place = _page_attribute(block)
    if block.type == "table" and block.cells:
        return f"<table{place}>\n{_render_rows(block.cells)}</table>\n"
    if block.type == "heading":
        level = min(max(block.level, 1), 6)
        return f"<h{level}{place}>{escape(block.text)}</h{level}>\n"
    if block.type == "code":
        return f"<pre{place}><code>{escape(block.text)}</code></pre>\n"
    return f"<p{place}>{escape(block.text)}</p>\n"


def _page_attribute(block: Block) -> str:
    page = block.spans[0].page if block.spans else None
    return f' data-page="{page}"' if page is not None else ""


def _render_rows(cells: tuple[Cell, ...]) -> str:
    return "".join(
        "<tr>" + "".join(map(_render_cell, row)) + "</tr>\n" for _, row in groupby(cells, key=lambda cell: cell.row)
    )


def _render_cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = "".join(
        f' {name}="{value}"' for name, value in (("rowspan", cell.rowspan), ("colspan", cell.colspan)) if value > 1
    )
    return f"<{tag}{spans}>{escape(cell.text)}</{tag}>"


def _render_list(items: list[Block]) -> str:
    """Items nested by their depth; their own marks stand in their text."""
    out, depth = "", 0
    for item in items:
        wanted = max(1, item.level)
        out += "<ul>\n" * (wanted - depth) + "</ul>\n" * (depth - wanted)
        depth = wanted
        out += f'<li style="list-style: none"{_page_attribute(item)}>{escape(item.text)}</li>\n'
    return out + "</ul>\n" * depth
