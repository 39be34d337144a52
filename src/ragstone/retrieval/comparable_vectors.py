"""Whether a source's vectors can be compared with a question's, and what of it is not ready."""

from typing import cast

from ragstone.core.analyzer_edition import analyzer_edition
from ragstone.core.ports import Embedder, ScriptReader, Vectors
from ragstone.core.records import Info
from ragstone.core.trace import Trace
from ragstone.retrieval.search_context import Source


def check_vector(source: Source, info: Info, vector: Vectors | None, trace: Trace) -> Vectors | None:
    """The question's vector where the source's may be compared with it, else None; a note says what is not ready."""
    if vector is not None and not is_same_model(source.embedder, info, vector):
        vector = None
        trace.note(
            "model_changed",
            f"semantic search left out: the collection holds vectors of {_describe_held(info)}, but the model "
            f"is {_describe_model(source.embedder)}; name that model, or ingest with --recreate",
        )
    _note_state(info, vector, trace)
    if vector is not None and _lacks_vectors(source, info):
        vector = None
        trace.note("semantic_unavailable", "semantic unavailable; fallback=keyword-only")
        if not info.pending_vectors:  # else those are noted
            held = "the collection holds no vectors: run ingest with an embedding model (a json: store keeps none)"
            trace.note("no_vectors", held)
    return vector


def can_read(embedder: Embedder, text: str, trace: Trace) -> bool:
    """Whether the model reads the script of a question; a note says so where it does not: words find more alone than
    beside the vectors of such a question (`benchmarks/retrieval/scripts.py`)."""
    if not hasattr(embedder, "can_read") or cast(ScriptReader, embedder).can_read(text):
        return True
    trace.note(
        "script_unread",
        f"searched by words alone: {embedder.model} learned no words of the question's script; embed.model takes a "
        "multilingual model",
    )
    return False


def _lacks_vectors(source: Source, info: Info) -> bool:
    """Whether a collection has chunks, and no vector of any: they are found by words alone, whatever the mode."""
    if source.is_table or info.unchecked or not info.chunks:
        return False
    return info.dimension is None or info.pending_vectors >= info.chunks


def _describe_held(info: Info) -> str:
    return f"{info.model} ({info.variant})" if info.model else f"{info.dimension} dimensions"


def _describe_model(embedder: Embedder | None) -> str:
    return f"{embedder.model} ({embedder.variant})" if embedder else "none"


def is_same_model(embedder: Embedder | None, info: Info, vector: Vectors) -> bool:
    """Whether the question's vector may be compared with the collection's: same model, same arithmetic, as long."""
    is_as_long = info.dimension is None or info.dimension == len(vector)
    if info.model is None or embedder is None:
        return is_as_long or not info.unchecked  # a table says itself that its vectors are of another length
    if not is_as_long:
        return False
    return info.model == embedder.model and (info.variant or "").partition("+")[0] == embedder.variant


def _note_state(info: Info, vector: Vectors | None, trace: Trace) -> None:
    if info.unchecked:
        trace.note(
            "no_record",
            "another program wrote this collection: quotes are checked against its passages, not against the "
            "documents, and a line that it does not name is counted in the passages",
        )
    if info.state == "empty":
        trace.note("index_empty", "the collection is empty: ingest documents first")
    elif vector is not None and info.pending_vectors:
        trace.note(
            "vectors_pending",
            f"{info.pending_vectors} of {info.chunks} chunks have no vector yet and are found by keyword only; "
            "run ingest to complete them",
        )
    if any(edition.partition("-")[0] != analyzer_edition() for edition in info.editions):
        trace.note(
            "terms_outdated",
            "words of some documents were stemmed by another version of the analyser and may not be found; run ingest "
            "to bring them up to date",
        )
