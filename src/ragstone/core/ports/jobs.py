"""The protocol of a store that keeps a queue of ingestion jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

JobStatus = Literal["queued", "running", "done", "dead", "superseded"]


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work of a server: one uploaded document (`path`), or an ingestion of the configured sources (None).

    Times are in seconds since 1970. `due` is when it may be tried, `lease` until when the worker that has it is taken
    to live. `code` and `message` tell of the last failure. `superseded`: a newer job, or a request, took its place.
    """

    id: str
    tenant: str
    collection: str
    path: str | None
    created: float
    status: JobStatus = "queued"
    tries: int = 0
    due: float = 0.0
    lease: float = 0.0
    finished: float | None = None
    code: str | None = None
    message: str | None = None


class JobQueue(Protocol):
    """The jobs of all tenants of a store; each call is one transaction, durable when it returns."""

    async def add(self, job: Job, *, most: int) -> list[str]:
        """Queue a job; those that wait for the same path give way, by id. Raises `QueueFull` when `most` jobs wait,
        unless the tenant has less than its share of them."""
        ...

    async def take(self, *, now: float, lease: float, tries: int) -> Job | None:
        """The next job that is due, now running until `lease`: of the tenant that was served longest ago, its oldest.

        Two jobs for one path never run at once. A job whose worker died is due again, or dead after `tries`.
        """
        ...

    async def renew(self, taken: Job, *, lease: float) -> bool:
        """Go on holding a job as it was taken; False when it is another worker's, or not running any more."""
        ...

    async def finish(self, taken: Job, ended: Job) -> Job:
        """Record how a job ended (done, dead, or queued again), unless another worker has it by now.

        Gives it as it was recorded: where a newer job for its path waits, it is superseded rather than tried again.
        """
        ...

    async def supersede(self, tenant: str, collection: str, path: str, *, now: float) -> list[str]:
        """Take waiting and dead jobs for a path away; gives their ids."""
        ...

    async def find(self, tenant: str, identity: str) -> Job | None: ...

    async def list_jobs(self, tenant: str, *, statuses: Sequence[JobStatus] = (), limit: int = 100) -> list[Job]:
        """The latest first; all, or those of some states."""
        ...

    async def retry(self, tenant: str, identity: str, *, now: float) -> bool:
        """Queue a dead job again, from its first try; False when there is no such dead job."""
        ...

    async def drop(self, tenant: str, identity: str) -> bool:
        """Take a job out of the record; False when it is running or unknown."""
        ...

    async def erase(self, tenant: str, collection: str | None = None) -> list[str]:
        """Take all jobs of a tenant, or of one of its collections, out of the record; gives their ids."""
        ...

    async def prune(self, *, before: float) -> list[str]:
        """Take jobs out of the record that were done or superseded before a time; gives their ids."""
        ...

    async def list_ids(self) -> list[str]:
        """The ids of all jobs in the record."""
        ...

    async def count(self) -> dict[str, int]:
        """How many jobs there are, by status."""
        ...


@runtime_checkable
class QueueingStore(Protocol):
    """A store that keeps a queue of jobs."""

    @property
    def jobs(self) -> JobQueue:
        """Raises `UsageError` for a store that keeps none after all."""
        ...
