"""A folder as a source: what is listed, in what order, and what never is."""

import inspect
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Refused, UsageError
from ragstone.core.ports import ListedFile, Source
from ragstone.core.records import Skipped
from ragstone.ingestion.sources import FileSource, Rules

LIMIT = 1000


def write(root: Path, *paths: str, text: str = "text") -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def paths(root: Path, **rules: Any) -> list[str]:
    return [
        found.path for found in FileSource("notes", root, rules=Rules(**rules)).walk() if isinstance(found, ListedFile)
    ]


def skipped(root: Path, **rules: Any) -> dict[str, str]:
    found = FileSource("notes", root, rules=Rules(**rules)).walk()
    return {item.path: item.reason for item in found if isinstance(item, Skipped)}


def refusal(root: Path, path: str, limit: int = LIMIT, **rules: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        FileSource("notes", root, rules=Rules(**rules)).read(path, limit)
    return caught.value


def test_files_are_a_source(tmp_path: Path) -> None:
    source: Source = FileSource("notes", tmp_path, rules=Rules())
    assert source.name == "notes"


def test_paths_come_in_code_point_order_of_the_whole_path(tmp_path: Path) -> None:
    names = ["a.md", "a/b.md", "a-b.md", "Z.md", "é.md", "a/a/a.md", "b.txt", "a0/x.md"]
    write(tmp_path, *names)
    assert paths(tmp_path) == sorted(names)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "a-", "a.b", "ä", "B0"]), min_size=1, max_size=4), max_size=8))
def test_any_tree_comes_sorted_and_whole(parts: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = {"/".join(part) + ".md" for part in parts}
        write(Path(folder), *names)
        assert paths(Path(folder)) == sorted(names)


def test_sizes_are_in_bytes(tmp_path: Path) -> None:
    write(tmp_path, "a.md", text="é")
    assert list(FileSource("n", tmp_path, rules=Rules()).walk()) == [ListedFile("a.md", 2)]


def test_any_ending_is_listed_and_none_as_well(tmp_path: Path) -> None:
    write(tmp_path, "a.MD", "b.adoc", "c.Html", "d.py", "LICENSE")
    assert paths(tmp_path) == ["LICENSE", "a.MD", "b.adoc", "c.Html", "d.py"]


def test_hidden_names_are_left_out_unless_wanted(tmp_path: Path) -> None:
    write(tmp_path, ".github/a.md", ".b.md", "c/.d/e.md", "f.md")
    assert paths(tmp_path) == ["f.md"]
    assert skipped(tmp_path) == {".b.md": "hidden", ".github/": "hidden", "c/.d/": "hidden"}
    assert paths(tmp_path, hidden=True) == [".b.md", ".github/a.md", "c/.d/e.md", "f.md"]


def test_ignored_paths_are_named_and_ignored_folders_are_ignored_whole(tmp_path: Path) -> None:
    write(tmp_path, "drafts/a.md", "drafts/deep/b.md", "x/node_modules/c.md", "keep.md", "keep.tmp.md")
    assert paths(tmp_path, ignore=("drafts/**", "node_modules", "*.tmp.md")) == ["keep.md"]
    left_out = skipped(tmp_path, ignore=("drafts/**", "node_modules"))
    assert left_out == {"drafts/a.md": "ignored", "drafts/deep/": "ignored", "x/node_modules/": "ignored"}


def test_denied_documents_are_reported_and_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, "hr/pay.md", "ok.md", "secret/a/b.md")
    deny = ("hr/**", "secret")
    assert skipped(tmp_path, deny=deny) == {"hr/pay.md": "denied", "secret": "denied"}
    assert paths(tmp_path, deny=deny) == ["ok.md"]
    assert refusal(tmp_path, "hr/pay.md", deny=deny).reason == "denied"
    assert refusal(tmp_path, "secret/a/b.md", deny=deny).reason == "denied"


def test_a_link_out_of_the_root_is_skipped_with_a_sentence(tmp_path: Path) -> None:
    write(tmp_path, "outside/a.md", "root/b.md")
    root = tmp_path / "root"
    (root / "file.md").symlink_to(tmp_path / "outside" / "a.md")
    (root / "folder").symlink_to(tmp_path / "outside")
    assert skipped(root) == {"file.md": "outside_root", "folder": "outside_root"}
    assert paths(root) == ["b.md"]
    assert "leads out of" in str(refusal(root, "file.md"))
    assert refusal(root, "folder/a.md").reason == "outside_root"


def test_a_sibling_whose_name_begins_alike_is_outside(tmp_path: Path) -> None:
    write(tmp_path, "root-2/a.md", "root/b.md")
    (tmp_path / "root" / "a.md").symlink_to(tmp_path / "root-2" / "a.md")
    assert skipped(tmp_path / "root") == {"a.md": "outside_root"}


def test_links_inside_the_root_add_nothing_and_loops_end(tmp_path: Path) -> None:
    write(tmp_path, "a/b.md")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a")
    (tmp_path / "again.md").symlink_to(tmp_path / "a" / "b.md")
    assert paths(tmp_path) == ["a/b.md"]
    assert skipped(tmp_path) == {}


def test_a_link_to_a_hidden_place_is_listed_once_under_its_own_path(tmp_path: Path) -> None:
    write(tmp_path, "..2024/config.md", "..2024/more/x.md")
    (tmp_path / "..data").symlink_to("..2024")
    (tmp_path / "config.md").symlink_to("..data/config.md")
    (tmp_path / "docs").symlink_to("..data/more")
    (tmp_path / "docs2").symlink_to("..data/more")
    (tmp_path / "..2024" / "more" / "back").symlink_to("..")
    assert paths(tmp_path) == ["config.md", "docs/x.md"]
    assert FileSource("n", tmp_path, rules=Rules()).read("docs/x.md", LIMIT) == b"text"


def test_a_link_does_not_open_what_is_ignored_or_denied(tmp_path: Path) -> None:
    write(tmp_path, ".store/secret/a.md", ".store/open/b.md")
    (tmp_path / "all").symlink_to(".store")
    (tmp_path / "one.md").symlink_to(".store/secret/a.md")
    deny = (".store/secret/**",)
    assert paths(tmp_path, deny=deny) == ["all/open/b.md"]
    assert skipped(tmp_path, deny=deny) == {
        ".store/": "hidden",
        "all/secret/a.md": "denied",
        "one.md": "denied",
    }
    assert refusal(tmp_path, "all/secret/a.md", deny=deny).reason == "denied"
    assert paths(tmp_path, ignore=deny) == ["all/open/b.md"]


def test_a_broken_link_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("nowhere.md")
    (tmp_path / "b.md").symlink_to("b.md")
    assert skipped(tmp_path) == {"a.md": "unreadable", "b.md": "unreadable"}
    assert refusal(tmp_path, "a.md").reason == "vanished"


def test_pipes_and_sockets_are_neither_listed_nor_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as end:
        here = os.getcwd()
        os.chdir(tmp_path)  # a socket's address is short
        try:
            end.bind("s.md")
        finally:
            os.chdir(here)
        assert skipped(tmp_path) == {"pipe.md": "unreadable", "s.md": "unreadable"}
    assert refusal(tmp_path, "pipe.md").reason == "unreadable"
    assert refusal(tmp_path, "s.md").reason == "unreadable"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf_8_is_skipped_with_a_name_that_can_be_shown(tmp_path: Path) -> None:
    for name in (b"ok.md", b"\xff.md", b"\xfe-folder/x.md"):
        place = os.path.join(os.fsencode(tmp_path), name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(b"text")
    assert paths(tmp_path) == ["ok.md"]
    assert sorted(skipped(tmp_path).values()) == ["unreadable", "unreadable"]
    assert "".join(skipped(tmp_path)).isascii()


def test_a_folder_that_cannot_be_opened_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/x.md", "b/y.md")
    scandir = os.scandir

    def denied(path: str) -> Any:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("ragstone.ingestion.sources.walk.os.scandir", denied)  # the tests may run as root
    found = list(FileSource("n", tmp_path, rules=Rules()).walk())
    assert found == [Skipped("a", "unreadable", "a cannot be read: Permission denied"), ListedFile("b/y.md", 4)]


def test_a_missing_root_says_what_to_do(tmp_path: Path) -> None:
    source = FileSource("notes", tmp_path / "gone", rules=Rules())
    with pytest.raises(UsageError, match="name a folder or file that exists"):
        source.walk()
    with pytest.raises(UsageError):
        source.read("a.md", LIMIT)


def test_a_single_file_is_a_root_with_its_name_as_path(tmp_path: Path) -> None:
    write(tmp_path, "deep/one.md", "deep/two.md")
    source = FileSource("one", tmp_path / "deep" / "one.md", rules=Rules())
    assert list(source.walk()) == [ListedFile("one.md", 4)]
    assert source.read("one.md", LIMIT) == b"text"
    assert refusal(tmp_path / "deep" / "one.md", "two.md").reason == "vanished"


def test_reading_stops_one_byte_over_the_limit(tmp_path: Path) -> None:
    write(tmp_path, "a.md", text="x" * 11)
    assert FileSource("n", tmp_path, rules=Rules()).read("a.md", 11) == b"x" * 11
    assert refusal(tmp_path, "a.md", 10).reason == "too_large"


@pytest.mark.parametrize("path", ["../a.md", "/etc/hostname", "sub/../../a.md"])
def test_a_path_cannot_leave_the_root(tmp_path: Path, path: str) -> None:
    write(tmp_path, "a.md", "root/sub/b.md")
    assert refusal(tmp_path / "root", path).reason in ("outside_root", "vanished")


def test_impossible_paths_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "sub/a.md")
    assert refusal(tmp_path, "sub").reason == "unreadable"
    assert refusal(tmp_path, "a\0b.md").reason == "unreadable"
    assert refusal(tmp_path, "x" * 5000).reason == "unreadable"
    assert refusal(tmp_path, "gone.md").reason == "vanished"


def test_a_file_swapped_for_a_link_after_the_walk_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "root/a.md")
    root = tmp_path / "root"
    assert paths(root) == ["a.md"]
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(tmp_path / "secret.md")
    assert refusal(root, "a.md").reason == "outside_root"


def test_a_file_swapped_between_check_and_opening_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "secret/a.md", "root/sub/a.md", text="s")
    root = tmp_path / "root"
    real_open = os.open

    def swap(path: str, flags: int) -> int:
        (root / "sub").rename(tmp_path / "away")
        (root / "sub").symlink_to(tmp_path / "secret")
        return real_open(path, flags)

    monkeypatch.setattr("ragstone.ingestion.sources.containment.os.open", swap)
    assert refusal(root, "sub/a.md").reason == "outside_root"


def test_the_walk_is_lazy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *(f"{folder}/x.md" for folder in "abcdef"))
    opened: list[str] = []
    scandir = os.scandir

    def counted(path: str) -> Any:
        opened.append(path)
        return scandir(path)

    monkeypatch.setattr("ragstone.ingestion.sources.walk.os.scandir", counted)
    walk: Iterator[ListedFile | Skipped] = FileSource("n", tmp_path, rules=Rules()).walk()
    next(walk)
    assert len(opened) == 2


def test_a_very_deep_tree_is_walked_without_recursion(tmp_path: Path) -> None:
    depth, here, usual = 500, os.getcwd(), sys.getrecursionlimit()
    os.chdir(tmp_path)
    try:
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("x.md").write_text("x")
    finally:
        os.chdir(here)
    try:
        sys.setrecursionlimit(len(inspect.stack()) + depth // 2)
        assert paths(tmp_path) == ["d/" * depth + "x.md"]
    finally:
        sys.setrecursionlimit(usual)
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # the clean-up of the tests recurses


def test_a_root_that_is_there_and_cannot_be_reached_is_not_called_missing(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(UsageError, match="round cannot be reached: Too many levels of symbolic links"):
        FileSource("notes", tmp_path / "round", rules=Rules()).walk()


def test_a_root_that_may_not_be_read_is_an_error_and_not_an_empty_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # as the folders above may be closed to others than root
    (tmp_path / "shut").mkdir(mode=0)
    root = os.geteuid() == 0
    tmp_path.chmod(0o711)
    if root:
        os.seteuid(65534)  # nothing is closed to root
    try:
        with pytest.raises(UsageError, match=r"shut cannot be re\w+: Permission denied"):
            FileSource("notes", "shut", rules=Rules()).walk()
    finally:
        if root:
            os.seteuid(0)
