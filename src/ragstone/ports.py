"""Every seam on one page. A room offers one of these; a corridor knows nothing else of it.

A store is four seams, each for one scope: `Reader` (one consistent view, for questions),
`Writer` (what an ingestion changes), `Ledger` (what is known about documents and runs), `Admin`
(collections, repair, erasure). Its fifth, `Keys`, says which tenant somebody is of.
"""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ragstone.layout import Layout
from ragstone.types import Candidate, Chunk, Document, Extraction, Info, Json, Key, Piece, Revision, Run, Scope, Skipped
from ragstone.where import Where

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Listed:
    """A file that a source lists: its path relative to the root (with `/`), its size in bytes."""

    path: str
    size: int


class Source(Protocol):
    """A named root with its rules."""

    @property
    def name(self) -> str: ...

    def walk(self) -> Iterator[Listed | Skipped]:
        """Every document in a fixed order; what the rules refuse comes as `Skipped` with its reason."""
        ...

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of one document; raises `Refused` when it is gone, unreadable or over `limit` bytes."""
        ...


class Extractor(Protocol):
    """Bytes to text of record and blocks."""

    @property
    def recipe(self) -> str:
        """Name and version: a change means that documents must be extracted anew."""
        ...

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused` when the bytes are not what they claim to be, or hold no text."""
        ...


class Chunker(Protocol):
    """Blocks to pieces: every body character in order, overlap only as configured."""

    @property
    def recipe(self) -> str: ...

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces, ordinals from 0; a piece over the cap carries a note."""
        ...


class Tokenizer(Protocol):
    """Counts tokens as the embedding model sees them, special tokens left out."""

    @property
    def name(self) -> str: ...

    def count(self, texts: Sequence[str]) -> list[int]: ...


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def model(self) -> str: ...

    @property
    def variant(self) -> str:
        """What else decides a vector beside model and text, such as a quantisation: part of its address."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def reads(self) -> int:
        """How many tokens of a text the model reads, special tokens left out."""
        ...

    @property
    def tokenizer(self) -> Tokenizer: ...

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        """float32 of shape (len(texts), dimension), rows of length 1, in the order of the texts."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a language model is asked: the turns, how many tokens it may write, and the JSON schema that its answer
    must fit, where one is wanted."""

    messages: tuple[Message, ...]
    max_tokens: int = 800
    temperature: float = 0.0
    schema: Json | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """What a language model wrote, as a whole: why it ended, and the tokens that were read and written, None where
    the vendor does not say."""

    text: str
    ended: Literal["stop", "length", "refused", "other"] = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Completion(Protocol):
    """A language model behind a vendor's wire. Every verb raises `Unavailable` when the vendor cannot be reached, is
    too slow or fails, and `UsageError` when it refuses the request: key, model, or a prompt that is too long."""

    @property
    def vendor(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def context(self) -> int | None:
        """How many tokens it reads and writes together, None where that is not known."""
        ...

    @property
    def tokenizer(self) -> Tokenizer | None:
        """Counts as the model does, None where its tokenizer is not at hand."""
        ...

    async def complete(self, prompt: Prompt) -> Completed: ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completed]:
        """The pieces of its text as they come, never empty, then once `Completed`. Closing it ends the request."""
        ...

    async def check(self) -> list[str]:
        """What keeps it from working, each with what mends it; [] when the vendor answers and has the model."""
        ...

    async def close(self) -> None: ...


class Reader(Protocol):
    """One consistent view of the active chunks of a scope."""

    async def info(self) -> Info: ...

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        """Cosine of the best chunks, in total order; chunks without a vector yet are left out."""
        ...

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        """BM25 of the best chunks with at least one term of the query, in total order."""
        ...

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        """Raw signals of given chunks: `cosine` where there is a vector, `bm25` always."""
        ...

    async def idf(self, query: str) -> dict[str, float]:
        """The inverse document frequency of each term of the query among the active chunks."""
        ...

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The active chunks with these ids, in the order asked; unknown ones are left out."""
        ...

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        """The active chunk at a place; without a source the first source by name that has it."""
        ...

    async def record(self, document: Document) -> str | None:
        """The text of record of a document's revision, None when it is not kept."""
        ...

    async def layout(self, document: Document) -> Layout | None:
        """Where the characters of that text stand on the pages, None for a format without pages."""
        ...


@runtime_checkable
class Fusing(Protocol):
    """A reader whose server can fuse both legs itself."""

    async def fused(self, query: str, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        """Candidates by the server's own RRF (k = 60, both legs alike), in one round trip."""
        ...


class Writer(Protocol):
    """Changes to one scope, each call atomic and durable when it returns."""

    async def replace(self, revisions: Sequence[Revision]) -> None:
        """Put whole documents in place of what stood there; readers see the old or the new, never both."""
        ...

    async def remove(self, documents: Sequence[str]) -> None:
        """Take documents away with all that belongs to them."""
        ...

    async def wanted(self, limit: int) -> list[Chunk]:
        """Chunks whose vector is missing, one for each vector key; [] when all are there."""
        ...

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors by their key."""
        ...

    async def settle(self) -> None:
        """Bring derived files up to date and give back dead space: called at the end of a run."""
        ...


class Ledger(Protocol):
    """What is known about documents and runs."""

    async def documents(self, source: str | None = None) -> list[Document]:
        """The newest complete revision of each document, by source and path."""
        ...

    async def kept(self) -> list[Document]:
        """Every revision that is there, active or not, by document and revision."""
        ...

    async def start(self, run: Run) -> None:
        """Record a run; raises `Busy` when another live process is ingesting the same source."""
        ...

    async def update(self, run: Run) -> None: ...

    async def finish(self, run: Run) -> None: ...

    async def runs(self, limit: int = 20) -> list[Run]:
        """The latest runs first; one whose process died is `interrupted`."""
        ...


class Admin(Protocol):
    """Collections of a tenant."""

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        """Make the collection, or check that it holds vectors of this model, variant and dimension."""
        ...

    async def exists(self, scope: Scope) -> bool: ...

    async def drop(self, scope: Scope) -> bool:
        """Erase the collection; False when there was none."""
        ...

    async def collections(self, tenant: str) -> list[str]: ...

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        """What is wrong, a sentence each: orphans, checksums, counts. With `repair`, mend what can be."""
        ...


class Keys(Protocol):
    """API keys, of every tenant: they say whose tenant a request is."""

    async def find(self, identity: str) -> Key | None:
        """The key with this public id, whatever its tenant or state; no other one can be learned from it."""
        ...

    async def add(self, key: Key) -> None:
        """Keep a new key; raises `UsageError` when its id is taken."""
        ...

    async def of(self, tenant: str) -> list[Key]:
        """All keys of a tenant, the ended ones too, by creation and id."""
        ...

    async def revoke(self, tenant: str, identity: str, *, at: datetime) -> bool:
        """End a key for good; False when the tenant has none with this id. A second time changes nothing."""
        ...

    async def erase(self, tenant: str) -> int:
        """Remove all keys of a tenant that is erased, without a trace; how many there were."""
        ...


class Place(Protocol):
    """Where artifacts are kept, by names with `/` below it. Every verb may wait and raises `StoreError`."""

    @property
    def uri(self) -> str:
        """Its absolute address, without a slash at the end."""
        ...

    def put(self, name: str, data: bytes, *, mark: str) -> None:
        """Write a whole file, durable when it returns; what a kill leaves of it has `mark` in its name."""
        ...

    def names(self, under: str) -> list[str]:
        """The files in the folders of this folder; [] where it is not there."""
        ...

    def head(self, name: str, size: int) -> bytes:
        """The first bytes of a file, at most `size`; b"" where it is not there."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens where it is not there."""
        ...


class Store(Protocol):
    """A store by its URL."""

    @property
    def provider(self) -> str: ...

    @property
    def capabilities(self) -> frozenset[str]:
        """Of: dense, keyword, filter, versions, snapshot, fusion (its readers are `Fusing`)."""
        ...

    def reader(self, scope: Scope) -> AbstractAsyncContextManager[Reader]:
        """One view; raises `NotBuilt` when the collection was never made."""
        ...

    def writer(self, scope: Scope) -> AbstractAsyncContextManager[Writer]: ...

    def ledger(self, scope: Scope) -> Ledger: ...

    @property
    def admin(self) -> Admin: ...

    @property
    def keys(self) -> Keys:
        """Raises `UsageError` for a store that keeps none."""
        ...

    async def close(self) -> None: ...
