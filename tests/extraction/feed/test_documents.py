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
<step><cmd>Climb.</cmd><info>Use a <b>ladder</b>.</info></step><step><cmd>Lay.</cmd></step></steps></taskbody></task>"""
BOOK = f"""<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><book-title>The sea
</book-title></title-info></description><body><section><title><p>Chapter</p><p>One</p></title>
<p>It was <em>dark</em>.</p></section></body><binary id="i">aGVsbG8{"=" * 99}</binary></FictionBook>"""
# Items that begin with an element, terms beside their items, words between items, divisions and sources.
LISTS = """<article><title>Of lists<fn><p>Or less.</p></fn></title><procedure><para>Stop it first.</para>
<step><b>Term</b>: said <i>of</i> it</step></procedure><list><label>A</label><item>is B</item></list>
<qandaset><qandadiv><title>Whys</title><qandaentry><question><para>Why?</para></question><answer><para>So.</para>
</answer></qandaentry></qandadiv></qandaset><ref-list><ref><label>1</label><element-citation><name><surname>Knuth</surname
><given-names>D</given-names></name><article-title>Art</article-title><year>1970</year></element-citation></ref>
</ref-list><bibliography><bibliomixed><abbrev>K</abbrev> Knuth. <title>Art</title></bibliomixed></bibliography>
</article>"""


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
                ("paragraph", 0, "Short."),
                ("heading", 1, "Tiles"),
                ("paragraph", 0, "Clay holds."),
                ("list", 1, "- K2"),
            ],
        ),
        (
            DITA,
            [
                ("heading", 1, "Mend"),
                ("paragraph", 0, "When it leaks."),
                ("list", 1, "- Climb."),
                ("paragraph", 0, "Use a ladder."),
                ("list", 1, "- Lay."),
            ],
        ),
        (BOOK, [("heading", 1, "The sea"), ("heading", 1, "Chapter One"), ("paragraph", 0, "It was dark.")]),
        (
            LISTS,
            [
                ("heading", 1, "Of lists Or less."),
                ("paragraph", 0, "Stop it first."),
                ("list", 1, "- Term: said of it"),
                ("list", 1, "- A: is B"),
                ("paragraph", 0, "Whys"),
                ("list", 2, "- Why?: So."),
                ("list", 1, "- 1: Knuth D Art 1970"),
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
