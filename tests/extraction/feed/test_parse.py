"""Feeds: each entry a section, texts and pages told apart, other XML as it is written."""

from collections.abc import Mapping

import pytest

from ragstone.core.errors import Refused
from ragstone.core.ports import Extractor
from ragstone.core.types import Extraction
from ragstone.extraction.feed.parse import UNREADABLE, Feed
from ragstone.testing.extractors import ExtractorContract

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
ATOM_NS = 'xmlns="http://www.w3.org/2005/Atom"'


def feed(text: str) -> Extraction:
    return Feed().extract(text.encode(), path="a.xml")


def test_the_entries_of_a_feed_are_sections() -> None:
    extraction = feed(RSS)
    assert extraction.record == (
        "# News & more\n\nAll of it\n\n## One\n\n2024-11-19T13:30:02+00:00 · Ann · https://e.org/1\n\n"
        "short\n\nText with [a link](https://e.org/x)\n\n#### Part\n\n## Two\n\nSecond"
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


class TestFeeds(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return Feed()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {"a.xml": RSS.encode(), "b.xml": ATOM.encode(), "c.xml": b"<a>b</a>"}


def atom(entry: str) -> str:
    return feed(f"<feed {ATOM_NS}><title>F</title><entry><title>t</title>{entry}</entry></feed>").record


def rss(entry: str, about: str = "") -> Extraction:
    return feed(f"<rss><channel><title>C</title>{about}<item><title>t</title>{entry}</item></channel></rss>")


def test_elements_within_an_entry_are_a_page() -> None:
    table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    page = f"<x:p>one</x:p><x:p>two</x:p><ul><li>item</li></ul>{table}".replace("<x:p>", "<x:p title='&lt;'>")
    div = f'<div xmlns="http://www.w3.org/1999/xhtml" xmlns:x="http://www.w3.org/1999/xhtml">{page}</div>'
    record = "# F\n\n## t\n\none\n\ntwo\n\n- item\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert atom(f'<content type="xhtml">{div}</content>') == record
    assert rss("<description>a &lt; b, <b>so</b> <i>on</i></description>").record.endswith("a < b, so on")


def test_atom_says_what_is_a_text_and_what_is_a_page() -> None:
    said = "if a &lt;b and c&gt; d then List&lt;Integer&gt; &amp;amp;"
    plain = "if a <b and c> d then List<Integer> &amp;"
    assert atom(f"<summary>{said}</summary>").endswith(plain)
    assert atom(f'<summary type="text">{said}</summary>').endswith(plain)
    assert atom('<content type="html">&lt;p&gt;one&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;</content>').endswith("one\n\ntwo")
    assert feed(f"<feed {ATOM_NS}><title>List&lt;b&gt;</title></feed>").title == "List<b>"


def test_atom_content_that_is_no_text_is_named() -> None:
    extraction = feed(
        f'<feed {ATOM_NS}><entry><title>t</title><content type="image/png">iVBORw0KGgo=</content></entry></feed>'
    )
    assert extraction.record == "## t"
    assert extraction.warnings == ("t: content of type image/png was not read",)


def test_what_is_no_tag_of_html_stays_in_a_text_of_rss() -> None:
    said = "List&lt;String&gt; and &lt;p&gt;Map&lt;K, V&gt;&lt;/p&gt;"
    extraction = feed(
        f"<rss><channel><title>{said}</title><item><description>{said}</description></item></channel></rss>"
    )
    assert extraction.title == "List<String> and Map<K, V>"
    assert extraction.record.endswith("List<String> and\n\nMap<K, V>")


def test_a_summary_that_says_more_than_the_content_stands_before_it() -> None:
    content = '<content type="html">&lt;p&gt;The plan of the whole year.&lt;/p&gt;</content>'
    assert atom(f"<summary>Why we do it.</summary>{content}").endswith("Why we do it.\n\nThe plan of the whole year.")
    assert atom(f"<summary>The plan of the…</summary>{content}").endswith("## t\n\nThe plan of the whole year.")


def test_long_titles_and_descriptions_are_not_cut_in_silence() -> None:
    extraction = rss("", about=f"<description>{'word ' * 300}end</description>")
    assert extraction.record.split("\n\n")[1].endswith("word end")
    title = feed(f"<rss><channel><title>{'word ' * 300}end</title></channel></rss>")
    assert title.title == "word " * 300 + "end"
    assert title.warnings == ()
    [warning] = feed(f"<rss><channel><title>{'word ' * 500}end</title></channel></rss>").warnings
    assert warning.endswith("a title was cut at 2,000 characters")


def test_a_document_type_that_declares_nothing_is_allowed() -> None:
    declared = '<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://e.org/rss.dtd">'
    named = "<rss><channel><title>caf&eacute; &amp; more</title></channel></rss>"
    assert feed(declared + named).record == "# café & more"
    assert feed(declared + named).warnings == ()
    entity = declared.replace('.dtd">', '.dtd" [<!ENTITY eacute "x">]>')
    assert feed(entity + named).warnings == (UNREADABLE,)


def test_xml_that_is_broken_is_kept_with_a_warning() -> None:
    assert feed("<rss><broken").warnings == (UNREADABLE,)
    assert feed("<config><a>1</a></config>").warnings == ()
