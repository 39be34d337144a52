"""The queue of jobs in SQL that SQLite and PostgreSQL share: an operation yields statements and is sent their rows."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ragstone.core.errors import QueueFull
from ragstone.core.ports.jobs import Job, JobStatus

T = TypeVar("T")
Row = tuple[Any, ...]
Statement = tuple[str, Sequence[Any]]
Work = Generator[Statement, list[Row], T]  # a transaction

COLUMNS = (
    "job_id, tenant_id, collection, path, created, status, tries, due, lease, finished, code, message"  # as `Job` has
)
RETRY_AFTER = 5  # seconds; how long a place takes to become free depends on the documents
DIED = "the server that worked on it died"


def add_job(job: Job, *, most: int) -> Work[list[str]]:
    """Queue a job and give the ids of those that gave way to it; see `JobQueue.add`."""
    gone: list[Row] = []
    if job.path is not None:
        gone = yield _supersede(job.tenant, job.collection, job.path, now=job.created)
    waiting = yield "SELECT tenant_id, count(*) FROM jobs WHERE status IN ('queued', 'running') GROUP BY tenant_id", ()
    counts: dict[str, int] = dict(waiting)
    own = counts.get(job.tenant, 0)
    share = most // len({*counts, job.tenant})
    if sum(counts.values()) >= most and own >= share:
        raise QueueFull(RETRY_AFTER)
    values = (job.id, job.tenant, job.collection, job.path, job.created, job.status, job.due)
    yield (
        "INSERT INTO jobs (job_id, tenant_id, collection, path, created, status, due) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (job_id) DO NOTHING",
        values,
    )
    return _read_ids(gone)


def take_job(*, now: float, lease: float, tries: int, lock: str) -> Work[Job | None]:
    """Take the next job that is due, see `JobQueue.take`; `lock` passes over rows of other transactions."""
    yield (
        "UPDATE jobs SET status = 'dead', code = 'died', message = %s, finished = %s "
        "WHERE status = 'running' AND lease < %s AND tries >= %s",
        (DIED, now, now, tries),
    )
    yield (
        """UPDATE jobs SET status = 'superseded', finished = %s WHERE status = 'running' AND lease < %s
        AND EXISTS (SELECT 1 FROM jobs n WHERE n.tenant_id = jobs.tenant_id AND n.collection = jobs.collection
            AND n.path = jobs.path AND n.number > jobs.number AND n.status <> 'superseded')""",
        (now, now),
    )
    found = yield (
        f"""SELECT j.job_id FROM jobs j
        WHERE ((j.status = 'queued' AND j.due <= %s) OR (j.status = 'running' AND j.lease < %s))
        AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.tenant_id = j.tenant_id AND o.collection = j.collection
            AND o.path = j.path AND o.status = 'running' AND o.lease >= %s AND o.job_id <> j.job_id)
        ORDER BY (SELECT coalesce(max(t.taken), 0) FROM jobs t WHERE t.tenant_id = j.tenant_id), j.number
        LIMIT 1 {lock}""",  # noqa: S608  # our own words
        (now, now, now),
    )
    if not found:
        return None
    rows = yield (
        f"""UPDATE jobs SET status = 'running', tries = tries + 1, lease = %s, taken = %s WHERE job_id = %s
        RETURNING {COLUMNS}""",  # noqa: S608  # our own words
        (lease, now, found[0][0]),
    )
    return Job(*rows[0])


def renew_job(taken: Job, *, lease: float) -> Work[bool]:
    """Hold a job for longer; the number of tries tells one holder from the next."""
    sql = "UPDATE jobs SET lease = %s WHERE job_id = %s AND status = 'running' AND tries = %s RETURNING job_id"
    return bool((yield sql, (lease, taken.id, taken.tries)))


def finish_job(taken: Job, ended: Job) -> Work[Job]:
    """Record how a job ended, unless another worker has it; see `JobQueue.finish`."""
    if ended.status in ("queued", "dead") and ended.path is not None:
        newer = yield (
            "SELECT 1 FROM jobs WHERE tenant_id = %s AND collection = %s AND path = %s AND status <> 'superseded' "
            "AND number > (SELECT number FROM jobs WHERE job_id = %s) LIMIT 1",
            (ended.tenant, ended.collection, ended.path, ended.id),
        )
        if newer:
            ended = replace(ended, status="superseded", finished=ended.finished or ended.due)
    values = (ended.status, ended.tries, ended.due, ended.finished, ended.code, ended.message)
    yield (
        "UPDATE jobs SET status = %s, tries = %s, due = %s, finished = %s, code = %s, message = %s, lease = 0 "
        "WHERE job_id = %s AND status = 'running' AND tries = %s",
        (*values, taken.id, taken.tries),
    )
    return ended


def supersede_jobs(tenant: str, collection: str, path: str, *, now: float) -> Work[list[str]]:
    """Take waiting and dead jobs for a path away; see `JobQueue.supersede`."""
    return _read_ids((yield _supersede(tenant, collection, path, now=now)))


def find_job(tenant: str, identity: str) -> Work[Job | None]:
    """Find a job of a tenant; see `JobQueue.find`."""
    rows = yield f"SELECT {COLUMNS} FROM jobs WHERE tenant_id = %s AND job_id = %s", (tenant, identity)  # noqa: S608
    return Job(*rows[0]) if rows else None


def list_jobs(tenant: str, *, statuses: Sequence[JobStatus], limit: int) -> Work[list[Job]]:
    """List a tenant's jobs, the latest first; see `JobQueue.list_jobs`."""
    marks = ", ".join(["%s"] * len(statuses))
    wanted = f"AND status IN ({marks})" if statuses else ""
    sql = f"SELECT {COLUMNS} FROM jobs WHERE tenant_id = %s {wanted} ORDER BY number DESC LIMIT %s"  # noqa: S608
    return [Job(*row) for row in (yield sql, (tenant, *statuses, limit))]


def retry_job(tenant: str, identity: str, *, now: float) -> Work[bool]:
    """Queue a dead job again; see `JobQueue.retry`."""
    sql = (
        "UPDATE jobs SET status = 'queued', tries = 0, due = %s, finished = NULL "
        "WHERE tenant_id = %s AND job_id = %s AND status = 'dead' RETURNING job_id"
    )
    return bool((yield sql, (now, tenant, identity)))


def drop_job(tenant: str, identity: str) -> Work[bool]:
    """Remove a job that does not run; see `JobQueue.drop`."""
    sql = "DELETE FROM jobs WHERE tenant_id = %s AND job_id = %s AND status <> 'running' RETURNING job_id"
    return bool((yield sql, (tenant, identity)))


def erase_jobs(tenant: str, collection: str | None) -> Work[list[str]]:
    """Remove the jobs of a tenant or collection; see `JobQueue.erase`."""
    wanted = ("AND collection = %s", (tenant, collection)) if collection is not None else ("", (tenant,))
    return _read_ids((yield f"DELETE FROM jobs WHERE tenant_id = %s {wanted[0]} RETURNING job_id", wanted[1]))  # noqa: S608


def prune_jobs(*, before: float) -> Work[list[str]]:
    """Remove jobs that ended before a time; see `JobQueue.prune`."""
    sql = "DELETE FROM jobs WHERE status IN ('done', 'superseded') AND finished < %s RETURNING job_id"
    return _read_ids((yield sql, (before,)))


def list_ids() -> Work[list[str]]:
    """List the ids of all jobs; see `JobQueue.list_ids`."""
    return _read_ids((yield "SELECT job_id FROM jobs ORDER BY number", ()))


def count_jobs() -> Work[dict[str, int]]:
    """Count the jobs by status; see `JobQueue.count`."""
    return dict((yield "SELECT status, count(*) FROM jobs GROUP BY status ORDER BY status", ()))


def _supersede(tenant: str, collection: str, path: str, *, now: float) -> Statement:
    sql = (
        "UPDATE jobs SET status = 'superseded', finished = %s WHERE tenant_id = %s AND collection = %s AND path = %s "
        "AND status IN ('queued', 'dead') RETURNING job_id"
    )
    return sql, (now, tenant, collection, path)


def _read_ids(rows: list[Row]) -> list[str]:
    return [identity for (identity,) in rows]
