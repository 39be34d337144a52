"""Whole pages: whatever the markup, blocks stand in their record in order."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Refused
from ragstone.core.ports import Extractor
from ragstone.extraction.html.parse import Html
from ragstone.testing.extractors import ExtractorContract

XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a id="x"/><p>é<br/>b</p></body></html>'
RICH = """<!doctype html><title>T</title><h1><a href="https://e.org/t">T</a></h1><p>10<sup>-3</sup> of
H<sub>2</sub>O<sup><a href="#n1">1</a></sup>, see <a href="https://e.org/é">thé docs</a><br><br>
and <img alt="a |duck|">.<p hidden>no</p>
<dl><dt>A</dt><dd>a</dd><dt>B</dt><dd>b</dd><dd>c</dd></dl><ol type=a start=3><li>x<pre data-lang=go>y
z</pre><li>w</ol><table><caption>C</caption><thead><tr><td>A|B<td>C</thead><tr><td rowspan=0><pre>p
q</pre><td><table><tr><td>1<td>2</table><tr><td><ul><li>é</ul></table><div><tr><td>k<td>l</tr><tr><td>m<td>n</tr></div>"""
PARTS = """<p> <b> <a_href="https://e.org/x"> </a> <a_href="#n"> <sup> </sup> <sub> </sub> <br> <ul> <ol_reversed> <li>
</li> </ul> <table> <tr> <th> <td> <td_rowspan=3> <td_colspan=0> <thead> <tfoot> </table> <pre> </pre> <h2> </h2> <dl>
<dt> <dd> </dl> <img_alt="a[b"> <math> <mi> </math> <p_style="color:white"> <div_hidden> </div> <q> <nav> <article> x
y1 | [1] 2 : &amp; &#11; <!-- --> <figure> <figcaption> <caption> <button> <script> </script> `` ``` \\ é 😀""".split()


class TestRichPages(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return Html()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {"a.html": RICH.encode(), "flat.html": ("<i>" * 5000 + RICH).encode(), "a.xhtml": XHTML.encode()}


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_whatever_the_markup_blocks_stand_in_the_record_in_order(parts: list[str]) -> None:
    page = " ".join(parts).replace("_", " ")
    try:
        extraction = Html().extract(page.encode(), path="a.html")
    except Refused:
        return
    spans = [(s.char_start, s.char_end) for block in extraction.blocks for s in block.spans]
    assert spans == sorted(spans)
    for block in extraction.blocks:
        if block.type == "paragraph":
            [span] = block.spans
            assert extraction.record[span.char_start : span.char_end] == block.text
        for cell in block.cells:
            if cell.text:
                assert extraction.record[cell.char_start : cell.char_end] == cell.text.replace("|", "\\|")
