"""Methods that create, list, check and erase collections."""

from ragstone import guard
from ragstone.access import Permission
from ragstone.answering.generative.prompt import load_template
from ragstone.core.errors import ConfigError, NoKey, NotBuilt, RagstoneError, StoreError, UsageError
from ragstone.core.ids import is_document_id
from ragstone.core.ports import RecallingSource
from ragstone.core.records import Info, Run
from ragstone.core.types import Document, Scope
from ragstone.engine.abstention_check import find_unjudged_searches
from ragstone.engine.arguments import DOCUMENT
from ragstone.engine.artifact_cleanup import drop_collection, forget_stale_searches, places_of, sweep_artifacts
from ragstone.engine.missing_collection import describe_missing
from ragstone.engine.open_stores import find_read_only
from ragstone.engine.permission_checks import verb
from ragstone.engine.run_setup import build_run_context, find_sparse_refusal, find_written_refusal, pin_own_model
from ragstone.engine.source_roots import closing_sources, resolve_source
from ragstone.engine.verbs.base import VerbGroup
from ragstone.engine.visible_documents import add_chunking_warning, list_newest, read_info
from ragstone.stores.collection_errors import (
    missing_sparse_warnings,
    missing_vector_warnings,
    missing_written_warnings,
    mixed_chunking_warnings,
)


class CollectionVerbs(VerbGroup):
    """The verbs for collections as a whole."""

    @verb(Permission.WRITE, path=DOCUMENT)
    async def delete(self, path: str | Document | None = None, *, source: str | None = None) -> int:
        """Remove a document, or all with this path or id, or with `source` alone all of that source; returns how many.

        An ingestion of a source brings back the documents whose files are still there.
        """
        if path is None and source is None:
            raise UsageError("nothing was removed: name a path, a document or a source")
        if isinstance(path, Document):
            source, path = path.source, path.path
        if path is not None and source is None and is_document_id(path):
            found = await list_newest(self._components, identity=path)
        else:
            found = [
                one for one in await list_newest(self._components, source, within=path) if path in (None, one.path)
            ]
        doomed = [document.id for document in found]
        async with self.store.writer(self.scope) as writer:
            await writer.remove(doomed)
            await writer.settle()
        await forget_stale_searches(self._components)
        where = await places_of(self._components, self.scope)
        await sweep_artifacts(self._components, self.scope, where, documents=doomed)
        return len(doomed)

    @verb(Permission.WRITE)  # what it says of files and errors is for who ingests
    async def runs(self, limit: int = 20) -> list[Run]:
        """The latest ingestion runs."""
        return await self.store.ledger(self.scope).runs(limit)

    @verb(Permission.SEARCH)
    async def collections(self) -> list[Info]:
        """The tenant's collections."""
        out = []
        for name in await self.store.admin.collections(self.scope.tenant):
            scope = Scope(self.scope.tenant, name)
            try:
                async with self.store.reader(scope) as reader:
                    out.append(add_chunking_warning(await reader.info()))
            except NotBuilt:
                continue  # erased meanwhile
            except NoKey:
                raise  # of the tenant, not of this collection
            except StoreError as error:
                out.append(Info.from_failure(scope, self.store.provider, str(error)))
        return out

    @verb(Permission.WRITE)
    async def create(self) -> Info:
        """Make this collection, empty, for vectors of the configured model; nothing changes where it exists."""
        await self._components.embedders.learn()
        await pin_own_model(self._components)
        context = build_run_context(self._components)
        if await self.store.admin.exists(self.scope):
            context = context.for_vectors_of(await read_info(self._components))
        builder = context.builder
        model = builder.model
        await self.store.admin.create(
            self.scope,
            model=model.name if model else None,
            variant=builder.variant,
            dimension=model.dimension if model else None,
        )
        return await read_info(self._components)

    @verb(Permission.SEARCH)
    async def exists(self) -> bool:
        """Whether this collection was ever made."""
        return await self.store.admin.exists(self.scope)

    @verb(Permission.WRITE)
    async def drop(self, collection: str) -> bool:
        """Erase a collection of the tenant, then its artifacts; False when there was neither.

        Raises `StoreError` when the collection is erased and artifacts are left, because their place cannot be reached.
        """
        return await drop_collection(self._components, collection)

    @verb(Permission.WRITE)
    async def doctor(self, *, repair: bool = False) -> list[str]:
        """The problems of models and store, one sentence each with its remedy.

        Raises `NoKey` when the tenant is encrypted and its key, or the configured master key, is missing or wrong.
        """
        problems = await self._find_model_problems()
        try:
            if (why := await find_read_only(self.store)) is not None:
                problems.append(why)
            problems += await self.store.admin.check(self.scope, repair=repair)
            problems += await self._find_outdated(repair=repair)
        except NoKey:
            raise
        except NotBuilt as error:
            problems.append(str(await describe_missing(self, error)))
        except RagstoneError as error:
            problems.append(str(error))
        return problems + await self._find_artifact_problems(repair=repair) + await self._find_tenant_problems()

    @verb(Permission.WRITE)
    async def check_settings(self) -> list[str]:
        """The settings that would stop an ingestion or an answer, one sentence each: sources, models, store, prompt,
        calibration. Reads no document."""
        problems = self._find_source_problems() + await self._find_model_problems()
        for check in (self._check_chunking, self._check_answers):
            try:
                check()
            except RagstoneError as error:
                problems.append(str(error))
        problems += find_unjudged_searches(self.settings, has_reranker=self._components.rerankers.is_handed_in)
        try:
            await self.store.admin.exists(self.scope)
        except RagstoneError as error:
            problems.append(str(error))
        return problems

    def _check_chunking(self) -> None:
        build_run_context(self._components)  # the chunker and its options

    def _check_answers(self) -> None:
        load_template(self.settings.answer.prompt)
        _ = self._components.policy  # made here, from the file of a calibration

    def _find_source_problems(self) -> list[str]:
        problems = []
        for wanted in self.settings.of(self.scope.collection).sources:
            try:
                source, _ = resolve_source(wanted, offline=self.settings.offline, limits=self.settings.limits)
                with closing_sources([source]):
                    if not isinstance(source, RecallingSource):  # a site is not crawled for this
                        next(source.walk(), None)
            except RagstoneError as error:
                problems.append(str(error))
        return problems

    async def _find_outdated(self, *, repair: bool) -> list[str]:
        """The sources whose documents have terms or flags of another edition, after a repair those that are left; and
        chunks that wait for their vectors."""
        if not await self.store.admin.exists(self.scope):
            return []
        from ragstone.ingestion.outdated_editions import describe_outdated, renew_sources

        failed = await renew_sources(self.store, self.scope) if repair else []
        info = await read_info(self._components)
        outdated = any(edition != guard.current_edition() for edition in info.editions)
        old = describe_outdated(await list_newest(self._components)) if outdated else []
        waits = self.settings.embed.model != "none"  # else nobody will embed them
        missing = missing_vector_warnings(info.pending_vectors) if waits else ()
        mixed = mixed_chunking_warnings(info.chunkings)
        return [*failed, *old, *mixed, *missing, *await self._find_missing_sparse(info), *self._find_unwritten(info)]

    async def _find_missing_sparse(self, info: Info) -> list[str]:
        """The chunks that wait for their sparse vectors, or that the store keeps none, as a sentence."""
        from ragstone.ingestion.sparse_vectors import read_sparse_state

        if self.settings.sparse.index and (refusal := find_sparse_refusal(self.store)):
            return [refusal]
        state, wanted = await read_sparse_state(self.store, self.scope), self.settings.sparse
        if state is None and wanted.index and info.chunks:
            return [f"no chunk has a sparse vector of {wanted.model} yet; run: ragstone ingest"]
        return missing_sparse_warnings(state.pending) if state is not None else []

    def _find_unwritten(self, info: Info) -> list[str]:
        """The summaries and questions that wait for their vectors, or that the store keeps none, as a sentence."""
        wanted = self.settings.chunk.enrich_vectors
        if wanted and (refusal := find_written_refusal(self.store)):
            return [refusal]
        return missing_written_warnings(info, wanted=wanted)

    async def _find_tenant_problems(self) -> list[str]:
        """What is wrong with whole tenants; with a credential, with the own one alone."""
        try:
            found = await self.store.admin.tenants(self.scope.tenant)
        except RagstoneError as error:
            return [str(error)]
        every = self.authenticator.credential is None
        return [one.problem for one in found if one.problem and (every or one.name == self.scope.tenant)]

    async def _find_model_problems(self) -> list[str]:
        """What keeps embedder, language models, reranker and sparse model from working; vendors are asked for a
        vector, a list, a score."""
        problems, own = [], self._components
        parts = (own.embedders, own.completions, own.rerankers, own.sparse_encoders)
        for look in (part.find_problems for part in parts):
            try:
                problems += await look()
            except ConfigError as error:
                problems.append(str(error))
        return problems

    async def _find_artifact_problems(self, *, repair: bool) -> list[str]:
        from ragstone.ingestion import artifacts

        try:
            where = await places_of(self._components, self.scope)
            if repair:
                await artifacts.remove_strays(self.store, self.scope, where)
                await artifacts.renew_seals(self.store, self.scope, where)
            return await artifacts.find_problems(self.store, self.scope, where)
        except RagstoneError as error:
            return [str(error)]
