"""Ignore files mean here what they mean to git; folders that programs make are left out without any."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.ingestion.sources.files import FileSource
from ragstone.ingestion.sources.ignore_files import IgnoreFiles
from ragstone.ingestion.sources.rules import Rules

NAMES = st.sampled_from(["a", "b", "ab", "a.md", "b.log", "#c", "d e"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PIECES = st.sampled_from(["a", "b", "*", "?", ".md", ".log", "[ab]", "[!a]", "**", "/", "\\#c", "d e", "**/", "/**"])
PATTERNS = st.builds(
    lambda start, pieces, end: start + "".join(pieces) + end,
    st.sampled_from(["", "!", "/"]),
    st.lists(PIECES, min_size=1, max_size=4),
    st.sampled_from(["", "/"]),
).filter(lambda pattern: "//" not in pattern and pattern.count("*") <= 2)


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("Text.", encoding="utf-8")


def walk(root: Path, *, ignore_files: bool = True) -> tuple[list[str], dict[str, str]]:
    found = list(FileSource("docs", root, rules=Rules(ignore_files=ignore_files)).walk())
    left_out = {entry.path: entry.reason for entry in found if isinstance(entry, Skipped)}
    return [entry.path for entry in found if isinstance(entry, ListedFile)], left_out


def test_both_ignore_files_are_heeded_each_below_its_folder(tmp_path: Path) -> None:
    write(tmp_path, "a.log", "keep.log", "sub/b.log", "sub/c.tmp", "other/c.tmp", "private/d.md")
    (tmp_path / ".gitignore").write_text("*.log\n# a comment\nprivate/\n", encoding="utf-8")
    (tmp_path / ".ragstoneignore").write_text("!keep.log\n", encoding="utf-8")
    (tmp_path / "sub" / ".gitignore").write_text("*.tmp\n!b.log\n", encoding="utf-8")
    listed, left_out = walk(tmp_path)
    assert listed == ["keep.log", "other/c.tmp", "sub/b.log"]
    assert {path: why for path, why in left_out.items() if why == "ignored"} == dict.fromkeys(
        ["a.log", "private/", "sub/c.tmp"], "ignored"
    )
    assert "a.log" in walk(tmp_path, ignore_files=False)[0]


def test_what_programs_made_is_left_out_and_can_be_taken_back_in(tmp_path: Path) -> None:
    made = [
        "node_modules/x/readme.md",
        "web/dist/page.html",
        "env/lib/a.py",
        "cache/b.md",
        "app.min.js",
        "~$a.docx",
    ]
    write(tmp_path, *made, "web/package.json", "web/src/page.html", "env/pyvenv.cfg", "cache/CACHEDIR.TAG", "dist/x.md")
    listed, left_out = walk(tmp_path)
    assert listed == ["dist/x.md", "web/package.json", "web/src/page.html"]
    folders = ["cache/", "env/", "node_modules/", "web/dist/"]
    assert left_out == dict.fromkeys([*folders, "app.min.js", "~$a.docx"], "ignored")
    (tmp_path / ".ragstoneignore").write_text("!dist/\n!cache/\n", encoding="utf-8")
    assert "web/dist/page.html" in walk(tmp_path)[0]
    assert "cache/b.md" in walk(tmp_path)[0]


@pytest.mark.parametrize(
    "name", ["Podfile.lock", "bun.lockb", "packages.lock.json", "app.tsbuildinfo", "coverage.lcov"]
)
def test_files_that_lock_or_count_are_left_out_by_default(tmp_path: Path, name: str) -> None:
    write(tmp_path, "notes.md", f"app/{name}")
    assert walk(tmp_path)[0] == ["notes.md"]
    (tmp_path / ".ragstoneignore").write_text(f"!{name}\n", encoding="utf-8")
    assert walk(tmp_path)[0] == sorted(["notes.md", f"app/{name}"])


def test_a_folder_of_a_repository_heeds_the_files_above_it(tmp_path: Path) -> None:
    write(tmp_path, "repo/docs/a.md", "repo/docs/draft.md", "repo/.git/config")
    (tmp_path / ".gitignore").write_text("a.md\n", encoding="utf-8")  # above the repository
    (tmp_path / "repo" / ".gitignore").write_text("docs/draft.md\n", encoding="utf-8")
    assert walk(tmp_path / "repo" / "docs")[0] == ["a.md"]


def test_a_link_to_an_ignored_place_is_listed_under_its_own_path(tmp_path: Path) -> None:
    write(tmp_path, "node_modules/x/readme.md")
    (tmp_path / "readme.md").symlink_to("node_modules/x/readme.md")
    assert walk(tmp_path)[0] == ["readme.md"]


def test_an_ignore_file_that_is_a_link_or_a_folder_is_none(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "rules")
    (tmp_path / "rules").write_text("*", encoding="utf-8")
    (tmp_path / "docs" / ".gitignore").symlink_to(tmp_path / "rules")
    (tmp_path / "docs" / ".ragstoneignore").mkdir()
    assert walk(tmp_path / "docs")[0] == ["a.md"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@settings(max_examples=40, deadline=None)
@given(st.lists(PATTERNS, min_size=1, max_size=4), st.lists(PATHS, min_size=1, max_size=6, unique=True))
def test_patterns_fit_what_git_says(
    tmp_path_factory: pytest.TempPathFactory, patterns: list[str], paths: list[str]
) -> None:
    root = tmp_path_factory.mktemp("repo")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("\n".join(patterns) + "\n", encoding="utf-8")
    told = subprocess.run(
        ["git", "-C", str(root), "check-ignore", "--stdin", "-z", "--no-index"],
        input="\0".join(paths),
        capture_output=True,
        text=True,
        check=False,
    )
    files = IgnoreFiles(root)
    ours = {path for path in paths if files.ignores_on_the_way(path, is_folder=False)}
    assert ours == set(filter(None, told.stdout.split("\0")))
