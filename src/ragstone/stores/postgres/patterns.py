"""Globs and LIKE patterns as PostgreSQL's regular expressions, meaning what `globs` and `where.like` mean.

An expression comes with the length of the shortest text that can match it. PostgreSQL's expressions are matched
by automata, so none is slow; a long one is costly to compile, and the length says when there is no need to.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from ragstone.core.filter_matching import LIKE
from ragstone.core.path_patterns import ANY
from ragstone.stores.postgres.facts import MARK, kept

LONE = re.compile("[\ud800-\udfff]")
STARS = re.compile(r"\*+")
ONE = f"(?:{MARK}.|[^{MARK}])"  # one character of a text as `facts` keeps it
CASED = 0x20000  # no letter from here up has another case (a test looks at all of them)


def is_lone(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no stored text can."""
    return LONE.search(text) is not None


def has_wildcard(path: str) -> bool:
    """Whether a path filter is a glob."""
    return "*" in path or "?" in path


def glob_expression(globs: Sequence[str]) -> tuple[str, int]:
    """What the paths that fit any of the globs match, and the length of the shortest."""
    made = [_glob(glob) for glob in globs]
    return f"^(?:{'|'.join(expression for expression, _ in made)})$", min(shortest for _, shortest in made)


@lru_cache(maxsize=256)
def _glob(glob: str) -> tuple[str, int]:
    anchored = "/" in glob.rstrip("/")
    names = glob.strip("/").split("/") + ([ANY] if glob.endswith("/") else [])
    names = names if anchored else [ANY, *names]
    parts, shortest = [], 0
    for i, name in enumerate(names):
        last = i == len(names) - 1
        if name == ANY:
            parts.append(".*" if last else "(?:.*/)?")
        else:
            parts.append(_name(name) + ("" if last else "/"))
            shortest += sum(c != "*" for c in name) + (not last)
    return "".join(parts), shortest


def _name(glob: str) -> str:
    parts = STARS.split(glob)
    return "[^/]*".join("".join("[^/]" if c == "?" else _literal(c) for c in part) for part in parts)


def like_plain(pattern: str) -> str | None:
    """A LIKE pattern for the server's own LIKE; None where `_` stands in it, which may be two kept characters."""
    parts = []
    for escaped, many, one, plain in LIKE.findall(pattern):
        if one:
            return None
        parts.append("%" if many else "".join("\\" + c if c in "\\%_" else c for c in escaped or plain))
    return "".join(parts)


def like_expression(pattern: str, *, insensitive: bool) -> tuple[str, int]:
    """A LIKE or ILIKE pattern as an expression over kept texts, and the length of the shortest that matches."""
    parts, shortest = [], 0
    for escaped, many, one, plain in LIKE.findall(pattern):
        shortest += 0 if many else 1 if one else len(escaped or plain)
        if many or one:
            parts.append(".*" if many else ONE)
        else:
            parts += [_either_case(c) if insensitive else _literal(c) for c in kept(escaped or plain)]
    return f"^{''.join(parts)}$", shortest


def _literal(character: str) -> str:
    """One character that stands for itself: a backslash takes the meaning of all but letters and digits."""
    return "\\" + character if character.isascii() and not character.isalnum() and character >= " " else character


def _either_case(character: str) -> str:
    """All characters that Python's IGNORECASE takes for this one."""
    same = _same(character)
    return f"[{same}]" if len(same) > 1 else _literal(character)


@lru_cache(maxsize=4096)
def _same(character: str) -> str:
    near = {other for key in _keys(character) for other in _letters().get(key, "")}
    expression = re.compile(re.escape(character), re.IGNORECASE)
    return "".join(sorted(other for other in {*near, character} if expression.fullmatch(other)))


@cache
def _letters() -> dict[str, str]:
    """Letters with another case by what their cases have in common: a wide net, `re` decides."""
    found: dict[str, list[str]] = {}
    for character in map(chr, range(CASED)):
        if character.lower() != character or character.upper() != character:
            for key in _keys(character):
                found.setdefault(key, []).append(character)
    return {key: "".join(letters) for key, letters in found.items()}


def _keys(character: str) -> Iterator[str]:
    yield from {character.casefold(), character.upper().casefold(), character.lower()[:1]}
