"""The parts that several engines may use at once: stores, tables, models, processes that read files."""

import asyncio
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from weakref import WeakSet, WeakValueDictionary

from ragstone import stores
from ragstone.access import TokenAuthenticator
from ragstone.config.jwt import JwtSettings
from ragstone.config.model_settings import EmbedSettings, LlmSettings, RerankSettings, SparseSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.ports import Completion, Embedder, Reranker, SparseEncoder, Store
from ragstone.core.types import Scope
from ragstone.engine import model_factory, reranker_factory, sparse_encoders

if TYPE_CHECKING:
    from ragstone.extraction.sandbox import Sandbox

KEPT_VERSIONS = 1  # revisions of a document in a store that only answers


@runtime_checkable
class LoadingModel(Protocol):
    """A model that runs in this process and may load ahead of its first question."""

    def start_loading(self) -> object: ...


class SharedParts:
    """Each part is made when it is first needed, once for its settings. Engines leave them open: `close` closes them.

    All engines that share parts have the same settings but for tenant, collection and key.
    """

    def __init__(self) -> None:
        self.processes = SandboxProcesses()
        self._turns: WeakValueDictionary[tuple[Scope, str], asyncio.Lock] = WeakValueDictionary()
        self._tokens: list[tuple[JwtSettings, TokenAuthenticator]] = []
        self._stores: dict[tuple[str, int], Store] = {}
        self._tables: dict[tuple[str, float], stores.OpenTables] = {}
        self._embedders: list[tuple[EmbedSettings, Embedder]] = []
        self._completions: list[tuple[LlmSettings, Completion]] = []
        self._rerankers: list[tuple[RerankSettings, Reranker]] = []
        self._sparse_encoders: list[tuple[SparseSettings, SparseEncoder]] = []

    def get_turn(self, scope: Scope, source: str) -> asyncio.Lock:
        """The lock in which small runs of a source wait in line: a try to begin one beside another costs as much."""
        return self._turns.setdefault((scope, source), asyncio.Lock())

    def make_token_authenticator(self, issuer: JwtSettings) -> TokenAuthenticator:
        """The one that checks tokens of an issuer, made once: its keys are fetched for all callers together."""
        made = next((tokens for own, tokens in self._tokens if own == issuer), None)
        if made is None:
            made = TokenAuthenticator(issuer)
            self._tokens.append((issuer, made))
        return made

    def open_store(
        self, url: str, *, keep_versions: int = KEPT_VERSIONS, master: stores.MasterKey | None = None
    ) -> Store:
        """The store at a URL that keeps this number of revisions, opened once."""
        if (url, keep_versions) not in self._stores:
            self._stores[url, keep_versions] = stores.open_store(url, keep_versions=keep_versions, master=master)
        return self._stores[url, keep_versions]

    def open_tables(self, database: str, *, timeout: float) -> stores.OpenTables:
        """The tables of a database, opened once for a timeout (in seconds)."""
        place = (database, timeout)
        if place not in self._tables:
            self._tables[place] = stores.open_tables(database, timeout=timeout)
        return self._tables[place]

    def make_embedder(self, embed: EmbedSettings, settings: Settings) -> Embedder:
        """The embedder of some settings, made once; raises `UsageError` for settings that make none."""
        made = next((embedder for own, embedder in self._embedders if own == embed), None)
        if made is None:
            made = model_factory.make_embedder(embed, settings)
            self._embedders.append((embed, made))
        return made

    def make_completion(self, llm: LlmSettings, *, group: str, offline: bool) -> Completion | None:
        """The language model of some settings, made once; None where none is named."""
        made = next((completion for own, completion in self._completions if own == llm), None)
        if made is None and (made := model_factory.make_completion(llm, group=group, offline=offline)) is not None:
            self._completions.append((llm, made))
        return made

    def make_reranker(self, wanted: RerankSettings, settings: Settings) -> Reranker:
        """The reranker of some settings, made once, its model already loading where it runs in this process; raises
        `UsageError` for settings that make none."""
        made = next((reranker for own, reranker in self._rerankers if own == wanted), None)
        if made is None:
            made = reranker_factory.make_reranker(wanted, settings)
            self._rerankers.append((wanted, made))
            if isinstance(made, LoadingModel):
                made.start_loading()
        return made

    def make_sparse_encoder(self, wanted: SparseSettings, settings: Settings) -> SparseEncoder:
        """The model of sparse vectors of some settings, made once and loading as a reranker does; raises `UsageError`
        for settings that make none."""
        made = next((encoder for own, encoder in self._sparse_encoders if own == wanted), None)
        if made is None:
            made = sparse_encoders.make_sparse_encoder(wanted, settings)
            self._sparse_encoders.append((wanted, made))
            if isinstance(made, LoadingModel):
                made.start_loading()
        return made

    async def close(self) -> None:
        """Give back files, threads, processes, connections and models."""
        self.processes.stop()
        for _, embedder in self._embedders:
            await embedder.close()
        for _, completion in self._completions:
            await completion.close()
        for _, reranker in self._rerankers:
            await reranker.close()
        for _, encoder in self._sparse_encoders:
            await encoder.close()
        for tables in self._tables.values():
            await tables.close()
        for store in self._stores.values():
            await store.close()


class SandboxProcesses:
    """Processes that end with their owner at the latest and disturb no other one's."""

    def __init__(self) -> None:
        self._sandboxes: WeakSet[Sandbox] = WeakSet()
        self._single: Sandbox | None = None
        self._closed = False

    def make_sandbox(self) -> "Sandbox":
        """Those of one run, so that what ends it ends nothing else; raises `UsageError` once all are stopped."""
        if self._closed:  # nobody would end them
            raise UsageError("this engine is closed: open another one to go on")
        from ragstone.extraction.sandbox import create_sandbox

        made = create_sandbox()
        self._sandboxes.add(made)
        return made

    @property
    def sandbox_for_files(self) -> "Sandbox":
        """Those for single files and pages; a run has its own, so that what ends it ends nothing else."""
        if self._single is None or self._closed:
            self._single = self.make_sandbox()
        return self._single

    def stop(self) -> None:
        """End them all, for good."""
        self._closed = True
        for made in list(self._sandboxes):
            made.stop()
