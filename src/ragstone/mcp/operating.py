"""`list_collections`, `status` and `ingest`."""

from dataclasses import replace
from pathlib import Path

from ragstone.access import Permission
from ragstone.config.settings import Settings, SourceSettings
from ragstone.core.answers import Event
from ragstone.core.errors import NotBuilt, UsageError
from ragstone.core.records import Info, Run
from ragstone.core.types import Json
from ragstone.core.version import __version__
from ragstone.engine import Engine
from ragstone.mcp.arguments import IngestArguments, ListArguments, PlainArguments
from ragstone.mcp.desk import Desk
from ragstone.mcp.masking import mask_json
from ragstone.mcp.pages import make_cursor, read_cursor, take_page

SHOWN = 20  # skipped files and warnings of a run
LENGTH = 300  # characters of each


async def list_collections(desk: Desk, asked: ListArguments) -> Json:
    """The collections of the caller's tenant."""
    engine = await desk.open()
    every = sorted(await engine.collections(), key=lambda info: info.scope.collection)
    about = ("list_collections", engine.scope.tenant)
    page, after = take_page([_describe_info(info) for info in every], read_cursor(asked.cursor, *about))
    usual = mask_json({"usual": engine.scope.collection})
    return {"collections": page, **usual, **({} if after is None else {"next_cursor": make_cursor(after, *about)})}


async def status(desk: Desk, asked: PlainArguments) -> Json:
    """The state of a collection, and what the caller may do; a collection that does not exist is `missing`."""
    engine = await desk.open(asked.collection)
    try:
        state = _describe_info(await engine.info())
    except NotBuilt:
        state = mask_json({"name": engine.scope.collection, "state": "missing"})
    writer = engine.settings.llm.model
    return {
        **state,
        "answers": "quoted from the documents" if writer == "none" else f"written by {writer}",
        "may_ingest": await desk.may_write(),
        "version": __version__,
    }


def _describe_info(info: Info) -> Json:
    described: Json = mask_json(
        {
            "name": info.scope.collection,
            "state": info.state,
            "documents": info.documents,
            "passages": info.chunks,
            "passages_without_vector": info.pending_vectors,
            "embedding_model": info.model,
            "built_at": info.built_at,
            "warnings": list(info.warnings),
        }
    )
    return described


async def ingest(desk: Desk, asked: IngestArguments) -> Json:
    """Bring configured sources up to date: all, or the one that holds a path."""
    engine = await desk.open(asked.collection)
    await engine.admit(Permission.WRITE, what="ingest")  # before anything is said of the sources
    sources = _choose_sources(engine.settings.sources, asked.path)

    def tell(event: Event) -> None:
        desk.report(f"{event.name}: {event.data['done']} of {event.data['total']}")

    runs = await _select_engine(desk, engine, sources).ingest(tell=tell)
    told, after = take_page([describe_run(run) for run in runs], 0)
    left_out = {} if after is None else {"left_out": f"{len(runs) - after} more runs"}
    return {**mask_json({"collection": engine.scope.collection}), "runs": told, **left_out}


def _choose_sources(configured: tuple[SourceSettings, ...], path: str | None) -> tuple[SourceSettings, ...]:
    """The configured sources, or the first that holds a path; what is outside of all is not looked at."""
    if not configured:
        raise UsageError("this collection has no configured source; ask the user to list `sources` in ragstone.yaml")
    if path is None:
        return configured
    try:
        wanted = Path(path).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        wanted = Path("/")
    for source in configured:
        root = Path(source.path).expanduser().resolve()
        if wanted == root or root in wanted.parents:
            return (source,)
    named = ", ".join(source.name or Path(source.path).name for source in configured)
    raise UsageError(f"{path!r:.300} is not inside a configured source; the sources are: {named}")


def _select_engine(desk: Desk, engine: Engine, sources: tuple[SourceSettings, ...]) -> Engine:
    """The engine with these sources alone, over the same stores and models."""
    own = engine.settings
    if sources == own.sources:
        return engine
    chosen: Settings = replace(own, sources=sources, collections={}, tenants={})
    return Engine(chosen, shared=desk.pool.shared)


def describe_run(run: Run) -> Json:
    """A run as a model is told of it."""
    stats = run.stats
    skipped = [{"path": one["path"], "message": one["message"][:LENGTH]} for one in stats["skipped"][:SHOWN]]
    described: Json = mask_json(
        {
            "source": run.source,
            "status": run.status,
            "documents": dict(stats["documents"]),
            "passages_written": stats["written"],
            "seconds": stats["seconds"],
            "skipped": skipped,
            "warnings": [warning[:LENGTH] for warning in stats["warnings"][:SHOWN]],
        }
    )
    return described
