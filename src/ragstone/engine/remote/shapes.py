"""The JSON of a server as the library's values. Fields that the JSON leaves out have their defaults."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import msgspec

from ragstone.core.answers import Answer, Citation, Event, Found, Note, Sentence, Step
from ragstone.core.filters import Where
from ragstone.core.records import Info, Run
from ragstone.core.types import Chunk, Document, Hit, Json, Scope, Span
from ragstone.retrieval.explain import Explanation

T = TypeVar("T")


def read_all(kind: type[T], rows: Sequence[Json]) -> tuple[T, ...]:
    """Rows of one kind of value."""
    return tuple(msgspec.convert(row, kind) for row in rows)


def read_document(row: Json) -> Document:
    """A document, with all that is known or as hits name it."""
    return msgspec.convert({"revision": 0, "recipe": "", **row}, Document)


def read_hit(row: Json) -> Hit:
    """A hit: its chunk has the text with secrets masked."""
    chunk = Chunk(
        id=row.get("id", ""),
        document=read_document(row["document"]),
        ordinal=row.get("ordinal", 0),
        text=row["text"],
        spans=read_all(Span, row["spans"]),
        heading_path=tuple(row.get("heading_path", ())),
        flags=tuple(row.get("flags", ())),
        risk_score=row.get("risk_score", 0.0),
    )
    duplicates = tuple((one["source"], one["path"], one["ordinal"]) for one in row.get("duplicates", ()))
    return Hit(chunk, row.get("score", 0.0), dict(row["signals"]), duplicates)


def read_found(data: Json) -> Found:
    """The results of a search."""
    hits = tuple(map(read_hit, data["hits"]))
    return Found(hits, read_all(Note, data["notes"]), dict(data["timings"]), read_all(Step, data.get("steps", ())))


def read_answer(data: Json, hits: Sequence[Hit] | None = None) -> Answer:
    """An answer; `hits` are those that it was made from, where they are known."""
    citations = tuple(
        msgspec.convert({**row, "document": {"revision": 0, "recipe": "", **row["document"]}}, Citation)
        for row in data["citations"]
    )
    return Answer(
        text=data["answer"],
        abstained=data["abstained"],
        reason=data["reason"],
        answerability=data["answerability"],
        sentences=read_all(Sentence, data["sentences"]),
        citations=citations,
        groundedness=data["groundedness"],
        hits=tuple(map(read_hit, data["closest"])) if hits is None else tuple(hits),
        notes=read_all(Note, data["notes"]),
        usage=dict(data["usage"]),
        timings=dict(data["timings"]),
        steps=read_all(Step, data.get("steps", ())),
        mode=data["mode"],
    )


def read_event(name: str, data: Json, hits: Sequence[Hit] | None) -> Event:
    """An event of an answer; the final one gets the hits of those before."""
    if name == "search_results":
        return Event(name, {"hits": list(map(read_hit, data["hits"]))})
    if name == "final_answer":
        return Event(name, {"answer": read_answer(data, hits)})
    if name == "citation":
        chunk = Chunk(data["chunk"], read_document(data["document"]), 0, "", ())
        return Event(name, {"n": data["n"], "chunk": chunk})
    return Event(name, {**data, "citations": tuple(data.get("citations", ()))})


def read_info(data: Json) -> Info:
    """The state of a collection."""
    return Info(
        scope=Scope(data["tenant"], data["name"]),
        provider=data["provider"],
        version=data["index_version"],
        state=data["status"],
        documents=data["documents"],
        chunks=data["points"],
        pending_vectors=data["pending_vectors"],
        dimension=data["dimension"],
        model=data["embedding_model_id"],
        variant=data["variant"],
        recipes=tuple(data["recipes"]),
        built_at=data["built_at"],
        generation=0,
        warnings=tuple(data["warnings"]),
        bytes=data["bytes"],
    )


def read_run(data: Json) -> Run:
    """An ingestion run."""
    return msgspec.convert(data, Run)


def read_explanation(data: Json) -> Explanation:
    """The fate of a document."""
    return msgspec.convert(data, Explanation)


def write_filter(where: Where | None) -> Json | None:
    """A filter as a body has it."""
    if where is None:
        return None
    told = {name: value for name, value in asdict(where).items() if value not in ((), None, False, "")}
    return {**told, "conditions": [asdict(one) for one in where.conditions]}


def write_texts(texts: Mapping[str, Any]) -> Json:
    """Documents as a body has them: bytes in base64."""
    return {
        path: {"base64": b64encode(given).decode()} if isinstance(given, bytes) else given
        for path, given in texts.items()
    }


def write_options(options: Mapping[str, Any]) -> Json:
    """The options of a search as a body has them."""
    given = {name: value for name, value in options.items() if value is not None}
    if "filter" in given:
        given["llm_filter"] = given.pop("filter")
    return given
