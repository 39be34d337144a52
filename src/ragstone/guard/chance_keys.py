"""Keys that nothing names: letters of both cases and digits that chance put together, beside another name or alone."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator

from ragstone.core.late_pattern import compile_late
from ragstone.guard.bare_values import is_random
from ragstone.guard.plausible import ANY_HEX, is_key, is_one_case_key
from ragstone.guard.random_letters import is_unspoken
from ragstone.guard.secret_places import Places

SHORTEST = 24  # characters; what is shorter tells as often which video, build or document
ALONE, LONGEST = 32, 100  # without a name; what is longer is data
TOKEN = re.compile(r"(?<![\w+/.%@#~\\-])[A-Za-z0-9][A-Za-z0-9_-]{19,127}(?![\w+/=.:@%~-])")
PART = 12  # characters of the longest part between signs; those of names are shorter
NUMBERED = re.compile(r"[A-Za-z_-]{2,16}[0-9a-f]{24,}")  # a word and a number in hexadecimal
PLAIN = re.compile(r"[A-Za-z0-9]+")
# What is before a value on its line: a name and a sign, at the line's beginning or behind a mark.
NAMED = re.compile(
    r"(?:^|[\s{,;(\[\"'`>*-])(?P<name>[A-Za-z_$][\w.$-]{0,40})[\"'`]?\]?[ \t]{0,24}(?::=|=>|[:=])[ \t]{0,12}"
    r"(?P<mark>[\"'`]?)\Z"
)
# A value without quotes ends its line, or it is a variable; behind a label ("Lot: …") it is the number of a thing.
ENDS = re.compile(r"[ \t]*(?:[\r\n#]|\Z)")
LABEL = re.compile(r"(?:[A-Z][a-z]+|[A-Z])(?:-(?:[A-Z][a-z]*|[a-z]+))*")
# Names of what is no secret, however it looks: which one is meant, what its bytes sum up to, what is in it. Names of
# keys and tokens are judged elsewhere.
OTHER = compile_late(
    r"(?i)ids?\Z|ident|hash|digest|checksum|sum\Z|sha\d*|md5|etag|integrity|sig|nonce|cursor|finger|[ug]uid|ref|commit|rev|pub"
    r"|thumb|image|data|file|name|version|slug|ce?rt|serial|path|ur[il]|href|src|content|body|value|text|test|module"
    r"|class|type|expected|result|code|title|model|tag|cache|hint|addr|wallet|txn?|block|cid|order|key\Z|token|number"
    r"|(?:message|thread|request|trace|span|channel|video|playlist|sheet|form|doc|document|folder|drive|calendar|place|item"
    r"|invoice|payment|customer|subscription|account|price|product|sku|part|lot|batch|device|sensor|sample|job|task|run"
    r"|event|build|chunk|formula|sequence|seed|[a-z]+\d+)s?\Z|\A[A-Za-z_$]\Z"
)
# Identifiers by their shape: files and forms of Google, channels, lists and places of its maps, public keys of SSH and
# in DER, a kind of object and its number (`in_…`), formulas and parts in capitals.
IDENTIFIER = re.compile(
    r"1[\w-]{32}(?:[\w-]{11})?|0B[\w-]{26}|1FAIpQLS[\w-]+|UC[\w-]{22}|PL[\w-]{16,32}|ChIJ[\w-]{23}|AAAA[A-Z]3Nza\w+"
    r"|M[CFGHI][A-Z]w[A-Za-z0-9]+|[a-z]{1,6}_[A-Za-z0-9]+|(?:[A-Z][a-z]?\d{0,4}|\d)+|bc1[a-z0-9]{20,}"
)
BEFORE = 64
BEYOND_HEX, LEAST = re.compile("[g-zG-Z]"), 6  # letters; a number in hexadecimal may have an ending of its own
WORD_BEFORE = re.compile(r"(?P<name>[\w.-]{1,40})[\s:\"'`(]{0,4}\Z")
TOLD = compile_late(r"(?i)(?<![a-z])(?:hash|digest|checksum|fingerprint|public key|sha-?\d+)")
BASE64_ENDS, BASE64_BEGINS = re.compile(r"[A-Za-z0-9+/\\]{30,}={0,2}\s*\Z"), re.compile(r"\s*[A-Za-z0-9+/\\]{30}")
HASH_OF_FILES = re.compile(r"Qm[1-9A-HJ-NP-Za-km-z]{44}")  # the address of a file in IPFS


def find_chance(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """Kind and place of each."""
    for start, end in places.runs:
        if end - start < SHORTEST:
            continue
        for match in TOKEN.finditer(text, max(0, start - 1), end):
            before = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - BEFORE) : match.start()]
            named = NAMED.search(before)
            fits = _is_value(match, named) if named else _is_alone(match, before)
            fits = fits and len(BEYOND_HEX.findall(match[0])) >= LEAST and is_unspoken(match[0])
            if (
                fits
                and not _is_text(match[0])
                and not any(one.fullmatch(match[0]) for one in (HASH_OF_FILES, IDENTIFIER))
            ):
                yield "api_key", *match.span()


def _is_text(value: str) -> bool:
    """Whether this is the beginning of a text in base64, also in UTF-16 as fonts have it."""
    try:
        return urlsafe_b64decode(value[:16]).replace(b"\0", b"").decode("ascii").isprintable()
    except ValueError:
        return False


def _is_value(match: re.Match[str], named: re.Match[str]) -> bool:
    value, name = match[0], named["name"]
    if not named["mark"] and (LABEL.fullmatch(name) or ENDS.match(match.string, match.end()) is None):
        return False
    if len(max(re.split("[_-]", value), key=len)) < PART or NUMBERED.fullmatch(value):
        return False
    one_case = ANY_HEX.fullmatch(value) is None and is_one_case_key(value)
    return ((is_key(value) and is_random(value)) or one_case) and OTHER.search(name) is None


def _is_alone(match: re.Match[str], before: str) -> bool:
    """Whether a key stands for itself: not as one line of many in base64, nor in an element of markup."""
    value = match[0]
    if not ALONE <= len(value) <= LONGEST or before[-1:] in ("=", ":", ">", "&", "?") or PLAIN.fullmatch(value) is None:
        return False
    word = WORD_BEFORE.search(before)
    if TOLD.search(before) or (word is not None and OTHER.search(word["name"])):
        return False
    fits = is_key(value) and is_random(value) and NUMBERED.fullmatch(value) is None
    return fits and not _is_in_block(match.string, *match.span())


def _is_in_block(text: str, start: int, end: int) -> bool:
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    above = text[max(0, text.rfind("\n", 0, max(0, first - 1)) + 1, first - 200) : max(0, first - 1)]
    below = text[last + 1 : last + 200].partition("\n")[0] if last >= 0 else ""
    return BASE64_ENDS.search(above) is not None or BASE64_BEGINS.match(below) is not None
