"""Discussions: every post is text of the page, short ones and those that look like a row of teasers or comments too."""

import pytest

from ragstone.extraction.html.parse import Html
from tests.speed import in_step

PROSE = "A long sentence, which says something about the matter at hand, and goes on for a while. "
MENU = '<ul class="menu">' + "".join(f'<li><a href="/{n}">Board number {n}</a></li>' for n in range(9)) + "</ul>"


def body(page: str) -> str:
    blocks = Html().extract(page.encode(), path="a.html").blocks
    return "\n".join(block.text for block in blocks if block.role == "body")


def post(name: str, text: str, classes: str = "topic-post clearfix") -> str:
    """A post that begins with a link to its author."""
    inner = f'<div><a href="/u/{name}">{name}</a></div><div class="cooked">{text}</div>'
    return f'<div class="{classes}"><article class="boxed onscreen-post">{inner}</article></div>'


def test_posts_that_begin_with_their_authors_are_no_row_of_teasers() -> None:
    posts = post("mira", f"<p>Plans. {PROSE}</p>", "topic-post clearfix owner")
    posts += post("ttl", "<p>Will it need a new loader?</p>") + post("oleg", f"<p>Yes, 1.8 or later. {PROSE}</p>")
    text = body(f"<div><h1>Plans</h1></div>{MENU}<div>{posts}</div>")
    assert [words for words in ("Plans.", "a new loader?", "1.8 or later") if words not in text] == []
    assert "Board number 3" not in text


def test_a_row_of_boxes_whose_links_are_titles_stays_one() -> None:
    boxes = "".join(f'<div><a href="/{n}">Title of another page {n}</a><p>{PROSE}</p></div>' for n in range(5))
    text = body(f"<article><h1>News</h1>{f'<p>{PROSE}</p>' * 4}</article><div>{boxes}</div>")
    assert "another page" not in text


def test_boxes_with_a_short_link_above_a_linked_heading_stay_teasers() -> None:
    box = '<div><a href="/sport">Sport</a><h3><a href="/{0}">Title of page {0}</a></h3><p>' + PROSE + "</p></div>"
    boxes = "".join(box.format(n) for n in range(5))
    assert "Title of page 3" not in body(f"<h1>News</h1>{f'<p>{PROSE}</p>' * 4}<div>{boxes}</div>")


@pytest.mark.parametrize("title", ["Mayor{} resigns", "市长第{}次辞职的消息", "Sport{}"])
@pytest.mark.parametrize(
    "box", ["<div><a href='/{0}'>{1}</a><p>{2}</p></div>", "<li><a href='/{0}'>{1}</a> <span>{2}</span></li>"]
)
def test_boxes_with_short_titles_stay_teasers(title: str, box: str) -> None:
    boxes = "".join(box.format(n, title.format(n), PROSE) for n in range(5))
    own = f"<h1>News</h1>{f'<p>{PROSE}</p>' * 4}"
    for page in (f"<main>{own}<ul>{boxes}</ul></main>", f"<div>{own}</div><div><ul>{boxes}</ul></div>"):
        assert title.format(3) not in body(page)


@pytest.mark.parametrize(
    "author",
    [
        '<a href="/members/{0}.12/">{0}</a>',
        '<a href="memberlist.php?mode=viewprofile&amp;u=7">{0}</a>',
        '<a href="index.php?action=profile;u=7">{0}</a>',
        '<a href="/@{0}">{0}</a>',
        '<a href="/x" rel="author">{0}</a>',
        '<a href="/x" class="username">{0}</a>',
        '<span class="post-author"><a href="/x">{0}</a></span>',
    ],
)
def test_links_to_people_are_known_by_address_or_name(author: str) -> None:
    posts = "".join(f"<div>{author.format(f'user{n}')}<p>Post {n}. {PROSE}</p></div>" for n in range(5))
    text = body(f"<div><h1>Plans</h1></div><div>{posts}</div>")
    assert [n for n in range(5) if f"Post {n}." not in text] == []


def test_the_main_part_of_a_page_is_no_row_of_teasers() -> None:
    rules = "".join(f"<div><h3><a href='#p{n}'>Rule {n}</a></h3>Be kind {n}.</div>" for n in range(4))
    assert "Be kind 2." in body(f'<div role="main">{rules}</div>')


def comment(n: int, text: str, inner: str = "") -> str:
    said = f'<p class="tagline">user{n}</p><div class="md"><p>{text}</p></div>'
    return f'<div class="thing comment">{said}<div class="child">{inner}</div></div>'


def test_answers_in_elements_of_the_questions_own_class_are_text_whatever_the_question_is_long() -> None:
    question = f'<div class="entry"><div class="md">{f"<p>Asked. {PROSE}</p>" * 9}</div></div>'
    answers = comment(1, f"First. {PROSE}", comment(2, "A short reply to it.")) + comment(3, "Thanks, that was it!")
    text = body(f'<h1>Bread</h1>{MENU}{question}<div class="comments-area">{answers}</div>')
    assert [words for words in ("Asked.", "First.", "A short reply", "Thanks, that") if words not in text] == []


def test_comments_below_an_article_are_still_none() -> None:
    own = f'<div class="entry-content">{f"<p>{PROSE}</p>" * 9}</div>'
    text = body(f"<article><h1>News</h1>{own}</article><div>{comment(1, f'I disagree. {PROSE}')}</div>")
    assert "I disagree" not in text


def test_a_short_question_stays_above_long_answers() -> None:
    question = f'<div id="question"><div class="prose">How? {PROSE}</div></div>'
    answers = "".join(f'<div class="answer"><div class="prose">Answer {n}. {PROSE * 9}</div></div>' for n in range(3))
    text = body(f'<div role="main"><h1>How?</h1>{question}<div id="answers">{answers}</div></div>')
    assert text.index("How? A long") < text.index("Answer 2.")


@pytest.mark.parametrize("address", ["mailto:ines@example.com", "tel:+468555010"])
def test_names_that_link_to_people_are_text(address: str) -> None:
    page = (
        f'<p>Notes. {PROSE}</p><p>Attendees: <a href="{address}">Ines Duarte</a> <a href="{address}">Tom Byrne</a></p>'
    )
    assert "Ines Duarte" in body(page)


def test_the_work_grows_as_the_number_of_posts_does_where_each_has_a_class_of_its_own() -> None:
    def read(posts: int) -> None:
        body("".join(f'<div class="post-{n}"><p>{PROSE}</p></div>' for n in range(posts)))

    in_step(read, 2000, 16_000, most=16)


ARTICLE = "".join(
    f"<p>{'The harvest of apples began early this year, say all who work here. ' * 2}{n}</p>" for n in range(2)
)
REPLY = "<div class='block'><span>reader{0}</span><p>I was there {0} weeks ago, and it was full of people.</p></div>"
REPLIES = "".join(map(REPLY.format, range(6)))


@pytest.mark.parametrize(
    "heading",
    ["4 thoughts on “Harvest”", "One thought on “Harvest”", "6 Comments", "Kommentare (6)", "12 commentaires"],
)
@pytest.mark.parametrize("around", ["{}", "<div class='head'>{}</div>"])
def test_comments_in_elements_of_the_articles_class_are_told_by_the_heading_that_counts_them(
    heading: str, around: str
) -> None:
    page = (
        f"<h1>Harvest</h1><div class='block'>{ARTICLE}</div><div>{around.format(f'<h3>{heading}</h3>')}{REPLIES}</div>"
    )
    found = Html().extract(page.encode(), path="a.html")
    body = [block.text for block in found.blocks if block.role == "body"]
    assert body[0] == "Harvest"
    assert len(body) == 3
    assert all(text.startswith("The harvest") for text in body[1:])


@pytest.mark.parametrize(
    "heading",
    [
        "6 Answers",
        "Comments",
        "Comments in code",
        "6 replies",
        "4 thoughts on testing",
        "Thoughts on 2024",
        "Comment 1",
        "Comment (1)</h3><p>It is late.</p><h3>Comment (2)",
    ],
)
def test_other_headings_begin_text_of_the_page(heading: str) -> None:
    page = f"<h1>Harvest</h1><div class='block'>{ARTICLE}</div><div><h3>{heading}</h3>{REPLIES}</div>"
    found = Html().extract(page.encode(), path="a.html")
    assert sum(block.text.startswith("I was there") for block in found.blocks if block.role == "body") == 6


def test_comments_are_the_text_of_a_page_without_an_article() -> None:
    page = f"<h1>Harvest</h1><div><h3>6 Comments</h3>{REPLIES}</div>"
    found = Html().extract(page.encode(), path="a.html")
    assert sum(block.text.startswith("I was there") for block in found.blocks if block.role == "body") == 6
