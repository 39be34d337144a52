"""`ragstone.connect(URL)`: the verbs of `ragstone.open` over HTTP, with the same arguments and results."""

import time
import uuid
from collections.abc import Generator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from ragstone import guard
from ragstone.answering.formats import context_xml
from ragstone.config.search_keywords import SearchKeywords
from ragstone.core.answers import Answer, Event, Found
from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.filters import Where
from ragstone.core.ids import is_document_id
from ragstone.core.ports import GivenDocument
from ragstone.core.records import Info, Run
from ragstone.core.types import Document, Hit, Json
from ragstone.engine.arguments import SOURCE_NAME
from ragstone.engine.remote import shapes
from ragstone.engine.remote.transport import Line, escape_part
from ragstone.engine.verbs.ingestion import TEXTS
from ragstone.retrieval.explain import Explanation
from ragstone.retrieval.standalone_question import History, check_history

POLL_SECONDS = 0.2
PAGE = 1000  # documents
SECONDS = 120.0


def connect(
    url: str, *, key: str | None = None, collection: str | None = None, seconds: float = SECONDS
) -> "RemoteKnowledge":
    """A collection of the server at `url`, with the verbs of `ragstone.open`; `key` is an API key or token.

    `seconds` bound each wait for the server. Nothing is sent yet. Raises `UsageError` for an address that is none.
    """
    return RemoteKnowledge(Line(url, key=key, seconds=seconds), collection=collection)


class RemoteQuestions:
    """The verbs that take a question, for a collection or a pipeline of a server."""

    def __init__(self, line: Line, target: Json) -> None:
        self._line = line
        self._target = {name: value for name, value in target.items() if value is not None}

    def search(self, text: str, *, where: Where | None = None, **options: Unpack[SearchKeywords]) -> Found:
        """The best passages for a text, best first; options as for `Knowledge.search`."""
        return shapes.read_found(self._line.post("/v1/search", self._make_body(text, where, options)))

    def context(self, text: str, *, where: Where | None = None, **options: Unpack[SearchKeywords]) -> str:
        """Passages as XML, ready to stand in a prompt."""
        return context_xml(self.search(text, where=where, **options).hits, mask=guard.mask_secrets)

    def ask(
        self,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Answer:
        """An answer whose sentences are cited and checked, or an abstention; arguments as for `Knowledge.ask`."""
        events = self.events(text, where=where, history=history, strict=strict, **options)
        [answer] = [event.data["answer"] for event in events if event.name == "final_answer"]
        made: Answer = answer
        return made

    def events(
        self,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Generator[Event, None, None]:
        """An answer as it comes about."""
        turns = [{"role": turn.role, "content": turn.text} for turn in check_history(history)]
        body = self._make_body(text, where, options)
        return self._iterate({**body, "messages": turns, "strict": strict, "stream": True})

    def _iterate(self, body: Json) -> Generator[Event, None, None]:
        hits: list[Hit] | None = None
        whole = False
        for name, data in self._line.stream("/v1/ask", body):
            if name == "error":
                raise Unavailable(str(data.get("message", "the answer failed")))
            if name == "done":
                break
            event = shapes.read_event(name, data, hits)
            hits = event.data["hits"] if name == "search_results" else hits
            whole = whole or name == "final_answer"
            yield event
        if not whole:
            raise Unavailable(f"{self._line.shown} ended the answer before it was whole: ask again")

    def explain(
        self,
        text: str,
        *,
        path: str,
        source: str | None = None,
        where: Where | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Explanation:
        """Why a document was or was not found."""
        body = {**self._make_body(text, where, options), "path": path, "source": source}
        return shapes.read_explanation(self._line.post("/v1/explain", body))

    def _make_body(self, text: str, where: Where | None, options: Any) -> Json:
        return {"query": text, **self._target, "filter": shapes.write_filter(where), **shapes.write_options(options)}


class RemoteKnowledge(RemoteQuestions):
    """A collection of a server. It may be used from several threads; use it in a `with`, or close it."""

    def __init__(self, line: Line, *, collection: str | None = None) -> None:
        super().__init__(line, {"collection": collection})
        self._collection = collection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open between two calls; here so that programs need not know."""

    def pipeline(self, name: str) -> RemoteQuestions:
        """The pipeline of this name; whether it exists shows when it is asked."""
        return RemoteQuestions(self._line, {"pipeline": name})

    def info(self) -> Info:
        """The state of the collection."""
        return shapes.read_info(self._line.get(f"/v1/collections/{escape_part(self._collection or 'default')}"))

    def collections(self) -> list[Info]:
        """The collections of the key's tenant."""
        return [shapes.read_info(one) for one in self._line.get("/v1/collections")["collections"]]

    def documents(self, source: str | None = None) -> list[Document]:
        """The documents of the collection, by source and path."""
        return self._list_documents(source)

    def _list_documents(self, source: str | None, *, path: str | None = None) -> list[Document]:
        asked = {"collection": self._collection, "source": source, "path": path, "limit": PAGE}
        documents, cursor = list[Document](), None
        while True:
            page = self._line.get("/v1/documents", **asked, cursor=cursor)
            documents += map(shapes.read_document, page["documents"])
            cursor = page["next"]
            if cursor is None:
                return documents

    def upload(self, file: str | Path, path: str | None = None) -> Document:
        """Add a file as a document, or replace the one at `path`, by default the file's name."""
        try:
            data, name = Path(file).read_bytes(), path or Path(file).name
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}") from error
        mark = uuid.uuid4().hex
        head = f'--{mark}\r\nContent-Disposition: form-data; name="path"\r\n\r\n{name}\r\n--{mark}\r\n'
        file_head = 'Content-Disposition: form-data; name="file"; filename="document"\r\n\r\n'
        body = f"{head}{file_head}".encode() + data + f"\r\n--{mark}--\r\n".encode()
        where = f"?collection={escape_part(self._collection)}" if self._collection else ""
        made = self._line.post_form(f"/v1/documents{where}", body, f"multipart/form-data; boundary={mark}")
        return shapes.read_document(made)

    def ingest_texts(self, texts: Mapping[str, GivenDocument], *, name: str = TEXTS) -> Run:
        """Add or replace documents that are not files; as `Knowledge.ingest_texts`, in one request."""
        SOURCE_NAME.check("name", name)
        body = {"texts": shapes.write_texts(texts), "source": name, "collection": self._collection}
        return shapes.read_run(self._line.post("/v1/texts", body))

    def record(self, path: str, *, source: str | None = None) -> tuple[Document, str]:
        """A document and its text of record, secrets masked; raises `UsageError` when it is not there."""
        found = self._list_documents(source, path=path)
        if not found:
            raise UsageError(f"there is no document {path!r:.300}")
        shown = self._line.get(f"/v1/documents/{escape_part(found[0].id)}", collection=self._collection)
        return shapes.read_document(shown), str(shown["text"])

    def delete(self, path: Document | str | None = None, *, source: str | None = None) -> int:
        """Remove a document, or all with this path or id, or with `source` alone all of that source; returns how
        many."""
        if path is None and source is None:
            raise UsageError("nothing was removed: name a path, a document or a source")
        if path is None:
            return int(self._line.delete("/v1/documents", source=source, collection=self._collection)["removed"])
        if isinstance(path, Document) or (source is None and is_document_id(path)):
            doomed = [path.id if isinstance(path, Document) else path]
        else:
            doomed = [document.id for document in self._list_documents(source, path=path)]
        places = [f"/v1/documents/{escape_part(one)}" for one in doomed]
        return sum([self._line.delete(place, collection=self._collection)["removed"] for place in places])

    def drop(self, name: str) -> None:
        """Erase a collection with its documents."""
        self._line.delete(f"/v1/collections/{escape_part(name)}")

    def passage(self, identity: str) -> str:
        """The text of a passage, secrets masked."""
        return str(self._line.get(f"/v1/chunks/{escape_part(identity)}", collection=self._collection)["text"])

    def ingest(self, *, refresh: bool = False, checksum: bool = False, allow_removals: bool = False) -> list[Run]:
        """Ingest the sources that the server's configuration names; returns when all runs have ended."""
        body: Json = {"refresh": refresh, "checksum": checksum, "allow_removals": allow_removals}
        begun = self._line.post("/v1/runs", {**body, "collection": self._collection})["runs"]
        return [self._wait_for_run(run["id"]) for run in begun]

    def _wait_for_run(self, identity: str) -> Run:
        while True:
            run = shapes.read_run(self._line.get(f"/v1/runs/{escape_part(identity)}", collection=self._collection))
            if run.status != "running":
                return run
            time.sleep(POLL_SECONDS)
