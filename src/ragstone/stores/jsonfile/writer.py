"""Changing a json: store: each call rewrites the file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragstone.errors import StoreError
from ragstone.ports import Vectors
from ragstone.stores.jsonfile.content import Content
from ragstone.stores.jsonfile.file import JsonFile
from ragstone.types import Chunk, Revision, Scope


class JsonWriter:
    """See `ragstone.ports.Writer`."""

    def __init__(self, file: JsonFile, scope: Scope) -> None:
        self._file = file
        self._scope = scope

    async def replace(self, revisions: Sequence[Revision]) -> None:
        def put(content: Content) -> Content:
            held = dict(content.revisions)
            for new in revisions:
                old = held.get(new.document.id)
                if old is not None and old.document.revision >= new.document.revision:
                    raise StoreError(
                        f"{new.document.path}: revision {new.document.revision} is not newer than revision "
                        f"{old.document.revision}, which is stored"
                    )
                held[new.document.id] = new
            return replace(content, revisions=held)

        await self._file.change(self._scope, put)

    async def remove(self, documents: Sequence[str]) -> None:
        gone = set(documents)
        await self._file.change(
            self._scope,
            lambda content: replace(content, revisions={k: v for k, v in content.revisions.items() if k not in gone}),
        )

    async def wanted(self, limit: int) -> list[Chunk]:  # noqa: ARG002
        """Nothing: this store keeps no vectors."""
        return []

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        if vectors:
            raise StoreError("a json: store keeps no vectors; use embedded:PATH")

    async def settle(self) -> None:
        """Nothing is derived here."""
