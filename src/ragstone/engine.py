"""Settings become parts, opened and closed together; these are the verbs of the library.

async with Engine(load(store="embedded:./store")) as kb:
    await kb.ingest("docs/")
    print((await kb.ask("How long are samples kept?")).text)
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Self, cast
from weakref import WeakSet

from ragstone import (
    answer,
    artifacts,
    ask,
    conversation,
    extract,
    guard,
    ingest,
    models,
    originals,
    providers,
    reembed,
    reply,
    sources,
    stores,
    transfer,
)
from ragstone.access import Credential, MadeKey, Permission, ending, identified, issued
from ragstone.ask import Desk, Question
from ragstone.bounds import outside
from ragstone.config import EmbedSettings, LlmSettings, Settings, SourceSettings
from ragstone.conversation import History
from ragstone.doors import OR_NONE, SETTINGS, Handed, checked, part
from ragstone.entrance import Entrance
from ragstone.errors import (
    Busy,
    ConfigError,
    Corrupt,
    Forbidden,
    NoKey,
    NotBuilt,
    RagstoneError,
    Refused,
    StoreError,
    UsageError,
)
from ragstone.explain import Explanation, explain
from ragstone.extract import sandbox
from ragstone.gate import VERBS, gated
from ragstone.generate import Writing
from ragstone.ingest import Intake
from ragstone.near import absent
from ragstone.outgoing import GatedCompletion
from ragstone.pipeline import Pipeline, PipelineInfo, info_of, parts_of
from ragstone.ports import Completion, Embedder, HeldModel, Keys, Listed, Sealing, Source, Store
from ragstone.progress import Tell
from ragstone.revise import Cutter, Making, Model
from ragstone.types import (
    Answer,
    Chunk,
    Document,
    Event,
    Extraction,
    Found,
    Info,
    Key,
    Piece,
    Run,
    Scope,
    Skipped,
    Span,
    Tenant,
)
from ragstone.where import Where, document_matches


@gated(VERBS)
class Engine:
    """One collection of one store, with everything that its questions need.

    `store`, `embedder` and `completion`, the language model, may be handed in (they are then closed by whoever made
    them); otherwise the settings name them. With a `credential`, or a key in the settings, the tenant is that one's and
    every verb looks at what it permits; see `ragstone.gate`. A key is looked at by `sign_in`, which `async with` does.
    """

    @checked()
    def __init__(
        self,
        settings: Settings | None = None,
        *,
        store: Store | None = None,
        embedder: Embedder | None = None,
        completion: Completion | None = None,
        credential: Credential | None = None,
    ) -> None:
        settings = settings or Settings()
        if wrong := outside(settings, SETTINGS):
            raise UsageError(wrong)
        self._all = settings
        self.settings = settings.of(settings.collection)
        Scope(settings.tenant, settings.collection)
        self.entrance = Entrance(settings, lambda: self.store.keys, credential=credential)
        self._own_store = store is None
        self._handed = None if embedder is None else cast(Embedder, Handed(embedder))
        self._made: Embedder | None = None
        self._aparts: WeakSet[sandbox.Apart] = WeakSet()
        self._single: sandbox.Apart | None = None
        self._closed = False
        self._also_made: list[tuple[EmbedSettings, Embedder]] = []
        self._handed_completion = completion
        self._completions: list[tuple[LlmSettings, Completion]] = []
        self._tables: dict[tuple[str, float], stores.OpenTables] = {}
        self._also_opened: dict[str, Store] = {}
        self._master = stores.Master.of(
            settings.encryption.key,
            settings.encryption.key_file,
            settings.encryption.previous,
            settings.encryption.previous_file,
        )
        self.store = store or stores.open_store(
            settings.store, keep_versions=self.settings.keep_versions, master=self._master
        )

    async def __aenter__(self) -> Self:
        try:
            await self.sign_in()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give back files, threads, processes and models that this engine opened."""
        self._closed = True
        for apart in list(self._aparts):
            apart.stop()
        if self._made is not None:
            await self._made.close()
        for _, embedder in self._also_made:
            await embedder.close()
        for _, completion in self._completions:
            await completion.close()
        for tables in self._tables.values():
            await tables.close()
        for store in self._also_opened.values():
            await store.close()
        if self._own_store:
            await self.store.close()

    # --- who asks -------------------------------------------------------------------------------

    async def sign_in(self) -> Credential | None:
        """Look at the key or token of the settings; None for who needs none.

        Raises `Unauthorized` for one that is not accepted, `Forbidden` for one of another tenant than the settings'.
        """
        return await self.entrance.sign_in()

    async def admit(self, permission: Permission, *, what: str) -> None:
        """Raises `Unauthorized` or `Forbidden` unless whoever asks has this permission: for verbs beside these."""
        await self.entrance.admit(permission, what=what)

    @property
    def scope(self) -> Scope:
        """Whose collection; with a key it is known once that was looked at."""
        return Scope(self.entrance.tenant, self.settings.collection)

    # --- parts ----------------------------------------------------------------------------------

    @cached_property
    def _embedder(self) -> Embedder | None:
        """The embedder that was handed in, or the settings'; None for keyword search alone."""
        name = self.settings.embed.model
        if self._handed is not None or name == "none":
            return self._handed
        self._made = models.embedder_of(self.settings.embed, self.settings)
        return self._made

    def _embedder_of(self, embed: EmbedSettings) -> tuple[Embedder | None, str | None]:
        """The embedder of other settings, or None and why there is none; one that was handed in serves all."""
        if self._handed is not None or embed.model == "none":
            return self._handed, None
        if embed == self.settings.embed:
            return self._desk.embedder, self._desk.model_missing
        made = next((embedder for own, embedder in self._also_made if own == embed), None)
        if made is not None:
            return made, None
        try:
            if (missing := models.missing_of(embed)) is None:
                made = models.embedder_of(embed, self._all)
                self._also_made.append((embed, made))
        except ConfigError as error:  # a vendor that a file of another program names: keywords still find
            missing = str(error)
        return made, missing

    def _completion_of(self, llm: LlmSettings) -> Completion | None:
        """The language model of some settings, made once; one that was handed in serves all."""
        if self._handed_completion is not None:
            return GatedCompletion(self._handed_completion)
        made = next((completion for own, completion in self._completions if own == llm), None)
        if made is None and (made := models.completion_of(llm, offline=self.settings.offline)) is not None:
            self._completions.append((llm, made))
        return made

    def _writing(self, strict: bool | None = None, *, llm: LlmSettings | None = None) -> Writing | None:
        """How the language model writes answers, the settings' or another one; None where they are quoted."""
        wanted = llm or self.settings.llm
        model = self._completion_of(wanted)
        return None if model is None else models.writing_of(model, wanted, self.settings.answer, strict=strict)

    def _store_of(self, url: str | None) -> Store:
        """The store at another URL, opened once."""
        if url is None:
            return self.store
        if url not in self._also_opened:
            self._also_opened[url] = stores.open_store(url, master=self._master if stores.encrypts(url) else None)
        return self._also_opened[url]

    @cached_property
    def _missing(self) -> str | None:
        """Why nothing can be embedded although a model is named."""
        if self._embedder is None or self._handed is not None:
            return None
        return models.missing_of(self.settings.embed)

    @cached_property
    def _cutter(self) -> Cutter:
        """Cuts for the embedder; without one for the built-in model: one named later finds fitting chunks."""
        wanted = self.settings.chunk
        tokenizer = self._embedder.tokenizer if self._embedder else providers.WordPiece()
        reads = self._embedder.reads if self._embedder else providers.MiniLM.reads
        return Cutter(wanted.name, tokenizer, reads, wanted.options)

    @property
    def _limits(self) -> extract.Limits:
        limits = self.settings.limits
        wall = 4 * limits.seconds  # a machine that has other work
        page = limits.seconds / 2  # of OCR: four times what most take
        bounds = extract.Bounds(limits.seconds, wall, limits.memory_bytes, pages=limits.ocr_pages, page_seconds=page)
        return extract.Limits(limits.text_bytes, limits.office_bytes, bounds)

    def _own(self) -> sandbox.Apart:
        """Processes to read in, which end with this engine at the latest and disturb no other one's."""
        if self._closed:  # nobody would end them
            raise UsageError("this engine is closed: open another one to go on")
        made = sandbox.own()
        self._aparts.add(made)
        return made

    @property
    def _apart(self) -> sandbox.Apart:
        """Those for single files and pages; a run has its own, so that what ends it ends nothing else."""
        if self._single is None or self._closed:
            self._single = self._own()
        return self._single

    @property
    def desk(self) -> Desk:
        """The parts that answer questions: what `ragstone.ask` works on. They ask nobody for a permission, so this is
        for who has them all."""
        for permission in Permission:
            self.entrance.admit_now(permission, what="desk")
        return self._desk

    @property
    def _desk(self) -> Desk:
        if self._embedder is None:
            return Desk(self.store, self.scope, None)
        return Desk(self.store, self.scope, None if self._missing else self._embedder, self._missing)

    # --- in -------------------------------------------------------------------------------------

    @checked()
    async def ingest(
        self,
        *paths: str | Path,
        name: str | None = None,
        ignore: Sequence[str] | str = (),
        refresh: bool = False,
        allow_removals: bool = False,
        recreate: bool = False,
        version_label: str | None = None,
        effective_at: str | None = None,
        tell: Tell = lambda _event: None,
    ) -> list[Run]:
        """Bring the collection in line with folders or files, or with the configured sources.

        One run a source. Raises `UsageError` for a path that does not exist, for a removal of too much
        without `allow_removals`, for a changed model without `recreate`.
        """
        _check_date(effective_at)
        roots = self._roots(paths, name, (ignore,) if isinstance(ignore, str) else ignore)
        await self._learnt()
        await self._pin(recreate=recreate)
        if recreate:
            await self._erase_for([source for source, _ in roots], allow_removals=allow_removals)
        intake = self._intake(
            refresh=refresh,
            allow_removals=allow_removals,
            version_label=version_label,
            effective_at=effective_at,
        )
        runs = []
        apart = self._own()
        for source, root in roots:
            here = replace(intake, root=None if name else root, place=root, apart=apart, named=_is_file(root))
            runs.append(await ingest.ingest(here, source, tell=tell))
        return runs

    async def _pin(self, *, recreate: bool = False) -> None:
        """Hold the tenant to one model. Left out: a collection that is configured to have its own, a tenant that nobody
        named."""
        if self.scope.tenant == Settings().tenant and self.scope.tenant not in self._all.tenants:
            return
        embedder = None if self._all.own_embed(self.scope.collection) is not None else self._embedder
        if embedder is not None and not self._missing:
            without = self.scope.collection if recreate else None
            await self.store.admin.pin(
                self.scope.tenant, model=embedder.model, dimension=embedder.dimension, without=without
            )

    async def _erase_for(self, roots: Sequence[Source], *, allow_removals: bool) -> None:
        """Erase the collection, but only when the sources have something to put in its place."""
        for source in roots:
            if not any(isinstance(entry, Listed) for entry in source.walk()):
                raise UsageError(f"source {source.name!r} has no document: nothing was erased")
        try:
            if not await self.store.admin.exists(self.scope):
                return
            others = {document.source for document in await self._known()} - {source.name for source in roots}
        except Corrupt:
            others = set()  # nothing of it can be read any more
        if others and not allow_removals:
            raise UsageError(
                f"--recreate would erase what came from other sources too ({', '.join(sorted(others))}); nothing was "
                "changed. Name all sources at once, or add --allow-removals"
            )
        await self._drop(self.scope.collection)

    @checked(source=part("a source", "walk", "read"))
    async def ingest_source(self, source: Source, *, tell: Tell = lambda _event: None) -> Run:
        """The same for a source object of your own."""
        await self._learnt()
        await self._pin()
        return await ingest.ingest(replace(self._intake(), apart=self._own()), source, tell=tell)

    async def _learnt(self) -> None:
        """Have a vendor's embedder tried before a run: what is wrong shows before anything is written."""
        if self._embedder is not None and self._handed is None and self._missing is None:
            await providers.learn(self._embedder)

    def _intake(
        self,
        *,
        refresh: bool = False,
        allow_removals: bool = False,
        version_label: str | None = None,
        effective_at: str | None = None,
    ) -> Intake:
        limits = self.settings.limits
        making = Making(
            self.scope,
            self._cutter,
            Model.of(self._embedder) if self._embedder else None,
            prefix=self.settings.embed.prefix,
            limits=self._limits,
            passwords=tuple(self.settings.passwords),
            chunks=limits.chunks,
            categories=self.settings.categories,
            version_label=version_label,
            effective_at=effective_at,
            artifacts=self._artifacts(self.scope.collection),
        )
        return Intake(
            self.store,
            making,
            self._embedder,
            refresh=refresh,
            allow_removals=allow_removals,
            removals=limits.removals,
            model_missing=self._missing,
        )

    def _artifacts(self, collection: str) -> str | None:
        """The absolute URI of the place where a collection's artifacts are kept; raises `ConfigError`."""
        uri = self._all.of(collection).artifacts
        return artifacts.open_place(uri).uri if uri else None

    def _roots(
        self, paths: Sequence[str | Path], name: str | None, ignore: Sequence[str]
    ) -> list[tuple[sources.Files, str]]:
        """The sources to walk, each with the place of its root."""
        if name and len(paths) > 1:
            raise UsageError("one source name was given for several folders: ingest them one by one")
        if "" in paths:
            raise UsageError("the path of a source is empty: name a folder or a file (`.` for this folder)")
        if paths:
            wanted = [SourceSettings(path=str(path), name=name, ignore=tuple(ignore)) for path in paths]
        else:
            wanted = [replace(source, ignore=(*source.ignore, *ignore)) for source in self.settings.sources]
        if not wanted:
            raise UsageError("nothing to ingest: name a folder or file, or list `sources` in ragstone.yaml")
        roots = [_root(source) for source in wanted]
        names = [source.name for source, _ in roots]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"two sources are called {twice!r}; give each a name of its own")
        return roots

    # --- out ------------------------------------------------------------------------------------

    def question(self, /, text: str, *, where: Where | None = None, **options: object) -> Question:
        """A question with the settings' defaults; `options` are fields of `Question`, None means default."""
        return ask.question_of(text, self.settings.search, where, options)

    async def search(self, /, text: str, *, where: Where | None = None, **options: object) -> Found:
        """The best passages for a text; see `question` for the options."""
        return await ask.search(self._desk, self.question(text, where=where, **options))

    async def ask(
        self,
        /,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: object,
    ) -> Answer:
        """An answer whose sentences are cited and checked, or an abstention with a reason.

        With a language model in the settings it writes, else sentences are quoted. `history` are the turns before, as
        `Message` or with `role` and `content`; `strict` shows only what the documents support.
        """
        question = self.question(text, where=where, **options)
        writing, turns = self._writing(strict), conversation.checked(history)
        return await reply.answer(self._desk, question, writing=writing, history=turns)

    def events(
        self,
        /,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: object,
    ) -> AsyncGenerator[Event]:
        """The same as it comes about; see `ragstone.reply.events`."""
        question = self.question(text, where=where, **options)
        writing, turns = self._writing(strict), conversation.checked(history)
        return reply.events(self._desk, question, writing=writing, history=turns)

    async def context(self, /, text: str, *, where: Where | None = None, **options: object) -> str:
        """Passages as XML, ready to stand in a prompt: escaped, secrets masked."""
        found = await ask.search(self._desk, self.question(text, where=where, **options))
        return answer.context_xml(found.hits, mask=guard.shown)

    def pipelines(self) -> list[PipelineInfo]:
        """What is configured under `pipelines`, in its order."""
        return [info_of(wanted, self._all.embed) for wanted in self._all.pipelines]

    @checked()
    def pipeline(self, name: str) -> Pipeline:
        """The pipeline of this name, with `search`, `ask`, `events` and `context`; nothing is connected yet.

        Raises `UsageError` that names those that there are.
        """
        settings = self._all
        wanted = next((one for one in settings.pipelines if one.name == name), None)
        if wanted is None:
            known = ", ".join(one.name for one in settings.pipelines) or "none is configured"
            raise UsageError(f"there is no pipeline {name!r}; there are: {known}")
        tables = None
        if wanted.database is not None:
            place = (wanted.database, wanted.timeout)
            if place not in self._tables:
                self._tables[place] = stores.open_tables(wanted.database, timeout=wanted.timeout)
            tables = self._tables[place]
        store = self._store_of(wanted.store)
        tenant = self.scope.tenant
        parts = parts_of(wanted, settings, tenant, store=store, tables=tables, embedders=self._embedder_of)
        writing = self._writing(llm=wanted.llm or settings.llm)
        return Pipeline(wanted, settings.search, parts, self.entrance, writing=writing)

    @checked()
    async def explain(
        self, /, text: str, *, path: str, source: str | None = None, where: Where | None = None, **options: object
    ) -> Explanation:
        """Why a document was or was not found: the stage where it was lost, ranks and signals of each leg."""
        return await explain(self._desk, self.question(text, where=where, **options), path=path, source=source)

    @checked()
    async def chunk(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk:
        """The active chunk at a place; raises `UsageError` when there is none."""
        async with self.store.reader(self.scope) as reader:
            found = await reader.at(path, ordinal, source=source)
        if found is None or not self._shows(found.document):
            known = [document.path for document in await self._shown(source)]
            lacking = f"no chunk {ordinal} of {path!r}" if ordinal and path in known else absent(path, known)
            raise UsageError(f"{lacking} (in collection {self.scope.collection!r})")
        return found

    @checked()
    async def get(self, identity: str) -> Chunk:
        """The active chunk with this id; raises `UsageError` when there is none."""
        async with self.store.reader(self.scope) as reader:
            found = await reader.chunks([identity])
        if not found or not self._shows(found[0].document):
            raise UsageError(f"no chunk has the id {identity!r} in collection {self.scope.collection!r}")
        return found[0]

    @checked()
    async def record(self, path: str, *, source: str | None = None) -> tuple[Document, str]:
        """A document and its text of record; raises `UsageError` when it is not there."""
        return await self._record(path, source)

    async def _record(self, path: str, source: str | None) -> tuple[Document, str]:
        async with self.store.reader(self.scope) as reader:
            first = await reader.at(path, 0, source=source)
            if first is not None and not self._shows(first.document):
                first = None
            text = await reader.record(first.document) if first else None
        if first is None:
            raise UsageError(absent(path, [document.path for document in await self._shown(source)]))
        if text is None:
            raise UsageError(f"the text of {path!r} was not kept")
        return first.document, text

    @checked()
    async def page(self, path: str, number: int, *, source: str | None = None, spans: Sequence[Span] = ()) -> bytes:
        """A page of a document (from 1) as a PNG, the boxes of `spans` marked on it; it is drawn from the file.

        Raises `UsageError` when the document has no pages, or when its file is gone or changed since it was
        ingested; `Refused` when there is no such page.
        """
        document, _ = await self._record(path, source)
        data = await originals.original(self.store.ledger(self.scope), document)
        passwords = self.settings.passwords
        draw = partial(originals.drawn, document, data, apart=self._apart, spans=spans, passwords=passwords)
        return await asyncio.to_thread(draw, page=number)

    # --- without a store ------------------------------------------------------------------------

    @checked()
    def extract(self, file: str | Path) -> Extraction:
        """What the extractor makes of a file; raises `Refused` with a reason."""
        source, root = _root(SourceSettings(path=str(file)))
        if not Path(root).is_file():
            kinds = ("is a folder", Path.is_dir), ("is no regular file", Path.exists), ("is not there", lambda _: True)
            what = next(words for words, holds in kinds if holds(Path(root)))
            raise UsageError(f"{file} {what}: name a file that exists")
        return self._extracted(source, Path(root).name, called=str(file))

    @checked()
    def extracted(self, path: str | Path, *, ignore: Sequence[str] = ()) -> Iterator[tuple[str, Extraction | Refused]]:
        """What the extractors make of a file, or of every file of a folder in order but those that `ignore` fits.

        A refusal is a value.
        """
        source, _ = _root(SourceSettings(path=str(path), ignore=tuple(ignore)))
        for entry in source.walk():
            try:
                if isinstance(entry, Skipped):
                    raise Refused(entry.reason, entry.message)
                yield entry.path, self._extracted(source, entry.path, called=entry.path)
            except Refused as refused:
                yield entry.path, refused

    def _extracted(self, source: Source, path: str, *, called: str) -> Extraction:
        limits, passwords = self._limits, self.settings.passwords
        data = source.read(path, max(limits.text, limits.office))
        return extract.extract(data, path=called, limits=limits, passwords=passwords, apart=self._apart)

    @checked()
    def preview(self, file: str | Path) -> list[Piece]:
        """How a file would be cut."""
        return self._cutter.chunker.cut(self.extract(file))

    # --- care -----------------------------------------------------------------------------------

    async def info(self) -> Info:
        """The state of the collection; raises `NotBuilt` when it was never made."""
        return await self._info()

    async def _info(self) -> Info:
        async with self.store.reader(self.scope) as reader:
            return await reader.info()

    @checked()
    async def documents(self, source: str | None = None) -> list[Document]:
        """The newest revision of each document that whoever asks may see."""
        return await self._shown(source)

    async def _known(self, source: str | None = None) -> list[Document]:
        return await self.store.ledger(self.scope).documents(source)

    async def _shown(self, source: str | None) -> list[Document]:
        return [document for document in await self._known(source) if self._shows(document)]

    def _shows(self, document: Document) -> bool:
        """Whether a document may be shown: a restricted one is as one that is not there to who may not read it."""
        return self.entrance.restricted or document_matches(Where(), document)

    @checked()
    async def delete(self, path: str, *, source: str | None = None) -> int:
        """Take documents with this path away; returns how many."""
        doomed = [document.id for document in await self._known(source) if document.path == path]
        async with self.store.writer(self.scope) as writer:
            await writer.remove(doomed)
            await writer.settle()
        await self._sweep(self.scope, await self._kept_at(self.scope))
        return len(doomed)

    @checked()
    async def runs(self, limit: int = 20) -> list[Run]:
        """The latest ingestion runs."""
        return await self.store.ledger(self.scope).runs(limit)

    async def collections(self) -> list[Info]:
        """The tenant's collections."""
        out = []
        for name in await self.store.admin.collections(self.scope.tenant):
            scope = Scope(self.scope.tenant, name)
            try:
                async with self.store.reader(scope) as reader:
                    out.append(await reader.info())
            except NotBuilt:
                continue  # erased meanwhile
            except NoKey:
                raise  # of the tenant, not of this collection
            except StoreError as error:
                out.append(Info.broken(scope, self.store.provider, str(error)))
        return out

    async def create(self) -> Info:
        """Make this collection, empty, for vectors of the configured model; nothing changes where it exists."""
        await self._learnt()
        await self._pin()
        making = self._intake().making
        model = making.model
        await self.store.admin.create(
            self.scope,
            model=model.name if model else None,
            variant=making.variant,
            dimension=model.dimension if model else None,
        )
        return await self._info()

    async def exists(self) -> bool:
        """Whether this collection was ever made."""
        return await self.store.admin.exists(self.scope)

    @checked()
    async def drop(self, collection: str) -> bool:
        """Erase a collection of the tenant, then its artifacts; False when there was neither.

        Raises `StoreError` when the collection is erased and artifacts are left, because their place cannot be reached.
        """
        return await self._drop(collection)

    async def _drop(self, collection: str) -> bool:
        scope = Scope(self.scope.tenant, collection)
        where = await self._kept_at(scope)
        await artifacts.unclaim(self.store, scope, where)
        erased = await self.store.admin.drop(scope)
        return bool(await self._sweep(scope, where)) or erased

    async def tenants(self) -> list[Tenant]:
        """The tenants of the store; PostgreSQL shows the own one alone to who is under its row-level security."""
        found = await self.store.admin.tenants(self.scope.tenant)
        return [tenant for tenant in found if self.entrance.credential is None or tenant.name == self.scope.tenant]

    @checked()
    async def erase_tenant(self, name: str) -> bool:
        """Erase a tenant: its collections with their artifacts, its record and its keys; False when there was none.

        Raises `Busy` while a source of it is being ingested, and `StoreError` when all else is done and artifacts are
        left, because their place cannot be reached. What is killed half-way is finished by another call.
        """
        self._check_own(name)
        keys = self._keys_kept()
        if keys is not None:
            await keys.of(name)  # who may not look at them may not erase them: said before anything is gone
        names = await self.store.admin.collections(name)
        places = {Scope(name, each): await self._kept_at(Scope(name, each)) for each in names}
        left: list[StoreError] = []
        for scope, where in places.items():
            try:
                await artifacts.unclaim(self.store, scope, where)
                await self.store.admin.drop(scope)
                await self._sweep(scope, where)
            except NoKey:
                continue  # nobody can read them any more
            except Busy:
                raise
            except StoreError as error:
                left.append(error)
        # Whatever else a store keeps of a tenant is erased here: its record and keys of encryption, then its API keys.
        erased = await self.store.admin.erase(name)
        if keys is not None:
            erased = bool(await keys.erase(name)) or erased
        if left:
            raise left[0]
        return erased

    def _keys_kept(self) -> Keys | None:
        try:
            return self.store.keys
        except UsageError:  # this kind of store keeps none
            return None

    def _check_own(self, tenant: str) -> None:
        credential = self.entrance.credential
        if credential is not None and tenant != credential.tenant:
            raise Forbidden(f"tenant {tenant!r} was named; this {credential.kind} is of another one")

    @checked()
    async def rotate(self, tenant: str | None = None, *, rekey: bool = False) -> list[str]:
        """Wrap the keys of all encrypted tenants, or of one, with the configured master key; returns whose.

        With `rekey` each gets a new key, and all that it holds is encrypted anew. Raises `NoKey` when neither the
        configured key nor the previous one opens them.
        """
        if tenant is not None:
            self._check_own(tenant)
        sealing, chosen = self._sealing(), []
        for one in await self.tenants():
            if one.encrypted and tenant in (None, one.name):
                if rekey:
                    await sealing.rekey(one.name, fresh=True)
                await sealing.rotate(one.name)
                chosen.append(one.name)
        if tenant is not None and not chosen:
            raise UsageError(f"there is no encrypted tenant {tenant!r} in {stores.concealed(self.settings.store)}")
        return chosen

    async def encrypt(self) -> int:
        """Encrypt what of the tenant's collections is not; how many were. Raises `UsageError` without a master key."""
        return await self._sealing().rekey(self.scope.tenant, fresh=False)

    def _sealing(self) -> Sealing:
        if not isinstance(self.store, Sealing):
            shown = stores.concealed(self.settings.store)
            raise UsageError(f"store {shown!r} keeps nothing encrypted: that is done by embedded stores alone")
        if self._master is None and self._own_store:
            raise UsageError("encryption.key is not set: name the master key that is to wrap the keys of tenants")
        return self.store

    async def _kept_at(self, scope: Scope) -> artifacts.Known:
        return await artifacts.known(self.store, scope, configured=self._artifacts(scope.collection))

    async def _sweep(self, scope: Scope, where: artifacts.Known) -> int:
        removed, failed = await artifacts.sweep(self.store, scope, where)
        if failed:
            raise StoreError(f"what was asked is done, but not all artifacts are removed: {failed[0]}")
        return removed

    @checked()
    async def copy(
        self, to: str, *, collections: Sequence[str] = (), tell: Tell = lambda _event: None
    ) -> list[transfer.Copied]:
        """Copy collections of the tenant (all unless named) to the store at another URL, as they are: revisions, texts,
        layouts, chunks, vectors, runs. Then both sides are read and compared; see `Copied.differing`.

        The same call goes on where an earlier one stopped. Raises `UsageError`, before anything is written there, for a
        collection that the target holds with other contents.
        """
        if to == self.settings.store:
            raise UsageError(f"{stores.concealed(to)} is where these collections are: name another store to copy to")
        source = self.store
        target = stores.open_store(to, keep_versions=transfer.ALL_VERSIONS)
        try:
            if self._own_store:
                source = stores.open_store(self.settings.store, keep_versions=transfer.ALL_VERSIONS)
            scopes = await self._to_copy(source, collections)
            way = transfer.Way(source, target, stores.concealed(self.settings.store))
            return [await transfer.copied(way, scope, tell=_named(scope, tell)) for scope in scopes]
        finally:
            await target.close()
            if source is not self.store:
                await source.close()

    async def _to_copy(self, source: Store, collections: Sequence[str]) -> list[Scope]:
        tenant, here = self.scope.tenant, stores.concealed(self.settings.store)
        names = await source.admin.collections(tenant)
        known = [name for name in names if await source.admin.exists(Scope(tenant, name))]  # some are only begun
        if missing := next((name for name in collections if name not in known), None):
            raise UsageError(f"{here} has no collection {missing!r} of tenant {tenant!r}; it has: {_listed(known)}")
        if not known:
            raise UsageError(f"{here} has no collection of tenant {tenant!r}: there is nothing to copy")
        return [Scope(tenant, name) for name in dict.fromkeys(collections or known)]

    @checked()
    async def reembed(self, *, tell: Tell = lambda _event: None) -> Run:
        """Fill in vectors of this engine's model beside those that the collection has; nothing else changes yet.

        The same call goes on where an earlier one stopped. Raises `UsageError` when the collection has this model, or
        another one beside its own.
        """
        if self._embedder is None:
            raise UsageError("re-embedding needs a model: name it in `embed`")
        if self._missing:
            raise UsageError(self._missing)
        await self._learnt()
        return await reembed.renewed(reembed.Renewal(self.store, self._intake().making, self._embedder), tell=tell)

    async def models(self) -> list[HeldModel]:
        """The models whose vectors the collection holds: the active one, then the one beside it."""
        return await reembed.able(self.store).models(self.scope)

    async def switch_model(self) -> list[HeldModel]:
        """Make the model beside the active one: at once, for all questions to come; the other one is kept.

        Raises `UsageError` while a chunk lacks a vector of it.
        """
        await reembed.able(self.store).switch(self.scope)
        with contextlib.suppress(UsageError):  # other collections of the tenant are still to be switched
            await self._pin(recreate=True)
        return await self.models()

    async def drop_model(self) -> None:
        """Give up the model beside the active one, with its vectors."""
        await reembed.able(self.store).forget(self.scope)

    @checked()
    async def doctor(self, *, repair: bool = False) -> list[str]:
        """What is wrong with the models and the store, a sentence each with what mends it."""
        problems = await self._model_problems()
        try:
            problems += await self.store.admin.check(self.scope, repair=repair)
        except RagstoneError as error:
            problems.append(str(error))
        return problems + await self._artifact_problems(repair=repair)

    async def _model_problems(self) -> list[str]:
        """What keeps embedder and language model from working; a vendor's are asked, for one vector and for a list."""
        problems = []
        for look in (self._embedder_problems, self._completion_problems):
            try:
                problems += await look()
            except ConfigError as error:
                problems.append(str(error))
        return problems

    async def _embedder_problems(self) -> list[str]:
        name = self.settings.embed.model
        if name in providers.EMBEDDERS or self._embedder is None:
            return [] if name == "none" else providers.health(name)
        return [self._missing] if self._missing else await providers.check(self._embedder)

    async def _completion_problems(self) -> list[str]:
        model = self._completion_of(self.settings.llm)
        return [] if model is None else await model.check()

    async def _artifact_problems(self, *, repair: bool) -> list[str]:
        try:
            where = await self._kept_at(self.scope)
            if repair:
                await artifacts.sweep(self.store, self.scope, where)
            return await artifacts.examine(self.store, self.scope, where)
        except RagstoneError as error:
            return [str(error)]

    # --- keys -----------------------------------------------------------------------------------

    @checked(expires=OR_NONE)
    async def create_key(
        self, name: str, *, roles: Sequence[str] | str = "read", expires: str | None = None
    ) -> MadeKey:
        """A new API key of the tenant: its `text` is shown here and never again.

        `expires` is a span (`90d`, `12h`, `4w`), a date or a moment; None is never. Raises `UsageError` for a name,
        role or end that is none, and where the store keeps no keys.
        """
        named = (roles,) if isinstance(roles, str) else tuple(roles)
        now = self.entrance.now()
        made = issued(self.scope.tenant, name, named, expires=ending(expires, now=now), now=now)
        await self.store.keys.add(made.key)
        return made

    async def keys(self) -> list[Key]:
        """The tenant's keys, without their secrets, the ended ones too."""
        return await self.store.keys.of(self.scope.tenant)

    @checked()
    async def revoke_key(self, identity: str) -> None:
        """End a key for good, by its id or the whole key; raises `UsageError` when the tenant has none such."""
        found = identified(identity)
        if found is None or not await self.store.keys.revoke(self.scope.tenant, found, at=self.entrance.now()):
            raise UsageError(f"tenant {self.scope.tenant!r} has no key with this id; list them: ragstone keys list")


def _check_date(effective_at: str | None) -> None:
    """Before anything is read or written; a document's own date is that document's matter."""
    try:
        if effective_at is not None:
            datetime.fromisoformat(effective_at)
    except (ValueError, TypeError) as error:
        raise UsageError(f"effective_at {effective_at!r} is not a date; write it as 2026-01-31") from error


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _named(scope: Scope, tell: Tell) -> Tell:
    """Events that say of which collection they are."""
    return lambda event: tell(replace(event, data={**event.data, "collection": scope.collection}))


def _is_file(place: str) -> bool:
    return Path(place).is_file()


def _root(wanted: SourceSettings) -> tuple[sources.Files, str]:
    """A configured source and the place of its root; it is called after its folder unless named."""
    try:
        root = Path(wanted.path).expanduser().resolve()
    except (RuntimeError, ValueError) as error:  # a loop of links, an unknown user's home, a null character
        raise UsageError(f"{wanted.path!r} leads to no place: {error}") from error
    rules = sources.Rules(ignore=wanted.ignore, deny=wanted.deny, hidden=wanted.hidden)
    return sources.Files(wanted.name or root.name or "root", wanted.path, rules=rules), str(root)
