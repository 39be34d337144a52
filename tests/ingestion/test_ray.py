"""Ray Data does the work of a run: the same documents come of it, and a worker's death loses and doubles nothing.

They start a Ray cluster on this machine, so that they run by `make ray` alone.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

import ragstone
from ragstone.core.errors import UsageError
from ragstone.testing.bag_of_words import BagOfWords
from tests.engine.transfer.test_copy import in_postgres, in_qdrant
from tests.ingestion.test_run import counts
from tests.patience import HANG, until
from tests.processes import gone, mine

WANTED = os.environ.get("RAGSTONE_RAY") == "1"
cluster = pytest.mark.skipif(not WANTED, reason="starts a Ray cluster: make ray")
unquiet = pytest.mark.filterwarnings("default")  # Ray has warnings of its own
DOCUMENTS = 24


@pytest.fixture(scope="module", autouse=True)
def _end_of_the_cluster() -> Iterator[None]:
    yield
    if WANTED:
        import ray

        ray.shutdown()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(DOCUMENTS):
        text = f"# Sluice {number}\n\nThe sluice number{number} opens at dawn.\n"
        (folder / f"{number:02}.md").write_text(text, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    return folder


@pytest.fixture(params=["postgresql", "qdrant", "embedded"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], ragstone.Knowledge]]:
    """Opens a collection on a store of each kind."""
    with ExitStack() as stack:
        places = {"postgresql": in_postgres, "qdrant": in_qdrant}
        url = stack.enter_context(places[request.param]()) if request.param in places else str(tmp_path / "store")
        yield lambda: stack.enter_context(ragstone.open(url, embedder=BagOfWords()))


def find_worker() -> int | None:
    """A process of Ray that works on documents now."""
    for pid in mine():
        with suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::MapBatches"):
                return pid
    return None


def check_whole(kb: ragstone.Knowledge) -> None:
    """Every document is there once, with its vectors."""
    documents = kb.documents()
    assert [(one.path, one.revision) for one in documents] == [(f"{n:02}.md", 1) for n in range(DOCUMENTS)]
    info = kb.info()
    assert (info.chunks, info.pending_vectors) == (DOCUMENTS, 0)
    for number in (0, 7, DOCUMENTS - 1):
        best = kb.search(f"sluice number{number} opens", mode="keyword").hits[0]
        assert best.chunk.document.path == f"{number:02}.md"
    assert kb.doctor() == []


@cluster
@unquiet
def test_a_run_on_ray_writes_what_a_run_here_does(
    folder: Path, opener: Callable[[], ragstone.Knowledge], tmp_path: Path
) -> None:
    kb = opener()
    [run] = kb.ingest(folder, ray="local")
    assert counts(run) == {"added": DOCUMENTS, "skipped": 1}
    assert run.stats["embedded"] == DOCUMENTS
    check_whole(kb)
    with ragstone.open(tmp_path / "here", embedder=BagOfWords()) as here:
        [other] = here.ingest(folder)
        assert run.stats["skipped"] == other.stats["skipped"]
        for one, two in zip(kb.documents(), here.documents(), strict=True):
            assert one == two
            assert kb.chunk(one.path, 0) == here.chunk(two.path, 0)
    [again] = kb.ingest(folder, ray="local")
    assert counts(again) == {"unchanged": DOCUMENTS, "skipped": 1}


@cluster
@unquiet
def test_a_worker_that_is_killed_loses_and_doubles_nothing(
    folder: Path, opener: Callable[[], ragstone.Knowledge]
) -> None:
    killed: list[int] = []

    def kill_worker() -> None:
        killed.append(until(find_worker) or 0)
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill_worker)
    thread.start()
    kb = opener()
    [run] = kb.ingest(folder, ray="local")
    thread.join(HANG)
    assert gone(killed[0])
    assert counts(run) == {"added": DOCUMENTS, "skipped": 1}
    check_whole(kb)


@cluster
@unquiet
def test_workers_embed_with_the_arithmetic_of_the_vectors_that_are_there(folder: Path, tmp_path: Path) -> None:
    cosines = []
    for ray in (None, "local"):
        place = tmp_path / f"store-{ray}"
        with ragstone.open(place, embed__precision="fp32") as kb:
            kb.ingest(folder / "00.md")
        with ragstone.open(place) as kb:
            [run] = kb.ingest(folder / "01.md", ray=ray)
            assert (run.stats["embedded"], kb.info().variant, kb.info().pending_vectors) == (1, "fp32+title", 0)
            found = kb.search("which sluice opens at dawn", mode="semantic")
            cosines.append({hit.chunk.document.path: hit.signals["cosine"] for hit in found.hits})
    assert len(cosines[0]) == 2
    assert cosines[0] == cosines[1]


def test_without_ray_the_extra_is_named(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        ragstone.open(tmp_path / "store", embedder=BagOfWords()) as kb,
        pytest.raises(UsageError, match=r"pip install 'ragstone\[ray\]'"),
    ):
        kb.ingest(folder, ray="local")


def test_an_address_that_gives_no_results_is_refused_at_once(folder: Path, tmp_path: Path) -> None:
    with (
        ragstone.open(tmp_path / "store", embedder=BagOfWords()) as kb,
        pytest.raises(UsageError, match="--ray HOST:PORT of its head"),
    ):
        kb.ingest(folder, ray="ray://127.0.0.1:10001")
