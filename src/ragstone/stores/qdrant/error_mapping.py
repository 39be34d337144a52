"""Errors of Qdrant and its client as Ragstone's: one table by gRPC status."""

import re
from collections.abc import Mapping

import grpc
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse

from ragstone.core.errors import RagstoneError, StoreError, UsageError
from ragstone.stores import error_meanings
from ragstone.stores.error_meanings import NO_DISK_SPACE, UNEXPECTED, Meaning

SILENT = (StoreError, "{place} does not answer ({error}); is the server running? (what was committed is safe)")
SLOW = (StoreError, "{place} took too long ({error}); run again, or write a larger timeout= in its URL")
DENIED = (UsageError, "{place}: the API key is missing, wrong or may not do this ({error}); write it as ?api_key=")
GONE = (StoreError, "{place} lacks what was written there ({error}); run: ragstone doctor --repair")

STATUS_MEANINGS: Mapping[grpc.StatusCode, Meaning] = {
    grpc.StatusCode.UNAVAILABLE: SILENT,
    grpc.StatusCode.DEADLINE_EXCEEDED: SLOW,
    grpc.StatusCode.RESOURCE_EXHAUSTED: SLOW,
    grpc.StatusCode.UNAUTHENTICATED: DENIED,
    grpc.StatusCode.PERMISSION_DENIED: DENIED,
    grpc.StatusCode.NOT_FOUND: GONE,
}
# Every call is idempotent, so whatever may pass is tried again.
TRANSIENT = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
)
NO_ROOM = re.compile("no space left|disk (is )?full|out of disk|available disk space", re.IGNORECASE)
UNKNOWN_HOST = re.compile("DNS resolution failed|errors resolving|lookup failed", re.IGNORECASE)  # by release of grpc
MAX_MESSAGE = 300  # characters of what is said
# The client's local mode raises these; so does the client for what it cannot put into a message.
FOREIGN = (grpc.RpcError, QdrantException, ValueError, TypeError, KeyError, RuntimeError, OSError)


def status_of(error: BaseException) -> grpc.StatusCode | None:
    """The status of a failed call, None for what is none."""
    if isinstance(error, ResourceExhaustedResponse):
        return grpc.StatusCode.RESOURCE_EXHAUSTED
    return error.code() if isinstance(error, grpc.aio.AioRpcError) else None


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed when tried again."""
    return status_of(error) in TRANSIENT


def is_unreached(error: BaseException) -> bool:
    """Whether nobody answered."""
    return status_of(error) is grpc.StatusCode.UNAVAILABLE


def is_unknown_host(error: BaseException | None) -> bool:
    """Whether a call failed because its host has no address."""
    return isinstance(error, grpc.aio.AioRpcError) and UNKNOWN_HOST.search(error.details() or "") is not None


def translate_error(error: BaseException, place: str) -> RagstoneError:
    """Our error for a foreign one."""
    said = _error_text(error)
    status = status_of(error)
    kind, words = (
        NO_DISK_SPACE
        if NO_ROOM.search(said)
        else UNEXPECTED
        if status is None
        else STATUS_MEANINGS.get(status, UNEXPECTED)
    )
    return kind(words.format(place=place, error=said))


def _error_text(error: BaseException) -> str:
    said = (error.details() or "") if isinstance(error, grpc.aio.AioRpcError) else str(error)
    return error_meanings.first_error_line(said)[:MAX_MESSAGE] or type(error).__name__
