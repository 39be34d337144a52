"""Pages that editors export: titles that are paragraphs, boxes of tasks that are classes."""

import pytest

from ragstone.extraction.html.parse import Html


@pytest.mark.parametrize(
    ("page", "record"),
    [
        (
            "<body class='c8 doc-content'><p class='c4 title'>Travel</p><p class='c1'>By rail.</p>",
            "# Travel\n\nBy rail.",
        ),
        ("<body><p class=MsoTitle>Travel</p><p class=MsoNormal>By rail.</p>", "# Travel\n\nBy rail."),
        ("<body><p class=title>Travel</p><p>By rail.</p>", "Travel\n\nBy rail."),
        (
            "<ul class='to-do-list'><li><div class='checkbox checkbox-on'></div> <span>Post it</span></li>"
            "<li><div class='checkbox checkbox-off'></div> <span>Book it</span></li></ul>",
            "- ☒ Post it\n- ☐ Book it",
        ),
        (
            "<ul class='inline-task-list'><li class='checked'>Post it</li><li>Book it</li></ul>",
            "- ☒ Post it\n- ☐ Book it",
        ),
    ],
)
def test_what_classes_show_is_read(page: str, record: str) -> None:
    assert Html().extract(page.encode(), path="a.html").record == record
