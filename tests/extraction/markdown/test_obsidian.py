"""Notes of Obsidian and exports of Notion: comments, embedded pictures, names."""

import pytest

from ragstone.core.chunk_enrichment import searchable_text
from ragstone.core.types import Chunk, Document
from ragstone.extraction import extract
from ragstone.extraction.markdown.obsidian import hide_comments
from ragstone.extraction.markdown.parse import Markdown
from ragstone.ingestion.embedding_text import format_embedding_text
from tests.speed import in_step

NOTION = "Wiki 0a1b2c3d4e5f60718293a4b5c6d7e8f9/Vendors 7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a29"
NOTE = """---
aliases: [Shipping guide, Go live]
---
Releases are cut on Thursdays. %% ask Bo about it %% See [[Plan|the way back]].

%%
A hidden paragraph.

Another one.
%%
![[Diagram.png]]

Use `%%` to print one, as 100%% is.

```
%% kept in code %%
```
"""


def test_tags_in_the_text_are_tags_of_the_note() -> None:
    text = (
        "---\ntags: [daily, home/attic]\n---\n#garden\n# Hose #not-a-place\n\n- Order it #garden/irrigation, "
        "item #12 of `#include` %% ask #hidden %%\n\n```\n#code\n```\n\n| #row |\n|---|\n| [up](#top) #e3f2f0 |\n"
    )
    found = Markdown().extract(text.encode(), path="a.md")
    assert found.meta["tags"] == "daily home home/attic garden not-a-place garden/irrigation row".split()
    assert "tags" not in Markdown().extract(b"# A\n\nIssue #12.\n", path="a.md").meta


def test_comments_and_pictures_of_notes_are_in_no_block() -> None:
    found = Markdown().extract(NOTE.encode(), path="Apollo/Release.md")
    assert [block.text for block in found.blocks] == [
        "Releases are cut on Thursdays. See [[Plan|the way back]].",
        "Use %% to print one, as 100%% is.",
        "%% kept in code %%",
    ]
    assert "ask Bo" not in "".join(found.record[s.char_start : s.char_end] for b in found.blocks for s in b.spans)
    assert found.title == "Release"


@pytest.mark.parametrize(
    "text",
    [
        "%%\nnever closed\n",
        "a %% b\n",
        "%%\n```\n%%\n```\n",
        "no %%sign%% of it\n",
        "`CPU: %% used and %% idle` and ``%% a `b %%``\n",
        "Write `![[image.png]]` <!-- %% foo bar %% --> here.\n",
        "%% of a list\nText.\n\nThe share was 5%%\n",
        "%%\nThe share was 5%%\n",
        "%% @doc The server\n%% starts.\n%%%%%%\n",
        "```md\n```python\n%% foo bar %%\n```\n",
    ],
)
def test_signs_that_are_no_comment_stay(text: str) -> None:
    assert hide_comments(text) == text


def test_comments_that_never_end_are_read_in_step() -> None:
    in_step(lambda n: hide_comments("%%x\n" * n + "%% a b" * n + "`%%` ``" * n + "<!--" * n), 1000, 8000, most=16)


@pytest.mark.parametrize(
    ("ending", "text"), [("md", "No heading.\n"), ("csv", "Name,Until\nAcme,2026\n"), ("md", "Text\n\n## Small\n")]
)
def test_the_ids_of_exports_are_in_no_title(ending: str, text: str) -> None:
    assert extract(text.encode(), path=f"{NOTION}.{ending}").title == "Vendors"


def test_a_note_is_searched_by_its_aliases_and_embedded_by_its_path_without_ids() -> None:
    meta = {"aliases": ["Shipping guide", 7, "Go live"]}
    document = Document("d", "s", f"{NOTION}.md", 1, "v", "r", "Vendors", meta=meta)
    chunk = Chunk("c", document, 0, "Text.", ())
    assert searchable_text(chunk) == "Vendors, Shipping guide, Go live\nText."
    assert format_embedding_text(chunk) == "Wiki/Vendors.md\nText."
