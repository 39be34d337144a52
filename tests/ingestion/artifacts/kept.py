"""What several tests look at: the files of a place, and whether each kept revision has its own and none else is."""

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import ragstone
from ragstone.core.types import Document

FILE = re.compile(r"[a-z0-9_=-]+/[0-9a-f-]{36}/[0-9a-f]{64}\.json")
CLAIM = re.compile(r"[a-z0-9_=-]+/[0-9a-f]{16}\.json")


def files(place: Path) -> set[str]:
    """Everything below a place but the claims."""
    found = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    return {name for name in found if not CLAIM.fullmatch(name)}


def revisions(kb: ragstone.Knowledge) -> list[Document]:
    """Every revision that is kept."""
    return kb.wait(kb.engine.store.ledger(kb.engine.scope).list_all_revisions())


def path_of(document: Document) -> Path:
    """Where a revision says that its artifact is."""
    return Path(unquote(urlsplit(document.meta["extracted_artifact_uri"]).path))


def whole(kb: ragstone.Knowledge, place: Path) -> None:
    """Each kept revision has its artifact, which is its own; nothing else is there."""
    paths = {path_of(document): document for document in revisions(kb)}
    for path, document in paths.items():
        data = json.loads(path.read_bytes())
        assert data["document"]["path"] == data["source"] == document.path
        assert (data["document"]["id"], data["document"]["version"]) == (document.id, document.version)
    assert files(place) == {path.relative_to(place).as_posix() for path in paths}
