"""Documents and filters drawn at random, alike for the same seed."""

import random
from collections.abc import Sequence
from typing import Any

from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, OPERATORS, Condition, Where
from ragstone.core.types import Revision
from ragstone.testing.stores.samples import make_revision


def random_revisions(chance: random.Random, count: int) -> list[Revision]:
    """Documents with all that filters ask about; every chunk holds a fruit."""
    made = []
    for number in range(count):
        meta = {
            "category": chance.choice(["api", "guide", None]),
            "tags": chance.sample(["red", "green", "blue"], chance.randint(0, 3)),
            "project": chance.choice(["x", "y"]),
            "doc_type": chance.choice(["spec", "note", None]),
            "date": chance.choice(["2024-05-31", "2024-06-01T10:00:00", "2023", None]),
            "confidentiality": chance.choice(["public", "Internal", "restricted", None]),
            "level": chance.choice([1, 2.5, "3", None]),
        }
        fruits = [chance.choice(["apple", "pear", "plum"]) for _ in range(chance.randint(1, 4))]
        chunks = {
            "heading_path": tuple(chance.sample(["Intro", "Usage", "100%"], chance.randint(0, 2))),
            "kind": chance.choice(["text", "table"]),
            "flags": tuple(chance.sample(["injection", "secret"], chance.randint(0, 2))),
            "risk_score": chance.choice([0.0, 0.5]),
        }
        path = chance.choice(["", "guide/", "guide/deep/"]) + f"{number}.{chance.choice(['md', 'txt'])}"
        source = chance.choice(["docs", "wiki"])
        texts = [f"{fruit} {chance.choice(['red', 'green'])} {i}" for i, fruit in enumerate(fruits)]
        made.append(make_revision(path, texts, source=source, meta=meta, chunks=chunks))
    return made


def random_where(chance: random.Random, shas: Sequence[str]) -> Where:
    """Any filter at all: few groups at a time, so that most let something through."""

    def some(*values: str) -> tuple[str, ...]:
        return tuple(chance.sample(values, chance.randint(1, len(values)))) if chance.random() < 0.12 else ()

    restricted = chance.random() < 0.7
    dates = (_random_date(chance), _random_date(chance))
    date_from, date_to = sorted(dates, key=str) if all(dates) else dates
    return Where(
        sources=some("docs", "none", "wiki"),
        paths=tuple(_random_glob(chance) for _ in range(chance.randint(1, 3))) if chance.random() < 0.2 else (),
        headers=some("Intro", "100%", "Usage", "none"),
        shas=some(*shas),
        categories=some("api", "guide"),
        tags=some("red", "green", "blue"),
        tag_mode=chance.choice(["any", "all"]),
        projects=some("x", "y"),
        doc_types=some("spec", "note"),
        date_from=date_from,
        date_to=date_to,
        confidentiality_allow=some("public", "INTERNAL", *(["Restricted"] if restricted else [])),
        allow_restricted=restricted,
        conditions=tuple(_random_condition(chance) for _ in range(chance.choice([0, 0, 1, 1, 2, 3]))),
        logic=chance.choice(["AND", "OR"]),
    )


def _random_glob(chance: random.Random) -> str:
    names = ["guide", "deep", "*", "**", "g*", "?eep", "*.md", "*.t?t", "1*.md", "3.md", "2?.*"]
    glob = "/".join(chance.choices(names, k=chance.randint(1, 3)))
    return chance.choice(["", "", "", "/"]) + glob + chance.choice(["", "", "", "/"])


def _random_date(chance: random.Random) -> str | None:
    if chance.random() < 0.85:
        return None
    return chance.choice(["2023-12-31", "2024-05-31", "2024-06-01", "2025-01-01"])[: chance.choice([4, 7, 10])]


def _random_condition(chance: random.Random) -> Condition:
    """An operator on any column there is or is not, with a value that stands there or is of another kind."""
    columns = [*DOCUMENT_FACTS, *CHUNK_FACTS, "category", "tags", "project", "date", "confidentiality", "level", "none"]
    operator = chance.choice(OPERATORS)
    if operator in ("IN", "NOT IN"):
        value: Any = [_random_value(chance) for _ in range(chance.randint(0, 3))]
    elif operator in ("LIKE", "ILIKE"):
        value = "".join(_vary_character(c, chance) for c in chance.choice(["", "%", "%%"]) + str(_random_value(chance)))
    else:
        value = None if operator.startswith("IS") else _random_value(chance)
    return Condition(chance.choice(columns), operator, value)


def _random_value(chance: random.Random) -> str | float | bool:
    values: list[str | float | bool] = ["guide/1.md", "12.txt", "red", "green", "api", "x", "Usage", "100%", "docs"]
    values += ["2024-05-31", "2024", "3", "2.5", "", "true", "injection", "table", "public", "restricted", "text/plain"]
    values += [0, 1, 2, 3, 2.5, 0.5, -1, 1e300, True, False]
    return chance.choice(values)


def _vary_character(character: str, chance: random.Random) -> str:
    """A character of a pattern as it is, in the other case, as a wildcard, or with its meaning taken away."""
    return chance.choice([character] * 6 + [character.swapcase(), "_", "%", "\\" + character])
