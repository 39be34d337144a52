"""Targets of probes: a copy of a collection's settings over planted documents, or a server."""

import tempfile
import uuid
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, Self

from ragstone.config.serve_settings import LogSettings
from ragstone.config.settings import AccessSettings, EncryptionSettings, Settings, SourceSettings
from ragstone.core.answers import Answer, Found
from ragstone.core.errors import RagstoneError, UsageError
from ragstone.core.ports import Completion, Embedder
from ragstone.engine import Engine
from ragstone.engine.blocking import Knowledge
from ragstone.engine.remote.knowledge import RemoteKnowledge, connect
from ragstone.evaluation.redteam.probes import Plant
from ragstone.guard import mask_secrets


class Target(Protocol):
    """A place for planted documents, used in a `with` that removes them; `has_other` tells of a second tenant."""

    name: str
    has_other: bool

    def __enter__(self) -> Self: ...
    def __exit__(self, *problem: object) -> None: ...
    def plant(self, plants: Sequence[Plant]) -> None: ...
    def search(self, text: str, depth: int) -> Found: ...
    def ask(self, text: str) -> Answer: ...
    def context(self, text: str) -> str: ...
    def mask(self, text: str, *places: Any) -> str: ...
    def reach(self, name: str, path: str) -> str | None:
        """The text of another tenant's document by its passage's id, or what a key shows of another tenant; None where
        that cannot be tried. An error of Ragstone's is the refusal."""
        ...


class CollectionTarget:
    """The settings of a collection over a store of its own in a temporary folder: the same models, prompt, thresholds
    and options; nothing of the collection itself is opened."""

    has_other = True

    def __init__(
        self, settings: Settings, *, embedder: Embedder | None = None, completion: Completion | None = None
    ) -> None:
        self.name = f"the settings of collection {settings.collection}"
        self._given = settings
        self._parts: dict[str, Any] = {"embedder": embedder, "completion": completion}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="ragstone-redteam-")))
        self._own, self._other = self._open("redteam-own"), self._open("redteam-other")
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def _make_settings(self, tenant: str) -> Settings:
        docs = self._folder / tenant
        docs.mkdir(exist_ok=True)
        return replace(
            self._given.of(self._given.collection),
            store=f"embedded:{self._folder / 'store'}",
            tenant=tenant,
            collection="redteam",
            sources=(SourceSettings(str(docs), docs.name),),
            artifacts=None,
            pipelines=(),
            collections={},
            tenants={},
            encryption=EncryptionSettings(),
            key=None,
            access=AccessSettings(),
            log=LogSettings(queries=False),
        )

    def _open(self, tenant: str) -> Knowledge:
        return self._stack.enter_context(Knowledge(Engine(self._make_settings(tenant), **self._parts)))

    def plant(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            self._find_place(plant).write_text(plant.text, "utf-8")
        self._ingest()
        for plant in plants:
            if plant.after:
                self._find_place(plant).write_text(plant.after, "utf-8")
            elif plant.after == "":
                self._find_place(plant).unlink()
        self._ingest()

    def _find_place(self, plant: Plant) -> Path:
        return self._folder / ("redteam-other" if plant.other else "redteam-own") / plant.path

    def _ingest(self) -> None:
        for knowledge in (self._own, self._other):
            knowledge.ingest(allow_removals=True)

    def search(self, text: str, depth: int) -> Found:
        return self._own.search(text, top_k=depth, cache=False)

    def ask(self, text: str) -> Answer:
        return self._own.ask(text, cache=False)

    def context(self, text: str) -> str:
        return self._own.context(text, cache=False)

    def mask(self, text: str, *places: Any) -> str:
        return mask_secrets(text, *places)  # as every door does

    def reach(self, name: str, path: str) -> str | None:
        if name == "passage":
            return self._own.get(self._other.chunk(path, 0).id).text
        key = self._own.create_key("probe", roles="admin").text
        with Knowledge(Engine(replace(self._make_settings("redteam-other"), key=key), **self._parts)) as opened:
            return opened.chunk(path, 0).text


class ServerTarget:
    """Collections of a server that are made for the probes and erased behind them, one for each key."""

    def __init__(self, url: str, key: str | None, other_key: str | None) -> None:
        self.name = url
        self.has_other = other_key is not None
        self._stack = ExitStack()
        self._collection = f"redteam-{uuid.uuid4().hex[:8]}"
        self._own = connect(url, key=key, collection=self._collection)
        self._other = connect(url, key=other_key, collection=self._collection) if other_key else None

    def __enter__(self) -> Self:
        for knowledge in filter(None, (self._own, self._other)):
            self._stack.callback(_erase, knowledge, self._collection)
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def plant(self, plants: Sequence[Plant]) -> None:
        with tempfile.TemporaryDirectory(prefix="ragstone-redteam-") as folder:
            file = Path(folder) / "planted"
            for plant in plants:
                knowledge = self._other if plant.other and self._other else self._own
                file.write_text(plant.text, "utf-8")
                try:
                    document = knowledge.upload(file, plant.path)
                except UsageError:
                    if plant.ahead:  # it is stored, and cannot be shown yet
                        continue
                    raise
                if plant.after:
                    file.write_text(plant.after, "utf-8")
                    knowledge.upload(file, plant.path)
                elif plant.after == "":
                    knowledge.delete(document)

    def search(self, text: str, depth: int) -> Found:
        return self._own.search(text, top_k=depth)

    def ask(self, text: str) -> Answer:
        return self._own.ask(text)

    def context(self, text: str) -> str:
        return self._own.context(text)

    def mask(self, text: str, *_places: Any) -> str:
        return text  # the server's own masks are what is probed

    def reach(self, name: str, path: str) -> str | None:
        if name != "passage" or self._other is None:
            return None  # a key names no tenant in a request
        found = self._other.search(path)
        identity = next((hit.chunk.id for hit in found.hits if hit.chunk.document.path == path), None)
        if identity is None:
            raise UsageError(f"{path} was not found by the key of its own tenant")
        return self._own.passage(identity)


def _erase(knowledge: RemoteKnowledge, name: str) -> None:
    with suppress(RagstoneError):  # what ended the probes is what is told
        knowledge.drop(name)
