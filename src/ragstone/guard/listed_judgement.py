"""Whether a value in a list or structure of secrets looks like one."""

import re

from ragstone.guard.bare_values import is_random
from ragstone.guard.plausible import TECHNICAL, is_long_key, is_password, is_placeholder, is_strong, is_token, is_word

PART_LENGTH = 8
TOKEN = re.compile(r"[\w+/=.:~!@#$%^&-]+")  # lists of tokens in code that reads a language hold patterns
RULE = re.compile(r"^[a-z_]{2,}[:=]|[A-Za-z_]\(|\[\w?-]*\]|\\[A-Za-z]")  # "min:8", a call, a pattern


def is_listed_secret(value: str, *, password: bool, strict: bool) -> bool:
    """Whether a value in a structure of secrets looks like one. Lists hold names and rules as often: more than in an
    assignment is asked of a value.

    >>> [is_listed_secret(one, password=True, strict=True) for one in ("Tr0ub4dor-9x", "pbkdf2_sha256", "required")]
    [True, False, False]
    """
    if password:
        rest = TECHNICAL.sub("", value)
        meant = is_word(value) and (is_strong(value) or (strict and is_password(rest, quoted=" " in value)))
    else:
        meant = TOKEN.fullmatch(value) is not None and is_token(value)
        longest = max(re.split("[_.]", value), key=len)  # a name has short parts: "int2p_n_Wrap"
        random = len(longest) >= PART_LENGTH and is_random(longest) and is_strong(value)
        meant = meant and (is_long_key(value) or random)
    return meant and RULE.search(value) is None and not is_placeholder(value)
