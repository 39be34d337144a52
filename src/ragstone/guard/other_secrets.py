"""Secrets that no name tells: in files of passwords, cookies, and as defaults of variables."""

import re
from collections.abc import Iterator, Sequence

from ragstone.core.late_pattern import compile_late
from ragstone.guard.plausible import is_password
from ragstone.guard.secret_places import Places

Place = tuple[str, int, int]  # kind, start, end

# The value of an attribute some lines below a name: Terraform, CloudFormation, lists of variables.
DEFAULT = compile_late(
    r"(?i)[\w.-]{0,40}\"?[ \t]{0,4}[{:]?[ \t]{0,4}"
    r"(?:\r?\n[ \t]{1,24}\"?(?!default\b)[\w-]{1,30}\"?[ \t]{0,24}[:=][^\n]{0,200}){0,5}"
    r"(?:\r?\n[ \t]{1,24}|[{;,][ \t]{1,8})\"?default\"?[ \t]{0,24}[:=][ \t]{0,24}"
    r"(?:\"(?P<double>(?:[^\"\\\n]|\\.){3,512})\"|'(?P<single>[^'\n]{3,512})'|(?P<plain>[^\s'\"{\[][^\s]{2,511}))"
)
# Passwords as files keep them: crypt's forms, LDAP's, and fields between colons.
HASH = compile_late(
    r"\$(?<![\w$]\$)(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|sha1|sha256|sha512|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,12}"
    r"|bcrypt[\w-]{0,8}|P|H|S)\$[./A-Za-z0-9$=,+_-]{16,400}"
    r"|\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,12}|ARGON2)\}\$?[A-Za-z0-9+/=$.,-]{13,400}"
    r"|\$ANSIBLE_VAULT;[\d.]{1,8};AES256[^\n]{0,60}(?:\r?\n[ \t]{0,24}[0-9a-f]{16,100})++"
    r"|pbkdf2_sha\d{1,3}\$\d{1,8}\$[\w.+/=-]{1,64}\$[\w.+/=-]{20,128}"
)
# .pgpass, shadow, and dumps of a Windows domain.
FIELDS = compile_late(
    r"(?<![\w.*:/@-])(?:[\w.*-]{1,255}:(?:\d{1,5}|\*):(?!\d+:)[\w.*-]{1,63}:(?!\d+:)[\w.@*-]{1,63}:"
    r"(?P<pgpass>(?:[^\s:\\]|\\.){3,128})(?=\s|</|[`\"']|\Z)"
    r"|[a-z_][\w.-]{0,31}:(?P<crypt>[./A-Za-z0-9]{13}):\d{1,6}(?::\d{0,6}){4,6}:*"
    r"|[\w.$\\-]{1,64}:\d{1,10}:(?P<ntlm>[0-9a-fA-F]{32}:[0-9a-fA-F]{32}):{1,3})"
)
COLONS = 4  # what the least of these has on its line
LINE = re.compile(rf"^(?:[^:\n]*+:){{{COLONS}}}[^\n]*+", re.MULTILINE)
COOKIE_STARTS = ("cookie",)
COOKIE = compile_late(r"(?i)cookies?[\"']?(?:[ \t]{0,4}(?:=>|[:=])|[ \t])[ \t]{0,4}[\"'`]?(?P<pairs>[^\n\"'`]{8,4000})")
PAIR = re.compile(r"(?P<name>[^\s=;,]{1,80})=(?P<value>[^\s;,\"]{10,2000})")
ATTRIBUTES = frozenset(("expires", "path", "domain", "max-age", "samesite", "version", "priority"))


def find_defaults(text: str, lower: str, names: Sequence[int]) -> Iterator[tuple[int, re.Match[str]]]:
    """For names of secrets the defaults below them, each with the place of the name."""
    if not names or "default" not in lower:
        return
    for at in names:
        if match := DEFAULT.match(text, at):
            yield at, match


def find_stored(text: str, _places: Places) -> Iterator[Place]:
    """Hashes of passwords, and passwords in files that have a field for them."""
    if "$" in text or "{" in text:
        for match in HASH.finditer(text):
            yield "password", *match.span()
    for line in LINE.finditer(text) if text.count(":") >= COLONS else ():
        for match in FIELDS.finditer(text, *line.span()):
            if match["pgpass"] is None or is_password(match["pgpass"]):
                yield "password", *match.span(match.lastgroup or 0)


def find_cookies(text: str, places: Places) -> Iterator[Place]:
    """Values of cookies in headers, options and tables of a browser."""
    done = 0
    for at in places.find(COOKIE_STARTS):
        if at >= done and (match := COOKIE.match(text, at)):
            done = match.end()
            for pair in PAIR.finditer(text, *match.span("pairs")):
                if pair["name"].lower() not in ATTRIBUTES:
                    yield "api_key", *pair.span("value")
