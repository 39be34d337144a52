"""Whether a value looks like a real secret, or like a placeholder, a variable, a word."""

import re
from collections import Counter
from math import log2

# Bits a character. English words lie at 2.3-3.2, random base-62 of 20 characters at 3.7-4.3.
TOKEN_ENTROPY = 3.0
TOKEN_LENGTH = 10
FEW = 3

# What people write where a secret would stand. In a vendor's token any letters may occur by chance,
# so that only the unmistakable ones count there.
SHOWN = re.compile(
    r"(?i)example|x{4}|\*{3}|\.{3}|…|your[_-]|(?<![A-Za-z0-9])(?:here|token|dummy)(?![A-Za-z0-9])|tokenhere|keyhere"
)
PLACEHOLDER = re.compile(
    r"(?i)sample|your|placeholder|change[_-]?me|dummy|redacted|insert|masked|\$\{|\$\(|\{\{|^\$|^%|%$|<[^>]*>"
    r"|^[<{\[(]|^@|"
    r"replace|not[_-]?a[_-]?(?:real|secret)"
)
WORD = re.compile(
    r"(?i)(?:(?:my|the|db|some|new|old|admin|user|root|super|very|top|client|access|api|auth|bearer)[_-]?)*"
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pw|secrets?|tokens?|keys?|user(?:name)?|none|null|nil|true|false|undefined|"
    r"string|str|text|required|optional|default|empty|value)\d{0,3}"
)
CODE = re.compile(r"[\w$]+(?:\.[A-Za-z_]\w*)+\(?\)?|[A-Za-z_]\w*\(.*|self\.\S+|process\.env\S*|os\.\S+|--?[a-z-]+")
LETTERS = re.compile(r"[A-Za-z_.-]+")
# A path, a version, a date, a number with a unit.
PLAIN = re.compile(
    r"\.{0,2}/\S*|[A-Za-z]:\\.*|https?://\S*|v?\d+(?:[.:/_-]\d+)*[a-z%]{0,3}|[A-Za-z.-]+(?:/[\w.-]+)+|"
    r"\S+\.(?:ya?ml|json|txt|pem|md|py|env)|\S+\.html?\b\S*"
)
CLASSES = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"\d"), re.compile(r"[^A-Za-z0-9\s_.-]"))


def is_shown(token: str) -> bool:
    """Whether a text in the shape of a vendor's token only shows that shape."""
    return SHOWN.search(token) is not None or len(set(token[-16:].lower())) <= FEW


def is_placeholder(value: str) -> bool:
    """Whether a value only shows where a secret would stand."""
    return is_shown(value) or PLACEHOLDER.search(value) is not None or WORD.fullmatch(value) is not None


def is_token(value: str, *, quoted: bool = False) -> bool:
    """Whether a value looks random: long enough, digits among letters, high entropy, no path, no code."""
    if len(value) < TOKEN_LENGTH or " " in value or PLAIN.fullmatch(value) or CODE.fullmatch(value):
        return False
    mixed = re.search(r"\d", value) is not None or (quoted and len(value) >= 20 and _cases(value))
    return mixed and LETTERS.fullmatch(value[:-4]) is None and entropy(value) >= TOKEN_ENTROPY


def _cases(value: str) -> bool:
    return re.search(r"[a-z][A-Z][a-z]?[A-Z]", value) is not None


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Whether a value could be a password that someone chose: two kinds of characters, no prose, no code."""
    if len(value) < 5 or len(value) > 128 or value.count(" ") > (3 if quoted else 0):
        return False
    if PLAIN.fullmatch(value) or CODE.fullmatch(value):
        return False
    value = value.rstrip(".,;:)")
    lower, upper, digit, sign = (pattern.search(value) is not None for pattern in CLASSES)
    mixed = (digit or sign) and (lower or upper)
    return (mixed or (quoted and lower and upper and _cases(value))) and entropy(value) >= 1.5


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * log2(n / len(value)) for n in counts)
