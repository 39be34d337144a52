"""A passage as a model that judges it reads it: where it stands, its table header, its text; secrets masked."""

from collections.abc import Sequence

from ragstone import guard
from ragstone.config.deadlines import Deadlines
from ragstone.core.types import Chunk, Hit
from ragstone.retrieval import windows
from ragstone.retrieval.store_timeout import limit_store_time


def describe_passage(chunk: Chunk) -> str:
    """A passage below its title and headings, secrets masked."""
    place = " > ".join((chunk.document.title or chunk.document.path, *chunk.heading_path))
    lines = [guard.mask_secrets(place), *([guard.mask_secrets(chunk.header)] if chunk.header else [])]
    return "\n".join([*lines, guard.mask_secrets(chunk.text, chunk.spans, chunk.secrets)])


async def describe_windows(reader: windows.Chunks, hits: Sequence[Hit], deadlines: Deadlines) -> list[str]:
    """The passage of each hit with its whole window, also where a better hit has a part of it."""
    wanted, owners = windows.list_neighbours(hits), windows.list_owners(hits)
    async with limit_store_time(deadlines):
        beside = await reader.chunks(windows.list_ids(wanted)) if wanted else []
        records = await reader.records(owners) if owners else {}
    near = [*beside, *(hit.chunk for hit in hits)]
    return [describe_passage(windows.widen([hit], near, records)[0].chunk) for hit in hits]
