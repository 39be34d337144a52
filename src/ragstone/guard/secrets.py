"""Secrets in text: where they stand, and the text without them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.guard.credentials import ASSIGNED, AUTHORIZATION, LOGIN, PRIVATE_KEY, RUN, URL_LOGIN, VENDORS
from ragstone.guard.plausible import is_password, is_placeholder, is_shown, is_token

# One pass masks everything; a second can find what stood too close to a first one. Hostile text
# could ask for more: it gets no more.
PASSES = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret's kind and its place, characters from 0 with an exclusive end."""

    kind: str
    start: int
    end: int


def mask(text: str) -> tuple[str, tuple[Finding, ...]]:
    """The text with each secret as `[masked:kind]`, and what was found, placed in the text given.

    Masking a masked text changes nothing. Which kinds: see `find`.

    >>> mask("login: postgres://app:S3cr3t-9x@db/prod")[0]
    'login: postgres://app:[masked:password]@db/prod'
    """
    first = findings = find(text)
    for _ in range(PASSES):
        if not findings:
            break
        text = _without(text, findings)
        findings = find(text)
    return text, tuple(first)


def _without(text: str, findings: list[Finding]) -> str:
    parts: list[str] = []
    start = 0
    for finding in findings:
        parts += (text[start : finding.start], f"[masked:{finding.kind}]")
        start = finding.end
    return "".join((*parts, text[start:]))


def find(text: str) -> list[Finding]:
    """Secrets in order, never overlapping.

    Kinds: private_key, jwt, aws_key, aws_secret, api_key, bearer, password. Placeholders such as
    `<your-key>`, `xxxx`, `example` or `${VAR}` are none. The time is linear in the text.
    """
    found = sorted(
        (*_blocks(text), *_vendors(text), *_headers(text), *_assigned(text)), key=lambda f: (f.start, -f.end)
    )
    out: list[Finding] = []
    for finding in found:
        if out and finding.start < out[-1].end:
            out[-1] = Finding(out[-1].kind, out[-1].start, max(out[-1].end, finding.end))
        else:
            out.append(finding)
    return out


def _blocks(text: str) -> Iterator[Finding]:
    for match in PRIVATE_KEY.finditer(text):
        yield Finding("private_key", *match.span())


def _vendors(text: str) -> Iterator[Finding]:
    """Tokens whose own shape tells what they are."""
    for run in RUN.finditer(text):
        for match in VENDORS.finditer(text, *run.span()):
            if not is_shown(match[0]):
                yield Finding(match.lastgroup or "api_key", *match.span())


def _headers(text: str) -> Iterator[Finding]:
    """Credentials of HTTP headers, URLs and command lines."""
    for match in AUTHORIZATION.finditer(text):
        basic = match["scheme"] is not None
        value = match["value"]
        if not is_placeholder(value) and (basic or is_token(value)):
            yield Finding("password" if basic else "bearer", *match.span("value"))
    for pattern in (URL_LOGIN, LOGIN):
        for match in pattern.finditer(text):
            if not is_placeholder(match["value"]):
                yield Finding("password", *match.span("value"))


def _assigned(text: str) -> Iterator[Finding]:
    """`name = value` where the name says that the value is secret and the value looks like it."""
    for match in ASSIGNED.finditer(text):
        group = "quoted" if match["quoted"] is not None else "bare"
        value = match[group]
        secret = is_password if match["password"] else is_token
        if secret(value, quoted=group == "quoted") and not is_placeholder(value):
            yield Finding(_kind(match), *match.span(group))


def _kind(match: re.Match[str]) -> str:
    if match["password"]:
        return "password"
    name = match[0][: match.start("quoted" if match["quoted"] is not None else "bare") - match.start()].lower()
    around = match.string[max(0, match.start() - 12) : match.start()].lower() + name
    return "aws_secret" if "aws" in around or "secretaccesskey" in around.replace("_", "") else "api_key"
