"""Whether a value looks like a real secret, or like a placeholder, a variable, a word."""

import re
from collections import Counter
from math import log2

from ragstone.core.late_pattern import compile_late
from ragstone.guard.bare_values import is_random, is_template
from ragstone.guard.random_letters import is_spelled_by_chance, is_unspoken

# Bits a character. English words lie at 2.3-3.2, random base-62 of 20 characters at 3.7-4.3.
TOKEN_ENTROPY = 3.0
HEX_ENTROPY = 2.7  # sixteen random digits of hexadecimal lie at 2.7-3.6
HEX = re.compile(r"[0-9a-f]{16,}|[0-9A-F]{16,}")
TOKEN_LENGTH = 10
KEY = re.compile(r"[\w+/-]{20,512}={0,2}")
KEY_ENTROPY = 3.7  # twenty random letters and digits lie at 3.7-4.3
LONG_HEX = re.compile(r"[0-9a-f]{32,256}|[0-9A-F]{32,256}")
ONE_CASE = re.compile(r"[0-9a-z]{24,256}|[0-9A-Z]{24,256}")
ONE_CASE_ENTROPY = 3.5
PARTED = re.compile(r"[A-Za-z0-9_]{2,256}(?:[.:-][A-Za-z0-9_-]{2,256}){1,6}")
LONG_HEX_ENTROPY = 3.0
ANY_HEX = re.compile(r"[0-9a-fA-F]+")  # of both cases: nobody writes keys so
CHANCE_LENGTH, CHANCE_ENTROPY = 14, 3.3
PART_LENGTH = 16
FEW = 3

# What people write where a secret would stand. In a vendor's token any letters may occur by chance,
# so that only the unmistakable ones count there.
EXAMPLE = compile_late(
    r"(?i)example|x{4}|\*{3}|\.{3}|…|your[_-]|(?<![A-Za-z0-9])(?:here|token|dummy)(?![A-Za-z0-9])|tokenhere|keyhere"
    r"|abcdefghij|abcdef-abcdef|-1234-1234-|1234567890123456|xox[a-z]-\d{4,10}(?![\w-])"
)
PLACEHOLDER = compile_late(
    r"(?i)sample|your|placeholder|change[_-]?me|dummy|redacted|insert|masked|replace|not[_-]?a[_-]?(?:real|secret)"
    r"|\$\{[\w.:-]*\}|\$\([a-z_]+[ )]|\{\{|<[a-z][a-z _-]{3,}>|%\([a-z_]+\)s|^%[a-z_]+%$"
)
WORD = compile_late(
    r"(?i)(?:(?:my|the|db|some|new|old|admin|user|root|super|very|top|client|access|api|auth|bearer)[_-]?)*"
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pw|secrets?|tokens?|keys?|user(?:name)?|none|null|nil|true|false|undefined|"
    r"string|str|text|required|optional|default|empty|value)\d{0,3}"
)
CODE = re.compile(r"[\w$]+(?:\.[A-Za-z_]\w*)+\(?\)?|self\.\S+|process\.env\S*|os\.\S+|--?[a-z-]+")
LETTERS = re.compile(r"[A-Za-z_.-]+")
# A path, a version, a date, a number with a unit.
PLAIN = compile_late(
    r"\.{0,2}/\S*|[A-Za-z]:\\.*|https?://\S*|v?\d+(?:[.:/_-]\d+)*[a-z%]{0,3}|[A-Za-z.-]+(?:/[\w.-]+)+|"
    r"\S+\.(?:ya?ml|json|txt|pem|md|py|env)|\S+\.html?\b\S*"
)
# Names of the trade that mix letters and digits as passwords do.
TECHNICAL = compile_late(
    r"(?i)(?<![A-Za-z])(?:base-?(?:32|58|64)|sha-?\d+|md[45]|oauth-?\d|open-?id|utf-?\d+|pbkdf2|aes-?\d+|rsa-?\d+|x-?509|pkcs#?\d+|"
    r"https?/?\d?|ipv[46]|win(?:32|64)|[axi]\d{2,3}|amd64|k8s|rfc-?\d+|iso-?\d+|windows-?\d+|[ehpr]s(?:256|384|512)|argon2\w*|ed25519|"
    r"ntlm(?:v\d)?|v\d+(?:\.\d+)*|i18n|l10n|[2-4]fa|s3|ec2|e2e|r2|web3|tls1|p12|mp[34]|log4j|fido2|u2f)(?![A-Za-z])"
)
CLAUSE = re.compile(r"\(?[A-Z]{2,8}-?\d+(?:-\d+){0,3}(?::\d{4})?:[A-Z]{0,3}(?:\.?\d+)+\)?")  # of a standard
UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
RESOURCE = re.compile(r"(?:a?arn|urn|projects/[\w-]+|spiffe):")
PHRASE_WORDS = 16
MIXED = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])\S+")
INSIDE = re.compile(r"[A-Za-z]\d+[A-Za-z]")
APOSTROPHE = re.compile(r"(?<=[^\W\d_])['’·](?=[^\W\d_])")  # within a word: no sign of a password
CLASSES = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"\d"), re.compile(r"[^\w\s.-]"))


def is_example(token: str) -> bool:
    """Whether a text in the shape of a vendor's token only shows that shape."""
    return EXAMPLE.search(token) is not None or len(set(token[-16:].lower())) <= FEW


def is_placeholder(value: str) -> bool:
    """Whether a value only shows where a secret would stand."""
    return (
        is_example(value)
        or PLACEHOLDER.search(value) is not None
        or WORD.fullmatch(value) is not None
        or is_template(value)
    )


def is_token(value: str, *, quoted: bool = False) -> bool:
    """Whether a value looks random: long enough, digits among letters, high entropy, no path, no code."""
    mixed = re.search(r"\d", value) is not None or (quoted and len(value) >= 20 and _has_mixed_case(value))
    if not mixed or len(value) < TOKEN_LENGTH or " " in value or '"' in value:
        return False
    return (
        (PLAIN.fullmatch(value) is None or is_key(value))
        and (CODE.fullmatch(value) is None or _has_random_part(value))
        and LETTERS.fullmatch(value[:-4]) is None
        and entropy(value) >= (HEX_ENTROPY if HEX.fullmatch(value) else TOKEN_ENTROPY)
    )


def _has_random_part(value: str) -> bool:
    """Whether one of the parts between dots is no name."""
    return any(len(part) >= PART_LENGTH and is_random(part) for part in value.split("."))


def is_key(value: str) -> bool:
    """Whether a value is as long and as random as a key, so that little need be said of it; one in base64 may have the
    slashes of a path."""
    value = value.rstrip(".:")  # of a sentence
    kinds = all(pattern.search(value) is not None for pattern in CLASSES[:3])
    fits = kinds and KEY.fullmatch(value) is not None and ANY_HEX.fullmatch(value) is None
    rare = fits and len(CLASSES[2].findall(value)) >= FEW and is_unspoken(value)  # names have a digit or two
    return fits and entropy(value) >= KEY_ENTROPY and (rare or is_random(value))


def is_long_key(value: str) -> bool:
    """As `is_key`, or in hexadecimal, or in letters of one case and digits, or a UUID; with signs between, one part."""
    value = value.rstrip(".:,;")
    if is_key(value) or UUID.fullmatch(value.partition(":")[0]):
        return True
    parts = re.split(r"[.:_-]", value) if PARTED.fullmatch(value) else [value]
    return any(is_one_case_key(part) or is_key(part) for part in parts)


def is_chance(value: str) -> bool:
    """Whether a value too short for a key shows chance: digits, capitals and small letters, three of each, in turns."""
    fits = len(value) >= CHANCE_LENGTH and value.isascii() and value.isalnum() and ANY_HEX.fullmatch(value) is None
    kinds = all(len(pattern.findall(value)) >= FEW for pattern in CLASSES[:3])
    return fits and kinds and is_random(value) and entropy(value) >= CHANCE_ENTROPY and not TECHNICAL.search(value)


def has_all_kinds(value: str) -> bool:
    """Whether a value has small letters, capitals, digits and signs."""
    return all(pattern.search(value) is not None for pattern in CLASSES)


def is_one_case_key(value: str) -> bool:
    """Whether a value is a key in hexadecimal, or in letters of one case and digits."""
    if LONG_HEX.fullmatch(value):
        return entropy(value) >= LONG_HEX_ENTROPY
    fits = ONE_CASE.fullmatch(value) is not None and len(CLASSES[2].findall(value)) >= FEW
    random = is_random(value) or (ANY_HEX.fullmatch(value) is None and is_unspoken(value))
    return fits and random and entropy(value) >= ONE_CASE_ENTROPY


def _has_mixed_case(value: str) -> bool:
    return re.search(r"[a-z][A-Z][a-z]?[A-Z]", value) is not None


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Whether a value could be a password that someone chose: two kinds of characters, no prose, no code."""
    if len(value) < 5 or len(value) > 128 or (" " in value and not quoted):
        return False
    if value.count(" ") > 3:
        return _is_phrase(value)
    if CLAUSE.fullmatch(value):
        return False
    if (PLAIN.fullmatch(value) or CODE.fullmatch(value)) and not (is_random(value) and "://" not in value):
        return False
    value = APOSTROPHE.sub("", value.rstrip(".,;:)"))
    lower, upper, digit, sign = (pattern.search(value) is not None for pattern in CLASSES)
    mixed = (digit or sign) and (lower or upper)
    meant = mixed or (quoted and lower and upper and _has_mixed_case(value)) or is_spelled_by_chance(value)
    return meant and entropy(value) >= 1.5


def is_word(value: str) -> bool:
    """Whether the whole of a cell could be a password: one with blanks in it only with digits and signs too."""
    blank = " " in value
    return is_password(value, quoted=blank) and not (
        blank and not (CLASSES[2].search(value) and CLASSES[3].search(value))
    )


def is_strong(value: str) -> bool:
    """Whether a password shows that it is one where its place says little: three kinds of characters, or digits
    amid letters, without the names of the trade."""
    rest = TECHNICAL.sub("", value.rstrip(".,;:)"))
    kinds = sum(pattern.search(rest) is not None for pattern in CLASSES)
    return len(value) >= 8 and " " not in value and CLASSES[2].search(rest) is not None and kinds >= 3


def _is_phrase(value: str) -> bool:
    """Whether a text of many words is a passphrase: prose hardly has words that mix letters and digits."""
    words = [
        word for word in TECHNICAL.sub("", value).split() if re.search(r"\d", word) and re.search("[A-Za-z]", word)
    ]
    return value.count(" ") < PHRASE_WORDS and (len(words) > 1 or any(INSIDE.search(word) for word in words))


def is_identifier(name: str, value: str) -> bool:
    """Whether this only says which one is meant: a UUID under a name that ends in `id`, the name of a resource."""
    return RESOURCE.match(value) is not None or (
        name.rstrip("\"'`:=<>* \t").lower().endswith("id") and UUID.fullmatch(value) is not None
    )


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * log2(n / len(value)) for n in counts)
