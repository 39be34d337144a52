"""What goes over the line: the key, TLS, how a collection is made, and what a server of another age makes of it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from ragstone.core.filters import Where
from ragstone.stores import open_store
from ragstone.stores.qdrant import client
from ragstone.testing.stores import SCOPE, create_collection, make_revision, make_vector, search_texts, write_revisions
from tests.patience import HANG
from tests.stores.qdrant.server import Fault, Recorder, serving

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server() -> Iterator[Recorder]:
    with serving() as made:
        yield made


async def test_the_key_goes_with_every_call(server: Recorder, tmp_path: Path) -> None:
    server.api_key = "right"
    store = open_store(server.url(tmp_path / "ledger", "&api_key=right"))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    assert await search_texts(store, "apple") == ["apple"]
    assert {call.metadata.get("api-key") for call in server.calls} == {"right"}
    await store.close()


async def test_a_collection_is_made_for_many_tenants(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger", "&shards=2&replicas=3&write_consistency=2"))
    await create_collection(store)
    [made] = [call.request for call in server.calls if call.method == "Create"]
    assert (made.shard_number, made.replication_factor, made.write_consistency_factor) == (2, 3, 2)
    fields = {
        call.request.field_name: call.request.field_index_params
        for call in server.calls
        if call.method == "CreateFieldIndex"
    }
    assert {"tenant", "collection", "path", "doc", "state", "text", "key", "since"} <= set(fields)
    assert fields["tenant"].keyword_index_params.is_tenant
    assert not any(fields[name].keyword_index_params.enable_hnsw for name in ("collection", "path", "doc", "state"))
    assert fields["text"].HasField("text_index_params")
    await store.close()


async def test_points_go_in_messages_of_as_many_as_the_url_says(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger", "&batch=100"))
    await create_collection(store)
    await write_revisions(store, make_revision("a.md", [f"sluice {n}" for n in range(230)]))
    sizes = [len(call.request.points) for call in server.calls if call.method == "Upsert"]
    assert (sum(sizes), max(sizes)) == (230, 100)
    await store.close()


async def test_searches_are_exact_where_the_collection_is_small_or_the_url_says_so(
    server: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, (few, more, exact) in enumerate(((20_000, "", True), (0, "", False), (0, "&exact=true", True))):
        monkeypatch.setattr("ragstone.stores.qdrant.reader.EXACT_UP_TO", few)
        store = open_store(server.url(tmp_path / str(number), more))
        await write_revisions(store, make_revision("a.md", ["apple"]))
        async with store.reader(SCOPE) as reader:
            await reader.nearest(make_vector("apple"), where=Where(), limit=5)
        query = [call.request for call in server.calls if call.method == "Query"][-1]
        assert query.params.exact is exact
        await store.close()


async def test_a_passing_failure_is_tried_again(
    server: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "RETRY_PAUSES", (0.001,))
    failures = [3]

    def fault(method: str) -> Fault | None:
        failures[0] -= 1
        return (grpc.StatusCode.UNAVAILABLE, False) if failures[0] >= 0 else None

    server.fault = fault
    store = open_store(server.url(tmp_path / "ledger"))
    await create_collection(store)
    assert server.methods()[:4] == ["HealthCheck"] * 4
    await store.close()


@pytest.mark.parametrize(("version", "said"), [("1.20.3", False), ("1.19.0", False), ("1.15.2", True), ("dev", False)])
async def test_a_server_of_another_age_is_a_note(server: Recorder, tmp_path: Path, version: str, said: bool) -> None:
    server.version = version
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.reader(SCOPE) as reader:
        info = await reader.info()
    assert info.state == "healthy"
    assert [f"server is {version}" in warning for warning in info.warnings] == [True] * said
    await store.close()


LOOK = """
import asyncio, sys
from ragstone.stores import open_store
from ragstone.testing.stores import make_revision, search_texts, write_revisions

async def look():
    store = open_store(sys.argv[1])
    await write_revisions(store, make_revision("a.md", ["apple"]))
    print(await search_texts(store, "apple"))
    await store.close()

asyncio.run(look())
"""


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of this machine that signs itself, and its key."""
    paths = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(paths[1]), "-out", str(paths[0])]
    try:
        subprocess.run([*command, *names], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    return paths


@pytest.mark.parametrize("trusted", [True, False])
def test_tls_is_checked_against_the_roots(certificate: tuple[Path, Path], tmp_path: Path, trusted: bool) -> None:
    pair = certificate[1].read_bytes(), certificate[0].read_bytes()
    with serving(credentials=grpc.ssl_server_credentials([pair])) as server:
        url = server.url(tmp_path / "ledger", "&api_key=k", host="localhost", scheme="qdrants")
        roots = {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(certificate[0])} if trusted else {}
        hurried = f"import ragstone.stores.qdrant.client as c; c.PATIENCE = {HANG if trusted else 0.5}\n"
        command = [sys.executable, "-c", hurried + LOOK, url]
        done = subprocess.run(command, check=False, env=os.environ | roots, cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode == 0) == trusted
        assert ("['apple']" in done.stdout) == trusted
        assert bool(server.calls) == trusted
        assert trusted or "does not answer" in done.stderr


def test_plain_text_does_not_reach_a_tls_server(
    certificate: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.2)
    pair = certificate[1].read_bytes(), certificate[0].read_bytes()
    with serving(credentials=grpc.ssl_server_credentials([pair])) as server:
        store = open_store(server.url(tmp_path / "ledger"))
        with pytest.raises(Exception, match="does not answer"):
            asyncio.run(create_collection(store))
        assert server.calls == []
