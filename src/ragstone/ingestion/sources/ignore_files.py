"""Ignore files of a folder tree: `.ragstoneignore` and `.gitignore`, each for what lies below it, and the defaults.

The syntax is that of git (`gitignore(5)`): the last rule that fits decides, `!` takes a path back in, a trailing
slash means folders alone, a slash elsewhere ties the pattern to the folder of its file. Of two files the deeper one
decides, in one folder `.ragstoneignore`; the defaults come last, so that `!build/` takes a folder back in.
"""

import os
import re
import stat
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragstone.core.path_patterns import compile_pattern, match_segments

NAMES = (".ragstoneignore", ".gitignore")  # the first decides before the second
MOST_BYTES = 1_000_000  # of an ignore file that are read
REMEMBERED = 4096  # folders
# Rules of ignore files in one archive that are compared with its files, together: some 20 seconds. The most files that
# an archive may have, 50,000, with 100 rules for each.
MOST_COMPARED = 5_000_000
# What programs make, keep or lock: nobody wrote it to be read.
DEFAULTS = """
.git/ .hg/ .svn/ .bzr/ CVS/
node_modules/ bower_components/ jspm_packages/ site-packages/ .venv/
__pycache__/ .mypy_cache/ .pytest_cache/ .ruff_cache/ .tox/ .nox/ .cache/ .gradle/ .terraform/ .eggs/ *.egg-info/
.ipynb_checkpoints/ .next/ .nuxt/ .parcel-cache/
*.min.js *.min.css *.map *.pyc
package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock Pipfile.lock Cargo.lock
Gemfile.lock composer.lock go.sum Podfile.lock pubspec.lock mix.lock pdm.lock pixi.lock deno.lock flake.lock bun.lock
bun.lockb packages.lock.json conda-lock.yml gradle.lockfile .terraform.lock.hcl *.tsbuildinfo *.lcov
.DS_Store Thumbs.db desktop.ini ~$* .~lock.*
"""
# A folder with such a file is made by a program, whatever it is called.
MADE_BY_PROGRAMS = ("CACHEDIR.TAG", "pyvenv.cfg")
BUILD_FOLDERS = frozenset(("build", "dist", "target", "out"))
PROJECT_FILES = (
    "pyproject.toml",
    "setup.py",
    "package.json",
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "CMakeLists.txt",
)


TELLING = frozenset((*MADE_BY_PROGRAMS, *PROJECT_FILES))


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line: what it fits, whether folders alone, and whether it takes back in."""

    segments: tuple[str | re.Pattern[str], ...]
    folders: bool
    negated: bool

    @classmethod
    def parse(cls, line: str) -> "IgnoreRule | None":
        """A line of an ignore file; None for a comment and for a blank line."""
        pattern = re.sub(r"(?<!\\) +$", "", line.rstrip("\r\n"))
        if not pattern or pattern.startswith("#"):
            return None
        negated = pattern.startswith("!")
        pattern = pattern[negated:]
        folders = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        if not pattern.strip("/*") and "*" not in pattern:
            return None
        return cls(compile_pattern(pattern, classes=True), folders, negated)

    def fits(self, names: list[str], *, is_folder: bool) -> bool:
        """Whether it fits a path relative to its file's folder."""
        return (is_folder or not self.folders) and match_segments(names, self.segments)


def parse_rules(text: str) -> tuple[IgnoreRule, ...]:
    """The rules of a file, the last first: it decides."""
    return tuple(rule for line in reversed(text.splitlines()) if (rule := IgnoreRule.parse(line)))


DEFAULT_RULES = parse_rules("\n".join(DEFAULTS.split()))


class IgnoreFiles:
    """The ignore files of one tree, each read when the first path below it is asked for."""

    def __init__(self, root: Path, *, heeded: bool = True) -> None:
        """`heeded`: also those of the folders above the root, up to the one of the repository."""
        self._root = root
        self._heeded = heeded
        self._read: OrderedDict[str, tuple[IgnoreRule, ...]] = OrderedDict()
        self._packed: dict[str, tuple[IgnoreRule, ...]] = {}  # of folders in an archive
        self._telling: Collection[str] = ()
        self._left = MOST_COMPARED
        self._above = _find_above(root) if heeded else []

    @contextmanager
    def in_archive(self, texts: Mapping[str, str], telling: Collection[str]) -> Iterator[None]:
        """Meanwhile heed ignore files in an archive, by their joined paths; `telling` are those of its files that say
        what their folder is (`is_telling`)."""
        self._packed, self._telling, self._left = {}, telling, MOST_COMPARED
        folders = {path.rpartition("/")[0] for path in texts} if self._heeded else ()
        for folder in folders:
            self._packed[folder] = tuple(
                rule for name in NAMES for rule in parse_rules(texts.get(f"{folder}/{name}", ""))
            )
        try:
            yield
        finally:
            self._packed, self._telling = {}, ()

    @property
    def is_spent(self) -> bool:
        """Whether the ignore files of the last archive have more rules than are compared with its files."""
        return self._left < 0

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path is left out, its folders aside."""
        names = path.split("/")
        for depth in range(len(names) - 1, -1, -1):
            decision = _decide(self._rules_in("/".join(names[:depth])), names[depth:], is_folder=is_folder)
            if decision is not None:
                return decision
        for folder, rules in self._above:
            decision = _decide(rules, [*self._root.relative_to(folder).parts, *names], is_folder=is_folder)
            if decision is not None:
                return decision
        return bool(_decide(DEFAULT_RULES, names, is_folder=is_folder)) or (is_folder and self._is_made(path))

    def ignores_on_the_way(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path or a folder that it lies in is left out."""
        names = path.split("/")
        above = any(self.ignores("/".join(names[:depth]), is_folder=True) for depth in range(1, len(names)))
        return above or self.ignores(path, is_folder=is_folder)

    def _is_made(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if any(self._is_file(f"{path}/{one}") for one in MADE_BY_PROGRAMS):
            return True
        beside = f"{folder}/" if folder else ""
        return name in BUILD_FOLDERS and any(self._is_file(f"{beside}{one}") for one in PROJECT_FILES)

    def _is_file(self, path: str) -> bool:
        return path in self._telling or os.path.isfile(self._root / path)

    def _rules_in(self, folder: str) -> tuple[IgnoreRule, ...]:
        if not self._heeded:
            return ()
        if folder in self._packed:
            self._left -= len(self._packed[folder])
            return self._packed[folder] if self._left >= 0 else ()
        if folder not in self._read:
            self._read[folder] = read_rules(self._root / folder)
            if len(self._read) > REMEMBERED:
                self._read.popitem(last=False)
        self._read.move_to_end(folder)
        return self._read[folder]


def read_rules(folder: Path) -> tuple[IgnoreRule, ...]:
    """The rules of the ignore files in one folder; links are not followed, as git does not."""
    return tuple(rule for name in NAMES for rule in parse_rules(_read_file(folder / name)))


def is_telling(name: str) -> bool:
    """Whether a file of this name says that its folder, or one beside it, is made by a program."""
    return name in TELLING


def _find_above(root: Path) -> list[tuple[Path, tuple[IgnoreRule, ...]]]:
    """The folders above a root, the nearest first, up to that of its repository; none without one."""
    if os.path.exists(root / ".git"):
        return []
    parents = list(root.parents)
    top = next((number for number, parent in enumerate(parents) if os.path.exists(parent / ".git")), None)
    return [] if top is None else [(parent, read_rules(parent)) for parent in parents[: top + 1]]


def _decide(rules: tuple[IgnoreRule, ...], names: list[str], *, is_folder: bool) -> bool | None:
    return next((not rule.negated for rule in rules if rule.fits(names, is_folder=is_folder)), None)


def _read_file(place: Path) -> str:
    try:
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    try:
        data = os.read(descriptor, MOST_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        data = b""
    finally:
        os.close(descriptor)
    return data.decode("utf-8-sig", errors="replace")
