"""Secrets in text: where they stand, and the text without them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ragstone.core.late_pattern import compile_late
from ragstone.guard import csv_secrets, markup_table_secrets, pipe_table_secrets
from ragstone.guard.anchored_secrets import find_anchored
from ragstone.guard.assignment_judgement import is_secret_assignment
from ragstone.guard.assignments import ASSIGNMENT, NAME, STARTS
from ragstone.guard.aws_secrets import find_aws
from ragstone.guard.bare_values import BEFORE, TOKEN, find_bare_end, is_random
from ragstone.guard.bracketed_passwords import find_bracketed
from ragstone.guard.call_secrets import find_arguments
from ragstone.guard.chance_keys import find_chance
from ragstone.guard.commands import find_commands
from ragstone.guard.credentials import (
    AUTHORIZATION,
    AUTHORIZATION_STARTS,
    AWS_PAIR,
    BEFORE_DRIVER,
    DRIVER,
    DRIVER_LOGIN,
    GEMS,
    LOGIN,
    MACHINE,
    PRIVATE_KEY,
    PRIVATE_KEY_STARTS,
    URL_LOGIN,
    URL_TOKEN,
    VENDORS,
)
from ragstone.guard.encoded_secrets import find_encoded
from ragstone.guard.hook_secrets import find_hooks
from ragstone.guard.lead_words import find_places
from ragstone.guard.listed_judgement import is_listed_secret
from ragstone.guard.listed_secrets import find_listed, opens_list
from ragstone.guard.login_pairs import find_other_leads, find_pairs
from ragstone.guard.other_secrets import find_cookies, find_defaults, find_stored
from ragstone.guard.password_words import find_other_words
from ragstone.guard.plausible import (
    is_example,
    is_key,
    is_long_key,
    is_password,
    is_placeholder,
    is_strong,
    is_token,
    is_word,
)
from ragstone.guard.prefixed_tokens import find_prefixed
from ragstone.guard.secret_places import Places

TABLES = (pipe_table_secrets, csv_secrets, markup_table_secrets)
# One pass masks everything; a second can find what stood too close to a first one. Hostile text
# could ask for more: it gets no more.
PASSES = 4
NAMED = compile_late(f"(?i){NAME}")
# What leads to a secret besides words: logins of addresses, stored passwords, pairs in brackets.
SIGNS = re.compile(
    r"://|\$[\w-]{1,24}\$|\$ANSIBLE|pbkdf2_sha|\{[SMCPA][\w-]{2,24}\}|\d[ ]?\(|@\w{3,4}\(|(?::[^:\n]*){3}:"
)
MASK = re.compile(r"\[masked:[a-z_]{1,24}\]")  # of an earlier pass: what it holds is no value
GOES_ON = re.compile(r"[\w$%&@#!?+=^~(){}\[\]<>]")  # behind the quote that would end a value


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret's kind and its place, characters from 0 with an exclusive end."""

    kind: str
    start: int
    end: int


def mask_patterns(text: str) -> tuple[str, tuple[Finding, ...]]:
    """The text with each secret as `[masked:kind]`, and the findings, placed in the given text.

    Masking a masked text changes nothing. Which kinds: see `find_secrets`.

    >>> mask_patterns("login: postgres://app:S3cr3t-9x@db/prod")[0]
    'login: postgres://app:[masked:password]@db/prod'
    """
    first = findings = find_secrets(text)
    for _ in range(PASSES):
        if not findings:
            break
        text = replace_findings(text, findings)
        findings = find_secrets(text)
    return text, tuple(first)


def mask_and_follow(text: str, places: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text as `mask_patterns` has it, and where these characters stand in it; a part of a secret becomes its mark.

    >>> mask_and_follow("login: postgres://app:S3cr3t-9x@db/prod today", [(0, 5), (39, 44)])
    ('login: postgres://app:[masked:password]@db/prod today', [(0, 5), (47, 52)])
    """
    found = list(places)
    for _ in range(PASSES):
        findings = find_secrets(text)
        if not findings:
            break
        found = [(_follow(findings, start, after=False), _follow(findings, end, after=True)) for start, end in found]
        text = replace_findings(text, findings)
    return text, found


def _follow(findings: Sequence[Finding], place: int, *, after: bool) -> int:
    """Where a place stands once each finding has become its mark; within a finding, before or after the mark."""
    shift = 0
    for finding in findings:
        if finding.start >= place:
            break
        mark = len(f"[masked:{finding.kind}]")
        if place < finding.end:
            return finding.start + shift + (mark if after else 0)
        shift += mark - (finding.end - finding.start)
    return place + shift


def replace_findings(text: str, findings: Sequence[Finding]) -> str:
    """The text with a mark in place of each finding; they are in order and do not overlap."""
    parts: list[str] = []
    start = 0
    for finding in findings:
        parts += (text[start : finding.start], f"[masked:{finding.kind}]")
        start = finding.end
    return "".join((*parts, text[start:]))


def find_secrets(text: str) -> list[Finding]:
    """Secrets in order, never overlapping.

    Kinds: private_key, jwt, aws_key, aws_secret, api_key, bearer, password. Placeholders such as
    `<your-key>`, `xxxx`, `example` or `${VAR}` are none. The time is linear in the text.
    """
    places = find_places(text)
    names = sorted({*places.find(STARTS), *find_other_words(text)})
    if not (places.starts or names or places.runs or SIGNS.search(text) or find_other_leads(text)):
        return []
    found = sorted(
        (
            *_find_key_blocks(text, places),
            *_find_vendor_tokens(text, places),
            *_find_authorizations(text, places),
            *_find_logins(text, places),
            *_find_others(text, places, names),
            *_find_assignments(text, names),
            *_find_column_secrets(text, places.lower, names),
            *_find_listed_secrets(text, names),
            *_find_bracketed_secrets(text, names),
        ),
        key=lambda f: (f.start, -f.end),
    )
    masks = [match.span() for match in MASK.finditer(text)]
    out: list[Finding] = []
    for finding in found:
        mask = bisect_right(masks, finding.start, key=lambda span: span[0]) - 1
        if mask >= 0 and finding.start < masks[mask][1]:
            continue
        if out and finding.start < out[-1].end:
            out[-1] = Finding(out[-1].kind, out[-1].start, max(out[-1].end, finding.end))
        else:
            out.append(finding)
    return out


def _find_key_blocks(text: str, places: Places) -> Iterator[Finding]:
    done = 0
    for at in places.find(PRIVATE_KEY_STARTS):
        if at >= done and (match := PRIVATE_KEY.match(text, at)):
            done = match.end()
            yield Finding("private_key", at, done)


def _find_vendor_tokens(text: str, places: Places) -> Iterator[Finding]:
    """Tokens recognisable by their shape."""
    for run in places.runs:
        for match in VENDORS.finditer(text, *run):
            if not is_example(match[0]):
                yield Finding(match.lastgroup or "api_key", *match.span())
            if match.lastgroup == "aws_key" and (pair := AWS_PAIR.match(text, match.start())) and is_key(pair["value"]):
                yield Finding("aws_secret", *pair.span("value"))


def _find_authorizations(text: str, places: Places) -> Iterator[Finding]:
    """Credentials of HTTP headers."""
    for at in places.find(AUTHORIZATION_STARTS):
        if match := AUTHORIZATION.match(text, at):
            basic = match["scheme"] is not None
            value = match["value"]
            if not is_placeholder(value) and (basic or is_token(value)):
                yield Finding("password" if basic else "bearer", *match.span("value"))


def _find_logins(text: str, places: Places) -> Iterator[Finding]:
    """Credentials in URLs and on command lines."""
    drivers = (found.start() for found in DRIVER.finditer(text))
    matches = [
        *URL_LOGIN.finditer(text),
        *filter(None, (DRIVER_LOGIN.search(text, max(0, at - BEFORE_DRIVER), at) for at in drivers)),
        *(match for at in places.find(("curl",)) if (match := LOGIN.match(text, at))),
        *(match for at in places.find(("machine",)) if (match := MACHINE.match(text, at))),
        *(match for at in places.find(("contribsys",)) if (match := GEMS.match(text, at))),
    ]
    for match in matches:
        if not is_placeholder(match["value"]):
            yield Finding("password", *match.span("value"))
    for match in URL_TOKEN.finditer(text):
        if is_long_key(match["value"]) or (is_random(match["value"]) and is_token(match["value"])):
            yield Finding("api_key", *match.span("value"))


def _find_others(text: str, places: Places, names: Sequence[int]) -> Iterator[Finding]:
    """What no name beside it tells: arguments of commands, stored passwords, cookies, defaults below a name."""
    finders = (
        find_commands,
        find_stored,
        find_pairs,
        find_arguments,
        find_encoded,
        find_aws,
        find_prefixed,
        find_chance,
        find_hooks,
    )
    for kind, start, end in chain.from_iterable(find(text, places) for find in finders):
        if not is_placeholder(text[start:end]):
            yield Finding(kind, start, end)
    for kind, start, end in find_cookies(text, places):
        if is_token(text[start:end]) and not is_placeholder(text[start:end]):
            yield Finding(kind, start, end)
    for at, match in find_defaults(text, places.lower, names):
        name, group = NAMED.match(text, at), match.lastgroup or "plain"
        value = match[group]
        meant = is_password(value, quoted=True) if name and name["password"] else is_token(value, quoted=True)
        if name and meant and not is_placeholder(value):
            yield Finding("password" if name["password"] else "api_key", *match.span(group))


def _find_assignments(text: str, names: Sequence[int]) -> Iterator[Finding]:
    """`name = value` where the name says that the value is secret and the value looks like it."""
    done = 0
    for at in names:
        if at >= done and (match := ASSIGNMENT.match(text, at)) and not opens_list(match):
            group = next(name for name in ("escaped", "quoted", "bare") if match[name] is not None)
            start, end, quoted = _find_value(match, group)
            if is_secret_assignment(match, start, end, quoted=quoted):
                done = end
                yield Finding(_secret_kind(match, start), start, end)


def _find_value(match: re.Match[str], group: str) -> tuple[int, int, bool]:
    """Where a value stands, and whether in quotes. A password without them goes on to the next blank; one that only
    begins with a quote is none in quotes."""
    text, (start, end), password = match.string, match.span(group), match["password"] is not None
    goes_on = group == "quoted" and password and match["call"] is None
    goes_on = goes_on and GOES_ON.match(text, end + len(match["mark"])) is not None
    if group != "bare" and not goes_on:
        return start, end, True
    if not password:
        token = TOKEN.match(text, start)
        return start, token.end() if token else start, False
    start -= len(match["mark"]) if goes_on else 0
    line_start = text.rfind("\n", max(0, start - BEFORE), start) + 1
    return start, find_bare_end(text, start, line_start=line_start, in_cell=match["cell"] is not None), False


def _secret_kind(match: re.Match[str], start: int) -> str:
    if match["password"]:
        return "password"
    around = match.string[max(0, match.start() - 24) : start].lower()
    return "aws_secret" if "aws" in around or "secretaccesskey" in around.replace("_", "") else "api_key"


def _find_column_secrets(text: str, lower: str, names: Sequence[int]) -> Iterator[Finding]:
    """Values in tables, in columns of secrets."""
    for found in chain.from_iterable(table.find_values(text, lower, names) for table in TABLES):
        value = text[found.start : found.end]
        fits = is_word(value) and (not found.loose or is_strong(value)) if found.password else is_token(value)
        if fits and not is_placeholder(value):
            yield Finding("password" if found.password else "api_key", found.start, found.end)


def _find_listed_secrets(text: str, names: Sequence[int]) -> Iterator[Finding]:
    """Values of lists and nested structures below a name."""
    for one in find_listed(text, names):
        if is_listed_secret(text[one.start : one.end], password=one.password, strict=one.strict):
            yield Finding("password" if one.password else "api_key", one.start, one.end)


def _find_bracketed_secrets(text: str, names: Sequence[int]) -> Iterator[Finding]:
    """Values in brackets behind a name, passwords beside a user, and what a name only points to."""
    for kind, start, end in chain(find_bracketed(text, names), find_anchored(text, names)):
        if not is_placeholder(text[start:end]):
            yield Finding(kind, start, end)
