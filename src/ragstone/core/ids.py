"""Identity comes from place and version: the same input gives the same ids on every store."""

import re
import uuid

from ragstone.core.types import Document, Scope

NAMESPACE = uuid.UUID("6f0c5a5e-0b7b-5a35-9c2e-3f6d1d1f6a10")

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_document_id(text: str) -> bool:
    """Whether a text looks like the id of a document.

    >>> is_document_id("notes/a.md"), is_document_id("4f1c2a5e-0b7b-5a35-9c2e-3f6d1d1f6a10")
    (False, True)
    """
    return ID.fullmatch(text) is not None


def document_id(scope: Scope, source: str, path: str) -> str:
    """The UUIDv5 of a document's place."""
    return str(uuid.uuid5(NAMESPACE, "\0".join((scope.tenant, scope.collection, source, path))))


def chunk_id(document: Document, ordinal: int) -> str:
    """The UUIDv5 of place, version, recipe and ordinal."""
    return str(uuid.uuid5(NAMESPACE, "\0".join((document.id, document.version, document.recipe, str(ordinal)))))
