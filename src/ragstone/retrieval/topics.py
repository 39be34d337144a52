"""Questions that may be no more than a topic, and the passages that are headed by it."""

import re
from functools import lru_cache

from ragstone.core.analyzer import extract_terms
from ragstone.core.headings import name_heading, normalize_heading
from ragstone.core.types import Chunk

LONGEST = 200  # characters of a question that may be no more than a topic
MOST = 8  # terms of a topic: longer questions are seldom a heading
LED, CONTINUED = 1.0, 0.5  # how far the passage below a heading is about it, and one further down in its section
HEADING_LINE = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
PLACE = r"[^?!.,;]{1,60}?"  # the documents that are asked: "the handbook"
ASKS = re.compile(
    r"\W*(?:please\s+)?(?:(?:can|could)\s+you\s+)?"
    r"(?:tell\s+(?:me|us)\s+(?:more\s+|something\s+|everything\s+)?about|explain|describe|summari[sz]e"
    rf"|what\s+(?:does|do)\s+{PLACE}\s+(?:say|state|tell\s+(?:me|us))\s+(?:about|on)"
    rf"|what\s+is\s+(?:said|written)\s+(?:in\s+{PLACE}\s+)?(?:about|on)"
    r"|what\s+(?:should|must|do|can)\s+(?:i|we|you)\s+(?:need\s+to\s+)?know\s+about)\s++(?P<topic>\S[^\n]*?)[\s?!.]*+",
    re.IGNORECASE,
)


def find_topic(question: str) -> str | None:
    """The topic of a question that asks for all that is said about it; None where a question asks for more.

    >>> find_topic("What does the handbook say about parental leave?"), find_topic("Tell me about refunds.")
    ('parental leave', 'refunds')
    """
    match = ASKS.fullmatch(question) if len(question) <= LONGEST else None
    return match["topic"].strip("\"'“”‘’`*_ ") or None if match else None


def may_be_heading(question: str) -> bool:
    """Whether a question, or its topic, is short enough for a heading.

    >>> may_be_heading("Parental leave?"), may_be_heading("word " * 80)
    (True, False)
    """
    return len(question) <= LONGEST and len(_list_terms(find_topic(question) or question)) <= MOST


def is_headed(heading: str, topic: str) -> bool:
    """Whether a heading names the topic, in any order of its words.

    >>> is_headed("## 3.1 Leave of parents", "parents' leave"), is_headed("## Leave", "parental leave")
    (True, False)
    """
    terms = _list_terms(topic)
    return bool(terms) and _list_terms(name_heading(heading)) == terms


def rate_heading(chunk: Chunk, question: str) -> float:
    """How far a passage is headed by the question or its topic: 1 below such a heading or the title of its document,
    less further down in that section, else 0."""
    topic = find_topic(question) or question
    own = chunk.heading_path[-1] if chunk.heading_path else ""
    title = chunk.document.title if not chunk.ordinal else None
    begins = normalize_heading(own) == normalize_heading(chunk.text.partition("\n")[0])
    leads = [*HEADING_LINE.findall(chunk.text), *([title] if title else []), *([own] if begins else [])]
    if any(is_headed(heading, topic) for heading in leads):
        return LED
    return CONTINUED if is_headed(own, topic) else 0.0


@lru_cache(4096)
def _list_terms(text: str) -> frozenset[str]:
    return frozenset(extract_terms(text))
