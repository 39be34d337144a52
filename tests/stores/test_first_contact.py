"""A server that was never there is not waited for as one that restarts."""

import asyncio
from collections.abc import Callable

import pytest

from tests.commands import Run

MOST = 1.0  # seconds of pauses before the first try has failed for good


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause between two tries."""
    seen: list[float] = []
    sleep: Callable[..., object] = asyncio.sleep

    async def pause(seconds: float, *given: object) -> object:
        seen.append(seconds)
        return await sleep(seconds, *given)  # type: ignore[misc]

    monkeypatch.setattr(asyncio, "sleep", pause)
    return seen


POSTGRES, QDRANT = "postgresql://u@127.0.0.1:1/db", "qdrant://127.0.0.1:1"  # nothing listens there


@pytest.mark.parametrize(
    ("url", "command"),
    [
        (POSTGRES, ("ingest", "docs")),
        (POSTGRES, ("doctor",)),
        (POSTGRES, ("search", "x")),
        (QDRANT, ("ingest", "docs")),
    ],
)
def test_a_server_that_is_not_there_is_named_after_a_second(
    run: Run, docs: object, pauses: list[float], url: str, command: tuple[str, ...]
) -> None:
    done = run(*command, "--store", url)
    assert done.status in (1, 2)
    assert f"{url} does not answer" in done.out + done.err
    assert sum(pauses) <= MOST
