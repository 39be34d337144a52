"""Pages of shops: price, sizes, questions and reviews beside the description are text of the page."""

import pytest

from ragstone.extraction.html.parse import Html

PROSE = "<p>A stove for six people, which stands on three wide legs, so that even a large pot does not tip over.</p>"
MENU = '<ul class="menu">' + "".join(f'<li><a href="/{n}">Department {n}</a></li>' for n in range(9)) + "</ul>"
REVIEW = '<li class="review comment" id="comment-7"><div class="comment-text"><p>The hose leaked.</p></div></li>'
REVIEWS = f'<div id="reviews"><div id="comments"><h2>1 review</h2><ol class="commentlist">{REVIEW}</ol></div></div>'
PARTS = (
    '<div class="summary"><h1>Stove</h1><p>$119.00</p></div>'
    f'<div class="tabs"><div id="tab"><h2>Description</h2>{PROSE * 9}</div>{REVIEWS}</div>'
    "<section><h2>Questions</h2><p>Q: Which hose?</p><p>A: The blue one.</p></section>"
)
SAYS = (
    '<script type="application/ld+json">{"@type": "Product"}</script>',
    '<meta property="og:type" content="product">',
    '<meta property="product:price:amount" content="119">',
)


def body(page: str) -> str:
    blocks = Html().extract(page.encode(), path="a.html").blocks
    return "\n".join(block.text for block in blocks if block.role == "body")


@pytest.mark.parametrize("says", SAYS)
@pytest.mark.parametrize("tag", ["main", "div"])
def test_what_stands_around_a_long_description_is_text(says: str, tag: str) -> None:
    text = body(f"<html><head>{says}</head><body>{MENU}<{tag}>{PARTS}</{tag}><footer>Returns</footer></body></html>")
    assert [one for one in ("$119.00", "The hose leaked.", "The blue one.") if one not in text] == []
    assert "Department 3" not in text
    assert "Returns" not in text


def test_comments_that_are_no_reviews_stay_none() -> None:
    other = REVIEWS.replace("reviews", "answers").replace("review comment", "comment")
    assert "The hose leaked." not in body(f"<main><h1>Stove</h1>{PROSE * 9}{other}</main>")


def test_a_documents_title_is_a_paragraph_of_that_name_where_the_page_names_none() -> None:
    page = '<body class="doc"><p class="c3 title"><span>The </span><span>guide</span></p><h1>First day</h1></body>'
    assert Html().extract(page.encode(), path="a.html").title == "The guide"
