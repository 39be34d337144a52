"""Records of a store: runs, the state of a collection, tenants, API keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ragstone.core.errors import RagstoneError
from ragstone.core.types import Scope

KEPT_RUNS = 100  # of each source: with more, those of a busy one would hide the others from who lists the last
PASSED_OVER = "passed_over"  # the reason of a file that is no document, such as an icon: counted, never listed
# Reasons of files that a source leaves out by a rule: they are counted in one line and listed in `ignored`.
IGNORED = "ignored"  # by an option, an ignore file, or as what programs made
HIDDEN = "hidden"  # its name begins with a dot
NO_DOCUMENT = "binary"  # of no document format
LEFT_OUT = frozenset((IGNORED, HIDDEN, NO_DOCUMENT))


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that a run left out."""

    path: str
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One ingestion of one source: running, then succeeded, failed or interrupted."""

    id: str
    source: str
    status: Literal["running", "succeeded", "failed", "interrupted"]
    started_at: str
    finished_at: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    stats: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenState:
    """The model whose vectors of summaries and questions a collection keeps; `pending` active chunks were not looked at
    yet."""

    model: str
    variant: str | None
    dimension: int
    pending: int = 0


@dataclass(frozen=True, slots=True)
class Info:
    """The state of one collection. `recipes` and `editions` are those of its active documents. `unchecked`: another
    program wrote it, so that nobody has looked for secrets and flags, and there are no texts of record. `written`:
    vectors of summaries and questions, None where it keeps none."""

    scope: Scope
    provider: str
    version: int
    state: Literal["healthy", "degraded", "empty", "broken"]
    documents: int
    chunks: int
    pending_vectors: int
    dimension: int | None
    model: str | None
    variant: str | None
    recipes: tuple[str, ...]
    built_at: str | None
    generation: int
    warnings: tuple[str, ...] = ()
    bytes: int = 0
    editions: tuple[str, ...] = ()
    unchecked: bool = False
    written: WrittenState | None = None

    @property
    def keeps_written(self) -> bool:
        """Whether it keeps vectors of summaries and questions that are of the same model as those of its chunks."""
        own = self.written
        return own is not None and (own.model, own.variant, own.dimension) == (self.model, self.variant, self.dimension)

    @property
    def chunkings(self) -> frozenset[str]:
        """The ways in which its documents are chunked: one, but between the refreshes of two sources."""
        return frozenset(recipe.rpartition("+")[2] for recipe in self.recipes)

    @classmethod
    def from_failure(cls, scope: Scope, provider: str, why: str) -> "Info":
        """The state of a collection that cannot be opened."""
        return cls(scope, provider, 0, "broken", 0, 0, 0, None, None, None, (), None, 0, (why,))


@dataclass(frozen=True, slots=True)
class Tenant:
    """A tenant of a store: the model that its vectors are pinned to, and, where it is encrypted by us, the checks of
    the master keys that its keys are wrapped by. Fields that a missing key hides are None; `problem` is a sentence
    about the tenant as a whole with the remedy, such as a lost key or an unfinished erasure."""

    name: str
    collections: int
    encrypted: bool = False
    model: str | None = None
    dimension: int | None = None
    wrapped_by: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class RotationResult:
    """The result of rotating the keys of one tenant; `problem` is why they are as they were, None when they are not."""

    tenant: str
    problem: RagstoneError | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """An API key as a store keeps it: all but its secret. `digest` is the SHA-256 of that, 32 bytes; times are in UTC;
    `id` is public and the first part of the key."""

    id: str
    tenant: str
    name: str
    roles: tuple[str, ...]
    created: datetime
    digest: bytes = field(repr=False)
    expires: datetime | None = None
    revoked: datetime | None = None
