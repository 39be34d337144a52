"""Chunking of a collection: one way for all its documents, also where another model counts tokens differently."""

from collections.abc import Sequence
from dataclasses import replace

from ragstone.core.ports import Tokenizer
from ragstone.core.records import Info
from ragstone.ingestion.build_revision import RevisionBuilder

TokenCounters = Sequence[tuple[Tokenizer, int]]  # how models count tokens, and how many they read


def match_stored_chunking(builder: RevisionBuilder, info: Info, counts: TokenCounters) -> RevisionBuilder:
    """The builder with the chunking of the collection, if that was made for a model that reads no more tokens than
    this one. New documents are then chunked like the others."""
    found = _chunking_recipes(info)
    if builder.model is None or info.model != builder.model.name or len(found) != 1 or builder.chunking_recipe in found:
        return builder
    for tokenizer, reads in counts:
        before = replace(builder, chunker_setup=builder.chunker_setup.with_tokenizer(tokenizer, reads))
        if before.chunking_recipe in found and reads <= builder.model.reads:
            return before
    return builder


def describe_mismatch(builder: RevisionBuilder, info: Info, counts: TokenCounters) -> str | None:
    """A sentence about how the next ingest treats documents that were chunked for a model that counts tokens
    differently; None if all are chunked as it would chunk them."""
    if _chunking_recipes(info) <= {builder.chunking_recipe, *builder.former_recipes}:
        return None
    if match_stored_chunking(builder, info, counts) is not builder:
        return (
            "documents keep their chunks, which were made for the previous model, and new ones are chunked in the same "
            "way; ragstone ingest --refresh re-chunks all of them for this model"
        )
    return (
        "documents are chunked for a model that counts tokens differently: ingests are refused until "
        "ragstone ingest --refresh has re-chunked all of them"
    )


def describe_mixed_chunking(info: Info) -> str | None:
    """A sentence about documents that were chunked in several ways, as they are between the refreshes of two sources;
    None where there is one way."""
    found = sorted(_chunking_recipes(info))
    if len(found) < 2:
        return None
    return (
        f"the documents are chunked in {len(found)} ways ({', '.join(found)}), so their ranks are not comparable: "
        "ingest each source with --refresh"
    )


def add_chunking_warning(info: Info) -> Info:
    """The state of a collection, degraded where its documents were chunked in several ways."""
    warning = describe_mixed_chunking(info)
    if warning is None:
        return info
    state = "degraded" if info.state == "healthy" else info.state
    return replace(info, state=state, warnings=(*info.warnings, warning))


def _chunking_recipes(info: Info) -> set[str]:
    return {recipe.rpartition("+")[2] for recipe in info.recipes}
