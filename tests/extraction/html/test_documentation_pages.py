"""Pages that generators of documentation make: nothing that they document is taken for furniture."""

import pytest

from ragstone.extraction.html.parse import Html
from tests.speed import in_step

PROSE = "A long sentence, which says something about the matter at hand, and goes on for a while. "


def body(page: str) -> str:
    blocks = Html().extract(page.encode(), path="a.html").blocks
    return "\n".join(block.text for block in blocks if block.role == "body")


def test_words_within_a_line_stay_whatever_their_class_is() -> None:
    code = '<span class="hljs-keyword">run</span>(); <span class="hljs-comment">// starts the pump</span>'
    rule = 'A line is LF <span class="grammar-comment">not followed by CR</span> or CR, and it ends there.'
    text = body(f"<h1>Pump</h1><p>{PROSE}</p><pre><code>{code}</code></pre><p>{rule}</p>")
    assert "run(); // starts the pump" in text
    assert "LF not followed by CR or CR" in text


@pytest.mark.parametrize("element", ["section", 'div class="section"', "div"])
def test_sections_stay_whatever_their_titles_are(element: str) -> None:
    names = ["install", "comments", "pagination", "tags"]
    tag = element.split()[0]
    parts = "".join(f'<{element} id="{name}"><h2>{name.title()}</h2><p>{name} {PROSE}</p></{tag}>' for name in names)
    text = body(f"<h1>Manual</h1>{parts}")
    assert [name for name in names if f"{name} {PROSE.strip()}" not in text] == []


def test_the_comments_of_readers_are_no_text() -> None:
    answers = "".join(f"<li><p>{PROSE} {n}</p></li>" for n in range(3))
    said = f'<div id="comments"><h2>Comments</h2><ol>{answers}</ol></div>'
    assert f"{PROSE} 1" not in body(f"<article><h1>News</h1><p>{PROSE * 4}</p></article>{said}")


def test_answers_of_readers_are_no_text_whatever_holds_them() -> None:
    answers = "".join(f'<div id="comment-{n}"><p>{PROSE} {n}</p></div>' for n in range(4))
    assert f"{PROSE} 1" not in body(f"<article><h1>News</h1><p>{PROSE * 9}</p><div>{answers}</div></article>")


def test_a_column_beside_an_article_is_no_part_of_it() -> None:
    page = f"<div><div><p>Buy tanks. {PROSE}</p></div><div><h1>News</h1><p>{PROSE * 9}</p></div></div>"
    assert "Buy tanks." not in body(page)


def test_a_function_is_no_part_of_the_page_that_its_name_sounds_like() -> None:
    method = '<section id="method.skip"><h2>skip</h2><p>Leaves out.</p></section>'
    assert "Leaves out." in body(f"<main><h1>Iterator</h1><p>{PROSE * 2}</p>{method}</main>")


def test_the_largest_of_several_chapters_is_not_the_whole_text() -> None:
    chapters = "".join(
        f'<div class="sect1"><h2>{n}</h2><p>{n} {PROSE * times}</p></div>' for n, times in enumerate((1, 20, 2))
    )
    text = body(f'<div class="book">{chapters}</div>')
    assert [n for n in range(3) if f"{n} {PROSE}".strip() not in text] == []


def test_the_beginning_of_a_text_stays_before_its_longest_part() -> None:
    longest = f"<section><h3>Example</h3><p>{PROSE * 9}</p></section>"
    assert "First." in body(f"<section><h2>Embedding</h2><p>First. {PROSE}</p>{longest}</section>")


def test_the_signature_that_is_explained_stays() -> None:
    signature = (
        "<a href='a.html'>unsafe</a> fn load(source: <a href='b.html'>Vector</a>, mask: Mask, address: u64) -> Vector"
    )
    assert "fn load(source:" in body(f"<section><pre>{signature}</pre><div><p>{PROSE * 9}</p></div></section>")


def test_entries_that_begin_with_a_link_to_their_source_are_no_teasers() -> None:
    entries = "".join(
        f"<div><a href='s{n}.html'>Source</a><p>fn part_{n}() gives part {n}.</p></div>" for n in range(6)
    )
    text = body(f"<h1>Part</h1><p>{PROSE * 2}</p><div>{entries}</div>")
    assert [n for n in range(6) if f"gives part {n}." not in text] == []


def test_short_entries_beside_a_long_one_are_no_row_of_teasers() -> None:
    short = "".join(f"<div><h3><a href='{n}.html'>Trait {n}</a></h3></div>" for n in range(6))
    long = f"<div><h3><a href='o.html'>Option</a></h3><p>Maps. {PROSE * 9}</p></div>"
    assert "Maps." in body(f"<h1>Option</h1><p>{PROSE * 2}</p><div>{long}{short}</div>")


def test_what_a_module_lists_below_its_description_stays() -> None:
    items = "".join(f"<dt><a href='{n}.html'>part_{n}</a></dt><dd>Gives the part {n} of a tank.</dd>" for n in range(4))
    page = f"<section><details><p>{PROSE * 9}</p></details><h2>Functions</h2><dl>{items}</dl></section>"
    text = body(f"<h1>Tanks</h1>{page}")
    assert [n for n in range(4) if f"Gives the part {n} of a tank." not in text] == []


def test_the_work_grows_as_the_page_does() -> None:
    """Of a page whose elements are deep in each other, with nothing but empty ones before the first heading."""

    def read(depth: int) -> None:
        body(f"<body>{('<div>' + '<i></i>' * 100) * depth}<h2>Pump</h2><p>{PROSE}</p></body>")

    in_step(read, 100, 400, most=8)


@pytest.mark.parametrize("name", ["navheader", "navfooter", "topNav"])
def test_bars_of_generated_manuals_are_navigation(name: str) -> None:
    """The names of the pages before and after were quoted from the table in which they stand."""
    cells = '<td><a href="a.html"><img alt="Prev"></a></td><td>Search term reference</td><td>Customizing the list</td>'
    bar = f'<div class="{name}"><table><tr>{cells}</tr></table></div>'
    page = f"<h1>Themes</h1>{bar}" + "".join(
        f"<p>{n}. A theme is a set of colours, which you choose.</p>" for n in range(9)
    )
    blocks = Html().extract(page.encode(), path="a.html").blocks
    assert {block.role for block in blocks if "Search term" in block.text} == {"nav"}
    assert "8. A theme" in "\n".join(block.text for block in blocks if block.role == "body")
