"""Texts for users are plain English: subject, verb, object, with the actor named; some phrases came back too often.

`DENIED` holds for pages, for texts in the code that a user reads, and for docstrings of public names; to hold another
kind of text to it, give it to `find_denied`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.imports import FILES, ROOT, SOURCE, parse_file

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
    r"\b[Ss]o many\b",  # "this number of"
    r"\bhowever much\b",
    r"\bnone of (?:ours|theirs)\b",
    r"\b[Ww]ho(?:m|se)?ever\b",  # "anyone who …"
    r"\b[Ww]hatever\b",
    r"(?:^|[.:;!] )(?:What|Who) (?!(?:is|are|do|does|did|was|were|has|have|can|may|must|won|gets)\b[^.]*\?)",
    r"\bfor who\b",
    r"\bwhat (?:is|are|was|were) (?:\w+ed|there|kept|found|said|seen|shown|sent|told|meant|read|written|known)\b",
    r"\b(?:the company|company's|E's|D's) (?:rule|thresholds|words|metadata)\b",
)
PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in DENIED), re.MULTILINE)
# Calls whose texts a user reads: errors, notes, warnings, options and arguments of commands.
READ = re.compile(
    r"(?:Error|Refused|Busy|Corrupt|Unavailable|Unauthorized|Forbidden|NotBuilt|note|warning|Option|Argument)$"
)
# A docstring says what a call gives; it may refer to another place, but not only that.
EMPTY = re.compile(r"The same\b|See `[^`]*`\.?$")
# Headings that are asked for, and texts that pages quote.
ALLOWED = ("# What it does not do yet",)


def list_code() -> Iterator[tuple[str, ast.Module]]:
    """Name and syntax tree of each file of the source."""
    return ((str(path.relative_to(SOURCE)), parse_file(path)) for path in FILES)


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


def find_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts in calls that a user reads, by line."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if READ.search(name):
                for part in ast.walk(call):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.lineno, part.value


def find_docstrings(tree: ast.AST, *, private: bool) -> Iterator[tuple[int, str]]:
    """The docstrings of modules, classes and functions by line, each on one line, without examples."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text and (private or not getattr(node, "name", "").startswith("_")):
                yield node.body[0].lineno, " ".join(text.partition(">>>")[0].split())


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


def test_texts_in_the_code_are_plain_english() -> None:
    texts = [(name, line, text) for name, tree in list_code() for line, text in find_texts(tree)]
    assert [(name, line, phrase) for name, line, text in texts for phrase in find_denied(text)] == []


def test_docstrings_of_public_names_are_plain_english() -> None:
    texts = [(name, line, text) for name, tree in list_code() for line, text in find_docstrings(tree, private=False)]
    assert [(name, line, phrase) for name, line, text in texts for phrase in find_denied(text)] == []


def test_no_docstring_only_points_elsewhere() -> None:
    texts = [(name, line, text) for name, tree in list_code() for line, text in find_docstrings(tree, private=True)]
    assert [(name, line, text) for name, line, text in texts if EMPTY.match(text)] == []


@pytest.mark.parametrize(
    "code",
    ['raise UsageError(f"{x} stands twice")', 'trace.note("a", "sets nothing")', 'Option(help="So many of them.")'],
)
def test_a_denied_phrase_in_the_code_is_found(code: str) -> None:
    assert any(find_denied(text) for _, text in find_texts(ast.parse(code)))


@pytest.mark.parametrize("text", ["See `Reader`.", "See `ragstone.core.ports.Reader`", "The same for a page."])
def test_an_empty_docstring_is_found(text: str) -> None:
    assert EMPTY.match(text)
    assert not EMPTY.match("Reads the rows of a table; see `Reader`.")
