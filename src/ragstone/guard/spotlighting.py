"""The mark that stands around foreign text in a prompt."""

import hashlib
from collections.abc import Iterable


def make_mark(texts: Iterable[str]) -> str:
    """Eight hexadecimal digits that come from all that is quoted, so that none of it can have foreseen them, and the
    same texts have the same."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:8]
