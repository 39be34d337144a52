"""Markdown: what becomes which block, and where it stands in the file."""

import re
from collections import Counter

import pyromark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from ragstone.core.errors import Refused
from ragstone.core.types import Block, Extraction
from ragstone.extraction.markdown.parse import Markdown
from ragstone.extraction.markdown.parser_events import OPTIONS


def read(text: str) -> Extraction:
    return Markdown().extract(text.encode(), path="a.md")


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.type, block.text) for block in read(text).blocks]


def slices(text: str) -> list[list[str]]:
    extraction = read(text)
    return [[extraction.record[s.char_start : s.char_end] for s in block.spans] for block in extraction.blocks]


def test_headings_of_both_kinds_have_a_level_and_no_markup() -> None:
    found = read("# Hi *x* `y` {#id}\n\nSetext [l](u)\n---\n\n### Third ###\n").blocks
    assert [(b.type, b.level, b.text) for b in found] == [
        ("heading", 1, "Hi x y"),
        ("heading", 2, "Setext l"),
        ("heading", 3, "Third"),
    ]


def test_spans_are_slices_of_the_file_in_characters_and_lines() -> None:
    text = "# É\n\nZwölf *Boxkämpfer*\njagen 😀 Viktor.\n\nEnd\n"
    assert slices(text) == [["# É"], ["Zwölf *Boxkämpfer*\njagen 😀 Viktor."], ["End"]]
    assert [(b.spans[0].line_start, b.spans[0].line_end) for b in read(text).blocks] == [(1, 1), (3, 4), (6, 6)]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_are_kept_and_understood(end: str) -> None:
    text = "---\ntitle: T\n---\n# A\n\nb\nc\n\n- d\n- e\n\n| f |\n|---|\n| g |\n".replace("\n", end)
    extraction = read(text)
    assert extraction.record == text
    assert extraction.title == "T"
    assert [b.type for b in extraction.blocks] == ["heading", "paragraph", "list", "list", "table"]
    assert [b.spans[0].line_start for b in extraction.blocks] == [4, 6, 9, 10, 12]
    assert slices(text)[1] == [f"b{end}c"]


def test_each_list_item_is_a_block_with_its_depth_and_mark() -> None:
    text = "- one\n  more\n  1. two\n\n     still two\n- [x] three\n"
    assert [(b.level, b.text) for b in read(text).blocks] == [
        (1, "- one more"),
        (2, "1. two\nstill two"),
        (1, "- [x] three"),
    ]
    assert slices(text) == [["- one\n  more"], ["  1. two\n\n     still two"], ["- [x] three"]]


def test_code_and_tables_in_a_list_are_blocks_of_their_own() -> None:
    found = blocks("1. Run\n\n   ```sh\n   make all\n   ```\n\n   then\n\n   | a |\n   |---|\n   | b |\n2. End\n")
    assert [type_ for type_, _ in found] == ["list", "code", "list", "table", "list"]
    assert found[1] == ("code", "make all")
    assert found[2] == ("list", "then")


def test_code_keeps_its_fence_in_the_span_and_tells_its_language() -> None:
    text = "```rust,ignore\nfn x() {}\n\n# no heading\n```\n\n    indented\n"
    first, second = read(text).blocks
    assert (first.text, first.language) == ("fn x() {}\n\n# no heading", "rust")
    assert (second.text, second.language) == ("indented", None)
    assert slices(text) == [["```rust,ignore\nfn x() {}\n\n# no heading\n```"], ["    indented"]]


def test_a_table_has_cells_with_places_and_one_span_a_row() -> None:
    text = "| Näme | B |\n|---|---|\n| x \\| y | `z` |\n| | **w** |\n"
    [table] = read(text).blocks
    assert [(c.row, c.col, c.text, c.header) for c in table.cells] == [
        (0, 0, "Näme", True),
        (0, 1, "B", True),
        (1, 0, "x | y", False),
        (1, 1, "z", False),
        (2, 0, "", False),
        (2, 1, "w", False),
    ]
    places = [text[c.char_start : c.char_end] for c in table.cells if c.char_start is not None]
    assert places == ["Näme", "B", "x \\| y", "`z`", "**w**"]
    assert slices(text) == [["| Näme | B |\n|---|---|", "| x \\| y | `z` |", "| | **w** |"]]
    assert [s.rows for s in table.spans] == [(1, 1), (2, 2), (3, 3)]


def test_comments_are_cut_out_of_what_stands_around_them() -> None:
    text = "before <!-- secret --> after\n\n<!-- whole\n\nblock -->\n\n- item\n  <!-- c -->\n  tail\n"
    assert slices(text) == [["before", "after"], ["- item", "  tail"]]
    assert "secret" not in str(read(text).blocks)


def test_a_comment_that_never_ends_is_warned_about() -> None:
    assert "never ends" in read("text\n\n<!-- oops\n\nhidden\n").warnings[0]


def test_link_definitions_and_rules_are_no_blocks() -> None:
    assert blocks("a [b]\n\n***\n\n[b]: http://example.org 'T'\n") == [("paragraph", "a b")]


def test_footnotes_are_paragraphs() -> None:
    assert blocks("a[^1]\n\n[^1]: the note\n") == [("paragraph", "a"), ("paragraph", "the note")]
    assert slices("a[^1]\n\n[^1]: the note\n")[1] == ["[^1]: the note"]


def test_a_heading_inside_a_quote_or_item_is_no_section() -> None:
    assert blocks("> ## Aside\n>\n> text\n\n- # item\n") == [
        ("paragraph", "Aside"),
        ("paragraph", "text"),
        ("list", "- item"),
    ]


def test_html_blocks_give_their_visible_text() -> None:
    text = (
        "<details open>\n<summary>Sum <b>up</b></summary>\n\ninner *md*\n\n</details>\n\n"
        '<h2 align="center">Raw</h2>\n\n'
        "<p>one<br>two &amp; three</p>\n<ul><li>item</li></ul>\n\n<script>\nhidden()\n</script>\n\n"
        "<style>p {}</style>\n"
    )
    assert blocks(text) == [
        ("paragraph", "Sum up"),
        ("paragraph", "inner md"),
        ("heading", "Raw"),
        ("paragraph", "one\ntwo & three"),
        ("list", "item"),
    ]


def test_an_html_table_stays_a_table_over_blank_lines() -> None:
    text = (
        "<table>\n<tr><th colspan=2>H</th></tr>\n\n"
        "<tr><td rowspan='2'>a<br>b</td><td>c</td></tr>\n\n<tr><td>d</td></tr>\n</table>\n\nafter\n"
    )
    table, after = read(text).blocks
    assert [(c.row, c.col, c.rowspan, c.colspan, c.text) for c in table.cells] == [
        (0, 0, 1, 2, "H"),
        (1, 0, 2, 1, "a b"),
        (1, 1, 1, 1, "c"),
        (2, 1, 1, 1, "d"),
    ]
    assert [text[c.char_start : c.char_end] for c in table.cells if c.char_start] == ["H", "a<br>b", "c", "d"]
    assert after.text == "after"


def test_a_placeholder_in_angle_brackets_is_not_taken_for_a_tag() -> None:
    assert blocks("Use <Name> and <b>bold</b>.\n") == [("paragraph", "Use <Name> and bold.")]


def test_components_show_their_captions_and_what_is_in_them() -> None:
    text = (
        '<Listing number="1" caption="A `call`">\n\n```rust\nx();\n```\n\n</Listing>\n\n'
        '<Tab title="One">\ntext\n</Tab>\n'
    )
    assert blocks(text) == [
        ("paragraph", "A `call`"),
        ("code", "x();"),
        ("paragraph", "One"),
        ("paragraph", "text"),
    ]


def test_directives_of_site_generators_are_no_text() -> None:
    text = (
        "import Tabs from '@theme/Tabs';\n\n:::note My title\ninside\n:::\n\n"
        ':::image source="x" alt-text="A picture":::\n\n'
        '::: moniker range="v1"\n\n{{< include x >}}\n\n```rust\n{{#include x.rs}}\n```\n\n'
        "```hbs\n{{#include x.rs}}\n```\nuse {{ x }}\n"
    )
    assert blocks(text) == [
        ("paragraph", "My title inside"),
        ("paragraph", "A picture"),
        ("code", "{{#include x.rs}}"),
        ("paragraph", "use {{ x }}"),
    ]


def test_front_matter_is_known_but_no_text() -> None:
    extraction = read("---\ntitle: The title\ntags: a\n---\n# Heading\n\ntext\n")
    assert (extraction.title, extraction.meta["tags"]) == ("The title", ["a"])
    assert extraction.record.startswith("---\ntitle")
    assert [b.text for b in extraction.blocks] == ["Heading", "text"]


def test_without_front_matter_the_first_main_heading_is_the_title() -> None:
    assert read("## Small\n\n# Big\n\ntext\n").title == "Small"
    assert read("text\n\n# Big\n").title == "Big"
    assert read("text\n\n## Small\n").title is None


def test_a_list_of_links_into_the_page_is_a_table_of_contents() -> None:
    found = read("- [A](#a)\n- [B](#b)\n  - [C](#c)\n\ntext\n\n- [A](#a) is used\n- b\n- c\n").blocks
    assert [b.role for b in found] == ["toc", "toc", "toc", "body", "body", "body", "body"]


def test_a_list_of_numbers_is_text_however_deep_it_nests() -> None:
    ports = read("- 80\n- 443\n- 8080\n").blocks
    deep = read("\n".join("  " * level + "- x" for level in range(1500))).blocks  # x is a number in Rome
    assert [(b.text, b.role) for b in ports] == [("- 80", "body"), ("- 443", "body"), ("- 8080", "body")]
    assert [(b.level, b.role) for b in deep] == [(level, "body") for level in range(1, 1501)]


@pytest.mark.parametrize("text", ["<!-- only -->\n", "---\ntitle: x\n---\n", "[a]: b\n", "***\n"])
def test_a_file_without_text_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        read(text)
    assert refusal.value.reason == "empty"


@pytest.mark.parametrize("sign", [">", "> ", "[", "- ", "*", "`", "<", "![", "1. "])
def test_nesting_by_the_ten_thousand_is_read(sign: str) -> None:
    assert read("first\n\n" + sign * 30_000 + "x").blocks[0].text == "first"


WORD = "w{}"
PARTS = st.sampled_from(
    "\n|\n\n|# |## |- |  - |1. |> |> > |    |```\n|~~~py\n|`|*|**| |\n|[|](u) |![|<b>|</b>|<div>\n|</div>\n"
    "|<p>|<td>|\\|&amp;|===\n|---\n|[^1]|[^1]: |[a]: u\n|:::note\n|:::\n|<br>|"
    "<table><tr><td>|</td></tr></table>\n".split("|")
) | st.sampled_from(["| a | b |\n|---|---|\n", "| ", " |\n", "<details>\n", "\r\n", "é", "<li>", "</ul>", "<!-- x -->"])


@settings(max_examples=100, deadline=None)
@given(st.lists(PARTS, max_size=40))
def test_every_visible_word_stands_in_exactly_one_block(parts: list[str]) -> None:
    text = "".join(part + WORD.format(number) + " " for number, part in enumerate(parts))
    try:
        extraction = read(text)
        found = extraction.blocks
        record = extraction.record
    except Refused:
        found, record = (), text
    counted = Counter(
        word for block in found for span in block.spans for word in words(record[span.char_start : span.char_end])
    )
    assert not [word for word, times in counted.items() if times > 1]
    assert visible_words(text) <= set(counted)


def words(text: str) -> list[str]:
    return re.findall(r"w\d+", text)


def visible_words(text: str) -> set[str]:
    """The words that an HTML rendering of the Markdown shows."""
    rendered = pyromark.html(re.sub(r"\r(?!\n)", "\n", text), options=OPTIONS)
    rendered = re.sub(r"<!--.*?(?:-->|\Z)", " ", rendered, flags=re.DOTALL)
    tree = html.fromstring(f"<div>{rendered}</div>")
    shown = [str(piece) for piece in tree.itertext()] + [image.get("alt", "") for image in tree.iter("img")]
    return {word for piece in shown for word in words(piece)}


def test_blocks_come_in_the_order_of_the_file() -> None:
    found: tuple[Block, ...] = read("a\n\n- b\n\n> c\n\n| d |\n|---|\n\n<p>e</p>\n\n```\nf\n```\n# g\n").blocks
    starts = [block.spans[0].char_start for block in found]
    assert starts == sorted(starts)
    assert len(found) == 7
