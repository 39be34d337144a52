"""Whether one text says what another one says."""

from collections.abc import Iterable

from ragstone.core.analyzer import extract_terms
from ragstone.extraction.record.builder import LINK, BlockDraft

# Of the distinct words of a text. A plain text that a mailer makes of a page holds nearly all of the page's, and an
# article those of its own excerpt; "see the page" and a summary in words of its own are far from it.
ENOUGH = 0.8


def covers(drafts: Iterable[BlockDraft], others: Iterable[BlockDraft]) -> bool:
    """Whether some blocks hold nearly all words that others hold; true where those hold none."""
    words, wanted = _collect_terms(drafts), _collect_terms(others)
    return len(words & wanted) >= ENOUGH * len(wanted)


def _collect_terms(drafts: Iterable[BlockDraft]) -> set[str]:
    texts = (text for draft in drafts for text in (draft.text, *(cell.text for cell in draft.cells)))
    return {term for text in texts for term in extract_terms(LINK.sub(r"\1", text))}
