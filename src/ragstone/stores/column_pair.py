"""One text column of an existing table or view, with the column of its vectors: what a configuration says of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.filters import Where, parse_where

ALL_COLUMNS = "*"
INVALID_NAME = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """Names as the configuration writes them; they reach the server as parameters until they were found there.

    `filter` is SQL of the configuration's author, or structured conditions. `columns` are those that a request may
    filter by, `*` for all. `ordinal` tells the pairs of one pipeline apart.
    """

    table: str
    text: str
    vector: str | None = None
    id: str | None = None
    filter: str | Where | None = None
    columns: tuple[str, ...] = ()
    ordinal: int = 0

    def __post_init__(self) -> None:
        raw = self.filter if isinstance(self.filter, str) else None
        for what, name in (("table", self.table), ("text_column", self.text), ("filter", raw)):
            if name is not None and (not name.strip() or INVALID_NAME.search(name)):
                raise ConfigError(f"invalid {what} {name!r:.60}: expected a text that is not blank, without NUL")
        for name in (self.vector, self.id, *self.columns):
            if name is not None and (not name or INVALID_NAME.search(name)):
                raise ConfigError(
                    f"invalid column {name!r:.60} of table {self.table!r}: expected a name that PostgreSQL accepts"
                )

    @property
    def name(self) -> str:
        """How notes call it."""
        return f"{self.table}.{self.text}"


def parse_filter(given: str | Mapping[str, Any] | None, *, table: str) -> str | Where | None:
    """A configured filter: SQL as it is, conditions checked; raises `ConfigError` that names the table."""
    if given is None or isinstance(given, str):
        return given or None
    if set(given) - {"conditions", "logic"}:
        raise ConfigError(f"table {table!r}: filter takes conditions and logic, or is SQL; not {', '.join(given)}")
    try:
        return parse_where({**given, "conditions": given.get("conditions") or ()})
    except UsageError as error:
        raise ConfigError(f"table {table!r}: {error}") from error
