"""No door tells a tenant anything of another one: rows, names, counts, or that something exists.

`RAGSTONE_TEST_REQUESTS` is the number of odd requests [default: 400; a tenth over PostgreSQL].
"""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragstone.config.settings import Settings
from tests.server.odd_requests import (
    Request,
    Tenant,
    ask_all,
    compare_times,
    fill,
    open_doors,
    server_settings,
)
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import ADMIN, Server

__all__ = ["server"]

REQUESTS = int(os.environ.get("RAGSTONE_TEST_REQUESTS", "400"))
PAIRS = 150
ALIKE = 0.25  # of the time of an answer; opening a foreign collection would take several times as long


@dataclass(frozen=True)
class Ground:
    """A filled store, and its tenants."""

    settings: Settings
    tenants: list[Tenant]


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    folder = tmp_path_factory.mktemp("tenants")
    settings = Settings(store=f"embedded:{folder / 'store'}")
    return Ground(server_settings(settings), asyncio.run(fill(settings, folder)))


@pytest.fixture
def postgres(server: Server, tmp_path: Path) -> Iterator[Ground]:
    with server.database() as name:
        settings = Settings(store=server.url(name, pool="4"))
        tenants = asyncio.run(fill(settings, tmp_path, server.url(name, ADMIN, pool="2")))
        yield Ground(server_settings(settings), tenants)


async def test_odd_requests_learn_nothing_of_other_tenants(embedded: Ground) -> None:
    async with open_doors(embedded.settings) as doors:
        assert await ask_all(doors, embedded.tenants, REQUESTS) == []
    await check_holdings(embedded)


async def test_odd_requests_learn_nothing_of_other_tenants_over_postgresql(postgres: Ground) -> None:
    async with open_doors(postgres.settings) as doors:
        assert await ask_all(doors, postgres.tenants, max(REQUESTS // 10, 1)) == []
    await check_holdings(postgres)


async def check_holdings(ground: Ground) -> None:
    """What each tenant had it still has, and each lists its own collections alone."""
    async with open_doors(ground.settings) as doors:
        for tenant in ground.tenants:
            listed = await doors.send(Request("GET", "/v1/collections"), tenant.keys["read-restricted"])
            for name, (documents, _) in tenant.held.items():
                assert name in listed.text
                shown = await doors.send(Request("GET", f"/v1/collections/{name}"), tenant.keys["read-restricted"])
                assert f'"documents":{documents},' in shown.text.replace(" ", "")


async def test_the_requests_would_show_what_is_let_out(embedded: Ground) -> None:
    acme, rival, *_ = embedded.tenants
    thief = Tenant(acme.name, acme.mark, acme.lure, keys=rival.keys, ids=acme.ids)
    async with open_doors(embedded.settings) as doors:
        told = await ask_all(doors, [thief, rival], 60)
    assert any("shows" in sentence for sentence in told)
    assert any("differs" in sentence for sentence in told)


@pytest.mark.parametrize(
    "request_",
    [
        Request("POST", "/v1/search", {"query": "samples", "collection": "box-lurew", "mode": "keyword"}, "box-lurew"),
        Request("GET", "/v1/collections/box-lurew", None, "box-lurew"),
        Request("GET", "/v1/models/box-lurew", None, "box-lurew"),
        Request("MCP", "tools/call", {"name": "status", "arguments": {"collection": "box-lurew"}}, "box-lurew"),
    ],
)
async def test_what_is_anothers_takes_as_long_as_what_never_was(embedded: Ground, request_: Request) -> None:
    key = embedded.tenants[0].keys["read"]
    missing = request_.twin("box-gggkh")
    async with open_doors(embedded.settings) as doors:
        for _ in range(5):  # everything is loaded and open
            assert (await doors.send(request_, key)).status == (await doors.send(missing, key)).status
        share = await compare_times(lambda: doors.send(request_, key), lambda: doors.send(missing, key), PAIRS)
    assert abs(share) < ALIKE


async def test_a_difference_of_times_would_be_seen() -> None:
    async def slow() -> None:
        await asyncio.sleep(0.004)

    async def quick() -> None:
        await asyncio.sleep(0.002)

    assert await compare_times(slow, quick, 30) > ALIKE
