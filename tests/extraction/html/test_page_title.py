"""The title of a page says where its text begins."""

import pytest

from ragstone.extraction.html.parse import Html

PROSE = "A long sentence, which says something about the matter at hand, and goes on for a while. "
LINKS = "<ul>" + "".join(f'<li><a href="/{n}">A page of the menu, number {n}</a></li>' for n in range(40)) + "</ul>"
TITLE = "<h1>Backups run at two</h1>"


def body(page: str) -> str:
    blocks = Html().extract(page.encode(), path="a.html").blocks
    return "\n".join(block.text for block in blocks if block.role == "body")


@pytest.mark.parametrize("name", ["nav-content-wrap", "with-sidebar", "page widget"])
def test_a_short_note_around_its_title_is_text_whatever_its_class_says(name: str) -> None:
    text = body(f'<nav>{LINKS}</nav><section class="{name}">{TITLE}<p>{PROSE}</p></section>')
    assert PROSE.strip() in text
    assert "number 3" not in text


def test_a_dialog_with_the_only_title_is_no_text() -> None:
    parts = "".join(f"<p>{n} {PROSE}</p>" for n in range(5))
    text = body(f'<div class="cookie-consent"><h1>Cookies</h1><p>Consent. {PROSE}</p></div><div>{parts}</div>')
    assert f"3 {PROSE.strip()}" in text
    assert "Consent" not in text


def test_an_aside_within_the_main_part_may_hold_the_article() -> None:
    page = f"<div>{LINKS}</div><main><aside><section>{TITLE}<p>{PROSE}</p></section></aside></main>"
    assert PROSE.strip() in body(page)


def test_an_article_stays_where_answers_without_a_name_are_longer() -> None:
    article = "".join(f"<p>Article {n} {PROSE}</p>" for n in range(3))
    answers = "".join(f"<ul><li>Answer {n} {PROSE * 2}</li></ul>" for n in range(15))
    text = body(f"<div><div>{LINKS}<div>{TITLE}{article}</div></div><div>{answers}</div></div>")
    assert f"Article 2 {PROSE.strip()}" in text
    assert "number 3" not in text


def test_a_note_stays_beside_a_longer_imprint() -> None:
    imprint = "".join(f"<p>Imprint {n} {PROSE}</p>" for n in range(6))
    text = body(f"<div>{TITLE}<p>{PROSE}</p><div>{LINKS}</div></div><details><div>{imprint}</div></details>")
    assert f"\n{PROSE.strip()}" in text


def test_entries_below_the_title_are_no_row_of_teasers() -> None:
    entries = "".join(
        f'<div><p><a href="/{n}">May {n}, a Thursday</a></p><h2>Entry</h2><p>{n} {PROSE}</p></div>' for n in range(3)
    )
    assert f"1 {PROSE.strip()}" in body(f'<div class="menu">{LINKS}</div><div><h1>News</h1>{entries}</div>')


def test_sentences_in_chinese_are_prose() -> None:
    first = "泡茶的水最好用软水，水温要看茶叶的种类：绿茶八十度左右，红茶九十五度。"
    text = body(
        f"<div><h1>茶</h1><div>{'2024-01-08 Created, ' * 5}</div><div><p>{first}</p><p>{first}二</p></div></div>"
    )
    assert first in text


def test_posts_below_the_title_are_one_text() -> None:
    posts = "".join(f"<div><article><p>Post {n} {PROSE * (3 if n == 1 else 1)}</p></article></div>" for n in range(3))
    text = body(f"<header>{TITLE}</header><div>{posts}</div><footer>{LINKS}</footer>")
    assert "Post 0" in text
    assert "Post 2" in text


def test_an_article_beside_teasers_is_the_text_alone() -> None:
    teasers = "".join(f'<article><a href="/{n}"><h3>Teaser {n}</h3></a><p>{n} {PROSE}</p></article>' for n in range(2))
    text = body(f"<div>{TITLE}</div><div><article><p>Own. {PROSE * 4}</p></article>{teasers}</div>")
    assert "Own." in text
    assert f"1 {PROSE.strip()}" not in text


def test_lines_of_an_article_beside_its_longest_part_are_text() -> None:
    lines = "".join(f"<div>Line {n} {PROSE}</div>" for n in range(3))
    long = "".join(f"<div>Long {n} {PROSE}</div>" for n in range(12))
    text = body(f"<article>{TITLE}<div><div>Begin. {PROSE}</div><div>{long}</div>{lines}</div></article>")
    assert "Begin." in text
    assert "Line 2" in text
