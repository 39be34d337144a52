"""Searching a json: store: counting words over every chunk."""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime

from ragstone.core.analyzer_edition import analyzer_edition
from ragstone.core.filter_matching import collect_facts, matches
from ragstone.core.filters import Where
from ragstone.core.page_layout import Layout
from ragstone.core.ports import StoredRevision, Vectors
from ragstone.core.records import Info
from ragstone.core.types import Candidate, Chunk, Document, Revision, Scope, total_order
from ragstone.stores.jsonfile.content import FORMAT, ScopeContent
from ragstone.stores.revision_status import due_at

PROVIDER = "json"
COUNT = "count"  # the signal; a threshold on BM25 would mean nothing here
WORD_PATTERN = re.compile(r"[^\W_]+")


def split_query_words(query: str) -> list[str]:
    """The words of a query, each once, in order."""
    return list(dict.fromkeys(WORD_PATTERN.findall(query.lower())))


def count_occurrences(text: str, words: Sequence[str]) -> int:
    """How often the words stand in a text, inside longer words too."""
    lower = text.lower()
    return sum(lower.count(word) for word in words)


class JsonReader:
    """Searches the file as it was when the view was opened; implements `Reader`, `KeywordReader` and
    `Exporter`."""

    def __init__(self, scope: Scope, content: ScopeContent, size: int, *, now: datetime, keep: int) -> None:
        self._scope = scope
        self._content = content
        self._size = size
        standing = list(content.list_statuses(now, keep=keep))
        self._active = [state for state, status in standing if status == "active"]
        self._states = {_revision_key(s.document): s for s, status in standing if status != "gone"}
        self._kept = sorted(
            (StoredRevision(s.document, status) for s, status in standing if status != "gone"),
            key=lambda one: _revision_key(one.document),
        )
        came = [due for state in self._active if (due := due_at(state.document)) is not None]
        moments = [datetime.fromtimestamp(due, now.tzinfo).isoformat(timespec="seconds") for due in came]
        # What became active by its date changed the index on that day, though nobody wrote.
        self._changed = max([*moments, *filter(None, [content.built_at])], default=None)
        self._by_id = {chunk.id: chunk for state in self._active for chunk in state.chunks}

    async def info(self) -> Info:
        return Info(
            self._scope,
            PROVIDER,
            FORMAT,
            "healthy" if self._by_id else "empty",
            len(self._active),
            len(self._by_id),
            0,
            None,
            None,
            None,
            tuple(sorted({state.document.recipe for state in self._active})),
            self._changed,
            self._content.generation,
            bytes=self._size,
            editions=tuple(sorted({_current_terms(state.document) for state in self._active})),
        )

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:  # noqa: ARG002
        """Nothing: this store keeps no vectors."""
        return []

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        words = split_query_words(query)
        found = [
            Candidate(chunk.id, float(score), (chunk.document.path, chunk.document.source, chunk.ordinal))
            for chunk in self._by_id.values()
            if (score := count_occurrences(chunk.text, words)) and matches(where, collect_facts(chunk))
        ]
        return sorted(found, key=lambda one: total_order(one.score, one.place))[: max(limit, 0)]

    @property
    def keyword_signal(self) -> str:
        return COUNT

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:  # noqa: ARG002
        """`count` alone: how often the words stand in the text, on no scale."""
        words = split_query_words(query)
        return {
            one: {COUNT: float(count_occurrences(self._by_id[one].text, words))} for one in ids if one in self._by_id
        }

    async def idf(self, query: str) -> dict[str, float]:
        texts = [chunk.text.lower() for chunk in self._by_id.values()]
        holding = {word: sum(word in text for text in texts) for word in split_query_words(query)}
        return {word: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        return [self._by_id[one] for one in ids if one in self._by_id]

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        found = [
            chunk
            for chunk in self._by_id.values()
            if (chunk.document.path, chunk.ordinal) == (path, ordinal) and source in (None, chunk.document.source)
        ]
        return min(found, key=lambda chunk: chunk.document.source, default=None)

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        return {one.document.id: one.record for one in await self.revisions(documents)}

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        found = await self.revisions(documents)
        return {one.document.id: one.layout for one in found if one.layout is not None}

    async def list_revisions_after(self, after: tuple[str, int] | None, *, limit: int) -> list[StoredRevision]:
        first = 0 if after is None else bisect_right(self._kept, after, key=lambda one: _revision_key(one.document))
        return self._kept[first : first + max(limit, 0)]

    async def revisions(self, documents: Sequence[Document]) -> list[Revision]:
        """Revisions as the file has them: it has no checksums."""
        return [
            self._states[_revision_key(document)] for document in documents if _revision_key(document) in self._states
        ]

    async def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:  # noqa: ARG002
        """None: this store keeps no vectors."""
        return {}


def _current_terms(document: Document) -> str:
    """Its edition, but for the analyser's part: words are counted when they are searched."""
    return f"{analyzer_edition()}-{document.edition.rpartition('-')[2]}"


def _revision_key(document: Document) -> tuple[str, int]:
    return document.id, document.revision
