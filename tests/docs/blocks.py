"""The fenced blocks of a page, and what their marks mean.

`sh` and `python` blocks run in page order; `exit=2` names another exit status than 0, `not-run` leaves one out.
`postgres` runs it only where `test_postgres.py` has
a server. `file=NAME` on any block writes it to a file. A `text` block right below one that ran is what it printed.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(?P<language>\w*)(?P<marks>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+"), "TIME"),
    (re.compile(r"[-+]?\d+\.\d+"), "0.0"),  # seconds, scores
    (re.compile("[━─]+"), "─"),
    (re.compile(r"\s+"), " "),
)
WITH_MODEL = "<!-- runs with the model -->"


@dataclass(frozen=True)
class Block:
    """One block: its language, its marks, its text, the line (from 1) where it begins."""

    language: str
    marks: tuple[str, ...]
    text: str
    line: int

    @property
    def runs(self) -> bool:
        apart = {"not-run", "postgres"}.intersection(self.marks)
        return self.language in ("sh", "python") and not apart and self.file is None

    @property
    def status(self) -> int:
        return int(next((mark[5:] for mark in self.marks if mark.startswith("exit=")), "0"))

    @property
    def file(self) -> str | None:
        return next((mark[5:] for mark in self.marks if mark.startswith("file=")), None)


def pages() -> list[Path]:
    """Everything that a user reads."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(m["language"], tuple(m["marks"].split()), m["text"], text.count("\n", 0, m.start()) + 1)
        for m in FENCE.finditer(text)
    ]


def plain(text: str) -> str:
    """Text without what may differ between runs and machines: times, scores, where lines are broken."""
    for pattern, instead in VARIES:
        text = pattern.sub(instead, text)
    return text.strip()


def missing(shown: str, printed: str) -> str | None:
    """The first line of a page's output that was not printed in this order; a line of `…` stands for anything."""
    flat, at = plain(printed), 0
    for line in shown.splitlines():
        wanted = plain(line)
        if wanted == "…":
            continue
        found = flat.find(wanted, at)
        if found < 0:
            return line
        at = found + len(wanted)
    return None
