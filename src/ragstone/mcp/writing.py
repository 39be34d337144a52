"""`add_documents` and `delete_documents`: texts of an agent, in a source of their own, on a server that takes them."""

from ragstone.access import Permission
from ragstone.core.errors import NotBuilt, UsageError
from ragstone.core.types import Document, Json
from ragstone.engine import Engine
from ragstone.mcp.addresses import format_address, parse_address
from ragstone.mcp.arguments import AddArguments, DeleteArguments
from ragstone.mcp.desk import Desk, is_visible
from ragstone.mcp.errors import TakesNoTexts
from ragstone.mcp.masking import mask_json
from ragstone.mcp.operating import describe_run

# The one source that an agent writes: an order in a document that it obeys replaces and deletes nothing of the user's.
SOURCE = "agent"
REFUSED = "this server takes no documents from agents"
MOST_CHARACTERS = 1_000_000  # of all texts of a call


async def add_documents(desk: Desk, asked: AddArguments) -> Json:
    """Add or replace documents of the agent's source, by path."""
    engine = await _open_for_writing(desk, asked.collection)
    size = sum(map(len, asked.texts.values()))
    if size > MOST_CHARACTERS:
        raise UsageError(f"texts have {size:,} characters: add at most {MOST_CHARACTERS:,} in one call")
    given = {path: {"text": text, "meta": asked.meta} if asked.meta else text for path, text in asked.texts.items()}
    run = await engine.ingest_texts(given, name=SOURCE)
    added = [one for path in given for one in await engine.documents(SOURCE, within=path) if one.path == path]
    named = [format_address(engine.scope.collection, one) for one in added]
    return {**mask_json({"collection": engine.scope.collection, "ids": named}), "run": describe_run(run)}


async def delete_documents(desk: Desk, asked: DeleteArguments) -> Json:
    """Delete documents of the agent's source, by their ids."""
    engine = await _open_for_writing(desk, asked.collection)
    found = [await _find_own(engine, identity) for identity in dict.fromkeys(asked.ids)]
    removed = [await engine.delete(document) for document in found]
    return {**mask_json({"collection": engine.scope.collection}), "removed": sum(removed)}


async def _open_for_writing(desk: Desk, collection: str | None) -> Engine:
    if not desk.allow_adding or desk.caller.key is None:
        raise TakesNoTexts(REFUSED if desk.caller.key else f"{REFUSED} without a key")
    engine = await desk.open(collection)
    await engine.admit(Permission.WRITE, what="adding documents")
    return engine


async def _find_own(engine: Engine, identity: str) -> Document:
    """The document of the agent's source at an address or a path."""
    address = parse_address(identity)
    path = identity if address is None else address.path
    here = address is None or (address.collection, address.source) == (engine.scope.collection, SOURCE)
    try:
        known = await engine.documents(SOURCE, within=path) if here else []
    except NotBuilt:
        known = []
    found = next((one for one in known if one.path == path and is_visible(engine, one)), None)
    if found is None:
        raise UsageError(f"{identity!r:.300} was not added by add_documents; nothing was deleted")
    return found
