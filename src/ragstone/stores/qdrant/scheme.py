"""How points are called, and which payload another program reads: a collection of theirs is written to in place.

`ours` calls a point like its chunk. `md5` and `uuid5` are those of two other programs, whose clients go on reading it:
the ids come from path and position, so the next state of a document overwrites its last.
"""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragstone.core.types import Chunk

IdScheme = Literal["ours", "md5", "uuid5"]
ID_SCHEMES: tuple[IdScheme, ...] = ("ours", "md5", "uuid5")
MD5_PREFIX = 100  # characters of the text that an md5 id looks at


@dataclass(frozen=True, slots=True)
class Scheme:
    """Ids and payload names; `namespace` is for `uuid5`."""

    ids: IdScheme = "ours"
    namespace: uuid.UUID = uuid.NAMESPACE_URL

    @property
    def is_foreign(self) -> bool:
        """Whether others read the collection: nothing but active passages may stand in it for long."""
        return self.ids != "ours"

    @property
    def path_field(self) -> str:
        """The field in which the other program names the document."""
        return {"md5": "source", "uuid5": "file_path"}.get(self.ids, "path")

    def point_id(self, chunk: Chunk) -> str:
        """The id of a chunk's point, a UUID."""
        path = chunk.document.path
        if self.ids == "md5":
            text = f"{path}:{chunk.ordinal}:{chunk.text[:MD5_PREFIX]}"
            return str(uuid.UUID(hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()))
        if self.ids == "uuid5":
            return str(uuid.uuid5(self.namespace, f"{path}:{_first_line_number(chunk)}:{chunk.ordinal}"))
        return chunk.id

    def build_payload(self, chunk: Chunk) -> Mapping[str, Any]:
        """The fields that the other program expects beside Ragstone's."""
        document, heading = chunk.document, chunk.heading_path[-1] if chunk.heading_path else ""
        if self.ids == "md5":
            category = document.meta.get("category")
            about = {"section": heading, "category": "" if category is None else str(category)}
            return {"source": document.path, "chunk_index": chunk.ordinal, **about}
        if self.ids == "uuid5":
            window = chunk.metadata.get("window_text")
            return {
                "header": heading,
                "window_text": window if isinstance(window, str) else chunk.text,
                "file_path": document.path,
                "line_start": _first_line_number(chunk),
                "chunk_index": chunk.ordinal,
                "source_sha": document.version,
            }
        return {}


OWN_SCHEME = Scheme()


def _first_line_number(chunk: Chunk) -> int:
    return chunk.spans[0].line_start if chunk.spans else 0
