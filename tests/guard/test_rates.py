"""How many attacks are flagged, wherever they stand in a document, and how little of what is clean."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from ragstone import chunking
from ragstone.extraction import extract
from ragstone.guard import assess_injection
from ragstone.providers import WordPiece

ATTACKS = [json.loads(line) for line in Path(__file__).with_name("attacks.jsonl").read_text("utf-8").splitlines()]
ROOT = Path(__file__).parents[2]
CLEAN = {
    "e-mail": """Date: Mon, 3 June 2024
From: Ann Miller

Hello Tom,

the invoice 4711 over 205.12 EUR was paid on Friday. The next one comes in July. If you have any questions, just
reply to this e-mail. Thank you for your reply.

Regards
Ann""",
    "table": """| Rank | Rider | Team | Time |
|---|---|---|---|
| 1 | Valverde | Caisse d'Epargne | 5h 29' 10" |
| 2 | Kolobnev | Saxo Bank | s.t. |
| 3 | Rebellin | Gerolsteiner | s.t. |""",
    "manual": """# Retention

Samples are kept for 15 days by default. The flag `--storage.tsdb.retention.time` changes this.

To remove old blocks, run the cleaner. Set the limit to the size of your disk, and restart the server.

How do I see which samples are left? The status page counts the samples of each block.""",
}


def placed(attack: str, text: str) -> list[str]:
    """The attack behind the text, before it, and between its lines."""
    lines = text.split("\n")
    middle = len(lines) // 2
    return [f"{text}\n\n{attack}", f"{attack}\n\n{text}", "\n".join([*lines[:middle], attack, *lines[middle:]])]


@pytest.mark.parametrize("kind", CLEAN)
def test_attacks_of_all_kinds_are_flagged_in(kind: str) -> None:
    found: dict[str, list[bool]] = defaultdict(list)
    for row in ATTACKS:
        found[row["kind"]] += [bool(assess_injection(text)[0]) for text in placed(row["text"], CLEAN[kind])]
    hits = [hit for each in found.values() for hit in each]
    assert sum(hits) >= 0.9 * len(hits), {name: each for name, each in found.items() if not all(each)}
    assert all(any(each) for each in found.values())


@pytest.mark.parametrize("kind", CLEAN)
def test_they_are_flagged_for_what_they_are_and_not_for_what_is_around(kind: str) -> None:
    assert assess_injection(CLEAN[kind]) == ((), 0.0)


def test_hardly_a_chunk_of_our_own_documentation_is_flagged() -> None:
    chunker = chunking.make_chunker("structure", tokenizer=WordPiece())
    files = [*sorted((ROOT / "demo" / "docs").rglob("*.md")), *sorted((ROOT / "docs" / "why").rglob("*.md"))]
    pieces = [piece.text for path in files for piece in chunker.cut(extract(path.read_bytes(), path=path.name))]
    wrong = [text for text in pieces if assess_injection(text)[0]]
    assert len(pieces) > 100
    assert len(wrong) <= 0.02 * len(pieces), wrong
