"""Single texts packed by gzip: read as what they hold, within limits."""

import gzip
import io
import tarfile

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import Limits, detect, extract, recipe, refuse_binary
from ragstone.testing.extractors import check_growth


def make_tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"text"))
    return out.getvalue()


@pytest.mark.parametrize(
    ("path", "text", "media_type"),
    [
        ("ls.1.gz", ".TH LS 1\n.SH NAME\nls \\- list files\n", "text/troff"),
        ("app.log.2.gz", "Server started.\n", "text/plain"),
        ("notes.md.gz", "# Title\n\nText.\n", "text/markdown"),
        ("d.json.GZ", '{"a": 1}\n', "application/json"),
        ("unnamed", "words\n", "text/plain"),
    ],
)
def test_a_packed_text_is_read_as_the_text_in_it(path: str, text: str, media_type: str) -> None:
    found = extract(gzip.compress(text.encode()), path=path)
    plain = extract(text.encode(), path=path.removesuffix(".gz").removesuffix(".GZ"))
    assert found == plain
    assert found.media_type == media_type
    assert recipe(found.media_type)


def test_parts_packed_one_after_the_other_are_one_text() -> None:
    assert extract(gzip.compress(b"one\n") + gzip.compress(b"two\n"), path="a.log.gz").record == "one\ntwo\n"


@pytest.mark.parametrize("size", range(2, 11))
def test_a_file_that_is_cut_within_its_head_is_damaged(size: int) -> None:
    with pytest.raises(Refused, match="damaged or cut short") as caught:
        extract(gzip.compress(b"words " * 99)[:size], path="app.log.gz")
    assert caught.value.reason == "broken"


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\x08" + b"n" * 99, b"\x1f\x8b\x07" + bytes(99), b"\x1f\x8b"])
def test_a_file_with_a_damaged_head_is_named_so(data: bytes) -> None:
    with pytest.raises(Refused, match="damaged or cut short") as caught:
        extract(data, path="app.log.gz")
    assert caught.value.reason == "broken"


UNREAD = {
    "tar": make_tar(),
    "gzip": gzip.compress(b"text", mtime=0),
    "binary": bytes(range(256)) * 99,
    "pdf": b"%PDF-1.7\ntext\n",
    "nothing": b"",
}


@pytest.mark.parametrize("data", UNREAD.values(), ids=UNREAD)
def test_what_is_packed_and_no_text_stays_unread(data: bytes) -> None:
    packed = gzip.compress(data)
    with pytest.raises(Refused) as caught:
        extract(packed, path="a.gz")
    assert caught.value.reason == "binary"
    assert "unpack it" in str(caught.value)


def test_a_large_packed_text_is_not_left_out_by_its_beginning() -> None:
    refuse_binary(detect(gzip.compress(b"text\n"), "a.gz"), path="a.gz")
    with pytest.raises(Refused):
        refuse_binary(detect(gzip.compress(make_tar()), "a.tar.gz"), path="a.tar.gz")


def test_a_bomb_is_refused_before_it_unpacks() -> None:
    with pytest.raises(Refused) as caught:
        extract(gzip.compress(b"a" * 50_000_000), path="bomb.gz", limits=Limits(text=1_000_000))
    assert caught.value.reason == "too_large"
    assert str(caught.value) == (
        "bomb.gz unpacks to more than the 1,000,000 bytes allowed for text; unpack and split it, or raise "
        "limits.text_bytes"
    )


def test_a_damaged_file_is_refused() -> None:
    packed = gzip.compress(b"".join(b"line %d\n" % n for n in range(10_000)))
    for data in (packed[:-6], packed[: len(packed) // 2], packed[:-8] + b"\0" * 8, packed + b"no gzip"):
        with pytest.raises(Refused) as caught:
            extract(data, path="a.log.gz")
        assert caught.value.reason == "broken"


def test_many_parts_take_time_in_step_with_their_number() -> None:
    start, part = gzip.compress(b"text\n"), gzip.compress(b"")

    def work(size: int) -> None:
        extract(start + part * (size // len(part)), path="a.gz")

    check_growth(work)
