"""Tokens with a short prefix, a sign, and a tail that chance made, of any vendor."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator

from ragstone.core.late_pattern import compile_late
from ragstone.guard.credentials import SHAPES
from ragstone.guard.plausible import ANY_HEX, is_example, is_key, is_long_key, is_one_case_key
from ragstone.guard.secret_places import Places

# Not in a path or a file's name.
WHOLE = compile_late(r"(?<![\w./+%~-])[A-Za-z][A-Za-z0-9]{1,11}[_-][A-Za-z0-9_-]{24,256}={0,2}(?![\w./+@%~-])")
SIGNS = 4  # that a prefix may have
SHORTEST, LONG = 24, 30  # of a tail; what is shorter tells which file, call or batch as often
PREFIX = re.compile(
    r"(?:[a-z]{2,12}|[A-Z]{2,12}|[A-Z][a-z]{1,11})\d{0,3}(?:[_-](?:[a-z]{1,10}|[A-Z]{1,10}|[A-Z][a-z]{1,9})?\d{0,3}){0,3}"
)
DIGEST = re.compile(r"(?i)(?:sha|md|blake|crc)-?\d+\w?|etag|sum|hash|digest")
DIGEST_BEFORE = re.compile(r"(?:(?i:sha|md|blake)-?\d{1,3}[=:-]|(?:(?<![A-Za-z])id|Id|ID|_id)[\"'` :=]{1,4})\Z")
KINDS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))
LONGEST = 16
# With such a prefix a tail in hexadecimal is a token too.
MEANT = re.compile(r"(?i)(?:\A|[_-])(?:sk|key|api|secret|token|auth|pat|live|test|prod)(?:\Z|[_-])")
# Words of a prefix that as often say where a build runs, and what the build is called by: a commit, a UUID.
PLACE = re.compile(r"(?i)(?<![a-z0-9])(?:live|test|prod)(?![a-z0-9])")
BUILD = re.compile(r"[0-9a-f]{40}|(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
# Vendors whose shape is known: what does not fit it is no token of theirs.
KNOWN = frozenset(head.lower() for _, shape in SHAPES for head in re.findall(r"(?:\A|\|)([A-Za-z]{2,12}[_-])", shape))


def find_prefixed(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """The kind and the place of each, prefix included."""
    for run in places.runs:
        for match in WHOLE.finditer(text, *run):
            signs = [sign.start() for sign in re.finditer("[_-]", match[0][:-SHORTEST])][:SIGNS]
            if DIGEST_BEFORE.search(text, max(0, match.start() - 12), match.start()):
                continue
            if match[0][: signs[0] + 1].lower() in KNOWN or is_example(match[0]):
                continue
            if any(_is_token(match[0][:at], match[0][at + 1 :]) for at in signs):
                yield "api_key", *match.span()


def _is_token(prefix: str, tail: str) -> bool:
    if PREFIX.fullmatch(prefix) is None or any(map(DIGEST.fullmatch, _split(prefix, tail))) or _decodes(tail):
        return False
    meant = MEANT.search(PLACE.sub("", prefix) if BUILD.fullmatch(tail) else prefix) is not None
    if len(tail) >= LONG and is_one_case_key(tail) and ANY_HEX.fullmatch(tail) is None:
        return True
    return (_is_chance(tail) and (meant or len(tail) >= LONG)) or (meant and is_long_key(tail))


def _split(prefix: str, tail: str) -> list[str]:
    """The parts of a prefix and of what stands before the last sign."""
    return [*re.split("[_-]", prefix), *re.split("[_-]", tail)[:-1]]


def _is_chance(tail: str) -> bool:
    """Whether the longest part between signs has letters of both cases and digits, more than one or two."""
    part = max(re.split("[_-]", tail), key=len)
    return is_key(tail) and len(part) >= LONGEST and all(len(kind.findall(part)) >= 3 for kind in KINDS)


def _decodes(tail: str) -> bool:
    """Whether its longest part is words in base64; with digits among them it may be a key in base64."""
    part = max(re.split("[_-]", tail), key=len)
    if len(part) < LONGEST:
        return False
    try:
        text = urlsafe_b64decode(part[: len(part) // 4 * 4]).decode("ascii")
    except ValueError:
        return False
    return text.isprintable() and not any(map(str.isdigit, text))
