"""How documents are cut in a collection that went over to another model, which may count tokens otherwise."""

from collections.abc import Sequence
from dataclasses import replace

from ragstone.core.ports import Tokenizer
from ragstone.core.records import Info
from ragstone.ingestion.build_revision import RevisionBuilder

TokenCounters = Sequence[tuple[Tokenizer, int]]  # how models count tokens, and how many they read


def match_stored_chunking(builder: RevisionBuilder, info: Info, counts: TokenCounters) -> RevisionBuilder:
    """The same, cutting as the collection is cut, where that was for a model that reads no more tokens than this one:
    what is new is then cut like all the rest."""
    found = _chunking_recipes(info)
    if builder.model is None or info.model != builder.model.name or len(found) != 1 or builder.chunking_recipe in found:
        return builder
    for tokenizer, reads in counts:
        before = replace(builder, chunker_setup=builder.chunker_setup.with_tokenizer(tokenizer, reads))
        if before.chunking_recipe in found and reads <= builder.model.reads:
            return before
    return builder


def describe_mismatch(builder: RevisionBuilder, info: Info, counts: TokenCounters) -> str | None:
    """What the next ingest does about documents that were cut for a model that counts tokens otherwise, as a sentence;
    None where all are cut as it would cut them."""
    if _chunking_recipes(info) <= {builder.chunking_recipe}:
        return None
    if match_stored_chunking(builder, info, counts) is not builder:
        return (
            "documents stay cut as they are, for the model of before, and new ones are cut in the same way; "
            "ragstone ingest --refresh cuts all anew for this model"
        )
    return (
        "documents are cut for a model that counts tokens otherwise: ingests are refused until "
        "ragstone ingest --refresh has cut all anew"
    )


def _chunking_recipes(info: Info) -> set[str]:
    return {recipe.rpartition("+")[2] for recipe in info.recipes}
