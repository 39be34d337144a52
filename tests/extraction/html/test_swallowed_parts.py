"""Pages whose parser lets one element run on to their end."""

import pytest

from ragstone.extraction.html.parse import Html

PROSE = "A long sentence, which says something about the matter at hand, and goes on for a while."


def body(page: str) -> str:
    blocks = Html().extract(page.encode(), path="a.html").blocks
    return "\n".join(block.text for block in blocks if block.role == "body")


@pytest.mark.parametrize("holder", ["button", "label", "canvas", "video", "a href='/home'"])
def test_an_open_division_in_a_control_hides_nothing_that_follows(holder: str) -> None:
    name = holder.split()[0]
    page = f"<div><{holder}><div>Menu</{name}></div><nav>Start</nav><main><h1>Pump</h1><p>{PROSE}</p></main>"
    assert PROSE in body(page)


def test_an_article_that_is_one_link_is_not_the_main_one() -> None:
    text = body(f'<div><p>Own. {PROSE}</p><a href="/x"><article><p>{PROSE} More.</p></article></a></div>')
    assert "Own." in text


@pytest.mark.parametrize("name", ["html", "body", "head"])
def test_an_opening_tag_that_is_closed_at_once_opens_the_page(name: str) -> None:
    assert PROSE in body(f"<!DOCTYPE html><{name} lang='de' />\n<title>Pump</title><h1>Pump</h1><p>{PROSE}</p>")
