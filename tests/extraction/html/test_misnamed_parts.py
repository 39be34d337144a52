"""Parts of a page whose names sound like furniture, and that are its text all the same."""

import pytest

from ragstone.extraction.html.parse import Html

PROSE = "A long sentence, which says something about the matter at hand, and goes on for a while. "
PLAIN = "<ul>" + "".join(f'<li><a href="/{n}">A page of the menu, number {n}</a></li>' for n in range(40)) + "</ul>"
LINKS = PLAIN.replace("<ul>", '<ul class="menu">')


def body(page: str) -> str:
    blocks = Html().extract(page.encode(), path="a.html").blocks
    return "\n".join(block.text for block in blocks if block.role == "body")


@pytest.mark.parametrize("name", ['class="widget story"', 'class="with_related_topics"', 'id="middle_rail"'])
def test_the_part_with_nearly_all_prose_is_the_text(name: str) -> None:
    parts = "".join(f"<p>{n} {PROSE}</p>" for n in range(5))
    text = body(f"<h1>News</h1>{LINKS}<div {name}>{parts}</div><p>{PROSE}</p>")
    assert f"3 {PROSE.strip()}" in text
    assert "number 3" not in text


def test_paragraphs_of_one_class_count_together() -> None:
    parts = "".join(f'<p class="paywall">{n} {PROSE}</p>' for n in range(8))
    assert f"7 {PROSE.strip()}" in body(f"<h1>News</h1><div>{LINKS}<p>{PROSE}</p>{parts}</div>")


def test_a_long_notice_on_cookies_is_no_text() -> None:
    notice = f'<div class="cookie-banner">{"".join(f"<p>{n} {PROSE}</p>" for n in range(5))}</div>'
    assert f"3 {PROSE.strip()}" not in body(f"<h1>News</h1><p>Short.</p><p>{PROSE}</p>{LINKS}{notice}")


def test_answers_are_the_text_of_a_page_that_has_no_other() -> None:
    answers = "".join(
        f'<div class="comment-group"><div class="comment"><h3>user{n}</h3><div><p>{n} {PROSE}</p></div></div></div>'
        for n in range(5)
    )
    text = body(f"<main><h1>Stops at the start</h1>{answers}</main>")
    assert [n for n in range(5) if f"{n} {PROSE.strip()}" not in text] == []


@pytest.mark.parametrize("page", ["<article>{}</article><div>{}</div>", '<main><div class="post">{}</div>{}</main>'])
def test_a_short_text_above_many_answers_stays_with_them(page: str) -> None:
    answers = "".join(f'<div class="comment"><b>user{n}</b><p>Answer {n}. {PROSE * 2}</p></div>' for n in range(12))
    text = body(page.format(f"<h1>Stops</h1><p>First. {PROSE}</p><p>{PROSE}</p>", answers))
    assert text.index("First.") < text.index("Answer 3.")


def test_captions_of_a_gallery_do_not_outweigh_the_article() -> None:
    slides = "".join(f'<div class="slide"><div class="caption">{n}: {PROSE * 2}</div></div>' for n in range(12))
    gallery, own = f'<div class="viewport">{slides}</div>', "".join(f"<p>{n} {PROSE}</p>" for n in range(4))
    assert f"2 {PROSE.strip()}" in body(f"<article><h1>News</h1><div>{own}<div>{gallery}</div></div></article>")


def test_a_paragraph_is_not_a_repetition_of_the_element_around_it() -> None:
    page = f"<h1>News</h1><div><div class='text'><span><p>First. {PROSE}</p></span></div><p>Then. {PROSE}</p></div>"
    assert "First." in body(page)


def test_a_short_article_among_links_is_text() -> None:
    page = f"<div id='main'><h1>News</h1><p>{PROSE}</p><p>1 {PROSE}</p>{PLAIN}</div>"
    assert f"1 {PROSE.strip()}" in body(f"<div>{page}</div><div><p>Best viewed in a browser. {PROSE}</p></div>")


def test_the_first_paragraph_beside_the_main_text_belongs_to_it() -> None:
    rest = "".join(f"<p>{n} {PROSE}</p>" for n in range(6))
    assert "First." in body(f"<h1>News</h1><div><p>First. {PROSE}</p><div>{rest}</div></div>")


@pytest.mark.parametrize("name", ["related", "recommended-posts", "widget", "carousel"])
def test_teasers_of_other_pages_do_not_outweigh_a_short_article(name: str) -> None:
    rows = "".join(f'<div><a href="/{n}">Story {n}</a><p>Teaser {n}. {PROSE}</p></div>' for n in range(12))
    own = f"<article><h1>News</h1><p>First. {PROSE}</p><p>{PROSE}</p></article>"
    for part in (rows, f"<div>{rows}</div>"):
        text = body(f'{own}<div class="{name}">{part}</div>')
        assert "First." in text
        assert "Teaser 3." not in text


@pytest.mark.parametrize("box", ["div", "li", "article"])
def test_the_article_around_the_title_is_the_text_however_much_is_beside_it(box: str) -> None:
    teasers = "".join(
        f'<{box} class="box"><h3>Story {n}</h3><p>Story {n}. {PROSE}</p><a href="/{n}">More</a></{box}>'
        for n in range(12)
    )
    text = body(f"<main><article><h1>News</h1><p>{PROSE}</p><p>1 {PROSE}</p></article><div>{teasers}</div></main>")
    assert f"1 {PROSE.strip()}" in text
    assert "Story 3" not in text


@pytest.mark.parametrize("wrap", ["<div class='box'>{}</div>", "<div><div>{}</div></div>", "<section>{}</section>"])
def test_one_longer_paragraph_is_not_all_of_a_page_of_short_ones(wrap: str) -> None:
    rows = "".join(f"<tr><td>S{n}</td><td>{n} hours</td></tr>" for n in range(1, 9))
    text = body(
        f"<div class='page'>{LINKS}<h1>Incidents</h1><p>Every incident has one commander.</p><h2>Severity</h2>"
        f"<table><tr><th>Level</th><th>Reaction</th></tr>{rows}</table>"
        f"<h2>Escalation</h2>{wrap.format(f'<p>{PROSE}</p>')}<ul><li>Write the report within five days</li></ul></div>"
    )
    assert PROSE.strip() in text
    assert all(one in text for one in ("one commander", "Severity", "7 hours", "within five days"))
    assert "number 3" not in text
