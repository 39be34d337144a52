"""Dumps of wikis: pages as sections, their markup as a reader sees it."""

from xml.sax.saxutils import escape

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import detect, extract
from ragstone.extraction.media_types import MEDIAWIKI
from ragstone.extraction.mediawiki.dump import parse_dump
from ragstone.extraction.mediawiki.markup import WikiNames, read_markup
from ragstone.extraction.record.builder import write_record
from tests.speed import in_step

HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">'
SITE = (
    "<siteinfo><sitename>Obstwiki</sitename><namespaces><namespace key='6'>Datei</namespace>"
    "<namespace key='14'>Kategorie</namespace></namespaces></siteinfo>"
)


def page(title: str, *texts: str, model: str = "wikitext") -> str:
    revisions = "".join(
        f"<revision><timestamp>202{year}-01-01T00:00:00Z</timestamp><contributor><username>Dana</username></contributor>"
        f"<model>{model}</model><text>{escape(text)}</text></revision>"
        for year, text in enumerate(texts)
    )
    return f"<page><title>{escape(title)}</title><ns>0</ns>{revisions}</page>\n"


def dump(*pages: str) -> bytes:
    return f"{HEAD}{SITE}{''.join(pages)}</mediawiki>".encode()


def read(data: bytes) -> Extraction:
    return parse_dump(data, path="wiki.xml")


def show(text: str) -> str:
    names = WikiNames()
    names.files.add("datei")
    return write_record(read_markup(text, names))[0]


def test_a_page_is_a_section_with_its_last_revision() -> None:
    data = dump(page("Apple", "Old words.", "A fruit.\n\n== Use ==\nIn cider."), page("Bolton", "A town."))
    assert detect(data, "wiki.xml") == detect(data, "pages") == MEDIAWIKI
    found = extract(data, path="wiki.xml")
    assert found.record == (
        "# Apple\n\n2021-01-01T00:00:00Z · Dana\n\nA fruit.\n\n## Use\n\nIn cider.\n\n"
        "# Bolton\n\n2020-01-01T00:00:00Z · Dana\n\nA town."
    )
    assert (found.title, found.meta, found.warnings) == ("Obstwiki", {"pages": 2}, ())


def test_of_revisions_without_a_time_the_last_counts() -> None:
    data = dump(page("Apple", "Old words.", "New words."))
    for time in (b"2020-01-01T00:00:00Z", b""):
        changed = data.replace(b"2020-01-01T00:00:00Z", time).replace(b"2021-01-01T00:00:00Z", time)
        assert "New words." in read(changed).record


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The '''apple''' is ''red'', ''''very''''.", "The apple is red, very."),
        ("A [[fruit]] of the [[rose family|roses]], [[Fruit#Kinds|many]].", "A fruit of the roses, many."),
        ("See [https://example.org the page] and [https://example.org].", "See the page and https://example.org."),
        ("Two.<ref name=a>A {{cite|x}} book.</ref> Three.<ref name=a/>", "Two. Three."),
        ("It is {{convert|5|cm|{{x}}}} wide.", "It is wide."),
        ("{{Box\n| name = Apple {{ref}}\n| image = [[File:a.jpg|x]]\n| map = a.svg\n}}\nRed.", "name: Apple\n\nRed."),
        ("{{Box\n| height = {{convert|5|m|a=b}}\n| who = [[Ann|A]],\nBob\n}}", "height: 5 m\nwho: A,\nBob"),
        ("{{Quote|text=One\ntwo|by=Ann}} x", "text: One\ntwo\nby: Ann\n\nx"),
        ("{{Columns|2em|\n* Apple\n* Pear\n}}\nEnd", "2em\n\n- Apple\n- Pear\n\nEnd"),
        ("{{Box\n| parts = \n* One\n* Two\n}}", "parts:\n\n- One\n- Two"),
        ("[[File:a.jpg|thumb|200px|An [[orchard]] in '''spring''']]\nRed.", "An orchard in spring\n\nRed."),
        ("[[Datei:a.jpg|mini]]Red. [[de:Apfel]] __NOTOC__", "Red."),
        ("Red.\n[[Category:Fruit]] [[category:Tree|a]]", "Red.\n\nCategories: Fruit, Tree"),
        ("* One\n** Two [[x]]\n# Three\n: Four", "- One\n  - Two x\n1. Three\n\nFour"),
        ("a<br/>b &amp; c &nbsp;d<!-- gone --> <span style='x'>e</span>", "a\nb & c d e"),
        ("<nowiki>[[this]]</nowiki> is shown.", "[[this]] is shown."),
        ("<pre>\n== x ==\n</pre>\nEnd", "```\n== x ==\n```\n\nEnd"),
        ('<syntaxhighlight lang="python">\nx = {{y}}\n</syntaxhighlight>', "```python\nx = {{y}}\n```"),
        ("#REDIRECT [[Apple]]", "Redirect to Apple"),
        ("#WEITERLEITUNG [[Apple|x]] <!-- no --> [[Category:Fruit]]\n{{Old}}", "Redirect to Apple"),
        ("#first [[Apple]] of many", "1. first Apple of many"),
        ("A List<String> of <b>words</b>, __FILE__ and __NOTOC__.", "A List<String> of words, __FILE__ and ."),
        ("= One =\n====== Six ======\n= no", "# One\n\n###### Six\n\n= no"),
        ("<!-- never closed {{ [[ and so on", "<!-- never closed {{ [[ and so on"),
    ],
)
def test_markup_is_what_a_reader_sees(text: str, shown: str) -> None:
    assert show(text) == shown


def test_tables_have_headers_captions_and_cells() -> None:
    text = (
        '{| class="wikitable"\n|+ Harvest\n! Year !! style="x" | Tonnes\n|-\n| 2023 || 4.5\n|-\n| 2024\n'
        "| [[apple|apples]],\nmany\n|}\nEnd."
    )
    assert show(text) == "Harvest\n\n| Year | Tonnes |\n|---|---|\n| 2023 | 4.5 |\n| 2024 | apples, many |\n\nEnd."
    _, blocks = write_record(read_markup(text, WikiNames()))
    assert [block.caption for block in blocks if block.type == "table"] == ["Harvest"]


def test_a_damaged_dump_is_read_up_to_the_damage() -> None:
    data = dump(page("Apple", "A fruit."), page("Bolton", "A town."))
    found = read(data[: data.index(b"A town")])
    assert "A fruit." in found.record
    assert found.warnings[0].startswith("the dump is damaged after page 1: ")


@pytest.mark.parametrize("text", ["<mediawiki>A note.</mediawiki>", "<mediawiki><page>A & note.", "<mediawiki> note."])
def test_a_file_of_which_no_page_can_be_read_is_kept_as_plain_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = extract(text.encode(), path="wiki.xml")
    assert "note." in found.record
    assert found.media_type == "text/plain"
    [warning] = found.warnings
    assert warning.startswith("no page of this dump of a wiki can be read: ")
    assert "\n" not in warning
    monkeypatch.setattr("ragstone.extraction.mediawiki.dump.LARGEST_TEXT", 9)
    with pytest.raises(Refused, match="no page of this dump"):
        read(text.encode())


def test_entities_of_a_dump_are_not_expanded() -> None:
    bomb = f'<!DOCTYPE a [<!ENTITY b "secret">]>{HEAD}{page("T", "x")}</mediawiki>'.replace(">x<", ">&b; words<")
    assert detect(bomb.encode(), "a.xml") == "application/xml"
    assert "secret" not in read(bomb.encode()).record


def test_pages_of_code_are_code() -> None:
    assert read(dump(page("Module:X", "x = [[1]]", model="Scribunto"))).record.endswith("```\nx = [[1]]\n```")


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "<!--",
            "<ref>",
            "<nowiki>",
            "<pre>x",
            "{{",
            "{{\n",
            "{{a\n|b=c\n",
            "}}",
            "[[",
            "[[a|",
            "[[File:a|[[b",
            "[//",
        ),
        *("{|\n", "{|\n|a||", "= ", "'''", "<br", "\n\n", "*", "=\n", "|\n", "[[a]]", "!!", "&amp", "{{a}}"),
    ],
)
def test_markup_takes_time_in_step_with_its_size(unit: str) -> None:
    in_step(lambda size: show(size // len(unit) * unit + "x"), 8_000, 64_000, most=20)


@pytest.mark.parametrize("name", ["Leave.mediawiki", "Leave.wiki"])
def test_a_page_in_a_file_of_its_own_is_read_as_in_a_dump(name: str) -> None:
    found = extract(b"== Leave ==\n'''28''' days\n* ask\n{|\n! Who\n! Days\n|-\n| Dana || 28\n|}\n", path=name)
    assert [(block.type, block.text) for block in found.blocks] == [
        ("heading", "Leave"),
        ("paragraph", "28 days"),
        ("list", "- ask"),
        ("table", "| Who | Days |\n| Dana | 28 |"),
    ]
    assert (found.media_type, found.title) == ("text/x-mediawiki", "Leave")


def test_a_table_alone_makes_a_page() -> None:
    found = extract(b'{| class="wikitable"\n! Who !! Days\n|-\n| Dana || 28\n|}\n', path="Leave.wiki")
    assert [block.text for block in found.blocks] == ["| Who | Days |\n| Dana | 28 |"]


@pytest.mark.parametrize("text", ["Ask Dana.\n", "= Leave =\n{{{\ndays = 28\n}}}\n", "h2. Leave\n\nAsk *Dana*.\n"])
def test_a_page_of_another_wiki_stays_as_it_is(text: str) -> None:
    assert extract(text.encode(), path="Leave.wiki").record == text


def test_a_page_that_shows_nothing_is_refused() -> None:
    with pytest.raises(Refused, match=r"Leave\.wiki holds no text"):
        extract(b"<!-- [[Leave]] -->", path="Leave.wiki")
