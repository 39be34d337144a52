"""Chunking in a collection that switched to another model, which may count tokens differently."""

from collections.abc import Sequence
from dataclasses import replace

from ragstone.core.ports import Tokenizer
from ragstone.core.records import Info
from ragstone.ingestion.build_revision import RevisionBuilder

TokenCounters = Sequence[tuple[Tokenizer, int]]  # how models count tokens, and how many they read


def match_stored_chunking(builder: RevisionBuilder, info: Info, counts: TokenCounters) -> RevisionBuilder:
    """The builder with the chunking of the collection, if that was made for a model that reads no more tokens than
    this one. New documents are then chunked like the others."""
    found = info.chunkings
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
    if info.chunkings <= {builder.chunking_recipe, *builder.former_recipes}:
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
