"""How one document's bytes become its next revision: extracted, chunked, flagged, with ids and vector addresses."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ragstone import chunking, extraction, guard
from ragstone.chunking import metadata
from ragstone.core.chunk_enrichment import ENRICHED
from ragstone.core.document_names import MAIL_SUBJECT, date_in_name
from ragstone.core.errors import Refused
from ragstone.core.ids import chunk_id, document_id
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Embedder
from ragstone.core.types import NO_FACTS, Chunk, Document, Enclosing, Extraction, Piece, Revision, Scope, Span
from ragstone.core.work_limit import check_work, limit_work
from ragstone.extraction import sandbox
from ragstone.extraction.chats.slack import find_users_file
from ragstone.extraction.record.confidentiality import close_with_reason
from ragstone.ingestion import embedding_text
from ragstone.ingestion.artifacts.artifact_json import ARTIFACT_KEY, artifact_name, dump_artifact
from ragstone.ingestion.category import CATEGORIES, categorize_path
from ragstone.ingestion.chunker_setup import ChunkerSetup, shorten_recipe
from ragstone.ingestion.left_out import count_left_out
from ragstone.ingestion.moves import EMBEDDED_AS, embedded_path

CLOSED_WITH = "closed_with"  # in the metadata of a file in a mail or a PDF: why that is restricted
LEAST_SECONDS = 5.0  # of a document's work in this process: the first one pays for what is loaded


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """The properties of an embedder that chunking needs; the embedder itself stays with who embeds."""

    name: str
    variant: str
    reads: int
    dimension: int

    @classmethod
    def of(cls, embedder: Embedder) -> Self:
        return cls(embedder.model, embedder.variant, embedder.reads, embedder.dimension)


@dataclass(frozen=True, slots=True)
class RevisionBuilder:
    """The parts and rules that decide what a document becomes: the same bytes give the same revision.

    `artifacts` is the URI of the place where extractions are kept, None where they are not; `people` are the names that
    a file with the names of an export tells, by its path.
    """

    scope: Scope
    chunker_setup: ChunkerSetup
    model: EmbedderInfo | None
    prefix: embedding_text.PrefixForm = "title"
    limits: extraction.Limits = field(default_factory=extraction.Limits)
    passwords: tuple[str, ...] = field(default=(), repr=False)
    chunks: int | None = None
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    version_label: str | None = None
    effective_at: str | None = None
    artifacts: str | None = None
    edition: str = field(default_factory=guard.current_edition)
    people: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    @property
    def chunking_recipe(self) -> str:
        """The chunker's and tokenizer's part of a recipe."""
        return shorten_recipe(self.chunker_setup.chunker.recipe)

    @property
    def former_recipes(self) -> frozenset[str]:
        """The recipes of earlier editions of the chunker with the same settings: their documents are chunked anew."""
        return self.chunker_setup.list_former_recipes()

    def is_former(self, document: Document) -> bool:
        """Whether a document was chunked with these settings by an earlier edition of the chunker."""
        return document.recipe.rpartition("+")[2] in self.former_recipes

    def recipe(self, media_type: str) -> str:
        """How a document of this type is made: its extractor, then its chunking."""
        return f"{extraction.recipe(media_type)}+{self.chunking_recipe}"

    def keeps_other_share(self, document: Document) -> bool:
        """Whether a document was cut off after another number of chunks than it would be now."""
        return document.trimmed and not (self.chunks and _trim_note(self.chunks) in document.notes)

    @property
    def address(self) -> str | None:
        """The model and variant that chunks want vectors of."""
        return f"{self.model.name}/{self.variant}" if self.model else None

    @property
    def variant(self) -> str | None:
        """The variant of the model, which is part of every vector's address."""
        return f"{self.model.variant}+{self.prefix}" if self.model else None

    @property
    def max_bytes(self) -> int:
        """How much of a file is read before its type is known."""
        return max(self.limits.text, self.limits.office)

    def format_for_embedding(self, passage: Chunk) -> str:
        """The text of a chunk that is embedded: without the secrets of its document, of which it may have a part."""
        return embedding_text.format_embedding_text(
            _mask_chunk(passage), form=self.prefix, tokenizer=self.chunker_setup.tokenizer
        )


def build(
    builder: RevisionBuilder,
    source: str,
    path: str,
    data: bytes,
    *,
    version: str,
    before: Document | None = None,
    enclosing: Enclosing = NO_FACTS,
    processes: sandbox.Sandbox | None = None,
) -> Revision:
    """A document's new revision from its bytes: extracted, chunked, flagged, with ids and vector addresses.

    `before`: its revision so far; under another path, the document that it was before it moved. `enclosing`: the facts
    that it has from the mail or PDF that it lies in. `processes` as for `extraction.extract`. Raises `Refused` if the
    bytes cannot be ingested.
    """
    with _limit_work(builder, path, len(data)):
        extracted = extraction.extract(
            data,
            path=path,
            limits=builder.limits,
            passwords=builder.passwords,
            processes=processes,
            people=builder.people.get(find_users_file(path) or ""),
        )
    extracted = _take_facts(extracted, enclosing)
    with _limit_work(builder, path, max(len(data), len(extracted.record))):
        return _build_from_extraction(builder, source, path, data, extracted, version=version, before=before)


def _take_facts(extracted: Extraction, enclosing: Enclosing) -> Extraction:
    """A file in a mail or a PDF is closed with that, whatever it says itself; of a mail it has sender and date."""
    meta = {key: value for key, value in extracted.meta.items() if key not in (CLOSED_WITH, MAIL_SUBJECT)}
    found = replace(extracted, meta={**meta, **_list_facts(enclosing)})
    if not enclosing.closed:
        return found
    return close_with_reason(found, f"it lies in a document that is restricted ({enclosing.closed})")


def _list_facts(enclosing: Enclosing) -> dict[str, str]:
    """The facts by their keys in a document's metadata."""
    facts = {CLOSED_WITH: enclosing.closed, MAIL_SUBJECT: guard.mask_secrets(enclosing.subject)}
    facts |= {"author": enclosing.author, "date": enclosing.date}
    return {key: value for key, value in facts.items() if value}


def has_facts(document: Document, enclosing: Enclosing) -> bool:
    """Whether a document has the facts of the mail or PDF that it lies in, and none of one that it lay in."""
    wanted = _list_facts(enclosing)
    stale = [key for key in (CLOSED_WITH, MAIL_SUBJECT) if key in document.meta and key not in wanted]
    same = bool(document.meta.get(CLOSED_WITH)) == bool(enclosing.closed)
    return same and not stale and all(document.meta.get(key) == wanted[key] for key in wanted if key != CLOSED_WITH)


def _limit_work(builder: RevisionBuilder, path: str, size: int) -> AbstractContextManager[None]:
    """A parser in a process of its own has these seconds; so has the work here."""
    seconds = max(LEAST_SECONDS, builder.limits.bounds.for_size(size).cpu_seconds)
    took = f"{path} took more than {seconds:,.1f} seconds of processor time to be cut and looked through"
    return limit_work(seconds, f"{took}; split it, or raise limits.seconds")


def _build_from_extraction(
    builder: RevisionBuilder,
    source: str,
    path: str,
    data: bytes,
    extracted: Extraction,
    *,
    version: str,
    before: Document | None,
) -> Revision:
    pieces, trimmed = chunking.limit_pieces(builder.chunker_setup.chunker.cut(extracted), builder.chunks)
    if not pieces:
        raise Refused("empty", f"{path} holds no text that could be found")
    category = categorize_path(path, {**builder.categories, **CATEGORIES})
    meta = {"category": category, "date": date_in_name(path), **extracted.meta}
    meta[ARTIFACT_KEY] = meta[ENRICHED] = None  # whatever the document itself says
    meta[EMBEDDED_AS] = embedded_path(path, version, before)
    document = Document(
        id=document_id(builder.scope, source, path),
        source=source,
        path=path,
        revision=before.revision + 1 if before and before.path == path else 1,
        version=version,
        recipe=builder.recipe(extracted.media_type),
        title=guard.mask_secrets(extracted.title) if extracted.title else extracted.title,
        media_type=extracted.media_type,
        bytes=len(data),
        meta={key: value for key, value in meta.items() if value is not None},
        version_label=builder.version_label or _text_or_none(meta.get("version_label")),
        effective_at=builder.effective_at or _text_or_none(meta.get("effective_at")),
        trimmed=trimmed,
        notes=_collect_notes(extracted, pieces, trimmed, builder.chunks),
        addressed=builder.address,
        edition=builder.edition,
    )
    if builder.artifacts:
        uri = f"{builder.artifacts}/{artifact_name(builder.scope, document)}"
        document = replace(document, meta={**document.meta, ARTIFACT_KEY: uri})
    chunks = _build_chunks(builder, document, pieces, extracted.layout)
    if cut := sum(chunk.embedded_tokens < chunk.tokens for chunk in chunks if chunk.vector_key):
        note = f"the end of {cut} chunks is not embedded: they are longer than the model reads"
        document = replace(document, notes=(*document.notes, note))
        chunks = tuple(replace(chunk, document=document) for chunk in chunks)
    artifact = _dump_if_stored(builder, document, extracted)
    left_out = {} if trimmed else count_left_out(extracted, pieces)
    return Revision(document, chunks, extracted.record, extracted.layout, artifact, left_out)


def _dump_if_stored(builder: RevisionBuilder, document: Document, extraction: Extraction) -> bytes | None:
    return dump_artifact(builder.scope, document, extraction) if builder.artifacts else None


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)


def _collect_notes(extraction: Extraction, pieces: Sequence[Piece], trimmed: bool, most: int | None) -> tuple[str, ...]:
    cut = (_trim_note(most),) if trimmed and most else ()
    return (*extraction.warnings, *dict.fromkeys(piece.note for piece in pieces if piece.note), *cut)


def _trim_note(most: int) -> str:
    return f"only the first {most} chunks were kept"


def _build_chunks(
    builder: RevisionBuilder, document: Document, pieces: Sequence[Piece], layout: Layout | None
) -> tuple[Chunk, ...]:
    chunks = [_build_chunk(document, piece, layout) for piece in pieces]
    model = builder.model
    if model is None:
        return tuple(chunks)
    texts = [builder.format_for_embedding(each) for each in chunks]
    owns = [len(_mask_chunk(each).text) for each in chunks]
    leads = builder.chunker_setup.tokenizer.count([t[: len(t) - own] for t, own in zip(texts, owns, strict=True)])
    return tuple(
        replace(
            each,
            vector_key=embedding_text.vector_key(model.name, builder.variant or "", text),
            embedded_tokens=embedding_text.count_embedded_tokens(each.tokens, lead=lead, reads=model.reads),
        )
        for each, text, lead in zip(chunks, texts, leads, strict=True)
    )


def _mask_chunk(passage: Chunk) -> Chunk:
    return guard.mask_chunk(passage) if passage.secrets else passage


def _locate_span(span: Span, layout: Layout) -> Span:
    """A chunk ends where it must, not where a block does: the box is around its own characters."""
    found = layout.bounding_box(span.char_start, span.char_end)
    return span if found is None else replace(span, page=found[0], bbox=found[1])


def _build_chunk(document: Document, piece: Piece, layout: Layout | None) -> Chunk:
    check_work()
    flags, risk = guard.assess_injection(piece.text)
    return Chunk(
        id=chunk_id(document, piece.ordinal),
        document=document,
        ordinal=piece.ordinal,
        text=piece.text,
        spans=piece.spans if layout is None else tuple(_locate_span(span, layout) for span in piece.spans),
        heading_path=piece.heading_path,
        kind=piece.kind,
        tokens=piece.tokens,
        overlap=piece.overlap,
        header=piece.header,
        flags=flags,
        risk_score=risk,
        metadata=metadata.describe_piece(_mask_piece(piece)),
        secrets=piece.secrets,
    )


def _mask_piece(piece: Piece) -> Piece:
    """The piece without its secrets: what describes it is shown and kept apart from it."""
    if not piece.secrets:
        return piece
    text = guard.mask_secrets(piece.text, piece.spans, piece.secrets)
    return replace(piece, text=text, table=guard.mask_cells(piece.table, piece.text, piece.spans, piece.secrets))
