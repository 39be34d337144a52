"""The names of people that an export of a chat tells once, for the files of its channels."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ragstone.core.errors import Refused, SourceNotReady
from ragstone.core.ports import Source
from ragstone.extraction.chats.slack import find_users_file, read_people
from ragstone.ingestion.document_jobs import DocumentJob
from ragstone.ingestion.run_context import RunContext

LARGEST = 50_000_000  # bytes of a file of names


def learn_people(context: RunContext, source: Source, jobs: Iterable[DocumentJob]) -> RunContext:
    """The context of a run whose builder knows the people of these files."""
    places = {place for job in jobs if (place := find_users_file(job.entry.path))}
    people = {place: read_names(source, place) for place in places}
    return replace(context, builder=replace(context.builder, people=people)) if people else context


def read_names(source: Source, place: str) -> dict[str, str]:
    """The names in a file of a source; none where it is missing or cannot be read."""
    try:
        return read_people(source.read(place, LARGEST))
    except (Refused, SourceNotReady):
        return {}


def read_names_beside(file: str) -> dict[str, str]:
    """The names for a file of this machine; none where nothing tells them."""
    place = find_users_file(file)
    try:
        return read_people(Path(place).read_bytes()) if place and Path(place).stat().st_size <= LARGEST else {}
    except OSError:
        return {}
