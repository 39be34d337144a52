"""`ragstone jobs`: the ingestion jobs that a server queued."""

from typing import Annotated, cast

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_message, print_text
from ragstone.core.errors import UsageError

app = typer.Typer(help="List, retry and drop the ingestion jobs of a server.", no_args_is_help=True)
STATUSES = ("queued", "running", "done", "dead", "superseded")


@app.command(name="list")
@add_shared_options
def list_(
    options: SharedOptions,
    status: Annotated[list[str] | None, typer.Option(help="State: queued, running, done, dead, superseded.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of jobs.")] = 100,
) -> int:
    """List the jobs, the latest first."""
    from dataclasses import asdict

    from ragstone.cli.knowledge import open_knowledge
    from ragstone.core.ports import JobStatus

    if unknown := [one for one in status or () if one not in STATUSES]:
        raise UsageError(f"unknown status {unknown[0]!r:.80}: expected one of {', '.join(STATUSES)}")
    with open_knowledge(options, embed__model="none") as kb:
        found = kb.jobs(statuses=cast("list[JobStatus]", status or []), limit=limit)
    if options.json:
        print_json({"schema": 1, "jobs": [asdict(job) for job in found]})
        return 0
    for job in found:
        what = job.path or "configured sources"
        failure = f"  {job.code}: {job.message}" if job.message else ""
        print_text(f"{job.id}  {job.status:<10} {job.tries}  {job.collection}: {what}{failure}")
    return 0


@app.command()
@add_shared_options
def retry(options: SharedOptions, jobs: Annotated[list[str], typer.Argument(help="Ids of dead jobs.")]) -> int:
    """Queue dead jobs again."""
    return _change_jobs(options, jobs, drop=False)


@app.command()
@add_shared_options
def drop(options: SharedOptions, jobs: Annotated[list[str], typer.Argument(help="Ids of jobs.")]) -> int:
    """Take jobs that do not run out of the record."""
    return _change_jobs(options, jobs, drop=True)


def _change_jobs(options: SharedOptions, jobs: list[str], *, drop: bool) -> int:
    """Retry or drop one job after the other; the first that is unknown ends it."""
    from ragstone.cli.knowledge import open_knowledge

    with open_knowledge(options, embed__model="none") as kb:
        change = kb.drop_job if drop else kb.retry_job
        for identity in jobs:
            change(identity)
    if options.json:
        print_json({"schema": 1, "jobs": jobs})
    else:
        print_message(f"{'dropped' if drop else 'queued again'}: {', '.join(jobs)}")
    return 0
