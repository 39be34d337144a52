"""Tar archives as containers, plain and packed by gzip: what is in them, what is hostile, what is damaged."""

import gzip
import io
import random
import tarfile
from collections.abc import Callable

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.containers import Budget, Container, ContainerLimits, open_container
from ragstone.extraction.containers.gzip_stream import GzipStream

Pack = Callable[[bytes], bytes]
PACKINGS = [pytest.param(bytes, id="tar"), pytest.param(gzip.compress, id="tar.gz")]
NAMES = {
    "tea/when.md": b"At four.",
    "empty.md": b"",
    "ü" * 90 + "/" + "long" * 40 + ".md": b"long",
    "日本語.md": b"wide",
}


def pack_tar(files: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


class Counted(io.BytesIO):
    """A file that counts the bytes that are read."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def pack_info(name: str, **facts: object) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        info = tarfile.TarInfo(name)
        for key, value in facts.items():
            setattr(info, key, value)
        archive.addfile(info)
    return made.getvalue()


def open_tar(data: bytes, members: int = 100, total: int = 1_000_000_000) -> Container:
    found = open_container(io.BytesIO(data), path="x.tar", budget=Budget.of(ContainerLimits(members, total)))
    assert found is not None
    return found


def test_an_archive_that_is_nothing_but_heads_is_refused() -> None:
    first = pack_info("a.md")[:512]
    [problem] = open_tar(gzip.compress(first) + gzip.compress(b"") * 2000).problems
    assert "empty parts" in problem.message
    with pytest.raises(Refused, match="more heads"):
        open_tar(gzip.compress(first + pack_info("h", type=b"x")[:512] * 500))


@pytest.mark.parametrize("pack", PACKINGS)
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_members_are_read_whole_and_by_their_beginning(pack: Pack, form: int) -> None:
    data = pack(pack_tar(NAMES, form))
    found = open_tar(data)
    assert {name: found.read(io.BytesIO(data), name, 1000) for name in sorted(found.members, reverse=True)} == NAMES
    assert found.read(io.BytesIO(data), "tea/when.md", 2) == b"At"
    assert not found.problems


def test_of_two_files_of_one_name_the_last_counts() -> None:
    data = pack_tar({"a.md": b"old"})[: 1024 * 1] + pack_tar({"./a.md": b"newer"})
    found = open_tar(data)
    assert found.read(io.BytesIO(data), "a.md", 10) == b"newer"


@pytest.mark.parametrize(
    ("name", "facts", "reason"),
    [
        ("../a.md", {}, "broken"),
        ("a.md", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, "ignored"),
        ("a.md", {"type": tarfile.LNKTYPE, "linkname": "b.md"}, "ignored"),
        ("a.md", {"type": tarfile.CHRTYPE}, "unreadable"),
        ("a.md", {"type": tarfile.FIFOTYPE}, "unreadable"),
        ("a.md", {"type": tarfile.GNUTYPE_SPARSE}, "unreadable"),
    ],
)
def test_members_that_are_not_read_are_told_by_name(name: str, facts: dict[str, object], reason: str) -> None:
    found = open_tar(pack_info(name, **facts))
    assert (list(found.members), [(one.name, one.reason) for one in found.problems]) == ([], [(name, reason)])


@pytest.mark.parametrize("pack", PACKINGS)
def test_of_an_archive_that_is_cut_short_the_whole_members_are_read(pack: Pack) -> None:
    noise = random.Random(1).randbytes(100_000)
    data = pack(pack_tar({"a.md": b"first", "b.bin": noise, "c.md": b"third"}))
    data = data[: len(data) // 2]
    found = open_tar(data)
    assert found.read(io.BytesIO(data), "a.md", 100) == b"first"
    assert found.problems[0].message.startswith("x.tar is cut short")
    with pytest.raises(Refused, match=r"b\.bin is cut short"):
        found.read(io.BytesIO(data), "b.bin", 200_000)


@pytest.mark.parametrize(
    ("data", "limits", "said"),
    [
        (pack_tar(dict.fromkeys("abc", b"x")), (2, 1000), "limits.archive_files"),
        (pack_tar({"a": b"x" * 2000}), (9, 1000), "limits.archive_bytes"),
        (gzip.compress(pack_tar({"a": b"x" * 50_000})), (9, 1000), "limits.archive_bytes"),
        (gzip.compress(pack_tar({"a": bytes(30_000_000)})), (9, 1_000_000_000), "as only a bomb does"),
    ],
)
def test_an_archive_over_a_limit_is_refused(data: bytes, limits: tuple[int, int], said: str) -> None:
    with pytest.raises(Refused, match=said) as caught:
        open_tar(data, *limits)
    assert caught.value.reason == "too_large"


def test_a_head_of_a_gigabyte_is_not_read() -> None:
    data = bytearray(pack_info("././@PaxHeader", type=tarfile.XHDTYPE, size=1 << 30))
    with pytest.raises(Refused, match="a name of"):
        open_tar(bytes(data))


def test_a_packed_file_is_read_at_any_place_without_unpacking_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.extraction.containers.gzip_stream.INTERVAL", 1000)
    monkeypatch.setattr("ragstone.extraction.containers.gzip_stream.PIECE", 700)
    monkeypatch.setattr("ragstone.extraction.containers.gzip_stream.MOST_POINTS", 8)
    chance = random.Random(2)
    plain = chance.randbytes(40_000)
    file = Counted(gzip.compress(plain[:15_000]) + gzip.compress(plain[15_000:]) + bytes(100))
    stream = GzipStream("x.gz", most=1_000_000)
    for _ in range(50):
        at, size = chance.randrange(41_000), chance.randrange(3000)
        assert stream.read(file, at, size) == plain[at : at + size]
    assert len(stream._points) <= 9
    stream.read(file, 0, 1)
    before = file.taken
    assert stream.read(file, 39_000, 10) == plain[39_000:39_010]
    assert file.taken - before < 15_000


def test_a_text_packed_by_gzip_and_a_file_of_zeros_are_no_archives() -> None:
    for data in (gzip.compress(b"At four. " * 100), bytes(2000), b"plain", b""):
        assert open_container(io.BytesIO(data), path="x.gz", budget=Budget.of(ContainerLimits())) is None
