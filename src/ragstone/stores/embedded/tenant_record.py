"""The file that says which model a tenant is pinned to."""

import json
from pathlib import Path

from ragstone.core.errors import Corrupt
from ragstone.core.types import Json


def parse_record(file: Path, data: bytes) -> Json:
    """The model, dimension and name that a record holds; raises `Corrupt` for one that Ragstone did not write."""
    try:
        read = json.loads(data)
        return {"model": read["embedding_model"], "dimension": read["embedding_dim"], "name": read["tenant"]}
    except (ValueError, KeyError, TypeError) as error:
        raise record_error(file) from error


def record_error(file: Path) -> Corrupt:
    """The error of a record that Ragstone did not write."""
    return Corrupt(f"{file} is damaged; run: ragstone doctor --repair")
