import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.types import Chunk, Document
from ragstone.ingestion.embedding_text import (
    MAX_PREFIX_TOKENS,
    PrefixForm,
    count_embedded_tokens,
    format_embedding_text,
    vector_key,
)
from ragstone.providers.minilm.wordpiece import WordPiece
from ragstone.testing.bag_of_words import Words

tokenizer = WordPiece()


def chunk(*headings: str, title: str | None = "Guide", path: str = "docs/a.md", header: str = "") -> Chunk:
    document = Document("d", "files", path, 1, "v", "r", title=title)
    return Chunk("c", document, 0, "The text.", (), heading_path=headings, header=header, tokens=3)


@pytest.mark.parametrize(
    ("form", "given", "expected"),
    [
        ("title", chunk("Setup", "Keys"), "Guide > Setup > Keys\nThe text."),
        ("title", chunk("Guide", "Keys"), "Guide > Keys\nThe text."),
        ("title", chunk("Guide"), "Guide\nThe text."),
        ("title", chunk("Setup", "Guide"), "Guide > Setup > Guide\nThe text."),
        ("title", chunk("Setup", title=None), "docs/a.md > Setup\nThe text."),
        ("title", chunk(title="  "), "docs/a.md\nThe text."),
        ("title", chunk("Two\nlines", title="A\ttitle"), "A title > Two lines\nThe text."),
        ("title", chunk("Prices", header="| a | b |"), "Guide > Prices\n| a | b |\nThe text."),
        ("path", chunk("Setup", "Keys"), "docs/a.md > Keys\nThe text."),
        ("path", chunk(), "docs/a.md\nThe text."),
        ("none", chunk("Setup"), "The text."),
        ("none", chunk("Setup", header="| a |"), "| a |\nThe text."),
    ],
)
def test_the_place_stands_above_the_text(form: PrefixForm, given: Chunk, expected: str) -> None:
    assert format_embedding_text(given, form=form) == expected


def test_middle_headings_go_first() -> None:
    headings = [f"{word} " + "and so on " * 4 for word in ("first", "second", "third", "last")]
    place = format_embedding_text(chunk(*headings), tokenizer=tokenizer).split("\n")[0]
    assert place.startswith("Guide > ")
    assert "last and so on" in place
    assert "second" not in place


def test_a_long_name_and_a_long_heading_share_the_room() -> None:
    place = format_embedding_text(chunk("heading " * 100, title="title " * 100), tokenizer=Words()).split("\n")[0]
    name, heading = place.split(" > ")
    assert len(name.split()) == MAX_PREFIX_TOKENS // 2
    assert 1 < len(heading.split()) < MAX_PREFIX_TOKENS


def test_a_short_place_is_left_whole() -> None:
    headings = ("one", "two", "three", "four")
    assert format_embedding_text(chunk(*headings), tokenizer=tokenizer).startswith("Guide > one > two > three > four\n")


lines = st.text(max_size=120)


@settings(max_examples=100, deadline=None)
@given(st.lists(lines, max_size=6), st.none() | lines, lines, st.sampled_from(["title", "path"]), st.booleans())
def test_the_place_is_one_line_within_its_bound(
    headings: list[str], title: str | None, path: str, form: PrefixForm, exact: bool
) -> None:
    made = chunk(*headings, title=title, path=path or "p")
    text = format_embedding_text(made, form=form, tokenizer=tokenizer if exact else None)
    place, rest = text.split("\n", 1)
    assert rest == made.text
    assert (tokenizer.count([place])[0] if exact else len(place) / 4) <= MAX_PREFIX_TOKENS
    assert text == format_embedding_text(made, form=form, tokenizer=tokenizer if exact else None)


def test_a_hostile_title_takes_no_time() -> None:
    text = format_embedding_text(chunk("h" * 1_000_000, title="word " * 200_000), tokenizer=tokenizer)
    assert len(text) < 2_000


def test_the_tokens_read_are_those_of_the_text_behind_its_place() -> None:
    made = chunk("Setup")
    text = format_embedding_text(made)  # guide > setup: 3 tokens; the text . : 3
    lead, own = tokenizer.count([text[: len(text) - len(made.text)], made.text])
    assert [count_embedded_tokens(own, lead=lead, reads=reads) for reads in (254, 5, 2)] == [3, 2, 0]


def test_a_key_is_the_hash_of_its_parts_with_their_lengths() -> None:
    assert vector_key("m", "fp32", "ü") == hashlib.sha256("1:m4:fp322:ü".encode()).hexdigest()


@settings(max_examples=100, deadline=None)
@given(st.tuples(st.text(), st.text(), st.text()), st.tuples(st.text(), st.text(), st.text()))
def test_other_parts_give_another_key(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert (vector_key(*one) == vector_key(*other)) == (one == other)


def test_parts_that_join_alike_give_other_keys() -> None:
    assert vector_key("ab", "c", "d") != vector_key("a", "bc", "d") != vector_key("a", "b", "cd")
    assert vector_key("m", "v", "\ud800") != vector_key("m", "v", "?")
