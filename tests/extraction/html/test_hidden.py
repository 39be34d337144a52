"""Web pages: what nobody sees is no text of theirs, and is counted; hostile pages; XHTML."""

import pytest
from lxml import etree

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.html.parse import Html
from ragstone.extraction.html.style_sheets import find_hiding_names
from ragstone.extraction.html.tabs import find_tab_panels
from tests.speed import in_step, within


def read(page: str) -> Extraction:
    return Html().extract(page.encode(), path="a.html")


@pytest.mark.parametrize(
    "attributes",
    [
        "hidden",
        "aria-hidden=true",
        "style='display: none'",
        "style='DISPLAY:/**/NONE !important'",
        "style='visibility:hidden'",
        "style='opacity:0'",
        "style='position:absolute; left:-9999px'",
        "style='text-indent:-999em'",
        "style='transform: translateX(-9999px)'",
        "style='clip:rect(0 0 0 0);position:absolute'",
        "style='clip-path: inset(50%)'",
        "style='height:0; overflow:hidden'",
        "style='width:1px;height:1px;overflow:hidden'",
        "style='font-size:0'",
        "style='font-size:1px'",
        "style='color:#fff'",
        "style='color:rgb(255, 255, 255)'",
        "style='color:#fefefe;background:white'",
        "style='background-color:black;color:#000'",
        "style='color:transparent'",
    ],
)
def test_hidden_text_is_left_out_and_counted(attributes: str) -> None:
    extraction = read(f"<p>seen by all of you</p><p {attributes}>un seen</p><p>and this</p>")
    assert extraction.record == "seen by all of you\n\nand this"
    assert extraction.warnings == ("hidden text was left out: 6 characters in 1 place",)


STYLED = "<style>{}</style><p>seen</p><div class='a x' id=z>un seen</div>{}"


@pytest.mark.parametrize(
    "sheet",
    [
        ".x{display:none}",
        "/* x */ div.x , .k { color:red; DISPLAY : none !important }",
        "#z{visibility:hidden}",
        "@import url(b); @media screen{.x{display:none}}",
        ".x{display:none} @media print{.y{display:block}}",
    ],
)
@pytest.mark.parametrize("more", ["", "<script type='application/ld+json'>{}</script>"])
def test_what_a_pages_own_style_sheet_hides_is_left_out(sheet: str, more: str) -> None:
    found = read(STYLED.format(sheet, more))
    assert (found.record, found.warnings) == ("seen", ("hidden text was left out: 6 characters in 1 place",))


@pytest.mark.parametrize(
    ("sheet", "more"),
    [
        ("@media print{.x{display:none}}", ""),
        ("@media (max-width:9px){.x{display:none}}", ""),
        (".x{display:none} #tab:checked ~ .x{display:block}", ""),
        (".x{display:none} @media (max-width:9px){.x{display:block!important}}", ""),
        (".k .x{display:none}", ""),
        (".x{color:red}", ""),
        ("p{display:none", ""),
        (".x{display:none}", "<script>show()</script>"),
        (".x{display:none}", "<script src=a.js></script>"),
        (".x{display:none}", "<p onclick='show()'></p>"),
        (".a, .x, div, p{display:none}", "<p class=x style='display:block'>un seen</p>"),
    ],
)
def test_what_a_rule_hides_for_some_readers_alone_is_kept(sheet: str, more: str) -> None:
    assert read(STYLED.format(sheet, more)).record == "seen\n\nun seen"


def test_a_page_whose_style_sheet_hides_all_of_it_is_read() -> None:
    assert read("<style>.x{display:none}</style><div class=x>text</div>").record == "text"


@pytest.mark.parametrize("unit", ["a", "a{", ".x,", "/* ", ".x{display:none", "a{b:c}", "@media screen{", "display "])
def test_style_sheets_are_read_in_step(unit: str) -> None:
    root = etree.fromstring("<html><style/></html>")

    def find(times: int) -> None:
        root[0].text = f"{unit * times} none"
        find_hiding_names(root, "")

    in_step(find, 10_000, 40_000, most=8)


@pytest.mark.parametrize(
    "page",
    [
        "<p style='color:#fff;background:#000'>seen</p>",
        "<div style='background:navy'><p style='color:white'>seen</p></div>",
        "<div bgcolor='#000000'><font color=white>seen</font></div>",
        "<style>.hero{background:navy}</style><div class=hero><p style='color:white'>seen</p></div>",
        "<div style='background:url(x.png)'><p style='color:white'>seen</p></div>",
        "<div style='font-size:0'><span style='font-size:14px'>seen</span></div>",
        "<div style='visibility:hidden'><p style='visibility:visible'>seen</p></div>",
        "<p style='opacity:0;transform:translateY(20px)'>seen</p>",
        "<p style='position:relative;left:-20px'>seen</p>",
        "<p hidden=until-found>seen</p>",
        "<body style='display:none'><p>seen</p>",
    ],
)
def test_what_a_reader_sees_is_kept(page: str) -> None:
    assert read(page).record == "seen"
    assert read(page).warnings == ()


def test_a_page_below_a_dialog_is_kept() -> None:
    page = f"<div aria-hidden=true><h1>Title</h1><p>{'the whole text ' * 20}</p></div><div role=dialog>Accept?</div>"
    body = [block.text for block in read(page).blocks if block.role == "body"]
    assert body[0] == "Title"
    assert body[1].startswith("the whole text")


def test_scripts_and_menus_do_not_count_as_hidden() -> None:
    assert read("<div hidden><script>x()</script><style>p{}</style></div><p>text</p>").warnings == ()


def test_a_page_whose_text_is_all_hidden_is_refused_and_says_so() -> None:
    with pytest.raises(Refused) as refusal:
        read("<div style='display:none'>secret</div>")
    assert refusal.value.reason == "empty"
    assert "6 characters of it are hidden" in str(refusal.value)


def test_a_heading_is_the_pages_own_whatever_its_class() -> None:
    prose = "A long sentence, which says something about the matter at hand, and goes on for a while. " * 3
    page = f"<main><h2 class=anchorWithStickyNavbar>Setup</h2><p>{prose}</p></main>"
    assert [block.role for block in read(page).blocks] == ["body", "body"]


def test_lists_of_links_are_text_where_the_text_leads_to_them() -> None:
    prose = "A long sentence, which says something about the matter at hand, and goes on for a while. " * 3
    links = "<ul><li><a href=/a>First story</a><li><a href=/b>Second story</a></ul>"
    page = f"<main><p>{prose}</p>{links}<h2>Further reading</h2>{links}<p>Also:</p>{links}</main>"
    assert [b.role for b in read(page).blocks if b.type == "list"] == ["nav", "nav", *["body"] * 4]


def test_xhtml_may_close_any_element_at_once() -> None:
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js" /></head>'
        '<body><a id="x"/><p>text<br/>more</p><div class="a/b"/><p>end</p></body></html>'
    )
    assert read(page).record == "text\nmore\n\nend"


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Привет', "cp1251"),
        ('<?xml version="1.0" encoding="iso-8859-2"?><html><body><p>łódź</p></body></html>', "iso-8859-2"),
        ("<meta charset=utf-8><p>é", "utf-16"),
    ],
)
def test_the_charset_of_head_declaration_and_mark_is_believed(page: str, encoding: str) -> None:
    shown = Html().extract(page.encode(encoding), path="a.html").record
    assert shown in ("Привет", "łódź", "é")


def test_control_characters_are_no_text() -> None:
    assert read("<p>a\x0bb\x1ec</p><table><tr><th>x\x1fy<th>z<tr><td>1<td>2</table>").blocks[1].cells[0].text == "xy"


HOSTILE = {
    "open": "<p class=a>x",
    "breaks": "<br>",
    "styles": "<p style='left:-9px;color:red'>x",
    "links": "<a href='http://e.org'>t</a>",
    "lists": "<ul><li><a href=/x>y</a></ul>",
    "definitions": "<dl><dt>a</dt><dd>b</dd></dl>",
    "powers": "x<sup>2</sup>",
    "rows": "<tr><td rowspan=0>x<td>y",
    "orphans": "<div><tr><td>x",
    "markup": "<",
    "comments": "/*<!--",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_the_page_takes_about_twice_the_time(name: str) -> None:
    def work(n: int) -> None:
        read("<table><tr><th>h</th></tr>" * (name == "rows") + HOSTILE[name] * (n // len(HOSTILE[name])) + "end")

    in_step(work, 40_000, 160_000, most=12)


@pytest.mark.parametrize(
    "page",
    [
        f"<p class='{'x ' * 500_000}' style='{'/*' * 500_000}'>end</p>",
        f"<img alt='{'y ' * 500_000}'>end",
        "<sup>" * 900 + "<q>" * 900 + "end",
        "<table><tr><td>" * 400 + "x " * 100_000 + "end",
    ],
)
def test_huge_attributes_and_deep_nests_are_read(page: str) -> None:
    assert within(10, lambda: read(page)).record.rstrip("”").endswith("end")


TEXT = "<p>The text of the page.</p>"


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (
            "<svg><title>icon</title><defs><text>no</text></defs><g><text>Sales <tspan>2024</tspan></text></g></svg>",
            "Sales 2024",
        ),
        ("<svg><text>one</text><text>two</text></svg>", "one two"),
        ("<svg><foreignObject><p>inside</p></foreignObject></svg>", "inside"),
        ("<object data=x.swf><param name=a><p>in its place</p></object>", "in its place"),
        ("<form>Say <textarea>what you\nthink</textarea></form>", "Say what you think"),
        ("<form>Size <select><option selected>large</select></form>", "Size large"),
    ],
)
def test_what_drawings_and_forms_show_is_text(part: str, shown: str) -> None:
    extraction = read(TEXT + part)
    assert extraction.record == f"The text of the page.\n\n{shown}"
    assert extraction.warnings == ()


@pytest.mark.parametrize(
    ("part", "characters"),
    [
        ("<noscript>no scripts</noscript>", 9),
        ("<select><option>small<option>large</select>", 10),
        ("<button>Send</button>", 4),
        ("<input value=typed>", 5),
        ("<video>no films</video>", 7),
        ("<iframe srcdoc='<p>a page</p>'></iframe>", 5),
        ("<canvas>none<script>x()</script><style>p{}</style></canvas>", 4),
    ],
)
def test_what_is_left_out_of_controls_and_scripts_is_counted(part: str, characters: int) -> None:
    extraction = read(TEXT + part)
    assert extraction.record == "The text of the page."
    [warning] = extraction.warnings
    assert f"were left out: {characters} characters in" in warning


def test_drawings_that_nobody_sees_say_nothing() -> None:
    hidden = "<svg><text style='display:none'>un</text></svg>"
    assert read(TEXT + "<svg><title>icon</title><path d=M0/></svg>" + hidden).record == "The text of the page."


def test_a_page_for_who_has_no_scripts_is_read_when_there_is_no_other() -> None:
    assert (
        read("<div id=root></div><noscript><h1>Title</h1><p>All of it.</p></noscript>").record
        == "# Title\n\nAll of it."
    )
    with pytest.raises(Refused, match="must be saved after they ran"):
        read("<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>")


def test_a_page_of_frames_shows_what_stands_in_for_them() -> None:
    frames = "<html><head><title>T</title></head><frameset><frame src=a><frame src=b>{}</frameset></html>"
    extraction = read(frames.format("<noframes><body><p>Go <b>on</b>.</p></body></noframes>"))
    assert extraction.record == "Go on."
    assert extraction.warnings == ("the page shows 2 other pages in frames, of which it holds only the addresses",)
    with pytest.raises(Refused, match="only shows other pages in frames"):
        read(frames.format(""))


@pytest.mark.parametrize("value", ["=1", "", "='>'", '=" < "', "= 'x'"])
def test_an_element_with_very_many_attributes_is_read_in_time(value: str) -> None:
    many = " ".join(f"a{k}{value}" for k in range(50_000))
    page = f"<p>before</p><script>if (a<b) {{ '</p>' }}</script><p {many} hidden>un seen</p><p {many}>after</p>"
    extraction = within(5, lambda: read(page))
    assert extraction.record == "before\n\nafter"
    assert extraction.warnings == ("hidden text was left out: 6 characters in 1 place",)


TABS = """<h1>Drill</h1><ul class="nav nav-tabs"><li><a href="#desc">Description</a></li>
<li><a {tab}>Specifications</a></li></ul>
<div id="desc" class="tab-pane active"><p>For walls of stone and of wood.</p></div>
<div id="the-specs" {panel}><table><tr><th>Power</th><td>850 W</td></tr>
<tr><th>Weight</th><td>2 kg</td></tr></table></div>"""


@pytest.mark.parametrize(
    ("tab", "panel"),
    [
        ('href="#the-specs"', 'class="tab-pane" style="display: none;"'),
        ('role="tab" aria-controls="the-specs"', 'role="tabpanel" hidden'),
        ('data-bs-target="#the-specs"', 'class="tabs-panel" aria-hidden="true"'),
    ],
)
def test_a_part_behind_a_tab_is_read(tab: str, panel: str) -> None:
    assert "| Power | 850 W |" in read(TABS.format(tab=tab, panel=panel)).record


@pytest.mark.parametrize(
    ("tab", "panel"),
    [
        ('href="/specs"', 'class="tab-pane" style="display:none"'),
        ('href="#the-specs"', 'style="display:none"'),
        ('href="#the-specs"', 'class="tab-pane" style="position:absolute; left:-9999px"'),
        ('href="#the-specs"', 'class="modal-panel" style="display:none"'),
        ('href="#the-specs"', 'class="panel" role="dialog" hidden'),
    ],
)
def test_hidden_parts_that_no_tab_opens_stay_hidden(tab: str, panel: str) -> None:
    assert "850 W" not in read(TABS.format(tab=tab, panel=panel)).record


@pytest.mark.parametrize(
    "unit", ['<a class="tab" href="#a">', '<div role="tab" aria-controls="a">', '<a href="#a">x</a>']
)
def test_tabs_are_looked_for_in_step(unit: str) -> None:
    in_step(lambda size: find_tab_panels(etree.fromstring(unit * size, etree.HTMLParser())), 400, 3_200, most=20)


@pytest.mark.parametrize("name", ["shadowrootmode", "shadowmode"])
def test_the_part_of_a_component_is_shown(name: str) -> None:
    """The second is how Chrome saves it (MHTML)."""
    page = f"<p>Tools</p><div><template {name}='open'><p>Ask <b>Ann</b>.</p></template></div><template>no</template>"
    assert read(page).record == "Tools\n\nAsk Ann."
