"""Methods that list, repeat and drop the ingestion jobs of servers."""

import time
from collections.abc import Sequence

from ragstone.access import Permission
from ragstone.core.errors import UsageError
from ragstone.core.ports import Job, JobQueue, JobStatus, QueueingStore
from ragstone.engine.permission_checks import verb
from ragstone.engine.verbs.base import VerbGroup

NO_QUEUE = "this store keeps no queue of jobs: use embedded:PATH or postgresql://…, or wait for each upload"


class JobVerbs(VerbGroup):
    """The verbs for the jobs that servers queued for the tenant."""

    @verb(Permission.WRITE)
    async def jobs(self, *, statuses: Sequence[JobStatus] = (), limit: int = 100) -> list[Job]:
        """The tenant's jobs, the latest first; all, or those of some states such as `dead`."""
        return await self._queue.list_jobs(self.scope.tenant, statuses=statuses, limit=limit)

    @verb(Permission.WRITE)
    async def find_job(self, identity: str) -> Job | None:
        """A job of the tenant; None for an unknown one."""
        return await self._queue.find(self.scope.tenant, identity)

    @verb(Permission.WRITE)
    async def retry_job(self, identity: str) -> None:
        """Queue a dead job again; raises `UsageError` for one that is not dead or unknown."""
        if not await self._queue.retry(self.scope.tenant, identity, now=time.time()):
            raise UsageError(f"unknown dead job {identity!r:.80}; list them: ragstone jobs list --status dead")

    @verb(Permission.WRITE)
    async def drop_job(self, identity: str) -> None:
        """Take a job out of the queue or out of the record; raises `UsageError` for one that is running or unknown."""
        if not await self._queue.drop(self.scope.tenant, identity):
            raise UsageError(f"no job {identity!r:.80} that could be dropped: it is running or unknown")

    @property
    def _queue(self) -> JobQueue:
        if not isinstance(self.store, QueueingStore):
            raise UsageError(NO_QUEUE)
        return self.store.jobs
