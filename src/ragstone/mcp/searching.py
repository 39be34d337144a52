"""`search`, `rag_search` and `ask`: passages and answers, with addresses that `fetch` takes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragstone.answering.formats import pack_llm
from ragstone.core.answers import Answer, Citation, Found, Note
from ragstone.core.filter_matching import document_matches
from ragstone.core.filters import Where
from ragstone.core.types import Chunk, Document, Hit, Json
from ragstone.engine import Engine
from ragstone.mcp.addresses import cite_address, format_address, format_lines
from ragstone.mcp.arguments import AskArguments, DocumentsArguments, SearchArguments
from ragstone.mcp.desk import Desk, restricted_filter
from ragstone.mcp.masking import mask_json, mask_text
from ragstone.mcp.pages import PAGE, make_cursor, read_cursor, shorten, take_page

PASSAGE_TOKENS = 4_000  # of one document's passages, of an answer
CITATION_TOKENS = PAGE - PASSAGE_TOKENS  # of all citations of an answer
QUOTE_TOKENS = 500
LISTED = 50  # documents in a page of a list
GAP = "\n\n"


async def search(desk: Desk, asked: SearchArguments) -> Json:
    """Documents with the passages that were found in them, best first."""
    engine = await desk.open(asked.collection)
    about = asked.model_dump(exclude={"cursor"})
    start = read_cursor(asked.cursor, "search", about)
    found = await _find(engine, asked)
    together: dict[str, list[Hit]] = {}
    for hit in found.hits:
        together.setdefault(hit.chunk.document.id, []).append(hit)
    results = [_describe_hits(engine, hits) for hits in together.values()]
    page, after = take_page(results, start)
    return {"results": page, **_lead_on(after, found.notes, "search", about)}


async def rag_search(desk: Desk, asked: SearchArguments) -> Json:
    """Short passages in few tokens."""
    engine = await desk.open(asked.collection)
    about = asked.model_dump(exclude={"cursor"})
    start = read_cursor(asked.cursor, "rag_search", about)
    found = await _find(engine, asked)
    pack = mask_json(pack_llm(found, mask=mask_text))
    page, after = take_page(pack["items"], start)
    named = {item["ref"].split("#")[0] for item in page}
    sources = {alias: path for alias, path in pack["sources"].items() if alias in named}
    return {**pack, "sources": sources, "items": page, **_lead_on(after, found.notes, "rag_search", about)}


async def ask(desk: Desk, asked: AskArguments) -> Json:
    """An answer with its citations, or the reason for none with the closest passages."""
    engine = await desk.open(asked.collection)
    answer = await engine.ask(asked.question, where=_make_filter(engine, asked), profile=asked.profile)
    citations, after = take_page([_describe_citation(engine, one) for one in answer.citations], 0, CITATION_TOKENS)
    left_out = () if after is None else (Note("cut", f"{len(answer.citations) - after} citations were left out"),)
    return {
        "answer": shorten(mask_text(answer.text), PASSAGE_TOKENS),
        "abstained": answer.abstained,
        "reason": answer.reason,
        "written_by": "the documents' own sentences" if answer.mode == "quoted" else "a language model",
        "citations": citations,
        **_describe_closest(engine, answer),
        **_lead_on(None, (*answer.notes, *left_out)),
    }


async def list_documents(desk: Desk, asked: DocumentsArguments) -> Json:
    """The documents that pass the filters, by source and path."""
    engine = await desk.open(asked.collection)
    about = asked.model_dump(exclude={"cursor"})
    start, where = read_cursor(asked.cursor, "list_documents", about), _make_filter(engine, asked)
    passing = [document for document in await engine.documents() if document_matches(where, document)]
    passing.sort(key=lambda document: (document.source, document.path))
    shown = [_describe_document(engine, document) for document in passing[start : start + LISTED]]
    page, _ = take_page(shown, 0)
    after = start + len(page) if start + len(page) < len(passing) else None
    notes = () if passing else (Note("none", "no document passes these filters: leave them out to list all"),)
    return {"documents": page, "total": len(passing), **_lead_on(after, notes, "list_documents", about)}


def _describe_document(engine: Engine, document: Document) -> Json:
    facts = {name: document.meta[name] for name in ("date", "tags") if document.meta.get(name)}
    named: Json = mask_json(
        {"id": format_address(engine.scope.collection, document), "title": _name_document(document), **facts}
    )
    return named


async def _find(engine: Engine, asked: SearchArguments) -> Found:
    where = _make_filter(engine, asked)
    return await engine.search(asked.query, where=where, top_k=asked.top_k, profile=asked.profile)


def _make_filter(engine: Engine, asked: SearchArguments | AskArguments | DocumentsArguments) -> Where:
    return replace(
        restricted_filter(engine),
        paths=tuple(asked.paths or ()),
        tags=tuple(asked.tags or ()),
        date_from=asked.date_from,
        date_to=asked.date_to,
    )


def _describe_hits(engine: Engine, hits: Sequence[Hit]) -> Json:
    """The passages of one document as one result; `url` leads to the best of them."""
    best, collection = hits[0].chunk, engine.scope.collection
    text = GAP.join(_describe_passage(hit.chunk) for hit in hits)
    named = {
        "id": format_address(collection, best.document),
        "title": _name_document(best.document),
        "url": cite_address(collection, best.document, best.spans),
    }
    return {**mask_json(named), "text": shorten(text, PASSAGE_TOKENS)}


def _describe_passage(chunk: Chunk) -> str:
    """A passage below its lines, headings and the signs of an injection."""
    flags = f"suspicious: {', '.join(chunk.flags)}" if chunk.flags else ""
    headings = " > ".join(map(mask_text, chunk.heading_path))
    head = " · ".join(part for part in (format_lines(chunk.spans), headings, flags) if part)
    text = mask_text(chunk.text, chunk.spans, chunk.secrets)
    return "\n".join(part for part in (f"[{head}]", mask_text(chunk.header), text) if part)


def _describe_citation(engine: Engine, citation: Citation) -> Json:
    collection, document = engine.scope.collection, citation.document
    named = {
        "n": citation.n,
        "id": format_address(collection, document),
        "title": _name_document(document),
        "url": cite_address(collection, document, citation.spans),
        "status": citation.status,
    }
    return {**mask_json(named), "quote": shorten(mask_text(citation.quote), QUOTE_TOKENS)}


def _describe_closest(engine: Engine, answer: Answer) -> Json:
    """The best passages beside an abstention."""
    return {"closest": [_describe_hits(engine, [hit]) for hit in answer.closest]} if answer.closest else {}


def _name_document(document: Document) -> str:
    return document.title or document.path


def _lead_on(after: int | None, notes: Iterable[Note], *about: object) -> Json:
    """A cursor where there is more, and notes where there are any: connectors expect nothing else beside results."""
    cursor = {} if after is None else {"next_cursor": make_cursor(after, *about)}
    told = [mask_text(note.message) for note in notes]
    return {**cursor, **({"notes": told} if told else {})}
