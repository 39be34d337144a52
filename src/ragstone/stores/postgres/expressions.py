"""Globs and LIKE patterns as PostgreSQL's regular expressions, meaning what `globs` and `where.like` mean.

An expression comes with the length of the shortest text that can match it. PostgreSQL's expressions are matched
by automata, so none is slow; a long one is costly to compile, and the length says when there is no need to.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from ragstone.core.filter_matching import LIKE
from ragstone.core.path_patterns import ANY
from ragstone.stores.postgres.filter_facts import MARK, escape_nul

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
STAR_RUN = re.compile(r"\*+")
ONE_CHARACTER = f"(?:{MARK}.|[^{MARK}])"  # one character of a text as `facts` keeps it
CASED_LIMIT = 0x20000  # no letter from here up has another case (a test looks at all of them)


def has_lone_surrogate(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no stored text can."""
    return LONE_SURROGATE.search(text) is not None


def has_wildcard(path: str) -> bool:
    """Whether a path filter is a glob."""
    return "*" in path or "?" in path


def compile_globs(globs: Sequence[str]) -> tuple[str, int]:
    """A regular expression for the paths that fit any of the globs, and the length of the shortest."""
    made = [_compile_glob(glob) for glob in globs]
    return f"^(?:{'|'.join(expression for expression, _ in made)})$", min(shortest for _, shortest in made)


@lru_cache(maxsize=256)
def _compile_glob(glob: str) -> tuple[str, int]:
    anchored = "/" in glob.rstrip("/")
    names = glob.strip("/").split("/") + ([ANY] if glob.endswith("/") else [])
    names = names if anchored else [ANY, *names]
    parts, shortest = [], 0
    for i, name in enumerate(names):
        last = i == len(names) - 1
        if name == ANY:
            parts.append(".*" if last else "(?:.*/)?")
        else:
            parts.append(_compile_name(name) + ("" if last else "/"))
            shortest += sum(c != "*" for c in name) + (not last)
    return "".join(parts), shortest


def _compile_name(glob: str) -> str:
    parts = STAR_RUN.split(glob)
    return "[^/]*".join("".join("[^/]" if c == "?" else _escape_literal(c) for c in part) for part in parts)


def translate_like(pattern: str) -> str | None:
    """A LIKE pattern for the server's own LIKE; None where `_` stands in it, which may be two kept characters."""
    parts = []
    for escaped, many, one, plain in LIKE.findall(pattern):
        if one:
            return None
        parts.append("%" if many else "".join("\\" + c if c in "\\%_" else c for c in escaped or plain))
    return "".join(parts)


def compile_like(pattern: str, *, insensitive: bool) -> tuple[str, int]:
    """A LIKE or ILIKE pattern as an expression over kept texts, and the length of the shortest that matches."""
    parts, shortest = [], 0
    for escaped, many, one, plain in LIKE.findall(pattern):
        shortest += 0 if many else 1 if one else len(escaped or plain)
        if many or one:
            parts.append(".*" if many else ONE_CHARACTER)
        else:
            parts += [
                _match_either_case(c) if insensitive else _escape_literal(c) for c in escape_nul(escaped or plain)
            ]
    return f"^{''.join(parts)}$", shortest


def _escape_literal(character: str) -> str:
    """One character that stands for itself: a backslash takes the meaning of all but letters and digits."""
    return "\\" + character if character.isascii() and not character.isalnum() and character >= " " else character


def _match_either_case(character: str) -> str:
    """All characters that Python's IGNORECASE takes for this one."""
    same = _find_case_variants(character)
    return f"[{same}]" if len(same) > 1 else _escape_literal(character)


@lru_cache(maxsize=4096)
def _find_case_variants(character: str) -> str:
    near = {other for key in _case_keys(character) for other in _index_cased_letters().get(key, "")}
    expression = re.compile(re.escape(character), re.IGNORECASE)
    return "".join(sorted(other for other in {*near, character} if expression.fullmatch(other)))


@cache
def _index_cased_letters() -> dict[str, str]:
    """Letters with another case by what their cases have in common: a wide net, `re` decides."""
    found: dict[str, list[str]] = {}
    for character in map(chr, range(CASED_LIMIT)):
        if character.lower() != character or character.upper() != character:
            for key in _case_keys(character):
                found.setdefault(key, []).append(character)
    return {key: "".join(letters) for key, letters in found.items()}


def _case_keys(character: str) -> Iterator[str]:
    yield from {character.casefold(), character.upper().casefold(), character.lower()[:1]}
