"""A path that names no document gets the one that was probably meant."""

import pytest

from ragstone.core.suggestions import describe_absent, find_nearest_path
from tests.speed import within

KNOWN = ["guides/alerts.md", "storage.md", "notes.txt"]


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("docs/storage.md", "storage.md"),
        ("alerts.md", "guides/alerts.md"),
        ("storag.md", "storage.md"),
        ("guides/alert.md", "guides/alerts.md"),
        ("zebra", None),
    ],
)
def test_the_nearest_path_is_one_with_the_same_end_or_written_alike(path: str, meant: str | None) -> None:
    assert find_nearest_path(path, KNOWN) == meant
    assert ("did you mean" in describe_absent(path, KNOWN)) == (meant is not None)


def test_a_document_of_tomorrow_is_there_and_not_in_effect() -> None:
    assert describe_absent("storage.md", KNOWN) == "document 'storage.md' is not in effect yet"


def test_many_paths_do_not_make_a_refusal_slow() -> None:
    many = [f"docs/section{n % 97}/page-number-{n}.md" for n in range(100_000)]
    within(5, lambda: find_nearest_path("dosc/section5/page-nmber-77.md", many))
