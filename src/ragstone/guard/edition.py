"""The edition of what an ingestion finds out about stored text beside its vectors: terms, flags, secrets."""

import hashlib
from functools import cache
from importlib.resources import files

from ragstone.core.analyzer_edition import analyzer_edition

RULES = (".py", ".json")


@cache
def current_edition() -> str:
    """The analyser's edition, a hyphen, and eight hexadecimal digits of the guard's rules."""
    return f"{analyzer_edition()}-{_hash_rules()}"


def _hash_rules() -> str:
    """Patterns, lists and thresholds stand all over this package: any change of its files counts."""
    found = hashlib.sha256()
    for file in sorted(files(__package__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(RULES):
            found.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return found.hexdigest()[:8]
