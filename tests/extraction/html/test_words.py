"""Web pages: the words of a line, with their links, pictures, powers, notes and formulas; lists; code."""

import pytest

from ragstone.extraction.html.parse import Html
from ragstone.extraction.html.superscripts import format_note_mark, format_subscript, format_superscript


def record(page: str) -> str:
    return Html().extract(page.encode(), path="a.html").record


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("10<sup>-3</sup> mol", "10⁻³ mol"),
        ("x<sup>2</sup> + y<sup>n</sup>", "x² + yⁿ"),
        ("H<sub>2</sub>O at V<sub>max</sub>", "H₂O at V_max"),
        ("e<sup>-kt</sup>", "e^(-kt)"),
        ("3<sup>1</sup>/<sub>2</sub>", "3¹/₂"),
        ("the 20<sup>th</sup> of M<sup>me</sup> X, n<sup>o</sup> 5", "the 20th of Mme X, no 5"),
        ("Foo<sup>TM</sup>", "Foo™"),
        ("in 2010<sup>[12]</sup>", "in 2010[^12]"),
        ("in 2010<sup><a href='#fn1'>1</a></sup>", "in 2010[^1]"),
        ("so<a href='#fn2'><sup>2</sup></a>.", "so[^2]."),
        ("so<sup class=reference><a href='http://e.org/x#cite_note-3'>[note 3]</a></sup>", "so[^note3]"),
        ("A note. <a href='#r1'>↩</a>", "A note."),
        ("<h2>Title<a class=headerlink href='#t'>¶</a></h2>", "## Title"),
    ],
)
def test_raised_and_lowered_text_keeps_its_meaning(page: str, shown: str) -> None:
    assert record(page) == shown


def test_raised_text_that_is_no_power_stays() -> None:
    assert (
        format_superscript("a small print that nobody reads as a power", "x")
        == "a small print that nobody reads as a power"
    )
    assert format_superscript(": 228", "[^14]") == ": 228"
    assert format_subscript("see there", "x") == "see there"
    assert format_note_mark("a remark of some length") is None


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("see <a href='https://e.org/a(b)'>the docs</a>.", "see [the docs](https://e.org/a%28b%29)."),
        ("<a href='mailto:a@e.org'>Ann</a>", "[Ann](mailto:a@e.org)"),
        ("<a href='https://e.org/'>e.org</a>", "e.org"),
        ("<a href=/on/this/site>x</a> <a href='#part'>y</a> <a href='javascript:run()'>z</a>", "x y z"),
        ("<a href='https://e.org'>a</a><a href=/b>b</a>", "[a](https://e.org) b"),
        ("<h2><a href='https://e.org/c'>Title</a></h2>", "## [Title](https://e.org/c)"),
        (f"<a href='https://e.org/?{'s' * 400}'>counted</a>", "counted"),
        (f"<a href='https://e.org/ck?u={'aHR0' * 20}'>led</a>", "led"),
        ("<a href='https://e.org'><h3>Card</h3><p>About it</p></a>", "### [Card](https://e.org)\n\nAbout it"),
    ],
)
def test_links_say_where_they_lead_when_that_can_be_followed_from_elsewhere(page: str, shown: str) -> None:
    assert record(page) == shown


def test_a_heading_names_its_section_without_the_address() -> None:
    block = Html().extract(b"<h2><a href='https://e.org/c'>Title</a></h2>", path="a.html").blocks[0]
    assert block.text == "Title"


def test_links_of_navigation_have_no_address() -> None:
    prose = "A long sentence, which says something about the matter at hand, and goes on for a while. " * 3
    shown = record(f"<nav><a href='https://e.org/a'>A</a></nav><main><p>{prose}</p></main>")
    assert "https://" not in shown


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("<img alt='A duck [male]'>", "![A duck (male)]"),
        ("<img alt=''><img alt='IMG_123.jpg'>text", "text"),
        ("fine <img alt='😀'>", "fine 😀"),
        ("<a href='https://e.org'><img alt='Home'> Home</a>", "[Home](https://e.org)"),
        ("<a href='https://e.org/big.jpg'><img alt='A duck'></a>", "![A duck]"),
        ("<figure><img alt='A duck'><figcaption>A <b>duck</b></figcaption></figure>", "A duck"),
        ("<h1><img alt='The Site'></h1>", "# The Site"),
    ],
)
def test_pictures_give_their_description_once(page: str, shown: str) -> None:
    assert record(page) == shown


def test_formulas_are_written_as_latex() -> None:
    assert record("<math alttext='E=mc^2'><mi>E</mi></math>") == "$E=mc^2$"
    assert record("<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math>") == r"$\frac{a}{b^{2}}$"
    tex = "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math>"
    assert record(f"so {tex} is") == "so $x_1$ is"
    hidden = (
        "<span style='display:none'><math><mi>x</mi></math></span><img class=mwe-math-image aria-hidden=true alt='x'>"
    )
    assert record(hidden) == "$x$"


def test_quotes_hyphens_readings_and_boxes() -> None:
    assert record("<q>yes</q> to so\xadft 漢<ruby><rp>(</rp><rt>kan</rt></ruby>") == "“yes” to soft 漢"
    boxes = "<ul><li><input type=checkbox disabled checked>done<li><input type=checkbox disabled>open</ul>"
    assert record(boxes) == "- ☒ done\n- ☐ open"
    assert record("<h3><button>Why?</button></h3><p>So.</p><button>Buy</button>") == "### Why?\n\nSo."


def test_empty_lines_part_paragraphs_and_breaks_do_not() -> None:
    assert record("one<br><br>two<br>three<br> <br>&nbsp;<br>four") == "one\n\ntwo\nthree\n\nfour"


def test_lists_count_as_they_are_told() -> None:
    page = "<ol type=a start=3><li>x<li>y<ol type=I><li>k<li value=5>l</ol></ol><ol reversed><li>p<li>q</ol>"
    assert record(page) == "c. x\nd. y\n  I. k\n  V. l\n2. p\n1. q"
    assert record("<ol start=-1><li>m<li>n</ol>") == "-1. m\n0. n"
    assert record("<ol type=A start=26><li>y<li>z</ol>") == "Z. y\nAA. z"


def test_definitions_are_items() -> None:
    page = (
        "<dl><dt>Coffee</dt><dd>hot</dd><dt>Milk</dt><dt>Cream:</dt><dd><p>cold</p></dd>"
        "<div><dt>Tea</dt><dd>green</dd><dd>black</dd></div></dl>"
    )
    assert record(page) == "- Coffee: hot\n- Milk\n- Cream: cold\n- Tea\n  - green\n  - black"


def test_definitions_within_definitions_nest() -> None:
    page = "<dl><dt>A</dt><dd><dl><dt>B</dt><dd>b</dd></dl></dd></dl>"
    assert record(page) == "- A:\n  - B: b"


def test_a_long_item_with_a_heading_is_a_section() -> None:
    page = f"<ol><li><h2>One</h2><p>{'word ' * 120}</p></li></ol>"
    kinds = [block.type for block in Html().extract(page.encode(), path="a.html").blocks]
    assert kinds == ["heading", "paragraph"]


@pytest.mark.parametrize(
    ("page", "language"),
    [
        ("<pre><code class='language-python hljs'>x</code></pre>", "python"),
        ("<div class='highlight-rust notranslate'><div class=highlight><pre>x</pre></div></div>", "rust"),
        ("<div class='highlight highlight-source-js'><pre>x</pre></div>", "js"),
        ("<pre class='sourceCode bash'>x</pre>", "bash"),
        ("<pre lang=go>x</pre>", "go"),
        ("<pre data-lang=sql>x</pre>", "sql"),
        ("<div class='highlight-default'><pre>x</pre></div>", None),
        ("<pre>x</pre>", None),
    ],
)
def test_code_keeps_its_language(page: str, language: str | None) -> None:
    assert Html().extract(page.encode(), path="a.html").blocks[0].language == language


def test_lines_of_code_stay_apart_and_their_numbers_go() -> None:
    assert record("<pre><div>one</div><div>two</div></pre>") == "```\none\ntwo\n```"
    gutter = "<table><tr><td><pre>1\n2</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table>"
    assert record(gutter) == "```\na = 1\nb = 2\n```"
