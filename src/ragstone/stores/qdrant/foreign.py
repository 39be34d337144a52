"""What Qdrant and its client say, in our words: one table by gRPC status."""

import re
from collections.abc import Mapping

import grpc
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse

from ragstone.core.errors import RagstoneError, StoreError, UsageError
from ragstone.stores import meanings
from ragstone.stores.meanings import FULL, ODD, Meaning

SILENT = (StoreError, "{place} does not answer ({error}); is the server running? (what was committed is safe)")
SLOW = (StoreError, "{place} took too long ({error}); run again, or write a larger timeout= in its URL")
DENIED = (UsageError, "{place}: the API key is missing, wrong or may not do this ({error}); write it as ?api_key=")
GONE = (StoreError, "{place} lacks what was written there ({error}); run: ragstone doctor --repair")

STATUS: Mapping[grpc.StatusCode, Meaning] = {
    grpc.StatusCode.UNAVAILABLE: SILENT,
    grpc.StatusCode.DEADLINE_EXCEEDED: SLOW,
    grpc.StatusCode.RESOURCE_EXHAUSTED: SLOW,
    grpc.StatusCode.UNAUTHENTICATED: DENIED,
    grpc.StatusCode.PERMISSION_DENIED: DENIED,
    grpc.StatusCode.NOT_FOUND: GONE,
}
# Every call is idempotent, so whatever may pass is tried again.
PASSING = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
)
NO_ROOM = re.compile("no space left|disk (is )?full|out of disk|available disk space", re.IGNORECASE)
LONGEST = 300  # characters of what is said
# The client's local mode raises these; so does the client for what it cannot put into a message.
FOREIGN = (grpc.RpcError, QdrantException, ValueError, TypeError, KeyError, RuntimeError, OSError)


def status_of(error: BaseException) -> grpc.StatusCode | None:
    """The status of a failed call, None for what is none."""
    if isinstance(error, ResourceExhaustedResponse):
        return grpc.StatusCode.RESOURCE_EXHAUSTED
    return error.code() if isinstance(error, grpc.aio.AioRpcError) else None


def passes(error: BaseException) -> bool:
    """Whether the same call may succeed when tried again."""
    return status_of(error) in PASSING


def translated(error: BaseException, place: str) -> RagstoneError:
    """Our error for a foreign one."""
    said = _said(error)
    status = status_of(error)
    kind, words = FULL if NO_ROOM.search(said) else ODD if status is None else STATUS.get(status, ODD)
    return kind(words.format(place=place, error=said))


def _said(error: BaseException) -> str:
    said = (error.details() or "") if isinstance(error, grpc.aio.AioRpcError) else str(error)
    return meanings.first_line(said)[:LONGEST] or type(error).__name__
