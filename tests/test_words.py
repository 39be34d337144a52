"""One analyser: identifiers, stems, scripts."""

import pytest

from ragstone.words import terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runs", ["run", "run"]),
        ("the and of", []),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("http_requests", ["http_request", "http", "request"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("C++ C#", ["c++", "c#"]),
        ("東京都", ["東京", "京都"]),
        ("犬", ["犬"]),
        ("Ｆｕｌｌ width", ["full", "width"]),
        ("Straße", ["strass"]),
        ("user’s", ["user"]),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_huge_token_is_bounded() -> None:
    assert all(len(term) <= 64 for term in terms("a" * 100_000))
