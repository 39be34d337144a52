"""Exports of programs that are feeds: their own fields and comments, and entries that their sites do not show."""

import pytest

from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.feed.parse import Feed

JIRA = """<title>[OPS-12] Pump stalls</title><link>https://j.org/OPS-12</link><project id="1">Operations</project>
<description>&lt;p&gt;It stalls.&lt;/p&gt;</description><key id="9">OPS-12</key><summary>Pump stalls</summary>
<status id="1">Open</status><labels><label>pump</label><label>hall3</label></labels><fixVersion>2.1</fixVersion>
<comments><comment author="ann" created="Mon, 4 Mar 2024">&lt;p&gt;Relay K7 was burnt.&lt;/p&gt;</comment></comments>
<customfields><customfield id="c1"><customfieldname>Story Points</customfieldname><customfieldvalues>
<customfieldvalue>3.0</customfieldvalue></customfieldvalues></customfield></customfields>
<url>https://j.org/x</url><steps>{long}</steps>"""
WORDPRESS = """<title>Turbine</title><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
<x:encoded>It weighs 12 tons.</x:encoded><wp:postmeta><wp:meta_key>_edit</wp:meta_key></wp:postmeta>
<wp:comment><wp:comment_author>Bob</wp:comment_author><wp:comment_author_IP>1.2.3.4</wp:comment_author_IP>
<wp:comment_date>2024-03-05</wp:comment_date><wp:comment_content>Does it need oil?</wp:comment_content>
<wp:comment_approved>1</wp:comment_approved></wp:comment>
<wp:comment><wp:comment_content>Buy!</wp:comment_content><wp:comment_approved>spam</wp:comment_approved></wp:comment>
</item><item><title>Secret</title><x:encoded>Not yet</x:encoded><wp:status>draft</wp:status>"""
VIDEO = '<title>Film</title><m:group xmlns:m="urn:m"><m:description>How to weld.</m:description></m:group>'
LONG = "Press start and wait. " * 10


@pytest.mark.parametrize(
    ("entry", "shown", "warnings"),
    [
        (
            JIRA.format(long=LONG),
            "## [OPS-12] Pump stalls\n\nhttps://j.org/OPS-12\n\nPump stalls\n\nIt stalls.\n\n"
            "Project: Operations\nStatus: Open\nLabel: pump, hall3\nFix version: 2.1\nStory Points: 3.0\n\n"
            f"ann (Mon, 4 Mar 2024): Relay K7 was burnt.\n\nSteps: {LONG.strip()}",
            (),
        ),
        (
            WORDPRESS,
            "## Turbine\n\nIt weighs 12 tons.\n\nBob (2024-03-05): Does it need oil?",
            ("1 entry was left out that the site does not show",),
        ),
        (VIDEO, "## Film\n\nHow to weld.", ()),
        (
            "<title>[A-1] Open the High valve</title><key>A-1</key><status>Open</status><priority>High</priority>",
            "## [A-1] Open the High valve\n\nStatus: Open\nPriority: High",
            (),
        ),
        ("<title>t</title><category>News</category><comments>https://e.org/c</comments>", "## t", ()),
    ],
)
def test_fields_and_comments_of_a_program_are_text(entry: str, shown: str, warnings: tuple[str, ...]) -> None:
    names = 'xmlns:wp="http://wordpress.org/export/1.2/" xmlns:x="http://purl.org/rss/1.0/modules/content/"'
    found = Feed().extract(f"<rss {names}><channel><item>{entry}</item></channel></rss>".encode(), path="a.xml")
    assert (found.record, found.warnings) == (shown, warnings)


def test_fields_beyond_the_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.extraction.feed.fields.MOST", 2)
    entry = "<title>t</title><kind>Bug</kind><place>Hall</place>"
    found = Feed().extract(f"<rss><channel><item>{entry}</item></channel></rss>".encode(), path="a.xml")
    assert found.record == "## t\n\nKind: Bug"
    assert found.warnings == ("t: fields behind the first 2 elements were not read",)


def test_the_fields_of_a_large_group_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def count(element: Element) -> str:
        looked.append(name := element_name(element))
        return name

    monkeypatch.setattr("ragstone.extraction.feed.fields.element_name", count)
    entry = f"<title>t</title><marks>{'<mark>1</mark>' * 200}</marks>"
    Feed().extract(f"<rss><channel><item>{entry}</item></channel></rss>".encode(), path="a.xml")
    assert len(looked) < 200 * 10
