"""Whether name, what joins them, and value make an assignment of a secret."""

import re

from ragstone.core.late_pattern import compile_late
from ragstone.guard.assignments import ABOUT_KEY, CELL_ENDS, LINE_ENDS, MADE_BY, NO_SECRET, OPTION, PAGING
from ragstone.guard.bare_values import BEFORE, is_code, is_random
from ragstone.guard.plausible import (
    has_all_kinds,
    is_chance,
    is_identifier,
    is_long_key,
    is_password,
    is_placeholder,
    is_strong,
    is_token,
)
from ragstone.guard.word_passwords import is_word_password

USER = compile_late(
    r"(?i)(?<![a-z])(?:user(?:name)?|login|account|benutzer|utilisateur|usuario|логин)[\s:=`\"']{1,4}\S{1,64}[\s,;/&`\"']"
)
USER_LENGTH, OPTION_LENGTH, NAME_BEFORE = 96, 48, 96
RESOURCE = re.compile(r"(?<![A-Za-z])a?arn:[\w:.-]{0,90}\Z")  # the name of one, of which "secret" is a part
WORD = "".join(map(chr, (*range(48, 58), *range(65, 91), *range(97, 123))))
HEX = re.compile(r"(?=[a-f]*\d[0-9a-f]*[a-f]|\d*[a-f][0-9a-f]*\d)[0-9a-f]{20,64}")
KIND = re.compile(r"(?i)(?:client|api|app|consumer|access|auth)[ _-]\Z")
ARGUMENT = re.compile(r"[A-Za-z_]\w*[=(]")  # of a call: "pass `check_0d=True`"
CALLED = re.compile(r"[A-Za-z_][\w.]*")
NAMED_SECRET = re.compile(r"(?i)secret[\"'`\])]{0,3}\s*(?:=>|[:=])[\s\"'`]*\Z")
# Six digits and more; a year and a month are none, and neither is a number of something.
DIGITS = re.compile(r"(?!(?:19|20)\d\d)\d{6,12}")
COUNTED = re.compile(r"[ ][^\W\d_]{2}")
# A call that gives a secret takes the name of it: `getPassword("jdbc/zoo2")`.
GETTER = re.compile(r"(?i)(?:get|find|fetch|read|load|look_?up|resolve|request|prompt|ask)[a-z_]{0,24}\Z")
LETTERS = re.compile(r"\[[^\]]+\]")  # a pattern
DIGIT = re.compile(r"\d")
COMMIT = re.compile(r"[0-9a-f]{40}")


def is_secret_assignment(match: re.Match[str], start: int, end: int, *, quoted: bool) -> bool:
    """Whether name, what joins them, and value make an assignment of a secret. Placeholders are looked for last: that
    takes longest, and a hostile text has a long value for each of its names."""
    value = match.string[start:end].rstrip("*")
    if not _is_in_place(match, value, match.end() if quoted else end):
        return False
    if match["password"] is not None:
        if not quoted and is_code(value, match.string[end : end + BEFORE].partition("\n")[0]):
            return False
        loose = _is_loosely_joined(match) or _is_verdict(match, match.end() if quoted else end)
        meant = is_password(value, quoted=quoted) and (not loose or is_strong(value))
        meant = meant or is_word_password(match.string, start, end)
        meant = meant or (not loose and match["password"].lower() != "pass" and _is_number(match, value, end))
    else:
        meant = _is_meant_key(match, value, start, quoted=quoted)
    return meant and not is_placeholder(value)


def _is_number(match: re.Match[str], value: str, end: int) -> bool:
    """Whether a password is a number, and not how many of something there are."""
    return DIGITS.fullmatch(value) is not None and COUNTED.match(match.string, end) is None


def _is_verdict(match: re.Match[str], end: int) -> bool:
    """Whether `pass` may tell how a test ended: more follows on the line."""
    return match["password"].lower() == "pass" and LINE_ENDS.match(match.string, end) is None


def _is_meant_key(match: re.Match[str], value: str, start: int, *, quoted: bool) -> bool:
    """Whether a value beside a name of keys and tokens is one, and not what tells which."""
    name = match.string[match.start() : start]
    before = match.string[max(0, match.start() - NAME_BEFORE) : match.start()].rpartition("\n")[2]
    paging = name[:5].lower() == "token" and PAGING.search(before) is not None
    if paging or is_identifier(name, value) or RESOURCE.search(before) or LETTERS.match(value):
        return False
    called = not quoted and CALLED.fullmatch(value) and match.string.startswith("(", start + len(value))
    if called and not is_random(value):  # a class or a function
        return False
    said = match["said"] is not None or (match["below"] is not None and _is_loosely_joined(match))
    if match["anykey"] is not None:
        return (match["blank"] is None or _is_option(match)) and _is_any_key(name, before, value)
    if said:
        return is_long_key(value) and ABOUT_KEY.search(name) is None
    sure = is_strong(value) and (is_random(value) or has_all_kinds(value))
    if sure and NAMED_SECRET.search(name) and not _is_loosely_joined(match):
        return True
    apart = match["comma"] is not None or match["call"] is not None
    return is_token(value, quoted=quoted) and (not apart or is_random(value) or is_long_key(value))


def _is_any_key(name: str, before: str, value: str) -> bool:
    """Whether the key of anything is a secret: not in a line of base64, where "key" stands by chance."""
    if is_random(before[len(before.rstrip(WORD)) :]):
        return False
    random = (is_long_key(value) or is_chance(value) or HEX.fullmatch(value.lower()) is not None) and MADE_BY.match(
        value
    ) is None
    return random and NO_SECRET.search(before) is None and ABOUT_KEY.search(name) is None


def _is_in_place(match: re.Match[str], value: str, end: int) -> bool:
    """Whether what is around the value lets it be one: an option before, the end of a line or cell behind."""
    if match["blank"] is not None and match["below"] is None:
        return _is_option(match) or _is_told(match, value)
    if match["below"] is not None:
        alone = match["blank"] is None or (match["password"] is None and is_long_key(value))
        return alone and not value.endswith(":") and LINE_ENDS.match(match.string, end) is not None
    if match["call"] is not None and GETTER.search(match.string, max(0, match.start() - NAME_BEFORE), match.start()):
        return False
    return match["cell"] is None or CELL_ENDS.match(match.string, end) is not None


def _is_told(match: re.Match[str], value: str) -> bool:
    """Whether a value after the name and a blank is so random, or so much one of a user named before it, that it is the
    secret."""
    if match["password"] is None:
        named = KIND.search(match.string[max(0, match.start() - NAME_BEFORE) : match.start()]) is not None
        return is_chance(value) or (is_long_key(value) and (named or COMMIT.fullmatch(value) is None))
    if _is_quoted_word(match, value):
        return True
    before = match.string[max(0, match.start() - USER_LENGTH) : match.start()].rpartition("\n")[2]
    return is_strong(value) and (
        is_random(value) or (has_all_kinds(value) and ARGUMENT.match(value) is None) or USER.search(before) is not None
    )


def _is_quoted_word(match: re.Match[str], value: str) -> bool:
    """Whether a password stands behind its name as in SQL: `PASSWORD 's3cret'`."""
    plain = match["mark"] in ('"', "'") and " " not in value and match["password"].lower() != "pass"
    return plain and DIGIT.search(value) is not None and is_password(value, quoted=True)


def _is_loosely_joined(match: re.Match[str]) -> bool:
    """Whether name and value are joined so loosely that the value itself must tell."""
    if match["blank"] is not None and match["below"] is None:
        return not (_is_option(match) or _is_quoted_word(match, match["quoted"] or ""))
    apart = match["below"] is not None and (match["apart"] is not None or not match["indent"])
    return apart or any(match[way] is not None for way in ("blank", "cell", "said", "call"))


def _is_option(match: re.Match[str]) -> bool:
    """Whether the name is one of a command line's, such as `--db-password`, or of a line that sets a variable."""
    return OPTION.search(match.string[max(0, match.start() - OPTION_LENGTH) : match.start()]) is not None
