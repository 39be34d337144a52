"""The queue of jobs over any database that runs its statements."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from ragstone.core.ports.jobs import Job, JobStatus
from ragstone.stores import job_statements
from ragstone.stores.job_statements import Work

T = TypeVar("T")


class SqlJobQueue(ABC):
    """Keeps jobs in a table; implements `JobQueue` but for the transaction, which a database has of its own."""

    _lock = ""

    @abstractmethod
    async def _run(self, work: Callable[[float], Work[T]], *, make: bool = False) -> T:
        """Run statements in one transaction, again where a connection is lost; `make`: make the table if missing.

        `work` is given the seconds that the clock which all workers share is ahead of the caller's.
        """

    async def add(self, job: Job, *, most: int) -> list[str]:
        return await self._run(lambda ahead: job_statements.add_job(_shift(job, ahead), most=most), make=True)

    async def take(self, *, now: float, lease: float, tries: int) -> Job | None:
        return await self._run(
            lambda ahead: job_statements.take_job(now=now + ahead, lease=lease + ahead, tries=tries, lock=self._lock)
        )

    async def renew(self, taken: Job, *, lease: float) -> bool:
        return await self._run(lambda ahead: job_statements.renew_job(taken, lease=lease + ahead))

    async def finish(self, taken: Job, ended: Job) -> Job:
        return await self._run(lambda ahead: job_statements.finish_job(taken, _shift_end(taken, ended, ahead)))

    async def supersede(self, tenant: str, collection: str, path: str, *, now: float) -> list[str]:
        return await self._run(lambda ahead: job_statements.supersede_jobs(tenant, collection, path, now=now + ahead))

    async def find(self, tenant: str, identity: str) -> Job | None:
        return await self._run(lambda _: job_statements.find_job(tenant, identity))

    async def list_jobs(self, tenant: str, *, statuses: Sequence[JobStatus] = (), limit: int = 100) -> list[Job]:
        return await self._run(lambda _: job_statements.list_jobs(tenant, statuses=statuses, limit=limit))

    async def retry(self, tenant: str, identity: str, *, now: float) -> bool:
        return await self._run(lambda ahead: job_statements.retry_job(tenant, identity, now=now + ahead))

    async def drop(self, tenant: str, identity: str) -> bool:
        return await self._run(lambda _: job_statements.drop_job(tenant, identity))

    async def erase(self, tenant: str, collection: str | None = None) -> list[str]:
        return await self._run(lambda _: job_statements.erase_jobs(tenant, collection))

    async def prune(self, *, before: float) -> list[str]:
        return await self._run(lambda ahead: job_statements.prune_jobs(before=before + ahead))

    async def list_ids(self) -> list[str]:
        return await self._run(lambda _: job_statements.list_ids())

    async def count(self) -> dict[str, int]:
        return await self._run(lambda _: job_statements.count_jobs())


def _shift(job: Job, ahead: float) -> Job:
    """A job by a clock that is ahead of the one that its times were read from."""
    finished = None if job.finished is None else job.finished + ahead
    return replace(job, created=job.created + ahead, due=job.due + ahead, finished=finished)


def _shift_end(taken: Job, ended: Job, ahead: float) -> Job:
    """The end of a job, whose other times are the queue's own already."""
    shifted = _shift(ended, ahead)
    return replace(shifted, created=taken.created, due=taken.due if ended.due == taken.due else shifted.due)
