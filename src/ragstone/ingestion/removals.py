"""The check of removals, before a run writes."""

from ragstone.core.ports import Ledger
from ragstone.ingestion import safeguards
from ragstone.ingestion.comparison import Comparison, count_lost
from ragstone.ingestion.listing import Listing
from ragstone.ingestion.moves import Moves
from ragstone.ingestion.run_context import RunContext


async def check_gone(
    context: RunContext, source: str, ledger: Ledger, listed: Listing, found: Comparison, moves: Moves
) -> None:
    """Raise `UsageError` where too many documents are gone that did not move, or those of a source of which this is
    only a part."""
    gone = len(found.gone) - len(moves)
    if safeguards.is_suspicious(gone, found.known, share=context.removals):
        gone = await count_lost(ledger, source, listed, moves)
    safeguards.check_removals(source, gone=gone, known=found.known, share=context.removals)
    if gone and context.place is not None:
        await safeguards.check_place(
            source,
            context.place,
            ledger,
            gone=moves.find_unmoved(),
            most=context.removals * found.known,
            known=found.known,
            is_file=context.named,
        )
