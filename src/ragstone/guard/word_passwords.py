"""Passwords that are words, in the places where nothing else stands: lines of an environment, parts of a connection."""

import re

from ragstone.core.late_pattern import compile_late

WORD = re.compile(r"[A-Za-z]{6,32}")
# The line up to the name's end: `DB_PASSWORD=`, `export X_PASS=`, `      MYSQL_ROOT_PASSWORD: `.
VARIABLE = compile_late(
    r"[ \t]*(?:(?:export|ENV|ARG|-e|-|\*|\#|//)[ \t]+)?[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=|:[ \t]{1,4})[\"']?"
)
# The part before: `Server=db;User Id=app;`.
PART = compile_late(r"(?i)(?:user[ ]?id|uid|user(?:[ ]?name)?|server|data source|host|database)[ ]?=[^;=\n]{1,80};")
BEFORE = 200  # characters of a connection that are looked at
VERDICT = re.compile(r"(?i)(?:pass|fail|skipp)ed|success(?:ful)?|failure|pending|error|unknown")  # of a test
VALUE_ENDS = re.compile(r"[\"']?[ \t]*(?:[\r\n#]|\Z)")


def is_word_password(text: str, start: int, end: int) -> bool:
    """Whether a word at this place is a password, because its place holds passwords only."""
    if WORD.fullmatch(text, start, end) is None or VERDICT.fullmatch(text, start, end):
        return False
    line = text[max(text.rfind("\n", 0, start) + 1, start - BEFORE) : start]
    if VARIABLE.fullmatch(line):
        return VALUE_ENDS.match(text, end) is not None
    return line.endswith("=") and PART.search(line) is not None and text[end : end + 1] in (";", '"', "'", "\n", "")
