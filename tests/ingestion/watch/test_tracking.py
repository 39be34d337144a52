"""Which changes matter: those of files that a walk lists and Ragstone reads; rights and foreign files do not."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ragstone.core.errors import UsageError
from ragstone.extraction.containers import ContainerLimits
from ragstone.ingestion.sources import FileSource, Rules
from ragstone.ingestion.watch import TrackedFolder
from tests.extraction.containers.packing import pack_zip

BINARY = b"\x7fELF\x02\x01\x01" + bytes(200)


@pytest.fixture
def folder(tmp_path: Path) -> TrackedFolder:
    root = tmp_path / "docs"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("# A\n\nFirst.\n")
    (root / "sub/b.md").write_text("# B\n\nSecond.\n")
    (root / "program").write_bytes(BINARY)
    (root / ".gitignore").write_text("drafts/\n")
    tracked = TrackedFolder(FileSource("docs", root, rules=Rules()))
    tracked.mark_indexed(tracked.take_snapshot(), [("program", "binary")])
    return tracked


def write(name: str, data: bytes = b"# New\n") -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)

    return change


def replace(root: Path) -> None:
    """As editors write: a new file of another name, then renamed."""
    (root / "a.md~").write_text("# A\n\nOther.\n")
    os.replace(root / "a.md~", root / "a.md")


def read_in(root: Path) -> None:
    (root / ".gitignore").unlink()
    write("drafts/x.md")(root)


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        pytest.param(write("a.md"), ["a.md"], id="a document is written"),
        pytest.param(write("c.md"), ["c.md"], id="a document is made"),
        pytest.param(lambda root: (root / "a.md").unlink(), ["a.md"], id="a document is removed"),
        pytest.param(lambda root: (root / "a.md").rename(root / "sub/a.md"), ["a.md", "sub/a.md"], id="it is moved"),
        pytest.param(replace, ["a.md"], id="it is written by a rename"),
        pytest.param(lambda root: (root / "a.md").chmod(0o600), [], id="its rights change"),
        pytest.param(write("program", BINARY * 2), [], id="a program is written"),
        pytest.param(write("other", BINARY), [], id="a program is made"),
        pytest.param(lambda root: (root / "program").unlink(), [], id="a program is removed"),
        pytest.param(write("program", b"#!/bin/sh\necho text\n"), ["program"], id="a program becomes text"),
        pytest.param(write(".hidden.md"), [], id="a hidden file"),
        pytest.param(write("drafts/x.md"), [], id="an ignored file"),
        pytest.param(write("node_modules/x.md"), [], id="what programs made"),
        pytest.param(read_in, ["drafts/x.md"], id="the ignore file changes"),
    ],
)
def test_a_change_matters_or_not(folder: TrackedFolder, change: Callable[[Path], None], seen: list[str]) -> None:
    change(folder.find_root())
    assert folder.list_changes(folder.take_snapshot()) == seen


@pytest.mark.parametrize(
    ("path", "may"),
    [
        ("a.md", True),
        ("new.md", True),
        ("sub/.gitignore", True),
        (".git/index", False),
        (".hidden.md", False),
        ("drafts/x.md", False),
        ("node_modules/a/x.md", False),
        ("../elsewhere.md", False),
        ("", True),
    ],
)
def test_a_first_look_at_an_event_goes_by_the_rules(folder: TrackedFolder, path: str, may: bool) -> None:
    assert folder.may_matter(os.path.join(folder.find_root(), path).rstrip("/")) is may


def test_events_behind_a_link_into_a_hidden_folder_matter(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    (root / ".real").mkdir(parents=True)
    (root / ".real/x.md").write_text("# X\n")
    (root / "shown").symlink_to(".real")
    tracked = TrackedFolder(FileSource("docs", root, rules=Rules()))
    tracked.mark_indexed(tracked.take_snapshot())
    assert tracked.may_matter(str(root.resolve() / ".real/x.md"))
    write(".real/x.md", b"# X, changed\n")(root)
    assert tracked.list_changes(tracked.take_snapshot()) == ["shown/x.md"]


def test_what_this_program_writes_into_the_folder_does_not_matter(tmp_path: Path) -> None:
    own = re.compile(rf"{re.escape(str(tmp_path / 'kb.json'))}(/|$|\.lock)")
    tracked = TrackedFolder(FileSource("docs", tmp_path, rules=Rules()), excluded=own)
    tracked.mark_indexed(tracked.take_snapshot())
    write("kb.json", b"{}")(tmp_path)
    write("kb.json.lock", b"")(tmp_path)
    assert not tracked.may_matter(str(tmp_path / "kb.json"))
    assert tracked.list_changes(tracked.take_snapshot()) == []


def test_of_a_single_file_its_neighbours_do_not_matter(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        write(name)(tmp_path)
    tracked = TrackedFolder(FileSource("a", tmp_path / "a.md", rules=Rules()))
    tracked.mark_indexed(tracked.take_snapshot())
    assert [tracked.may_matter(str(tmp_path / name)) for name in ("a.md", "b.md")] == [True, False]
    write("a.md", b"# Changed\n")(tmp_path)
    assert tracked.list_changes(tracked.take_snapshot()) == ["a.md"]


def test_a_folder_that_is_gone_says_so(folder: TrackedFolder) -> None:
    folder.find_root().rename(folder.find_root().with_name("gone"))
    with pytest.raises(UsageError, match="does not exist"):
        folder.take_snapshot()


def test_what_changes_in_an_archive_is_seen_and_its_rights_are_not(tmp_path: Path) -> None:
    source = FileSource("docs", tmp_path, rules=Rules(), containers=ContainerLimits())
    (tmp_path / "x.zip").write_bytes(pack_zip({"a.md": b"# A", "b.md": b"# B"}))
    tracked = TrackedFolder(source)
    tracked.mark_indexed(tracked.take_snapshot())
    assert tracked.may_matter(str(tmp_path / "x.zip"))
    (tmp_path / "x.zip").chmod(0o600)
    assert tracked.list_changes(tracked.take_snapshot()) == []
    (tmp_path / "x.zip").write_bytes(pack_zip({"a.md": b"# A", "c.md": b"# Another"}))
    assert tracked.list_changes(tracked.take_snapshot()) == ["x.zip/a.md", "x.zip/b.md", "x.zip/c.md"]
