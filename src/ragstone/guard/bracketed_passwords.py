"""Passwords in brackets, and beside a user below names for both: `PW (…)`, `ID/PW: bob/…`, `10.0.0.7 (bob/…)`."""

import re
from collections.abc import Iterator, Sequence

from ragstone.core.late_pattern import compile_late
from ragstone.guard.assignments import NAME
from ragstone.guard.bare_values import is_random
from ragstone.guard.plausible import has_all_kinds, is_chance, is_strong

VALUE = r"(?P<value>[^\s`\"'<>|()/,;]{6,64})"
# Beside a user it ends at a blank: signs of sentences may stand in it.
WHOLE = r"(?P<value>(?:[^\s`\"'<>|()/,;]|[/,;](?=[^\s`\"'<>|()/,;])){6,64})"
USER = r"(?P<user>\w[\w.@+-]{0,59})(?:[ ]?//?[ ]?|:|,[ ]?|\(|[ ])"
# What calls a user, right before the word for a password.
USER_BEFORE = re.compile(
    r"(?i)(?:(?<![a-z])(?:[a-z]{1,8}[_ -]?)?id|(?<![a-z])(?:user(?:[ _]?name)?|login|account|name|benutzer|usuario)"
    r"|아이디|계정|이름|用户名?|账号|帐号|ユーザー名?|логин)\)?[ ]?[/&,:+|(-]?[ ]?\(?\Z"
)
BEFORE = 40
# From that word on: what joins it, perhaps a place, and the pair.
PAIR_AFTER = compile_late(
    r"(?i)(?:pw|pwd|pass(?:wd|word|wort)?)\)?(?:/port)?(?=[ :：=(-])"
    r"(?:[ ]?(?:->|=>|[:：=(-])|[ ](?:for|of)[ ][\w-]{1,20}[ ]?\(?)?[ ]?"
    rf"(?:(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\w{{1,5}})?[ ])?(?:x{{2,8}}:)?{USER}{WHOLE}"
)
BRACKET = compile_late(rf"(?i){NAME}[^\W\d_]{{0,4}}(?P<blank>[ ]?)\((?:default:[ ]?)?{VALUE}\)")
IN_BRACKETS = re.compile(rf"\([\w.@+-]{{1,60}}[ ]?[/:][ ]?{VALUE}(?=[),])")
MACHINE_BEFORE = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?[ ]?\Z")


def find_bracketed(text: str, names: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """Kind and place of each; `names` are places of suspicious words, in order."""
    for at in names:
        word = at > 0 and (text[at - 1].isalnum() or text[at - 1] in "._")
        match = BRACKET.match(text, at) if not word and "(" in text[at : at + BEFORE] else None
        if match is not None and _fits(match):
            yield "password" if match["password"] else "api_key", *match.span("value")
        pair = PAIR_AFTER.match(text, at)
        if pair is not None and USER_BEFORE.search(text, max(0, at - BEFORE), at) and _is_sure(pair["value"]):
            yield "password", *pair.span("value")
    for match in IN_BRACKETS.finditer(text):
        machine = MACHINE_BEFORE.search(text, max(0, match.start() - BEFORE), match.start())
        if machine is not None and _is_sure(match["value"]):
            yield "password", *match.span("value")


def _fits(match: re.Match[str]) -> bool:
    return _is_sure(match["value"]) if match["password"] else bool(match["blank"]) and is_chance(match["value"])


def _is_sure(value: str) -> bool:
    return is_strong(value) and (is_random(value) or has_all_kinds(value))
