"""Path patterns mean one thing everywhere."""

import pytest

from ragstone.core.path_patterns import matches_any


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.md", "a.md", True),
        ("*.md", "deep/down/a.md", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/sub/a.md", False),
        ("docs/**", "docs/sub/a.md", True),
        ("docs/**", "docs", False),
        ("docs/**", "other/docs/a.md", False),
        ("**/drafts/**", "a/drafts/b.md", True),
        ("**/drafts/**", "drafts/b.md", True),
        ("node_modules/", "node_modules/x/y.md", True),
        ("/a.md", "a.md", True),
        ("/a.md", "sub/a.md", False),
        ("?.md", "a.md", True),
        ("?.md", "ab.md", False),
        ("a+b.md", "a+b.md", True),
        ("a+b.md", "aab.md", False),
        ("a/**/b/*.md", "a/b/x.md", True),
        ("a/**/b/*.md", "a/c/b/d/b/x.md", True),
        ("a/**/b/*.md", "a/c/x.md", False),
        ("*a*b*.md", "xaybz.md", True),
    ],
)
def test_a_pattern_fits(pattern: str, path: str, expected: bool) -> None:
    assert matches_any(path, [pattern]) is expected


def test_no_pattern_fits_nothing() -> None:
    assert not matches_any("a.md", [])


def test_a_hostile_pattern_cannot_make_the_matching_slow() -> None:
    """Thirty stars against a name that nearly fits: exponential for a matcher that backtracks."""
    assert not matches_any("a" * 5000, ["*a" * 30 + "b"])
    assert not matches_any("a/" * 500 + "c", ["**/a/" * 30 + "b"])
