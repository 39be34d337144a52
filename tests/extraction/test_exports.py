"""Exports of other systems that are known by their beginning: draw.io, Confluence, SharePoint."""

import base64
import html
import zlib
from urllib.parse import quote

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import extract
from ragstone.extraction.confluence.storage import build_page
from ragstone.extraction.drawio import parse_drawio
from tests.extraction.test_formats import refusal


def cell(name: str, text: str, about: str = 'vertex="1"', y: int = 0, within: str = "1") -> str:
    place = f'<mxGeometry x="5" y="{y}" as="geometry"/>'
    return f'<mxCell id="{name}" value="{html.escape(text)}" parent="{within}" {about}>{place}</mxCell>'


def model(*cells: str) -> str:
    layers = '<mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="9" value="Notes" parent="0" visible="0"/>'
    return f"<mxGraphModel><root>{layers}{''.join(cells)}</root></mxGraphModel>"


def packed(model: str) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(packer.compress(quote(model).encode()) + packer.flush()).decode()


def drawing(*pages: str) -> bytes:
    listed = "".join(f'<diagram name="Plan {number}">{page}</diagram>' for number, page in enumerate(pages, 1))
    return f'<mxfile host="app" modified="2024-03-04T10:11:12Z">{listed}</mxfile>'.encode()


NETWORK = model(
    cell("a", "Server", y=90),
    cell("b", "<b>Load&nbsp;balancer</b><br>haproxy", y=10),
    '<object id="c" label="Store" owner="Petra" tooltip="Nightly backups"><mxCell vertex="1" parent="1">'
    '<mxGeometry y="200"/></mxCell></object>',
    cell("d", "Rack 7", y=300),
    cell("e", "Disk", within="d"),
    cell("f", "", 'edge="1" source="b" target="a"'),
    cell("g", "port 8443", within="f"),
    cell("h", "", 'edge="1" source="a" target="c"'),
    cell("i", "Do not show", within="9"),
)


@pytest.mark.parametrize("page", [NETWORK, packed(NETWORK)])
def test_a_drawing_is_its_labels_and_arrows(page: str) -> None:
    found = extract(drawing(page, model(cell("a", "Spare"))), path="net.drawio")
    assert found.record == (
        "## Plan 1\n\nLoad balancer\nhaproxy\n\nServer\n\nStore\nowner: Petra\nNightly backups\n\n"
        "### Rack 7\n\nDisk\n\n"
        "- Load balancer → Server: port 8443\n- Server → Store\n\n## Plan 2\n\nSpare"
    )
    assert [span.page for block in found.blocks for span in block.spans] == [1] * 8 + [2] * 2
    assert (found.meta["date"], found.warnings) == (
        "2024-03-04T10:11:12+00:00",
        ("1 shape on hidden layers left out",),
    )


def test_hostile_drawings_end_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    circle = model(cell("a", "A", within="b"), cell("b", "B", within="a"), cell("a", "Twin"))
    assert extract(drawing(circle), path="a.drawio").record == "## Plan 1\n\nTwin"
    deep = model(*(cell(f"n{n}", "x", within=f"n{n - 1}" if n else "1") for n in range(100)))
    assert extract(drawing(deep), path="a.drawio").record.count("x") < 30
    monkeypatch.setattr("ragstone.extraction.drawio.MOST_BYTES", 100)
    with pytest.raises(Refused, match="unpacks to more than the 100 bytes"):
        parse_drawio(drawing(packed(NETWORK)), path="a.drawio")
    assert refusal(drawing("bm90IHBhY2tlZA=="), "a.drawio").reason == "broken"
    assert refusal(drawing(model()), "a.drawio").reason == "empty"


def entity(kind: str, key: str, **properties: str) -> str:
    said = "".join(
        f'<property name="{name}"><id name="id">{value[1:]}</id></property>'
        if value.startswith("@")
        else f'<property name="{name}"><![CDATA[{value}]]></property>'
        for name, value in properties.items()
    )
    return f'<object class="{kind}"><id name="id">{key}</id>{said}</object>'


SPACE = (
    entity("Space", "1", name="IT Operations"),
    entity("BodyContent", "12", body="<p>The backup runs at <b>02:15</b>.</p><h1>Tapes</h1>", content="@11"),
    entity("Page", "11", title="Backups", lastModificationDate="2024-03-04 10:11:12.000", lastModifier="@8a"),
    entity("Page", "10", title="Backups", originalVersion="@11"),
    entity("BodyContent", "13", body="<p>It runs at 05:00.</p>", content="@10"),
    entity("BlogPost", "14", title="Gone", contentStatus="deleted"),
    entity("Comment", "15", containerContent="@11", creator="@8a", creationDate="2024-03-05 09:00:00.000"),
    entity("BodyContent", "16", body="<p>Tape B is lost.</p>", content="@15"),
    entity("ConfluenceUserImpl", "8a", name="petra"),
)


def test_a_space_of_confluence_is_its_current_pages_with_their_comments() -> None:
    data = f"<?xml version='1.0'?><hibernate-generic>{''.join(SPACE)}</hibernate-generic>".encode()
    found = extract(data, path="space/entities.xml")
    assert found.record == (
        "# Backups\n\n2024-03-04 10:11:12 · petra\n\nThe backup runs at 02:15.\n\n## Tapes\n\n## Comments\n\n"
        "2024-03-05 09:00:00 · petra\n\nTape B is lost."
    )
    assert (found.title, found.meta, found.warnings) == ("IT Operations", {"pages": 1}, ())
    cut = extract(data[: data.index(b'<object class="BlogPost"') + 20], path="entities.xml")
    assert "damaged after page 1" in cut.warnings[0]
    assert refusal("<hibernate-generic><object>", "entities.xml").reason == "broken"
    assert refusal("<hibernate-generic></hibernate-generic>", "entities.xml").reason == "empty"


def test_a_page_of_confluence_in_the_markup_of_before_is_read_as_it_shows_it() -> None:
    body = "h1. Tapes\n||Day||Tape||\n|Mon|B|\n{code}run{code}\nSee [the plan|https://x.org]."
    page = "".join((*SPACE[:1], entity("BodyContent", "12", body=body, content="@11"), *SPACE[2:3]))
    found = extract(f"<hibernate-generic>{page}</hibernate-generic>".encode(), path="entities.xml")
    assert found.record.endswith("## Tapes\n\n| Day | Tape |\n|---|---|\n| Mon | B |\n\n```\nrun\n```\n\nSee the plan.")


def test_pages_of_confluence_that_only_some_may_view_are_left_out_with_those_below_them() -> None:
    pages = (
        entity("Page", "20", title="Pay", parent="@21"),
        entity("Page", "21", title="Board", parent="@22"),
        entity("Page", "22", title="Firm", parent="@11"),
        entity("Page", "23", title="Round", parent="@24") + entity("Page", "24", title="Turn", parent="@23"),
        entity("ContentPermissionSet", "30", type="View", owningContent="@21"),
        entity("ContentPermissionSet", "31", type="Edit", owningContent="@22"),
    )
    data = f"<hibernate-generic>{''.join((*SPACE, *pages))}</hibernate-generic>".encode()
    found = extract(data, path="entities.xml")
    assert [line for line in found.record.splitlines() if line.startswith("# ")] == [
        *("# Backups", "# Firm", "# Round", "# Turn")
    ]
    assert found.warnings == ("2 pages left out that only some people may view",)
    alone = f"<hibernate-generic>{pages[1]}{pages[4]}</hibernate-generic>"
    assert "no page that everyone may view" in str(refusal(alone, "entities.xml"))


@pytest.mark.parametrize(
    ("storage", "shown"),
    [
        ('<ac:link><ri:page ri:content-title="VPN" /></ac:link> &uuml;', "<span>VPN</span> ü"),
        (
            '<ac:link><ri:page ri:content-title="VPN"/><ac:link-body><![CDATA[it]] ></ac:link-body></ac:link>',
            "<span><span></span><span>it</span></span>",
        ),
        (
            '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">sh</ac:parameter>'
            "<ac:plain-text-body><![CDATA[a < b]] ></ac:plain-text-body></ac:structured-macro> z",
            '<div><pre><code class="language-sh">a &lt; b</code></pre></div> z',
        ),
        (
            '<ac:structured-macro ac:name="info"><ac:parameter ac:name="title">Note</ac:parameter>'
            "<ac:rich-text-body><p>Ask.</p></ac:rich-text-body></ac:structured-macro>",
            "<p>Note</p><span></span><div><p>Ask.</p></div>",
        ),
        (
            '<ac:structured-macro ac:name="status"><ac:parameter ac:name="title">DONE</ac:parameter>'
            "</ac:structured-macro>",
            "<span>DONE</span>",
        ),
        (
            "<ac:task-list><ac:task><ac:task-status>complete</ac:task-status><ac:task-body>Go</ac:task-body></ac:task>"
            "</ac:task-list>",
            '<ul><li><input type="checkbox" disabled checked><span></span><span>Go</span></li></ul>',
        ),
        ('<ac:image><ri:attachment ri:filename="plan.png"/></ac:image>', '<img alt="plan.png">'),
        ("<p>not closed", "<p>not closed"),
    ],
)
def test_elements_of_confluence_become_those_of_html(storage: str, shown: str) -> None:
    made = build_page(storage, {})
    assert shown in made


CANVAS = (
    "<div><div data-sp-rte=''><h2>Parking</h2><p>Visitors park on <b>level P2</b>.</p></div>"
    "<div data-sp-componentid=''>d1d91016</div></div>"
)
ASPX = (
    '<%@ Page Inherits="Microsoft.SharePoint.Publishing" %> <%@ Reference VirtualPath="~x" %>\n<html><head>\n'
    "<!--[if gte mso 9]><xml><mso:CustomDocumentProperties>"
    '<mso:{field} msdt:dt="string">{page}</mso:{field}><mso:Title msdt:dt="string">Plant</mso:Title>'
    '<mso:display_urn_x003a_schemas-microsoft-com_x0023_Editor msdt:dt="string">Ann</mso:'
    "display_urn_x003a_schemas-microsoft-com_x0023_Editor></mso:CustomDocumentProperties></xml><![endif]--></head>"
)


@pytest.mark.parametrize("field", ["CanvasContent1", "WikiField", "Other"])
def test_a_page_of_sharepoint_is_what_it_shows(field: str) -> None:
    found = extract(ASPX.format(field=field, page=html.escape(CANVAS)).encode(), path="Plant.aspx")
    if field == "Other":
        assert found.warnings == ("the page holds no text of its own; it was kept as plain text",)
        return
    assert found.record == "# Plant\n\n## Parking\n\nVisitors park on level P2."
    assert (found.title, found.meta["author"], found.warnings) == ("Plant", "Ann", ())
