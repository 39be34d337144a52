"""The copy of one collection: planned, written in batches, read again and compared.

The source is one view from beginning to end. The target takes each revision whole and in order, its vectors by their
keys. Equal revisions are not written again: so the same call continues an interrupted copy and updates an old one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from sys import maxsize

from ragstone.core.errors import StoreError
from ragstone.core.ports import IdentifiedStore, ReembeddingStore, SealingStore, Store, Writer
from ragstone.core.records import Run
from ragstone.core.types import Revision, Scope
from ragstone.engine.transfer.checksums import Sums, with_known_edition
from ragstone.engine.transfer.pages import View, batch_revisions, open_view, revision_key
from ragstone.engine.transfer.plan import RUNS_COPIED, SOURCE, Changes, Plan, plan_copy
from ragstone.engine.transfer.verify import Verdict, read_vectors, require_complete, verify_copy
from ragstone.ingestion.progress import EventCallback, Progress, Tally
from ragstone.ingestion.sparse_vectors import read_sparse_state

ALL_VERSIONS = maxsize  # what both stores are opened with, so that neither gives up a revision meanwhile
REMOVED_AT_ONCE = 500  # documents at once


@dataclass(frozen=True, slots=True)
class CopyRoute:
    """From where to where. Both stores are opened with `ALL_VERSIONS`; `label` names the source in the target's
    runs."""

    source: Store
    target: Store
    label: str


@dataclass(frozen=True, slots=True)
class CopyResult:
    """The result for one collection: revisions written and already present, changed documents, and the counts of both
    sides.

    `differing` counts the revisions that are not the same, `first` says a sentence of the first of them.
    """

    scope: Scope
    written: int
    found: int
    runs: int
    seconds: float
    documents: Changes
    source: Sums
    target: Sums
    differing: int = 0
    first: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def copy_collection(
    way: CopyRoute, scope: Scope, *, tell: EventCallback = lambda _event: None, removals: float = 1.0
) -> CopyResult:
    """Copy a collection, or bring its copy up to date, then compare both sides; `tell` gets `copy_collection` and
    `verify_copy` events with done and total.

    Raises `UsageError` when the target holds something else, or would lose a larger share of its documents than
    `removals`; `Busy` when another copy is under way there.
    """
    async with open_view(way.source, scope) as view:
        plan = await plan_copy(view, (way.source, way.target), scope, removals)
        model, variant, dimension = view.info.model, view.info.variant, view.info.dimension
        await _pin_model(way, scope)
        await way.target.admin.create(scope, model=model, variant=variant, dimension=dimension)
        config = {"from": way.label, "model": model}
        ledger, tally = way.target.ledger(scope), Tally()
        progress = Progress(ledger, SOURCE, config=config, tally=tally, tell=tell)
        async with progress.record_run():
            if await _read_generation(way, scope) not in (plan.generation, None):  # another copy ended just now
                plan = await plan_copy(view, (way.source, way.target), scope, removals)
            copying = _CopyRun(way, scope, view, plan, progress, tally)
            await copying.copy_revisions()
            runs = await _copy_runs(way, scope, leave_artifacts=await _is_sealed(way, scope))
            verdict = await copying.verify()
        ended = await _finish_run(progress, verdict)
    there = len(plan.there)
    sides, notes = (verdict.source, verdict.target), await copying.collect_notes(verdict)
    seconds, what = ended.stats["seconds"], plan.changes
    return CopyResult(
        scope, plan.total - there, there, runs, seconds, what, *sides, verdict.differing, verdict.first, notes
    )


async def _pin_model(way: CopyRoute, scope: Scope) -> None:
    """The tenant is held to the model that it is held to in the source; raises `UsageError` where it is to another."""
    held = next((one for one in await way.source.admin.tenants(scope.tenant) if one.name == scope.tenant), None)
    if held is not None and held.model is not None and held.dimension is not None:
        await way.target.admin.pin(scope.tenant, model=held.model, dimension=held.dimension)


async def _read_generation(way: CopyRoute, scope: Scope) -> int | None:
    async with way.target.reader(scope) as reader:
        info = await reader.info()
    return info.generation if info.documents else None


async def _finish_run(progress: Progress, verdict: Verdict) -> Run:
    if verdict.differing:
        return await progress.fail(StoreError(f"{verdict.differing} revisions differ: {verdict.first[0]}"))
    return await progress.end("succeeded")


@dataclass(frozen=True, slots=True)
class _CopyRun:
    """One collection on its way."""

    way: CopyRoute
    scope: Scope
    view: View
    plan: Plan
    progress: Progress
    tally: Tally

    @property
    def dense(self) -> bool:
        return "dense" in self.way.target.capabilities

    async def copy_revisions(self) -> None:
        """Write what is not there, and take away what is no more."""
        self.progress.begin_stage("copied")
        done = 0
        async with self.way.target.writer(self.scope) as writer:
            async for batch in batch_revisions(self.view, self.plan.anew):
                found = await self.view.exporter.revisions([one.document for one in batch])
                revisions = [_forget_other_edition(one) for one in require_complete(found, batch)]
                fresh = [one for one in revisions if revision_key(one.document) not in self.plan.there]
                await writer.renew([one for one in fresh if one.document.id in self.plan.anew])
                await writer.replace([one for one in fresh if one.document.id not in self.plan.anew])
                self.tally.count_written(fresh)
                old = [one for one in revisions if revision_key(one.document) in self.plan.there]
                await self._put_vectors(writer, fresh, old)
                done += len(batch)
                await self.progress.report_stage("copied", done=done, total=self.plan.total)
            for start in range(0, len(self.plan.gone), REMOVED_AT_ONCE):
                await writer.remove(self.plan.gone[start : start + REMOVED_AT_ONCE])
            self.tally.removed += len(self.plan.gone)
            await writer.settle()

    async def _put_vectors(self, writer: Writer, fresh: Sequence[Revision], old: Sequence[Revision]) -> None:
        """The vectors of a batch; of what stood there already only those that are missing, where a copy was stopped
        between a text and its vectors."""
        if not self.dense or self.view.info.dimension is None:
            return
        wanted = await read_vectors(self.view, fresh)
        if old:
            async with open_view(self.way.target, self.scope) as there:
                wanted |= await read_vectors(self.view, old, without=await read_vectors(there, old))
        if wanted:
            await writer.put(wanted)

    async def verify(self) -> Verdict:
        """Read both sides again."""
        self.progress.begin_stage("verified")

        async def report_verified(done: int) -> None:
            await self.progress.report_stage("verified", done=done, total=self.plan.total)

        async with open_view(self.way.target, self.scope) as there:
            return await verify_copy(self.view, there, dense=self.dense, told=report_verified)

    async def collect_notes(self, verdict: Verdict) -> tuple[str, ...]:
        """Notes for the caller beside the verdict."""
        notes = []
        mine, theirs = verdict.source.checksums["vectors"], verdict.target.checksums["vectors"]
        if not self.dense and (left := verdict.source.counts["vectors"]):
            notes.append(f"{left} vectors were left behind: a store of kind {self.way.target.provider!r} keeps none")
        elif not verdict.differing and mine != theirs:
            notes.append("the target normalised the vectors again: they differ in the last digit")
        if pending := self.view.info.pending_vectors:
            notes.append(f"{pending} chunks have no vector in the source either; run: ragstone ingest")
        if isinstance(self.way.source, ReembeddingStore) and len(held := await self.way.source.models(self.scope)) > 1:
            notes.append(f"the vectors of the second model {held[1].model} were not copied")
        if (sparse := await read_sparse_state(self.way.source, self.scope)) is not None:
            notes.append(
                f"the sparse vectors of {sparse.model} were not copied; set sparse.index and run: ragstone ingest"
            )
        if self.view.info.written is not None:
            said = "the vectors of summaries and questions were not copied"
            notes.append(f"{said}; set chunk.enrich_vectors and run: ragstone ingest")
        async with self.way.source.reader(self.scope) as now:
            if (await now.info()).generation != self.view.info.generation:
                notes.append("the source changed meanwhile; the copy holds its state at the start")
        return tuple(notes)


def _forget_other_edition(revision: Revision) -> Revision:
    """Terms are derived when they are written: those of a copy are of the present edition, its flags perhaps not."""
    document = with_known_edition(revision.document)
    if document is revision.document:
        return revision
    return replace(
        revision, document=document, chunks=tuple(replace(chunk, document=document) for chunk in revision.chunks)
    )


async def _is_sealed(way: CopyRoute, scope: Scope) -> bool:
    """Whether the tenant is encrypted on either side: then neither reads the artifacts of the other."""
    sealing = [store for store in (way.source, way.target) if isinstance(store, SealingStore)]
    return any([await store.sealer(scope.tenant) is not None for store in sealing])


async def _copy_runs(way: CopyRoute, scope: Scope, *, leave_artifacts: bool) -> int:
    """The runs, oldest first: they say where sources stand and whose artifacts are. After all documents, so that a part
    of a copy lays claim to nothing."""
    ledger = way.target.ledger(scope)
    known = {run.id: run for run in await ledger.runs(RUNS_COPIED)}
    ended = [run for run in await way.source.ledger(scope).runs(RUNS_COPIED) if run.status != "running"]
    if leave_artifacts:
        ended = [replace(run, config={**run.config, "artifacts": None}) for run in ended]
    for run in reversed(ended):
        if not _is_same_run(known.get(run.id), run):
            await ledger.update(run)
    return len(ended)


def _is_same_run(one: Run | None, other: Run) -> bool:
    return one is not None and (one.status, one.finished_at) == (other.status, other.finished_at)


async def is_same_store(one: Store, other: Store) -> bool:
    """Whether both are the same store; False for a store that cannot say what it is."""
    if not (isinstance(one, IdentifiedStore) and isinstance(other, IdentifiedStore)):
        return False
    identity = await one.identity()
    return identity is not None and identity == await other.identity()
