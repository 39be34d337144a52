"""What was read out of each kept revision, kept as JSON beside the store: there before its revision, gone after it.

`<place>/<tenant>/<document id>/<version>.json`. The store knows nothing of it: a revision says where its own is
in its free metadata, under `KEY`.
"""

from ragstone.ingestion.artifacts.place import open_place
from ragstone.ingestion.artifacts.shape import KEY, dumped, extraction_data, name_of
from ragstone.ingestion.artifacts.shelf import Known, Shelf, known, opened
from ragstone.ingestion.artifacts.sweep import erase, examine, missing, sweep, unclaim

__all__ = [
    "KEY",
    "Known",
    "Shelf",
    "dumped",
    "erase",
    "examine",
    "extraction_data",
    "known",
    "missing",
    "name_of",
    "open_place",
    "opened",
    "sweep",
    "unclaim",
]
