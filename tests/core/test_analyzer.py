"""One analyser: identifiers, stems, scripts."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core import analyzer
from ragstone.core.analyzer import CJK, extract_terms, extract_tokens


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
        ("pass\u200bword so\u00adft\u2060ware \ufeffStart", ["password", "softwar", "start"]),
        ("foo_\u200bbar", ["foo_bar", "foo", "bar"]),
        ("ภาษา\u200bไทย", ["ภาษา", "ไทย"]),  # there it parts words
        ("می\u200cخواهم", ["می", "خواهم"]),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert extract_terms(text) == expected


def test_a_huge_token_is_bounded() -> None:
    assert all(len(term) <= 64 for term in extract_terms("a" * 100_000))


# The pattern as it was first written, plain to read: what the quick ones must agree with.
PLAIN = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+(?:['’._\-+#]?[^\W{CJK}]+)*[+#]{{0,2}}")
UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
TRICKY = st.text(st.sampled_from("aZ09_'’.-+#  \n東京アüßĀ́ⅷﬁＦ²_\u00ad\u200b"), max_size=40)
ASCII = st.text(st.sampled_from("aZb09__''..--++## \n/"), max_size=40)


def find_plainly(text: str) -> list[str]:
    return PLAIN.findall(unicodedata.normalize("NFKC", UNSEEN.sub("", text)))


@settings(max_examples=400, deadline=None)
@given(st.one_of(TRICKY, ASCII, st.text(max_size=40), st.text(st.characters(max_codepoint=127), max_size=40)))
def test_the_quick_patterns_find_what_the_plain_one_finds(text: str) -> None:
    assert list(extract_tokens(text)) == find_plainly(text)


def test_every_character_alone_and_inside_a_word_is_read_as_by_the_plain_pattern() -> None:
    for start in range(0, 0x110000, 0x1000):
        text = " ".join(f"{chr(c)} a{chr(c)}b" for c in range(start, start + 0x1000))
        assert list(extract_tokens(text)) == find_plainly(text)


@pytest.mark.parametrize("token", ["a" * 100_000, "京" * 100_000, "a_" * 50_000])
def test_a_huge_token_is_not_kept_in_memory(token: str) -> None:
    before = len(analyzer._terms_by_language("english"))
    assert extract_terms(token) == extract_terms(token)
    assert len(analyzer._terms_by_language("english")) == before
