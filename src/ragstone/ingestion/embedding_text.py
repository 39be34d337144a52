"""The text of a chunk that is embedded: where it stands, its table header, itself; the stored text stays as it is."""

import hashlib
from collections.abc import Callable
from typing import Literal

from ragstone.core.document_names import readable_name, readable_path
from ragstone.core.ports import Tokenizer
from ragstone.core.types import Chunk
from ragstone.ingestion.moves import EMBEDDED_AS

PrefixForm = Literal["title", "path", "none"]

MAX_PREFIX_TOKENS = 48  # tokens that the place may take of what the model reads
HEADING_SEPARATOR = " > "
# Longer words hardly exist; keeps a hostile title of a megabyte from being counted word by word.
CHARACTERS_A_TOKEN = 16


def format_embedding_text(chunk: Chunk, *, form: PrefixForm = "title", tokenizer: Tokenizer | None = None) -> str:
    """`name > heading > heading`, a line end, the table header if any, the chunk's text.

    Form "title" begins with the document's title, or its path when it has none or only its file's name, and names
    every heading; "path" is path and last heading; "none" leaves the place out. Paths are without the ids of exports.
    The place takes at most 48 tokens (4 characters each without a tokenizer): middle headings go first, then ends of
    the name and of the last heading. A document that moved keeps the path that it was embedded with.
    """
    parts = _prefix_parts(chunk, form)
    place = (
        [HEADING_SEPARATOR.join(fit_headings(parts, limit=MAX_PREFIX_TOKENS, count=_make_counter(tokenizer)))]
        if parts
        else []
    )
    return "\n".join([*place, *([chunk.header] if chunk.header else []), chunk.text])


def count_embedded_tokens(own: int, *, lead: int, reads: int) -> int:
    """How many of a chunk's `own` tokens a model sees that reads `reads` tokens, behind the `lead` of place and header;
    fewer than all mean that the end is not read."""
    return max(0, min(own, reads - lead))


def vector_key(model: str, variant: str, text: str) -> str:
    """The address of a vector: sha256 in hex over model, variant and embedded text, each with its length."""
    digest = hashlib.sha256()
    for part in (model, variant, text):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def fit_headings(parts: list[str], *, limit: int, count: Callable[[str], int]) -> list[str]:
    """Name and headings joined to at most `limit` tokens: without the middle ones, then without ends.

    >>> fit_headings(["guide", "one", "two", "three"], limit=5, count=lambda text: len(text.split()))
    ['guide', 'one', 'three']
    """
    kept = list(parts)
    while len(kept) > 2 and count(HEADING_SEPARATOR.join(kept)) > limit:
        del kept[len(kept) // 2]
    if len(kept) > 1 and count(HEADING_SEPARATOR.join(kept)) > limit:
        name = _truncate_words(kept[0], limit=limit // 2, count=count)
        return [name, _truncate_words(kept[-1], limit=limit - count(name + HEADING_SEPARATOR), count=count)]
    return (
        kept if count(HEADING_SEPARATOR.join(kept)) <= limit else [_truncate_words(kept[0], limit=limit, count=count)]
    )


def _prefix_parts(chunk: Chunk, form: PrefixForm) -> list[str]:
    headings = [line for heading in chunk.heading_path if (line := _collapse_blanks(heading))]
    if form == "none":
        return []
    path = str(chunk.document.meta.get(EMBEDDED_AS) or chunk.document.path)
    place = _collapse_blanks(readable_path(path))
    if form == "path":
        return [place, *headings[-1:]]
    title = _collapse_blanks(chunk.document.title or "")
    name = title if title and (title != readable_name(path) or title in headings[:1]) else place
    return [name, *(headings[1:] if headings[:1] == [name] else headings)]


def _collapse_blanks(text: str) -> str:
    return " ".join(text.split())


def _truncate_words(text: str, *, limit: int, count: Callable[[str], int]) -> str:
    words = text[: limit * CHARACTERS_A_TOKEN].split()
    while len(words) > 1 and count(" ".join(words)) > limit:
        words.pop()
    short = " ".join(words)
    while short and count(short) > limit:
        short = short[: len(short) // 2]
    return short


def _make_counter(tokenizer: Tokenizer | None) -> Callable[[str], int]:
    if tokenizer is None:
        return lambda text: -(-len(text) // 4)
    return lambda text: tokenizer.count([text])[0]
