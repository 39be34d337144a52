"""The pages for other frameworks, with the real framework where it is installed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragstone
from tests.docs.blocks import ROOT, blocks
from tests.server.conftest import serve_program

PAGES = ROOT / "docs" / "how-to"
QUESTION = "How long are samples kept?"
STORAGE = "---\nowner: Ann\n---\n# Storage\n\nSamples are kept for 15 days. password=hunter2secret99\n"
LONGEST = 40  # lines of such a page


def run_page(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the page's block defines, over a collection in the current folder."""
    monkeypatch.chdir(folder)
    (folder / "docs").mkdir()
    (folder / "docs" / "storage.md").write_text(STORAGE)
    with ragstone.open("embedded:.ragstone", embed__model="none") as kb:
        kb.ingest("docs")
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "none")
    [block] = [one for one in blocks(PAGES / name) if one.language == "python"]
    names: dict[str, Any] = {"__name__": name.replace(".", "_")}
    exec(compile(block.text, name, "exec"), names)
    return names


@pytest.mark.parametrize("name", ["langchain.md", "llamaindex.md", "haystack.md"])
def test_a_page_is_short(name: str) -> None:
    assert len((PAGES / name).read_text("utf-8").splitlines()) <= LONGEST


def test_langchain_gets_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_core")
    made = run_page("langchain.md", tmp_path, monkeypatch)
    [document] = made["retriever"].invoke(QUESTION)
    made["kb"].close()
    assert "15 days" in document.page_content
    assert "hunter2secret99" not in document.page_content
    assert (document.metadata["path"], document.metadata["lines"]) == ("storage.md", [(2, 2), (4, 6)])
    assert document.metadata["owner"] == "Ann"


def test_llamaindex_gets_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llama_index.core")
    made = run_page("llamaindex.md", tmp_path, monkeypatch)
    [found] = made["retriever"].retrieve(QUESTION)
    made["kb"].close()
    assert "15 days" in found.node.text
    assert "hunter2secret99" not in found.node.text
    assert (found.node.metadata["path"], found.node.metadata["owner"]) == ("storage.md", "Ann")


def test_haystack_gets_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    haystack = pytest.importorskip("haystack")
    made = run_page("haystack.md", tmp_path, monkeypatch)
    line = haystack.Pipeline()
    line.add_component("retriever", made["retriever"])
    [document] = line.run({"retriever": {"query": QUESTION}})["retriever"]["documents"]
    made["kb"].close()
    assert "15 days" in document.content
    assert "hunter2secret99" not in document.content
    assert (document.meta["path"], document.meta["owner"]) == ("storage.md", "Ann")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over one document, with the built-in model."""
    folder = tmp_path_factory.mktemp("frameworks")
    (folder / "docs").mkdir()
    (folder / "docs" / "storage.md").write_text("# Storage\n\nSamples are kept for 15 days. password=hunter2secret99\n")
    with ragstone.open(f"embedded:{folder / 'store'}") as kb:
        kb.ingest(folder / "docs")
    with serve_program("--store", folder / "store") as served:
        yield served.url


@pytest.mark.parametrize(
    ("place", "package"), list(enumerate(["langchain_openai", "llama_index.llms.openai_like", "haystack"]))
)
def test_a_framework_asks_a_server_as_its_model(place: int, package: str, request: pytest.FixtureRequest) -> None:
    pytest.importorskip(package)
    block = [one for one in blocks(PAGES / "frameworks.md") if one.language == "python"][place]
    made: dict[str, Any] = {}
    text = block.text.replace("http://localhost:8080", request.getfixturevalue("address"))
    exec(compile(text, "frameworks.md", "exec"), made)
    assert "Samples are kept for 15 days. [1]" in made["answer"]
    assert "[1] storage.md:" in made["answer"]
    assert "hunter2secret99" not in made["answer"]
    assert len(made["pieces"]) > 1
    assert "".join(piece or "" for piece in made["pieces"]) == made["answer"]
    assert len(made["vector"]) == 384
