"""Texts for users are plain English: subject, verb, object, with the actor named; some phrases came back too often.

`DENIED` holds for pages and for texts in the code alike; to hold a kind of text to it, give it to `find_denied`.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "demo" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
]
PAGES.remove(ROOT / "docs" / "reference" / "cli.md")  # made from the texts of the code
# Pages that users read from end to end; design and benchmarks are for those that look something up.
USERS = [page for page in PAGES if page.parent == ROOT or page.parent.name in ("docs", "how-to")]
MOST_WORDS = 25  # of a table's cell; a reference in code counts as one
DENIED = (
    r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer|more|doubt)",  # "is not a store", "has no key"
    r"\bstands? twice\b",  # "duplicate …"
    r"\bsets nothing\b",  # "unknown …"
    r"\bso many\b",  # "this number of"
    r"\bnone of (?:ours|theirs)\b",
    r"\b[Ww]ho(?:m|se)?ever\b",  # "anyone who …"
    r"\b[Ww]hatever\b",
    r"(?:^|[.:;!] )(?:What|Who) (?!(?:is|are|do|does|did|was|were|has|have|can|may|must|won|gets)\b[^.]*\?)",
    r"\bfor who\b",
    r"\bwhat (?:is|are|was|were) (?:\w+ed|there|kept|found|said|seen|shown|sent|told|meant|read|written|known)\b",
    r"\b(?:the company|company's|E's|D's) (?:rule|thresholds|words|metadata)\b",
)
PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in DENIED), re.MULTILINE)
# Headings that are asked for, and texts that pages quote.
ALLOWED = ("# What it does not do yet",)


def find_denied(text: str) -> list[str]:
    """The denied phrases in a text, each with the words around it."""
    return [text[max(0, m.start() - 30) : m.end() + 40].replace("\n", " ") for m in PATTERN.finditer(text)]


def read_prose(page: Path) -> str:
    """A page without code, and without quotations of documents."""
    text = page.read_text(encoding="utf-8")
    for heading in ALLOWED:
        text = text.replace(heading, "")
    for pattern in (r"^```.*?^```$", r"^    .*$", r"^> .*$"):
        text = re.sub(pattern, "", text, flags=re.MULTILINE | re.DOTALL if "```" in pattern else re.MULTILINE)
    return re.sub(r'`[^`\n]*`|"[^"\n]*"', "…", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_plain_english(page: Path) -> None:
    assert find_denied(read_prose(page)) == []


@pytest.mark.parametrize("page", USERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_table_cell_is_short(page: Path) -> None:
    rows = [line for line in read_prose(page).splitlines() if line.startswith("|")]
    cells = [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    assert [cell for cell in cells if len(cell.split()) >= MOST_WORDS and not cell.startswith("…, …")] == []  # a list


@pytest.mark.parametrize(
    "text",
    [
        "store 'x' is no place",
        "RAGSTONE_X sets nothing",
        "Whoever asks is told",
        "Ask it. What is found is shown.",
        "the key stands twice",
    ],
)
def test_phrases_of_before_are_found(text: str) -> None:
    assert find_denied(text)


def test_questions_and_negations_are_not() -> None:
    assert find_denied("What is the default? It is not a store, has no key and is no longer used.") == []
