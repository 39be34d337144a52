"""A filter as Qdrant's, which may let too much through and never too little: the ledger decides."""

from collections.abc import Iterable

from qdrant_client import models

from ragstone.core.filters import Where
from ragstone.core.types import Scope
from ragstone.stores.qdrant.points import any_of, is_, ours

WILD = frozenset("*?")
LOOSE = ("staged", "retired")  # what such a point's payload says may not be what a view's document says


def narrowed(scope: Scope, where: Where) -> models.Filter:
    """Points that can pass in any view: those that are between two states all do."""
    groups = _groups(where)
    never: list[models.Condition] = [] if where.allow_restricted else [is_("restricted", True)]
    if not groups and not never:
        return ours(scope)
    passing = models.Filter(must=groups or None, must_not=never or None)
    return ours(scope, models.Filter(should=[any_of("state", LOOSE), passing]))


def is_narrow(where: Where) -> bool:
    """Whether a filter asks about what a later revision of a document may say otherwise."""
    return bool(_groups(where))


def _groups(where: Where) -> list[models.Condition]:
    found: list[models.Condition] = []
    exact = not any(WILD & set(path) for path in where.paths)
    listed = (
        ("origin", where.sources),
        ("path", where.paths if exact else ()),
        ("heading", where.headers),
        ("sha", where.shas),
        ("category", where.categories),
        ("project", where.projects),
        ("doc_type", where.doc_types),
        ("confidentiality", tuple(map(str.lower, where.confidentiality_allow))),
    )
    found += [any_of(field, values) for field, values in listed if values and _sendable(values)]
    if where.tags and _sendable(where.tags):
        tags = [where.tags] if where.tag_mode == "any" else [(tag,) for tag in where.tags]
        found += [any_of("tags", values) for values in tags]
    return found


def _sendable(values: Iterable[str]) -> bool:
    """Lone surrogates cannot be sent; nothing is narrowed by them then."""
    return not any("\ud800" <= character <= "\udfff" for value in values for character in value)
