"""Secret access keys of AWS without a name beside them: behind or one line below a word that tells."""

from collections.abc import Iterator

from ragstone.core.late_pattern import compile_late
from ragstone.guard.plausible import is_example, is_key
from ragstone.guard.secret_places import Places

STARTS = ("aws", "secret access key", "secret_access_key", "secretaccesskey")
WORD = r"(?<![a-z])aws(?![a-z])"  # not that of "laws"
NAMED = compile_late(rf"{WORD}|secret.?access.?key")
NEAR = 160  # characters, of two lines
# Forty letters, digits and signs that stand alone.
SECRET = compile_late(r"(?<![\w+/=.-])[A-Za-z0-9+/]{40}(?![\w+/=-])")


def find_aws(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """Kind and place of each."""
    done = 0
    for at in places.find(STARTS):
        if NAMED.match(places.lower, at) is None:
            continue
        end = min(len(text), at + NEAR)
        line = text.find("\n", at, end)
        below = text.find("\n", line + 1, end) if line >= 0 else -1
        for match in SECRET.finditer(text, max(at, done), below if below >= 0 else end):
            done = match.end()
            if is_key(match[0]) and not is_example(match[0]):
                yield "aws_secret", *match.span()
