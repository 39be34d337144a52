"""Texts that a user reads are plain English: a short list of phrases that they never hold."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "ragstone"
DENIED = re.compile(
    r"stands? twice|sets? nothing|\bis no place\b|\bhowever much\b|\bso many\b|^(?:Who|Whoever|Whatever)\b",
    re.IGNORECASE,
)
# Calls whose texts a user reads: errors, notes, warnings, options and arguments of commands.
READ = re.compile(
    r"(?:Error|Refused|Busy|Corrupt|Unavailable|Unauthorized|Forbidden|NotBuilt|note|warning|Option|Argument)$"
)


def find_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts in calls that a user reads, by line."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if READ.search(name):
                for part in ast.walk(call):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.lineno, part.value


def test_no_text_for_users_holds_a_denied_phrase() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in find_texts(ast.parse(path.read_text(encoding="utf-8")))
        if DENIED.search(text)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "code",
    ['raise UsageError(f"{x} stands twice")', 'trace.note("a", "sets nothing")', 'Option(help="So many of them.")'],
)
def test_a_denied_phrase_is_seen(code: str) -> None:
    assert any(DENIED.search(text) for _, text in find_texts(ast.parse(code)))
