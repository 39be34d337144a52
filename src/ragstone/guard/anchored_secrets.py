"""Secrets of YAML that stand elsewhere: `password: *common`, of which `&common` is the value."""

import re
from collections.abc import Iterator, Sequence

from ragstone.core.late_pattern import compile_late
from ragstone.guard.assignments import ABOUT, NAME, NAME_END
from ragstone.guard.plausible import is_password, is_token

ALIAS = compile_late(rf"(?i){NAME}{ABOUT}[\w.-]{{0,40}}{NAME_END}[ ]?:[ ]{{1,40}}\*(?P<anchor>[\w.-]{{1,40}})")
ANCHOR = re.compile(
    r"(?<=[ \t])&(?P<anchor>[\w.-]{1,40})[ \t]{1,4}(?P<mark>[\"']?)(?P<value>[^\s\"']{5,512})(?P=mark)"
    r"[ \t]*(?=[#\r\n]|\Z)"
)


def find_anchored(text: str, names: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """Kind and place of each; `names` are places of suspicious words, in order."""
    if "*" not in text or "&" not in text:
        return
    aliases = (match for at in names if (match := ALIAS.match(text, at)))
    passwords = {match["anchor"]: match["password"] is not None for match in aliases}
    for match in ANCHOR.finditer(text) if passwords else ():
        if (password := passwords.get(match["anchor"])) is not None:
            value, quoted = match["value"], bool(match["mark"])
            if is_password(value, quoted=quoted) if password else is_token(value, quoted=quoted):
                yield "password" if password else "api_key", *match.span("value")
