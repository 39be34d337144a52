"""Pages in other clothes: feeds, XML, pages saved with all that belongs to them."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.errors import Refused
from ragstone.extract.feed import Feed
from ragstone.extract.html import Html
from ragstone.extract.mhtml import parse
from ragstone.ports import Extractor
from ragstone.testing.extractors import ExtractorContract
from ragstone.types import Extraction

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:c="http://purl.org/rss/1.0/modules/content/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News &amp;amp; more</title>
<description>All of it</description>
<language>en</language><item><title>One</title><link>https://e.org/1</link><dc:creator>Ann</dc:creator>
<pubDate>Tue, 19 Nov 2024 13:30:02 +0000</pubDate><description>short</description>
<c:encoded><![CDATA[<p>Text with <a href="https://e.org/x">a link</a></p><h2>Part</h2><p hidden>no</p>]]>
</c:encoded></item>
<item><title>Two</title><description>&lt;p&gt;Second&lt;/p&gt;</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><updated>2024-05-01T00:00:00Z</updated><entry>
<title>One</title><link rel="self" href="https://e.org/self"/><link href="https://e.org/1"/><author><name>Ann</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Words</div></content></entry></feed>"""
XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a id="x"/><p>é<br/>b</p></body></html>'
SAVED = """From: <Saved by Blink>
Snapshot-Content-Location: https://e.org/page
Subject: A page
Date: Tue, 19 Nov 2024 13:30:02 -0000
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="b"

--b
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable
Content-Location: https://e.org/page

<html lang=3D"en"><h1>Caf=C3=A9</h1><p>Te=
xt</p></html>
--b
Content-Type: image/png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--b--
"""


def feed(text: str) -> Extraction:
    return Feed().extract(text.encode(), path="a.xml")


def test_the_entries_of_a_feed_are_sections() -> None:
    extraction = feed(RSS)
    assert extraction.record == (
        "# News & more\n\nAll of it\n\n## One\n\n2024-11-19T13:30:02+00:00 · Ann · https://e.org/1\n\n"
        "Text with [a link](https://e.org/x)\n\n#### Part\n\n## Two\n\nSecond"
    )
    assert extraction.title == "News & more"
    assert extraction.meta == {"date": "2024-11-19T13:30:02+00:00", "description": "All of it", "language": "en"}
    assert extraction.warnings == ("One: hidden text was left out: 2 characters in 1 place",)


def test_atom_is_read_as_well() -> None:
    assert feed(ATOM).record == "# F\n\n## One\n\nAnn · https://e.org/1\n\nWords"


def test_a_page_written_as_xml_is_a_page() -> None:
    extraction = feed('<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>T</h1></body></html>')
    assert [block.type for block in extraction.blocks] == ["heading"]
    assert extraction.media_type == "application/xml"


@pytest.mark.parametrize(
    "text", ["<config><a>1</a></config>", "<rss><broken", '<!DOCTYPE x [<!ENTITY a "b">]><rss>&a;</rss>']
)
def test_other_xml_stays_as_it_is_written(text: str) -> None:
    assert feed(text).record == text


def test_a_feed_without_entries_is_refused() -> None:
    with pytest.raises(Refused) as refusal:
        feed("<rss><channel><title> </title></channel></rss>")
    assert refusal.value.reason == "empty"


def test_a_saved_page_is_read_and_knows_where_it_comes_from() -> None:
    extraction = parse(SAVED.encode(), path="a.mhtml")
    assert extraction.record == "# Café\n\nText"
    assert extraction.meta == {"url": "https://e.org/page", "date": "2024-11-19T13:30:02+00:00", "language": "en"}


@pytest.mark.parametrize("data", [b"\x00\x01", b"Subject: x\n\nplain text", SAVED.encode()[:200]])
def test_what_holds_no_page_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as refusal:
        parse(data, path="a.mhtml")
    assert refusal.value.reason == "broken"


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


class TestFeeds(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return Feed()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {"a.xml": RSS.encode(), "b.xml": ATOM.encode(), "c.xml": b"<a>b</a>"}


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
