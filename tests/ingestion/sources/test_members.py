"""Members of archives in a folder: listed in order, by the rules of the folder, read by their joined paths."""

import asyncio
import gzip
import os
import pickle
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ragstone.core.errors import Refused
from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.extraction import containers
from ragstone.extraction.containers import ContainerLimits
from ragstone.ingestion.sources import FileSource, Rules
from tests.extraction.containers.packing import pack_zip
from tests.extraction.containers.test_tar import pack_tar

OLD = 1_500_000_000


def source(root: Path, *, limits: ContainerLimits = ContainerLimits(), **rules: Any) -> FileSource:  # noqa: B008
    return FileSource("notes", root, rules=Rules(**rules), containers=limits)


def paths(found: FileSource) -> list[str]:
    return [entry.path for entry in found.walk() if isinstance(entry, ListedFile)]


def skipped(found: FileSource) -> dict[str, str]:
    return {entry.path: entry.reason for entry in found.walk() if isinstance(entry, Skipped)}


def write_zip(place: Path, files: dict[str, bytes]) -> None:
    place.write_bytes(pack_zip(files))
    os.utime(place, (OLD, OLD))


def test_members_stand_in_the_order_of_whole_paths(tmp_path: Path) -> None:
    for name in ("a.md", "x.zip-old.md", "x.zip.md", "x0.md"):
        (tmp_path / name).write_bytes(b"text")
    write_zip(tmp_path / "x.zip", {"b/c.md": b"1", "b.md": b"2", "a-b/x.md": b"3"})
    found = source(tmp_path)
    listed = paths(found)
    assert listed == sorted(listed)
    assert [path for path in listed if path.startswith("x.zip/")] == ["x.zip/a-b/x.md", "x.zip/b.md", "x.zip/b/c.md"]
    assert "x.zip" not in listed
    assert found.read("x.zip/b/c.md", 10) == b"1"
    assert found.peek("x.zip/b.md", 10) == b"2"


def test_archives_in_archives_are_opened_as_deep_as_may_be(tmp_path: Path) -> None:
    deep = {"d.md": b"4"}
    for name in ("c.zip", "b.zip", "a.zip"):
        deep = {name: pack_zip(deep), "note.md": b"text"}
    write_zip(tmp_path / "x.zip", deep)
    assert paths(source(tmp_path)) == [
        *("x.zip/a.zip/b.zip/c.zip", "x.zip/a.zip/b.zip/note.md", "x.zip/a.zip/note.md", "x.zip/note.md")
    ]
    deeper = source(tmp_path, limits=ContainerLimits(depth=4))
    assert "x.zip/a.zip/b.zip/c.zip/d.md" in paths(deeper)
    assert deeper.read("x.zip/a.zip/b.zip/c.zip/d.md", 10) == b"4"
    assert paths(source(tmp_path, limits=ContainerLimits(depth=1))) == ["x.zip/a.zip", "x.zip/note.md"]


def test_the_rules_of_the_folder_hold_for_members(tmp_path: Path) -> None:
    (tmp_path / ".ragstoneignore").write_text("*.log\n/x.zip/drafts/\n")
    names = ("a.md", "b.log", "drafts/c.md", "deny/d.md", "left/e.md", ".git/config", "__MACOSX/._a.md", "._a.md")
    files = dict.fromkeys((*names, ".DS_Store", "node_modules/p/i.js", "icon.svg", "node_modules/p/j.js"), b"text")
    write_zip(tmp_path / "x.zip", files)
    found = source(tmp_path, ignore=("left",), deny=("x.zip/deny",))
    assert paths(found) == ["x.zip/a.md"]
    assert skipped(found) == {
        ".ragstoneignore": "hidden",
        "x.zip/.DS_Store": "hidden",
        "x.zip/._a.md": "hidden",
        "x.zip/.git/": "hidden",
        "x.zip/__MACOSX/": "hidden",
        "x.zip/b.log": "ignored",
        "x.zip/deny": "denied",
        "x.zip/drafts/": "ignored",
        "x.zip/icon.svg": "passed_over",
        "x.zip/left/": "ignored",
        "x.zip/node_modules/": "ignored",
    }
    with pytest.raises(Refused, match="deny list"):
        found.read("x.zip/deny/d.md", 10)


def test_ignore_files_in_an_archive_hold_in_it_and_are_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n")
    files = {".gitignore": "/drafts/\n*.tmp", "in/.ragstoneignore": "\ufeff!b.log\nold.md", "in/pyproject.toml": "#"}
    texts = (
        "a.md",
        "drafts/a.md",
        "in/a.tmp",
        "in/b.log",
        "c.log",
        "in/old.md",
        "old.md",
        "in/build/a.md",
        "build/b.md",
    )
    packed = {name: text.encode() for name, text in {**files, **dict.fromkeys(texts, "text")}.items()}
    write_zip(tmp_path / "x.zip", {**packed, "y.zip": pack_zip(packed)})
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "a.md").write_text("text")
    kept = ["a.md", "build/b.md", "in/b.log", "in/pyproject.toml", "old.md"]
    expected = ["drafts/a.md", *(f"x.zip/{name}" for name in kept), *(f"x.zip/y.zip/{name}" for name in kept)]
    monkeypatch.setattr("ragstone.ingestion.sources.expansion.time.time_ns", lambda: 1 << 62)
    found = source(tmp_path)
    assert paths(found) == expected
    again = source(tmp_path)
    again.take_notes(found.give_notes())
    opened = note_opened(monkeypatch)
    assert paths(again) == expected
    assert opened == []
    assert len(paths(source(tmp_path, ignore_files=False))) == 1 + 2 * 9


def test_rules_in_an_archive_are_compared_with_so_many_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_zip(tmp_path / "x.zip", {".gitignore": b"*.log\n*.tmp", **{f"{at}.log": b"text" for at in range(4)}})
    write_zip(tmp_path / "y.zip", {".gitignore": b"*.log", "a.log": b"text"})
    monkeypatch.setattr("ragstone.ingestion.sources.ignore_files.MOST_COMPARED", 4)
    found = list(source(tmp_path).walk())
    assert [one.path for one in found if isinstance(one, ListedFile)] == ["x.zip/2.log", "x.zip/3.log"]
    [told] = [one for one in found if isinstance(one, Skipped) and one.reason == "too_large"]
    assert (told.path, "too many rules" in told.message) == ("x.zip/.gitignore", True)


def test_an_archive_that_is_denied_is_not_opened_either(tmp_path: Path) -> None:
    write_zip(tmp_path / "x.zip", {"secret.zip": pack_zip({"a.md": b"1"})})
    found = source(tmp_path, deny=("secret.zip",))
    assert paths(found) == []
    with pytest.raises(Refused, match="deny list"):
        found.read("x.zip/secret.zip/a.md", 10)


def note_opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that are opened as containers from now on."""
    opened: list[str] = []
    whole = containers.open_container

    def noted(file: Any, *, path: str, budget: Any) -> Any:
        opened.append(path)
        return whole(file, path=path, budget=budget)

    monkeypatch.setattr("ragstone.ingestion.sources.members.open_container", noted)
    return opened


def test_an_unchanged_archive_is_not_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zip(tmp_path / "x.zip", {"a.md": b"1", "../b.md": b"2"})
    write_zip(tmp_path / "sheet.zip", {"[Content_Types].xml": b"<a/>"})
    for name, data in (("README", b"no archive"), ("cut.tar.gz", gzip.compress(b"a.md" * 200)[:40])):
        (tmp_path / name).write_bytes(data)
        os.utime(tmp_path / name, (OLD, OLD))
    (tmp_path / "cut.tgz").write_bytes(gzip.compress(pack_tar({"a.md": b"1" * 99}), 0)[:300])
    os.utime(tmp_path / "cut.tgz", (OLD, OLD))
    monkeypatch.setattr("ragstone.ingestion.sources.expansion.time.time_ns", lambda: 1 << 62)
    opened = note_opened(monkeypatch)
    first = source(tmp_path)
    listed = list(first.walk())
    looked = ["README", "cut.tar.gz", "cut.tgz", "sheet.zip", "x.zip"]
    assert opened == looked
    assert list(first.walk()) == listed
    again = source(tmp_path)
    again.take_notes(first.give_notes())
    assert list(again.walk()) == listed
    assert again.give_notes() == b""
    assert opened == looked
    other = source(tmp_path, ignore=("*.log",))
    other.take_notes(first.give_notes() or b"damaged")
    write_zip(tmp_path / "x.zip", {"c.md": b"1"})
    assert "x.zip/c.md" in paths(again)
    assert opened == [*looked, "x.zip"]


def test_an_archive_that_the_disk_does_not_give_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zip(tmp_path / "x.zip", {"a.md": b"1"})

    def fail(*_args: object, **_options: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("ragstone.ingestion.sources.members.open_container", fail)
    assert skipped(source(tmp_path)) == {"x.zip": "unreadable"}


def test_an_archive_two_deep_is_opened_once_for_all_its_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{n}.md": b"text" for n in range(5)}
    write_zip(tmp_path / "x.zip", {"a.zip": pack_zip({"b.zip": pack_zip(files)})})
    found = source(tmp_path)
    listed = paths(found)
    opened = note_opened(monkeypatch)
    assert {found.read(path, 10) for path in listed} == {b"text"}
    assert opened == ["x.zip", "x.zip/a.zip", "x.zip/a.zip/b.zip"]


@pytest.mark.parametrize(("name", "data", "reason"), [("x.zip", b"", "empty"), ("x.tgz", bytes(99), "broken")])
def test_a_blank_archive_is_told(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert skipped(source(tmp_path)) == {name: reason}


def test_an_archive_in_an_archive_that_the_disk_does_not_give_is_not_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_zip(tmp_path / "x.zip", {"y.zip": pack_zip({"a.md": b"1"})})

    def fail(*_args: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("ragstone.extraction.containers.zip_archive._unpack", fail)
    assert skipped(source(tmp_path)) == {"x.zip": "unreadable"}


def test_a_file_that_is_an_archive_is_a_source(tmp_path: Path) -> None:
    write_zip(tmp_path / "x.zip", {"a.md": b"1"})
    found = source(tmp_path / "x.zip")
    assert paths(found) == ["x.zip/a.md"]
    assert pickle.loads(pickle.dumps(found)).read("x.zip/a.md", 10) == b"1"
    with pytest.raises(Refused) as caught:
        found.read("y.zip/a.md", 10)
    assert caught.value.reason == "vanished"


def test_a_member_that_is_not_there_is_vanished(tmp_path: Path) -> None:
    write_zip(tmp_path / "x.zip", {"a.md": b"1"})
    for path in ("x.zip/b.md", "x.zip/../x.zip", "x.zip/a.md/b", "y.zip/a.md"):
        with pytest.raises(Refused) as caught:
            source(tmp_path).read(path, 10)
        assert caught.value.reason == "vanished", path


def test_a_broken_archive_is_told_and_office_files_and_programs_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "cut.zip").write_bytes(pack_zip({"a.md": b"1" * 100}, zipfile.ZIP_STORED)[:60])
    write_zip(tmp_path / "empty.zip", {})
    write_zip(tmp_path / "sheet.zip", {"[Content_Types].xml": b"<a/>", "xl/a.xml": b"<a/>"})
    write_zip(tmp_path / "tool.jar", {"a.md": b"1"})
    found = source(tmp_path)
    assert paths(found) == ["sheet.zip", "tool.jar"]
    assert skipped(found) == {"cut.zip": "broken", "empty.zip": "empty"}
    off = FileSource("notes", tmp_path, rules=Rules())
    assert paths(off) == ["cut.zip", "empty.zip", "sheet.zip", "tool.jar"]


def test_threads_that_read_archives_in_archives_do_not_disturb_each_other(tmp_path: Path) -> None:
    files = {f"{n}.md": str(n).encode() for n in range(4)}
    inner = {f"{n}.zip": pack_zip({f"{m}.zip": pack_zip(files) for m in range(4)}) for n in range(4)}
    write_zip(tmp_path / "x.zip", inner)
    found = source(tmp_path)
    listed = sorted(paths(found), key=lambda path: path[::-1])  # each of another archive than the one before
    assert len(listed) == 64
    with ThreadPoolExecutor(8) as threads:
        read = list(threads.map(lambda path: found.read(path, 10), listed * 4))
    assert read == [path.rpartition("/")[2].removesuffix(".md").encode() for path in listed * 4]


@pytest.mark.parametrize("name", ["x.tgz", "x.zip"])
def test_the_listing_of_an_archive_ends_with_a_run_that_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    checks: list[str] = []

    def leave() -> None:
        checks.append(name)
        raise asyncio.CancelledError

    place = "zip_archive" if name == "x.zip" else "gzip_stream"
    monkeypatch.setattr(f"ragstone.extraction.containers.{place}.check_work", leave)
    inner = pack_zip({"a.md": b"1"})
    (tmp_path / name).write_bytes(
        pack_zip({"y.zip": inner}) if name == "x.zip" else gzip.compress(pack_tar({"y": inner}))
    )
    with pytest.raises(asyncio.CancelledError):
        list(source(tmp_path).walk())
    assert checks == [name]
