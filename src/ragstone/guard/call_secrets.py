"""Secrets in quotes that a function takes: `Fernet("…")`, `auth=("admin", "…")`, `IDENTIFIED BY "…"`."""

import re
from collections.abc import Iterator

from ragstone.core.late_pattern import compile_late
from ragstone.guard.plausible import is_password, is_token
from ragstone.guard.secret_places import Places

QUOTED = r"(?P<mark>[\"'])(?P<value>(?:(?!(?P=mark))[^\n\\]|\\.){5,200})(?P=mark)"
# A user and a password, perhaps behind a place.
LOGIN_CALL = compile_late(
    r"(?i)(?:auth\w{0,12}|\.login|getconnection|mysqli?_connect|mysqli|pscredential|usernamepassword\w{0,24}|networkcredential)"
    r"(?:[ ]?[:=])?[ ]{0,2}[(\[][ ]?(?:(?P<place>[\"'])[^\"'\n]{0,200}(?P=place),[ ]?|[\w.]{1,40},[ ]?)?"
    r"(?P<first>[\"'])[^\"'\n]{1,80}(?P=first),[ ]?[bn@]?" + QUOTED
)
LOGIN_STARTS: tuple[str, ...] = (
    "auth(",
    "auth=",
    "auth =",
    "auth:",
    "authentication(",
    ".login(",
    "getconnection(",
    "mysql",
)
LOGIN_STARTS += ("pscredential", "usernamepassword", "networkcredential")
KEY_CALL = compile_late(
    r"(?i)(?:fernet\(|aes\.new\(|chacha20\w{0,12}\(|hmac\.new\(|create(?:hmac|cipheriv)\([^,\n]{3,20},|secretkeyspec\("
    r"|jwt\.(?:encode|decode|sign|verify)\([^()\n]{1,120}?,|aes\.(?:en|de)crypt\([^()\n]{1,120}?,"
    r"|key[ ]?=(?=[ ]?b))[ ]?b?" + QUOTED
)
KEY_STARTS = (
    "fernet(",
    "aes.",
    "chacha20",
    "hmac.new(",
    "createhmac(",
    "createcipheriv(",
    "key = ",
    "key=",
    "secretkeyspec(",
    "jwt.",
)
WORD_CALL = compile_late(
    r"(?i)(?:identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?"
    r"|convertto-securestring\s{1,4}(?:-string\s{1,4})?)" + QUOTED
)
SQL_CALL = compile_late(r"(?i)identified\s{1,4}by\s{1,4}(?P<value>[^\s;'\"`(),]{5,128})")
# In prose a record is "identified by" something too.
SQL_BEFORE = re.compile(
    r"(?<![A-Za-z])(?:USER|ROLE|TO|FOR|(?:user|role)(?!\s+(?:is|was|be|been|can|may|must|will|not)\s))\s{1,4}\S{1,80}\s{1,4}\Z"
)
BEFORE = 100
WORD_STARTS = ("identified by", "identified with", "convertto-securestring")
CALLS = (
    ("password", LOGIN_STARTS, LOGIN_CALL),
    ("api_key", KEY_STARTS, KEY_CALL),
    ("password", WORD_STARTS, WORD_CALL),
)

CALL_STARTS = (*LOGIN_STARTS, *KEY_STARTS, *WORD_STARTS)


def find_arguments(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """The kind and the place of each argument in quotes that looks like the password or the key it should be."""
    for kind, starts, call in CALLS:
        for at in places.find(starts):
            if match := call.match(text, at):
                value = match["value"]
                if is_token(value, quoted=True) or (kind == "password" and is_password(value, quoted=True)):
                    yield kind, *match.span("value")
    for at in places.find(("identified by",)):
        match = SQL_CALL.match(text, at) if SQL_BEFORE.search(text, max(0, at - BEFORE), at) else None
        if match and is_password(match["value"]):
            yield "password", *match.span("value")
