"""What is shown of a record, in whatever pieces, holds no part of a secret that the whole of it shows."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.types import Chunk, Document, Span, join_slices
from ragstone.guard import (
    KnownSecrets,
    list_secret_lines,
    locate_secrets,
    mask_chunk,
    mask_data,
    mask_secrets,
    select_secrets,
)

LINES = [f"q7Rz2LmX9vTb4NcW8yKdq7Rz2LmX9vTb4NcW8yKd{n:04}" for n in range(12)]
KEY = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *LINES, "-----END RSA PRIVATE KEY-----"])
PHRASE = "Corr3ct! Horse9 battery staple7"
RECORD = f'# Lion\n\nBefore.\n\n{KEY}\n\nThe zebra has password: "{PHRASE}" for admins.\n\nThe end.'
FOUND = locate_secrets(RECORD)


def place(start: int, end: int) -> Span:
    return Span(start, end, 1, 1)


def chunk_of(text: str, spans: tuple[Span, ...], **more: Any) -> Chunk:
    return Chunk("id", Document("d", "s", "a.md", 1, "v", "r"), 0, text, spans, **more)


def test_secrets_are_found_in_the_whole_record() -> None:
    assert [kind for _, _, kind in FOUND] == ["private_key", "password"]
    assert [RECORD[start:end] for start, end, _ in FOUND] == [KEY, PHRASE]


@given(st.lists(st.integers(0, len(RECORD)), min_size=2, max_size=8).map(sorted))
@settings(max_examples=100, deadline=None)
def test_no_cut_of_a_record_shows_a_part_of_a_secret(cuts: list[int]) -> None:
    spans = [place(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    text = mask_secrets(join_slices(RECORD, spans), spans, select_secrets(FOUND, spans))
    open_text = [
        "".join(
            c
            for i, c in enumerate(RECORD[s.char_start : s.char_end], s.char_start)
            if not any(a <= i < b for a, b, _ in FOUND)
        )
        for s in spans
    ]
    assert text.replace("[masked:private_key]", "").replace("[masked:password]", "").replace("\n", "") == "".join(
        open_text
    ).replace("\n", "")


def test_a_secret_over_the_joint_of_two_slices_is_one() -> None:
    start = RECORD.index(LINES[3])
    spans = [place(start, start + len(LINES[3])), place(start + len(LINES[3]) + 1, start + 2 * len(LINES[3]) + 1)]
    assert mask_secrets(join_slices(RECORD, spans), spans, FOUND) == "[masked:private_key]"


def test_a_text_that_is_not_those_slices_is_masked_by_its_patterns() -> None:
    assert (
        mask_secrets("password: S3cr3t-9x of another text", [place(0, 5)], FOUND)
        == "password: [masked:password] of another text"
    )


def test_only_secrets_with_a_character_in_a_span_touch_it() -> None:
    start, end, _ = FOUND[1]
    assert select_secrets(FOUND, [place(start - 5, start)]) == ()
    assert select_secrets(FOUND, [place(end, end + 5)]) == ()
    assert select_secrets(FOUND, [place(0, start + 1), place(end - 1, end)]) == FOUND


def test_a_veiled_chunk_has_no_secret_in_any_of_its_texts() -> None:
    start = RECORD.index(LINES[5])
    span = place(start, start + 60)
    chunk = chunk_of(
        join_slices(RECORD, [span]),
        (span,),
        heading_path=("Login", 'password: "S3cr3t-9x"'),
        header="| password | S3cr3t-9x |",
        metadata={"snippet": "password: S3cr3t-9x", "table": {"password": "S3cr3t-9x"}, "pages": [1, None]},
        secrets=FOUND,
    )
    chunk = replace(chunk, document=replace(chunk.document, title="token: ghp_q7Rz2LmX9vTb4NcW8yKdq7Rz2LmX9vTb4Nc"))
    gone = mask_chunk(chunk)
    assert gone.text == "[masked:private_key]"
    assert "S3cr3t" not in repr(gone)
    assert "ghp_" not in repr(gone)
    assert (gone.id, gone.spans, gone.metadata["pages"]) == (chunk.id, chunk.spans, [1, None])


@pytest.mark.parametrize("key", ["password", "db_password", "api_key"])
def test_a_key_tells_about_its_value(key: str) -> None:
    value = "q7Rz2LmX9vTb4NcW8yKd"
    masked = mask_data({key: value, "name": value, "list": [{key: value}]})
    assert "[masked:" in masked[key]
    assert masked["name"] == value
    assert masked["list"] == [{key: masked[key]}]
    assert mask_data(masked) == masked


def test_headings_and_table_headers_lose_the_secrets_of_their_record() -> None:
    known = KnownSecrets(RECORD, FOUND)
    assert known.mask_known(f"The phrase {PHRASE}, in a heading") == "The phrase [masked:password], in a heading"
    assert known.mask_known("Corr3ct! another") == "Corr3ct! another"
    assert KnownSecrets(RECORD, ()).mask_known(PHRASE) == PHRASE


def test_a_long_secret_leaves_no_end_behind() -> None:
    value = "aB3" * 40
    assert (
        KnownSecrets(value, [(0, len(value), "api_key")]).mask_known(f"see {value} here") == "see [masked:api_key] here"
    )


def test_the_parts_of_a_secret_are_its_lines_inside_the_spans() -> None:
    start = RECORD.index(LINES[2])
    found = list(list_secret_lines(RECORD, FOUND, [place(start, start + len(LINES[2]) + 10)]))
    assert [RECORD[a:b] for a, b, _ in found] == [LINES[2], LINES[3][:9]]
