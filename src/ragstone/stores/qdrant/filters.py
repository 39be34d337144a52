"""A filter as Qdrant's, which may let too much through and never too little: the ledger decides."""

from collections.abc import Iterable

from qdrant_client import models

from ragstone.core.filters import Where
from ragstone.core.types import Scope
from ragstone.stores.qdrant.points import field_equals, field_is_any, scope_filter

WILDCARDS = frozenset("*?")
UNSETTLED_STATES = ("staged", "retired")  # what such a point's payload says may not be what a view's document says


def build_point_filter(scope: Scope, where: Where) -> models.Filter:
    """Points that can pass in any view: those that are between two states all do."""
    groups = _group_conditions(where)
    never: list[models.Condition] = [] if where.allow_restricted else [field_equals("restricted", True)]
    if not groups and not never:
        return scope_filter(scope)
    passing = models.Filter(must=groups or None, must_not=never or None)
    return scope_filter(scope, models.Filter(should=[field_is_any("state", UNSETTLED_STATES), passing]))


def is_narrow(where: Where) -> bool:
    """Whether a filter asks about what a later revision of a document may say otherwise."""
    return bool(_group_conditions(where))


def _group_conditions(where: Where) -> list[models.Condition]:
    found: list[models.Condition] = []
    exact = not any(WILDCARDS & set(path) for path in where.paths)
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
    found += [field_is_any(field, values) for field, values in listed if values and _is_sendable(values)]
    if where.tags and _is_sendable(where.tags):
        tags = [where.tags] if where.tag_mode == "any" else [(tag,) for tag in where.tags]
        found += [field_is_any("tags", values) for values in tags]
    return found


def _is_sendable(values: Iterable[str]) -> bool:
    """Lone surrogates cannot be sent; nothing is narrowed by them then."""
    return not any("\ud800" <= character <= "\udfff" for value in values for character in value)
