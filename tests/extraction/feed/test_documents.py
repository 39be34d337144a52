"""Documents written as XML: DocBook, JATS, DITA, FictionBook are headings, paragraphs, lists, code and tables."""

import pytest

from ragstone.core.types import Extraction
from ragstone.extraction.feed.parse import Feed
from ragstone.extraction.media_types import XML, detect
from ragstone.testing.extractors import check_spans
from tests.speed import in_step

DOCBOOK = """<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [
<!ENTITY % all SYSTEM "all.ent"> %all; <!ENTITY tool "Orchard"> ]>
<article><articleinfo><title>&tool; guide</title><author><firstname>Ann</firstname> <surname>Lee</surname></author>
</articleinfo><!-- no text --><para>Runs on &port;.<indexterm><primary>x</primary></indexterm><footnote><para>Or
higher.</para></footnote></para><sect1><title>Start</title><para>First:<programlisting language="sh">run  --now
  stop</programlisting></para><itemizedlist><listitem><para>One</para><itemizedlist><listitem><para>Deep</para></listitem>
</itemizedlist></listitem><listitem><para>Two</para><para>More.</para></listitem></itemizedlist><variablelist>
<varlistentry><term>-v</term><listitem><para>Talks.</para></listitem></varlistentry></variablelist>
<table><title>Ports</title><tgroup cols="2"><thead><row><entry>Name</entry><entry>Port</entry></row></thead><tbody>
<row><entry morerows="1">web</entry><entry><para>80</para></entry></row><row><entry>443</entry></row></tbody></tgroup>
</table></sect1></article>"""
JATS = """<article><front><article-meta><title-group><article-title>On roofs</article-title></title-group>
<abstract><p>Short.</p></abstract></article-meta></front><body><sec><title>Tiles</title><p>Clay<break/>holds.
<list><list-item><p>K2</p></list-item></list></p></sec></body></article>"""
DITA = """<task id="t"><title>Mend</title><taskbody><context><p>When it leaks.</p></context><steps>
<step><cmd>Climb.</cmd><info>Use a <b>ladder</b>.</info></step><step><cmd>Lay.</cmd></step></steps></taskbody>
</task>"""
BOOK = f"""<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info>
<book-title>The sea
</book-title></title-info></description><body><section><title><p>Chapter</p><p>One</p></title>
<p>It was <em>dark</em>.</p></section></body><binary id="i">aGVsbG8{"=" * 99}</binary></FictionBook>"""
# Items that begin with an element, terms beside their items, words between items, divisions and sources.
LISTS = """<article><title>Of lists<fn><p>Or less.</p></fn></title><procedure><para>Stop it first.</para>
<step><b>Term</b>: said <i>of</i> it</step></procedure><list><label>A</label><item>is B</item></list>
<qandaset><qandadiv><title>Whys</title><qandaentry><question><para>Why?</para></question><answer><para>So.</para>
</answer></qandaentry></qandadiv></qandaset><ref-list><ref><label>1</label><element-citation><name>
<surname>Knuth</surname
><given-names>D</given-names></name><article-title>Art</article-title><year>1970</year></element-citation></ref>
</ref-list><bibliography><bibliomixed><abbrev>K</abbrev> Knuth. <title>Art</title></bibliomixed></bibliography>
</article>"""
# What a publisher sends: numbers for programs, labels beside what they label, a figure and a table with captions.
JOURNAL = """<article><front><journal-meta><journal-title-group><journal-title>Roofs</journal-title>
</journal-title-group>
<issn>1471-2164</issn></journal-meta><article-meta><article-id pub-id-type="doi">10.1/x</article-id><title-group>
<article-title>Of clay</article-title></title-group><contrib-group><contrib><name><surname>Lee</surname>
<given-names>Ann
</given-names></name></contrib><contrib><collab>The Group</collab></contrib><aff><label>1</label>York</aff>
</contrib-group><pub-date><day>2</day><month>3</month><year>2014</year></pub-date><volume>15</volume><fpage>1</fpage>
<abstract><p>Short.</p></abstract><kwd-group><kwd>clay</kwd><kwd>tiles</kwd></kwd-group></article-meta></front>
<body><sec>
<label>1</label><title>Methods</title><fig><label>Figure 1</label><caption><title>A roof</title><p>From above.</p>
</caption></fig><p>Text.</p><list list-type="order"><list-item><label>1.</label><p>First.</p></list-item></list>
<code language="sh">ls
cd</code><table-wrap><label>Table 1</label><caption><p>Weights</p></caption><table><tr><th>kg</th></tr><tr>
<td>2</td></tr>
</table></table-wrap></sec></body><back><ref-list><title>References</title><ref><label>[1]</label><element-citation>
<name><surname>Ng</surname><given-names>B</given-names></name><article-title>Slate</article-title>
<source>J Roofs</source>
<year>1999</year><volume>5</volume><fpage>1</fpage><lpage>9</lpage></element-citation></ref></ref-list></back>
</article>"""
MALLARD = """<page xmlns="http://projectmallard.org/1.0/" type="topic" style="task" id="x"><info>
<link type="guide" xref="y"/>
<credit><name>Ann</name></credit><desc>In short.</desc></info><title>Add a user</title><note><title>Mind</title>
<p>Hot.</p>
</note><steps><item><p>Open <gui>Users</gui>.</p></item><item><p>Press:</p><terms><item><title>OK</title>
<p>Ends.</p></item>
</terms></item></steps><screen>ls</screen></page>"""
# An `xml:id` that is no name, links without words, a glossary, titles that begin no section.
MANUAL = """<book xmlns="http://docbook.org/ns/docbook" xmlns:xml="http://www.w3.org/XML/1998/namespace">
<chapter xml:id="2025-a">
<title>Setup</title><example><title>A run</title><screen>ls</screen></example><para>See <xref linkend="2025-a"/> or
<ulink url="https://x.org/"/>.</para><orderedlist startingnumber="3"><listitem><para>Third</para></listitem>
</orderedlist>
<glossary><title>Terms</title><glossentry><glossterm>Hive</glossterm><glossdef><para>A house.</para></glossdef>
</glossentry>
</glossary></chapter></book>"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Run</head><ab type="codeblock sh">ls -l
  cd</ab><ab>Said.</ab></div></body></text></TEI>"""


def read(text: str) -> Extraction:
    found = Feed().extract(text.encode(), path="a.xml")
    check_spans(found)
    return found


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (
            DOCBOOK,
            [
                ("heading", 1, "Orchard guide"),
                ("paragraph", 0, "Ann Lee"),
                ("paragraph", 0, "Runs on port."),
                ("paragraph", 0, "Or higher."),
                ("heading", 2, "Start"),
                ("paragraph", 0, "First:"),
                ("code", 0, "run  --now\n  stop"),
                ("list", 1, "- One"),
                ("list", 2, "- Deep"),
                ("list", 1, "- Two"),
                ("paragraph", 0, "More."),
                ("list", 1, "- -v: Talks."),
                ("paragraph", 0, "Ports"),
                ("table", 0, "| Name | Port |\n| web | 80 |\n|  | 443 |"),
            ],
        ),
        (
            JATS,
            [
                ("heading", 1, "On roofs"),
                ("heading", 2, "Abstract"),
                ("paragraph", 0, "Short."),
                ("heading", 2, "Tiles"),
                ("paragraph", 0, "Clay holds."),
                ("list", 1, "- K2"),
            ],
        ),
        (
            DITA,
            [
                ("heading", 1, "Mend"),
                ("paragraph", 0, "When it leaks."),
                ("list", 1, "1. Climb."),
                ("paragraph", 0, "Use a ladder."),
                ("list", 1, "2. Lay."),
            ],
        ),
        (BOOK, [("heading", 1, "The sea"), ("heading", 1, "Chapter One"), ("paragraph", 0, "It was dark.")]),
        (
            JOURNAL,
            [
                ("heading", 1, "Of clay"),
                ("paragraph", 0, "Ann Lee, The Group"),
                ("paragraph", 0, "Roofs 15:1, 2014-03-02, doi:10.1/x"),
                ("paragraph", 0, "York"),
                ("heading", 2, "Abstract"),
                ("paragraph", 0, "Short."),
                ("paragraph", 0, "Keywords: clay, tiles"),
                ("heading", 2, "1 Methods"),
                ("paragraph", 0, "Figure 1. A roof. From above."),
                ("paragraph", 0, "Text."),
                ("list", 1, "1. First."),
                ("code", 0, "ls\ncd"),
                ("paragraph", 0, "Table 1. Weights."),
                ("table", 0, "| kg |\n| 2 |"),
                ("heading", 2, "References"),
                ("list", 1, "1. B Ng. 1999. Slate. J Roofs 5:1–9."),
            ],
        ),
        (
            MALLARD,
            [
                ("heading", 1, "Add a user"),
                ("paragraph", 0, "In short."),
                ("paragraph", 0, "Mind"),
                ("paragraph", 0, "Hot."),
                ("list", 1, "1. Open Users."),
                ("list", 1, "2. Press:"),
                ("list", 2, "- OK: Ends."),
                ("code", 0, "ls"),
            ],
        ),
        (
            MANUAL,
            [
                ("heading", 1, "Setup"),
                ("paragraph", 0, "A run"),
                ("code", 0, "ls"),
                ("paragraph", 0, "See Setup or https://x.org/."),
                ("list", 1, "3. Third"),
                ("heading", 2, "Terms"),
                ("list", 1, "- Hive: A house."),
            ],
        ),
        (TEI, [("heading", 1, "Run"), ("code", 0, "ls -l\n  cd"), ("paragraph", 0, "Said.")]),
        (
            LISTS,
            [
                ("heading", 1, "Of lists Or less."),
                ("paragraph", 0, "Stop it first."),
                ("list", 1, "1. Term: said of it"),
                ("list", 1, "- A: is B"),
                ("paragraph", 0, "Whys"),
                ("list", 2, "- Why?: So."),
                ("list", 1, "1. D Knuth. 1970. Art."),
                ("list", 1, "- K Knuth. Art"),
            ],
        ),
    ],
)
def test_a_document_is_its_headings_paragraphs_lists_code_and_tables(
    text: str, blocks: list[tuple[str, int, str]]
) -> None:
    found = read(text)
    assert [(block.type, block.level, block.text) for block in found.blocks] == blocks
    assert found.title == blocks[0][2]
    assert found.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "<book><title>The sea</title><price>9</price><isbn>12345678901234</isbn></book>",
        "<task><name>mend</name><command>run the whole of it</command></task>",
        "<config><para>Words of a setting.</para></config>",
        '<set name="looks"><item key="colour">Red</item><item key="size">Big</item></set>',
        '<glossary><entry term="SQL" means="a language"/><entry>it</entry></glossary>',
    ],
)
def test_data_that_is_named_as_documents_are_stays_as_it_is_written(text: str) -> None:
    assert read(text).record == text


def test_a_name_that_stands_for_markup_is_only_a_name() -> None:
    text = '<!DOCTYPE article [<!ENTITY a "<para>"> <!ENTITY b "&c;">]><article><para>&a; and &b; run</para></article>'
    assert read(text).record == "a and b run"


def test_the_deepest_section_of_a_document_is_read() -> None:
    assert read(f"<book>{'<section>' * 250}<para>x</para>{'</section>' * 250}</book>").record == "x"
    item = "<para><itemizedlist><listitem>"
    assert "deep" in read(f"<book>{item * 84}deep{'</listitem></itemizedlist></para>' * 84}</book>").record


@pytest.mark.parametrize("name", ["a.docbook", "a.fb2", "a.dita"])
def test_documents_are_known_by_their_endings(name: str) -> None:
    assert detect(DITA.encode(), name) == XML


@pytest.mark.parametrize(
    "unit",
    [
        "<para>x</para>",
        "<para>a<itemizedlist><listitem>" * 30 + "x" + "</listitem></itemizedlist></para>" * 30,
        "<section><title>a</title>" * 60 + "<para>x</para>" + "</section>" * 60,
        "<para>&a;</para>",
    ],
)
def test_documents_are_read_in_step(unit: str) -> None:
    head = '<!DOCTYPE book [<!ENTITY a "words">]><book>'
    in_step(lambda size: read(f"{head}{unit * (size // len(unit))}</book>"), 20_000, 160_000, most=20)


@pytest.mark.parametrize("path", ["help.page", "help", "help.txt"])
def test_a_document_is_known_by_its_root_under_any_name(path: str) -> None:
    assert detect(MALLARD.encode(), path) == XML
    assert detect(b'<?xml version="1.0"?>\n<!DOCTYPE article>\n<article>x</article>', path) == XML
    assert detect(b"<page>not of Mallard</page>", path) == "text/plain"
