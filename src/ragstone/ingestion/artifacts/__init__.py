"""Extractions of kept revisions as JSON beside the store: written before the revision, removed after it.

`<place>/<tenant>/<document id>/<version>.json`. The store knows nothing of it: a revision says where its own is
in its free metadata, under `ARTIFACT_KEY`.
"""

from ragstone.ingestion.artifacts.artifact_json import (
    ARTIFACT_KEY,
    artifact_name,
    dump_artifact,
    extraction_data,
    iter_extraction_json,
    mask_extraction,
)
from ragstone.ingestion.artifacts.artifact_store import (
    BEFORE,
    ArtifactPlaces,
    ArtifactStore,
    find_artifact_places,
    open_artifact_store,
    seal_anew,
)
from ragstone.ingestion.artifacts.place import open_place
from ragstone.ingestion.artifacts.seals import renew_seals
from ragstone.ingestion.artifacts.sweep import erase, find_missing, find_problems, remove_claim, remove_strays

__all__ = [
    "ARTIFACT_KEY",
    "BEFORE",
    "ArtifactPlaces",
    "ArtifactStore",
    "artifact_name",
    "dump_artifact",
    "erase",
    "extraction_data",
    "find_artifact_places",
    "find_missing",
    "find_problems",
    "iter_extraction_json",
    "mask_extraction",
    "open_artifact_store",
    "open_place",
    "remove_claim",
    "remove_strays",
    "renew_seals",
    "seal_anew",
]
